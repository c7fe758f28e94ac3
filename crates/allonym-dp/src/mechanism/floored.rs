//! Floored log-probabilities: the softmax with a floor e^-clip under it, at a temperature of at most one.
//!
//! Clipping log-probabilities from below instead of logits on both sides costs half: the loss of a token is clip / T.
#![doc = include_str!("floored.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::Loss;
use crate::mechanism::parameters::{Parameters, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::ConvexScores;

/// Floored log-probabilities over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Floored {
    scores: ConvexScores,
}

impl Floored {
    pub(super) const NAME: &'static str = "floored";
    pub(super) const SUMMARY: &'static str = "log-probabilities floored at -clip, at temperature clip / epsilon of at most 1: clipped logits without the factor 2";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "clip"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let epsilon = parameters.either()?;
        Self::new(epsilon, parameters.clip.unwrap_or(epsilon), outcomes)
    }

    /// The mechanism with this loss a token; the temperature is clip / epsilon.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 40, or clip is not positive or larger than epsilon (a temperature above
    /// one, for which the bound does not hold).
    pub fn new(epsilon: f64, clip: f64, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon)?;
        if !(clip > 0.0 && clip <= epsilon) {
            let allowed = "positive and at most epsilon (a temperature of at most 1)";
            return Err(DpError::Setting { setting: "clip", value: clip.to_string(), allowed });
        }
        let cold = epsilon / clip;
        let scores = ConvexScores::new(outcomes, |p| p.powf(cold).max((-epsilon).exp()));
        Ok(Self { scores })
    }

    /// The distribution without rounding.
    pub fn ideal(probabilities: &[f64], epsilon: f64, clip: f64) -> Vec<f64> {
        let weights: Vec<f64> = probabilities.iter().map(|p| p.powf(epsilon / clip).max((-epsilon).exp())).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

impl Mechanism for Floored {
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
        Reads::Probabilities
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.scores.distribution(scores))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(self.scores.draw(scores, rng))
    }

    fn loss(&self) -> Loss {
        self.scores.loss()
    }
}
