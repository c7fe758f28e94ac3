//! The exponential mechanism on a model's probabilities (Bo et al. 2019, ER-AE first version, Definition 3).
//!
//! A token w is drawn with weight e^(epsilon p(w) / 2), where p is the softmax of the model. The paper takes p for a
//! rating of sensitivity 1 and prints epsilon a token. Because p is a distribution, the truth is half of that.
#![doc = include_str!("exponential.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::Loss;
use crate::mechanism::parameters::{Parameters, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::ConvexScores;

/// The exponential mechanism over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Exponential {
    epsilon: f64,
    scores: ConvexScores,
}

impl Exponential {
    pub(super) const NAME: &'static str = "exponential";
    pub(super) const SUMMARY: &'static str =
        "exponential mechanism on probabilities (ER-AE, first version); the true loss of a token is epsilon / 2";
    pub(super) const READS: &'static [&'static str] = &["epsilon"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let epsilon = match parameters.epsilon_per_token {
            Some(loss) => 2.0 * check_epsilon("epsilon-per-token", loss)?,
            None => parameters.epsilon()?,
        };
        Self::new(epsilon, outcomes)
    }

    /// The mechanism with the paper's parameter.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 80 (a true loss of 40).
    pub fn new(epsilon: f64, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon / 2.0)?;
        let scores = ConvexScores::new(outcomes, |p| (epsilon / 2.0 * (p - 1.0)).exp());
        Ok(Self { epsilon, scores })
    }

    /// The distribution that the paper defines, before any quantisation.
    pub fn ideal(probabilities: &[f64], epsilon: f64) -> Vec<f64> {
        let weights: Vec<f64> = probabilities.iter().map(|p| (epsilon * p / 2.0).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

impl Mechanism for Exponential {
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

    fn paper_epsilon(&self) -> Option<f64> {
        Some(self.epsilon)
    }
}
