//! Subset selection: the g best-scored tokens have weight e^epsilon each, all others 1 (Ye and Barg 2018).
//!
//! With g acceptable tokens no epsilon-DP mechanism draws an acceptable one more often on average over the vocabulary.
#![doc = include_str!("subset.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::{Parameters, check_count, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::{draw_above_floor, highest, ln_ratio_up, probabilities_above_floor};

/// Subset selection over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Subset {
    outcomes: u32,
    good: usize,
    /// The weight of a token outside, and what a good one has more.
    floor: u64,
    more: u64,
}

impl Subset {
    pub(super) const NAME: &'static str = "subset";
    pub(super) const SUMMARY: &'static str =
        "the `good` best-scored tokens have weight e^epsilon each, all others 1: the most that any mechanism can keep";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "good"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        Self::new(parameters.either()?, parameters.good.unwrap_or(5.min(outcomes as usize - 1)), outcomes)
    }

    /// The mechanism with this loss a token and this many good tokens.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 40, or not 1 <= good < outcomes.
    pub fn new(epsilon: f64, good: usize, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon)?;
        check_count("good", good, outcomes as usize - 1, "at least 1 and fewer than the vocabulary")?;
        // The finest floor for which all weights sum to less than 2^63; 2^20 is finer than any use.
        let room = 2.0_f64.powi(62) / (epsilon.exp() * good as f64 + f64::from(outcomes));
        let floor = room.min(2.0_f64.powi(20)).max(1.0) as u64;
        let high = ((floor as f64 * epsilon.exp()) as u64).max(floor);
        Ok(Self { outcomes, good, floor, more: high - floor })
    }

    /// The distribution without the rounding of the odds: (each good token, each other).
    pub fn ideal(epsilon: f64, good: usize, outcomes: u32) -> (f64, f64) {
        let rest = f64::from(outcomes) - good as f64;
        // Divided by e^epsilon, so that nothing overflows.
        let high = 1.0 / (good as f64 + rest * (-epsilon).exp());
        (high, high * (-epsilon).exp())
    }

    fn weights(&self, scores: &[f32]) -> Vec<(u32, u64)> {
        highest(scores, self.outcomes, self.good).into_iter().map(|outcome| (outcome, self.more)).collect()
    }
}

impl Mechanism for Subset {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.outcomes
    }

    fn reads(&self) -> Reads {
        Reads::Order
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(probabilities_above_floor(self.outcomes, self.floor, &self.weights(scores)))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(draw_above_floor(self.outcomes, self.floor, &self.weights(scores), rng))
    }

    fn loss(&self) -> Loss {
        let high = self.floor + self.more;
        let total = self.floor as f64 * f64::from(self.outcomes) + self.more as f64 * self.good as f64;
        let hit = high as f64 * self.good as f64 / total;
        Loss { epsilon: ln_ratio_up(high, self.floor), class: Class::Band { hit } }
    }
}
