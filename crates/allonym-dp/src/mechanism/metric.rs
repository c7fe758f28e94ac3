//! Word-level metric privacy by a truncated exponential draw (after Carvalho et al. 2021, TEM).
//!
//! A word w is drawn with weight e^(-epsilon d / 2), where d is its distance from the original word in a public
//! embedding space, cut off at `clip`. Near words are hard to tell apart, far ones are not: that is a weaker promise than
//! that of the other mechanisms, and both are printed. The noise version (Gamma radius, nearest neighbour) is
//! [`VectorNoise`](crate::vector_noise::VectorNoise).
#![doc = include_str!("metric.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::Loss;
use crate::mechanism::clipped_logit::{ClippedLogit, FreeScores};
use crate::mechanism::parameters::{Parameters, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::LEVELS;

/// The truncated exponential mechanism on distances, over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Metric {
    epsilon: f64,
    clip: f32,
    scores: FreeScores,
}

impl Metric {
    pub(super) const NAME: &'static str = "metric";
    pub(super) const SUMMARY: &'static str =
        "metric privacy: weight e^(-epsilon distance / 2), distances cut at `clip`; epsilon is per unit of distance";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "clip"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let clip = parameters.clip.unwrap_or(1.0);
        match parameters.epsilon_per_token {
            None => Self::new(parameters.epsilon()?, clip, outcomes),
            Some(loss) => Self::new(ClippedLogit::range_for(loss, outcomes)? * 2.0 / clip, clip, outcomes),
        }
    }

    /// The mechanism with this loss per unit of distance.
    ///
    /// # Errors
    /// When epsilon or clip is not a positive number, or their product is above 80.
    pub fn new(epsilon: f64, clip: f64, outcomes: u32) -> Result<Self, DpError> {
        if !(clip > 0.0 && clip.is_finite()) {
            return Err(DpError::Setting { setting: "clip", value: clip.to_string(), allowed: "a positive number" });
        }
        check_epsilon("epsilon", epsilon * clip / 2.0)?;
        Ok(Self { epsilon, clip: clip as f32, scores: FreeScores::new(epsilon * clip / 2.0, outcomes) })
    }

    /// What tells two original words at this distance apart, at most: epsilon times the distance, and a step of the table.
    pub fn loss_at(&self, distance: f64) -> f64 {
        self.epsilon * (distance + f64::from(self.clip) / LEVELS as f64) + 1e-9
    }

    /// A distance as a score in [0, 1]: near words have high ones.
    fn unit<'a>(&self, distances: &'a [f32]) -> impl Iterator<Item = f32> + use<'a> {
        let clip = self.clip;
        distances.iter().map(move |distance| 1.0 - distance.max(0.0) / clip)
    }
}

impl Mechanism for Metric {
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
        Reads::Distances
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.scores.distribution(self.unit(scores)))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(self.scores.draw(self.unit(scores), rng))
    }

    /// Between any two words: that of clipped scores of range epsilon clip / 2.
    fn loss(&self) -> Loss {
        self.scores.loss()
    }
}
