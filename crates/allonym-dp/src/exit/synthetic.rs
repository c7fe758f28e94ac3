//! Texts computed from the outputs of mechanisms and from public inputs alone.

use super::Released;
use crate::guarantee::{Bound, Guarantee};

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

    /// A value written by a model that was trained by a DP trainer, or from counts that were released, with the guarantee that the
    /// core computed for them. `None` where there is no bound: such a value is for its owner alone.
    ///
    /// The caller vouches that the value was computed from these outputs and public inputs alone; a test of the workspace
    /// lists every caller with its reason.
    pub fn from_dp_outputs(value: T, guarantee: &Guarantee) -> Option<Self> {
        (*guarantee.bound() != Bound::None).then_some(Self(value))
    }
}
