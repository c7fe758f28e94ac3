//! What the owner of the texts may see of them: previews, explanations, samples, exact counts.

use allonym_text::Private;
use std::fmt;

/// A value for the eyes of the texts' owner: for the terminal or for a file that only they can read, never for a release.
///
/// It has no `Display` and no `Serialize`, and writers of releases do not accept it.
///
/// ```compile_fail
/// fn print(preview: allonym_dp::ForOwner<String>) { println!("{preview}"); }
/// ```
pub struct ForOwner<T>(T);

impl<T> ForOwner<T> {
    /// Shows a private value to its owner. Every use has a reason, and a test of the workspace lists all of them.
    pub fn show(value: Private<T>, _reason: &'static str) -> Self {
        Self(value.declassify("shown to its owner: the terminal, or a file of mode 0600"))
    }

    /// Computes on the value.
    pub fn map<U>(self, compute: impl FnOnce(T) -> U) -> ForOwner<U> {
        ForOwner(compute(self.0))
    }

    /// Takes the value out, to print it on the owner's terminal or to write it into a file of theirs.
    pub fn for_terminal_or_private_file(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for ForOwner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForOwner(..)")
    }
}
