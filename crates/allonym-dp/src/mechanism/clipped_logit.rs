//! Sampling from clipped logits (as DP-Prompt, Utpala et al. 2023, does), and from floored log-probabilities.
//!
//! Raw logits are clipped to a range of fixed width and divided by a temperature. Of the published factor 2 almost
//! nothing can be saved for a large vocabulary. Log-probabilities that are floored instead need no factor 2.
#![doc = include_str!("clipped_logit.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::{Parameters, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::{Table, draw_above_floor, level, ln_ratio_up, probabilities_above_floor};

/// Weights e^(range u) for scores u in [0, 1] that any two texts may change at will.
#[derive(Clone, Debug)]
pub(super) struct FreeScores {
    pub(super) outcomes: u32,
    table: Table,
}

impl FreeScores {
    /// Scores whose weights differ by at most e^range.
    pub(super) fn new(range: f64, outcomes: u32) -> Self {
        Self { outcomes, table: Table::new(outcomes, |u| (range * (u - 1.0)).exp()) }
    }

    fn more(&self, scores: impl Iterator<Item = f32>) -> Vec<(u32, u64)> {
        let floor = self.table.lowest();
        let levels = (0..self.outcomes).zip(scores).map(|(outcome, score)| (outcome, level(score)));
        levels
            .filter(|(_, level)| *level > 0)
            .map(|(outcome, level)| (outcome, self.table.weight(level) - floor))
            .collect()
    }

    pub(super) fn distribution(&self, scores: impl Iterator<Item = f32>) -> Vec<f64> {
        probabilities_above_floor(self.outcomes, self.table.lowest(), &self.more(scores))
    }

    pub(super) fn draw(&self, scores: impl Iterator<Item = f32>, rng: &mut PrivacyRng) -> u32 {
        draw_above_floor(self.outcomes, self.table.lowest(), &self.more(scores), rng)
    }

    /// R + ln((1 + (s - 1) e^R) / (e^R + s - 1)), from the table; bounded range 2 R.
    pub(super) fn loss(&self) -> Loss {
        let range = ln_ratio_up(self.table.highest(), self.table.lowest());
        let others = f64::from(self.outcomes - 1);
        let odds = range.exp();
        let normaliser = ((1.0 + others * odds) / (odds + others)).ln() + 1e-14;
        Loss { epsilon: range + normaliser, class: Class::BoundedRange { range: 2.0 * range } }
    }
}

/// Clipped logits over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct ClippedLogit {
    epsilon: f64,
    clip: f32,
    scores: FreeScores,
}

impl ClippedLogit {
    pub(super) const NAME: &'static str = "clipped-logit";
    pub(super) const SUMMARY: &'static str =
        "softmax of logits clipped to a range of width `clip`, temperature 2 clip / epsilon (DP-Prompt)";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "clip"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let clip = parameters.clip.unwrap_or(10.0);
        match parameters.epsilon_per_token {
            None => Self::new(parameters.epsilon()?, clip, outcomes),
            Some(loss) => Self::new(2.0 * Self::range_for(loss, outcomes)?, clip, outcomes),
        }
    }

    /// The mechanism with the published parameter: epsilon = 2 clip / temperature.
    ///
    /// # Errors
    /// When epsilon is not a positive number of at most 40, or clip is not a positive number.
    pub fn new(epsilon: f64, clip: f64, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon)?;
        if !(clip > 0.0 && clip.is_finite()) {
            return Err(DpError::Setting { setting: "clip", value: clip.to_string(), allowed: "a positive number" });
        }
        Ok(Self { epsilon, clip: clip as f32, scores: FreeScores::new(epsilon / 2.0, outcomes) })
    }

    /// The exact loss for weights that differ by at most e^range, before rounding.
    pub fn ideal_loss(range: f64, outcomes: u32) -> f64 {
        let others = f64::from(outcomes - 1);
        let odds = range.exp();
        range + ((1.0 + others * odds) / (odds + others)).ln()
    }

    /// The widest range of weights whose loss is at most this one: the loss grows with the range, so bisect from below.
    pub(super) fn range_for(loss: f64, outcomes: u32) -> Result<f64, DpError> {
        check_epsilon("epsilon-per-token", loss)?;
        let (mut low, mut high) = (0.0, loss);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if Self::ideal_loss(middle, outcomes) <= loss { low = middle } else { high = middle }
        }
        Ok(low)
    }

    /// A logit in the clipped range around zero, as a number in [0, 1].
    fn unit<'a>(&self, logits: &'a [f32]) -> impl Iterator<Item = f32> + use<'a> {
        let clip = self.clip;
        logits.iter().map(move |logit| logit / clip + 0.5)
    }
}

impl Mechanism for ClippedLogit {
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
        Reads::Logits
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.scores.distribution(self.unit(scores)))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(self.scores.draw(self.unit(scores), rng))
    }

    fn loss(&self) -> Loss {
        self.scores.loss()
    }

    fn paper_epsilon(&self) -> Option<f64> {
        Some(self.epsilon)
    }
}
