//! What a mechanism has drawn, and may leave.

use std::fmt;

/// A value that came out of a mechanism, or was computed from such values and public ones alone.
///
/// Only this crate makes one, so a function that takes `Released<String>` cannot be handed an original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released<T>(T);

impl<T> Released<T> {
    pub(crate) fn by_mechanism(value: T) -> Self {
        Self(value)
    }

    /// Computes on the value: what depends on a release and on public things alone is a release too.
    pub fn map<U>(self, compute: impl FnOnce(T) -> U) -> Released<U> {
        Released(compute(self.0))
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.0
    }

    /// Takes the value out.
    pub fn into_value(self) -> T {
        self.0
    }
}

impl<T: fmt::Display> fmt::Display for Released<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
