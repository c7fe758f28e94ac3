//! Texts computed from the outputs of mechanisms and from public inputs alone.

use super::Released;

/// A value computed from released values and public ones: post-processing, which costs nothing more.
///
/// ```compile_fail
/// // It begins with something released; an original will not do.
/// use allonym_text::Private;
/// let text = Private::new(String::from("an original"));
/// let synthetic = allonym_dp::Synthetic::from_released(text, &(), |text: Private<String>, _| text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthetic<T>(T);

super::exit_type!(Synthetic);

impl<T> Synthetic<T> {
    /// Computes a value from a released one and a public argument, by a function that captures nothing.
    pub fn from_released<R, P: ?Sized>(released: Released<R>, public: &P, compute: fn(R, &P) -> T) -> Self {
        Self(compute(released.into_value(), public))
    }
}
