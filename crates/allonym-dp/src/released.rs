//! What a mechanism has drawn, and may leave.

use allonym_text::Private;
use std::fmt;

/// A value that came out of a mechanism, or was computed from such values and public ones alone.
///
/// Only this crate makes one from nothing, so a function that takes `Released<String>` is not handed an original by
/// oversight. (`map` trusts its closure to use released and public values alone.)
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

    /// Several released values as one.
    pub fn together(values: impl IntoIterator<Item = Self>) -> Released<Vec<T>> {
        Released(values.into_iter().map(|value| value.0).collect())
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

impl<T> Released<Vec<T>> {
    /// One released value as several.
    pub fn apart(self) -> Vec<Released<T>> {
        self.0.into_iter().map(Released).collect()
    }
}

/// What is left of a private value when names in it were replaced. **No mechanism stands behind it**: all that is not replaced passes as it was, and whoever calls
/// this prints a statement that says so before it says what is protected.
pub fn generalise<T, U>(value: Private<T>, replace: impl FnOnce(T) -> U) -> Released<U> {
    Released(replace(value.declassify("generalised: all but names passes, and the statement says so")))
}

/// A text that an agent wrote again. **No mechanism stands behind it**: what it keeps of the original is only measured, and whoever calls this prints a statement that says so
/// before anything else.
pub fn rewrite<T, U>(value: Private<T>, rewrite: impl FnOnce(T) -> U) -> Released<U> {
    Released(rewrite(value.declassify("rewritten by an agent: nothing is promised, and the statement says so")))
}

/// The step through the door, for the mechanisms of this crate.
pub(crate) trait DrawFrom<T> {
    /// Draws from a private value. The closure is a mechanism: its result's distribution is what the guarantee bounds.
    fn draw<U>(self, draw: impl FnOnce(T) -> U) -> Released<U>;
}

impl<T> DrawFrom<T> for Private<T> {
    fn draw<U>(self, draw: impl FnOnce(T) -> U) -> Released<U> {
        Released(draw(self.declassify("a mechanism draws from it")))
    }
}

impl<T: fmt::Display> fmt::Display for Released<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
