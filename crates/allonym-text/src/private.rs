//! Original text, private by type.
//!
//! Whatever came from a person's text is a `Private<T>` until a mechanism of `allonym-dp` has drawn a release from it.
//! It has no `Display` and no `Serialize`, and its `Debug` prints `Private(..)`, so that it cannot reach a log, an error
//! message or a file by oversight. It is a guard against mistakes, not against malice: a closure given to `map` could
//! still carry a value away, which is for review to see.

use std::fmt;

/// A value computed from original text, which must not leave without a mechanism.
///
/// ```
/// use allonym_text::Private;
/// let text = Private::new(String::from("my secret"));
/// assert_eq!(format!("{text:?}"), "Private(..)");
/// assert_eq!(text.as_ref().map(|t| t.len()).declassify("an example"), 9);
/// ```
#[derive(Clone, Default)]
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Marks a value as private.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Computes on the value; the result is as private as the value was.
    pub fn map<U>(self, compute: impl FnOnce(T) -> U) -> Private<U> {
        Private(compute(self.0))
    }

    /// Two private values as one.
    pub fn with<U>(self, other: Private<U>) -> Private<(T, U)> {
        Private((self.0, other.0))
    }

    /// Several private values as one.
    pub fn together(values: impl IntoIterator<Item = Self>) -> Private<Vec<T>> {
        Private(values.into_iter().map(|value| value.0).collect())
    }

    /// Borrows the value, still private.
    pub fn as_ref(&self) -> Private<&T> {
        Private(&self.0)
    }

    /// Borrows the value for a change, still private.
    pub fn as_mut(&mut self) -> Private<&mut T> {
        Private(&mut self.0)
    }

    /// Takes the value out. Every use has a reason, and a test of the workspace lists all of them: a mechanism that
    /// draws a release, or a measurement on the machine of the text's owner.
    pub fn declassify(self, _reason: &'static str) -> T {
        self.0
    }
}

impl<T> Private<Vec<T>> {
    /// How many values were put together, which is not private.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// One private value as several. How many there are is not private: it is the number of values that were put together.
    pub fn apart(self) -> Vec<Private<T>> {
        self.0.into_iter().map(Private).collect()
    }
}

impl<T> fmt::Debug for Private<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Private(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_the_value_at_any_depth() {
        let nested = vec![Some(Private::new("canary"))];
        assert_eq!(format!("{nested:?}"), "[Some(Private(..))]");
        assert!(!format!("{nested:#?}").contains("canary"));
    }
}
