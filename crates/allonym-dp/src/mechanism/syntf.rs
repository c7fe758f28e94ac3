//! The draw of SynTF (Weggenmann and Kerschbaum 2018): the exponential mechanism on ratings of words in [0, 1].
//!
//! A rating is not a probability: the ratings of all words may be high at once, so the factor 2 of the exponential
//! mechanism is needed, and the loss of a word is close to epsilon.

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::Loss;
use crate::mechanism::clipped_logit::{ClippedLogit, FreeScores};
use crate::mechanism::parameters::{Parameters, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;

/// The exponential mechanism on ratings, over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct SynTf {
    epsilon: f64,
    scores: FreeScores,
}

impl SynTf {
    pub(super) const NAME: &'static str = "syntf";
    pub(super) const SUMMARY: &'static str =
        "exponential mechanism on ratings in [0, 1] (SynTF); the loss of a word is epsilon";
    pub(super) const READS: &'static [&'static str] = &["epsilon"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        match parameters.epsilon_per_token {
            None => Self::new(parameters.epsilon()?, outcomes),
            Some(loss) => Self::new(2.0 * ClippedLogit::range_for(loss, outcomes)?, outcomes),
        }
    }

    /// The mechanism with the paper's parameter.
    ///
    /// # Errors
    /// When epsilon is not a positive number of at most 80.
    pub fn new(epsilon: f64, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon / 2.0)?;
        Ok(Self { epsilon, scores: FreeScores::new(epsilon / 2.0, outcomes) })
    }
}

impl Mechanism for SynTf {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.scores.outcomes
    }

    fn reads(&self) -> Reads {
        Reads::Ratings
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.scores.distribution(scores.iter().copied()))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(self.scores.draw(scores.iter().copied(), rng))
    }

    /// As for clipped logits with R = epsilon / 2 (proof there).
    fn loss(&self) -> Loss {
        self.scores.loss()
    }

    fn paper_epsilon(&self) -> Option<f64> {
        Some(self.epsilon)
    }
}
