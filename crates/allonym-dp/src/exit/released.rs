//! What a mechanism of this crate has drawn.

use allonym_text::Private;

/// A value drawn by a mechanism, or computed from such values and public ones alone.
///
/// Only this crate makes one, so a function that takes `Released<String>` is not handed an original by mistake:
///
/// ```compile_fail
/// // There is no constructor.
/// let released = allonym_dp::Released(String::from("an original"));
/// ```
/// ```compile_fail
/// // A private value does not turn into a released one.
/// use allonym_text::Private;
/// let released: allonym_dp::Released<String> = Private::new(String::from("an original")).into();
/// ```
/// ```compile_fail
/// // `map` takes a function, so an original in scope cannot slip into the result.
/// fn swap(released: allonym_dp::Released<String>, original: String) -> allonym_dp::Released<String> {
///     released.map(|_| original)
/// }
/// ```
/// ```compile_fail
/// // The step that mechanisms take inside this crate is not public.
/// use allonym_dp::exit::DrawFrom;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released<T>(T);

super::exit_type!(Released);

impl<T> Released<T> {
    pub(crate) fn by_mechanism(value: T) -> Self {
        Self(value)
    }
}

/// How a mechanism of this crate opens a private value.
pub(crate) trait DrawFrom<T> {
    /// Draws from a private value. The closure is a mechanism: the guarantee bounds the distribution of its result.
    fn draw<U>(self, draw: impl FnOnce(T) -> U) -> Released<U>;
}

impl<T> DrawFrom<T> for Private<T> {
    fn draw<U>(self, draw: impl FnOnce(T) -> U) -> Released<U> {
        Released(draw(self.declassify("a mechanism draws from it")))
    }
}
