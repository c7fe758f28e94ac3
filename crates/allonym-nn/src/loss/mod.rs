//! What is minimised: losses of the papers, each with its gradient.

mod huber;
mod reward;
mod sampled;
mod softmax;
mod targets;

pub use huber::huber;
pub use reward::{EmbeddingReward, RewardSettings};
pub use sampled::{Negatives, Sample, sampled_loss, sampled_softmax};
pub use softmax::{Evaluated, softmax};
pub use targets::{Targets, Tokens, top};

use crate::matrix::Matrix;
use crate::real::Real;

/// A loss, and what flows back from it.
#[derive(Debug)]
pub struct Loss<T: Real> {
    /// The loss of each example: the sum over its rows, each times its weight.
    pub of_examples: Vec<f64>,
    /// What flows back to the vector of each row.
    pub back: Matrix<T>,
}

impl<T: Real> Loss<T> {
    /// The loss of all examples.
    pub fn total(&self) -> f64 {
        self.of_examples.iter().sum()
    }
}
