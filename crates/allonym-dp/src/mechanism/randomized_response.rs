//! Randomised response over the vocabulary (k-RR; Warner 1965, Kairouz et al. 2014).
//!
//! The best-scored token is kept with weight e^epsilon, every other token has weight 1. No epsilon-DP mechanism keeps
//! a given token more often.

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::Loss;
use crate::mechanism::parameters::Parameters;
use crate::mechanism::subset::Subset;
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;

/// Keeps the best token or draws any other: [`Subset`] with one good token.
#[derive(Clone, Debug)]
pub struct RandomizedResponse(Subset);

impl RandomizedResponse {
    pub(super) const NAME: &'static str = "randomized-response";
    pub(super) const SUMMARY: &'static str =
        "keeps the best-scored token with weight e^epsilon against 1 for each other (k-RR)";
    pub(super) const READS: &'static [&'static str] = &["epsilon"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        Self::new(parameters.either()?, outcomes)
    }

    /// The mechanism with this loss a token.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 40.
    pub fn new(epsilon: f64, outcomes: u32) -> Result<Self, DpError> {
        Ok(Self(Subset::new(epsilon, 1, outcomes)?))
    }

    /// The distribution without the rounding of the odds, for the best of `outcomes` tokens: (kept, each other).
    pub fn ideal(epsilon: f64, outcomes: u32) -> (f64, f64) {
        Subset::ideal(epsilon, 1, outcomes)
    }
}

impl Mechanism for RandomizedResponse {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.0.outcomes()
    }

    fn reads(&self) -> Reads {
        self.0.reads()
    }

    fn distribution(&self, scores: &[f32], context: &PublicContext<'_>) -> Option<Vec<f64>> {
        self.0.distribution(scores, context)
    }

    fn choose(&self, scores: &[f32], context: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        self.0.choose(scores, context, rng)
    }

    fn loss(&self) -> Loss {
        self.0.loss()
    }
}
