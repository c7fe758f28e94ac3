//! The embedding reward of ER-AE (Bo et al. 2021, equations 6 to 8).
//!
//! Besides the original token, the tokens that the model likes best and some random ones get a weight: the cosine of
//! their embedding with that of the original, capped. The model then keeps good substitutes ready.

use super::targets::{Targets, check, top};
use crate::error::NnError;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::vectorise::dot;
use allonym_dp::PrivacyRng;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Settings of the reward.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RewardSettings {
    /// The weight of reconstruction (lambda_recon). Default 1.
    pub reconstruction: f64,
    /// The weight of the reward (lambda_embed). Default 0.5.
    pub reward: f64,
    /// How many of the best tokens, and as many random ones, are rewarded (k). Default 5.
    pub candidates: usize,
    /// The largest reward. Default 0.85, so that the original token is not all that counts.
    pub cap: f64,
    /// The smallest reward. Default 0. The papers have none (-1): a negative reward asks for a probability of zero without end, so the loss has no
    /// lower bound, and vectors with many negative cosines, unlike the papers', drive the model apart.
    pub floor: f64,
}

impl Default for RewardSettings {
    fn default() -> Self {
        Self { reconstruction: 1.0, reward: 0.5, candidates: 5, cap: 0.85, floor: 0.0 }
    }
}

impl RewardSettings {
    /// Checks every setting but those that need to know the vocabulary.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), NnError> {
        let Self { reconstruction, reward, cap, floor, .. } = *self;
        for (setting, value) in [("reconstruction", reconstruction), ("reward", reward), ("cap", cap)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(NnError::Setting { setting, value: value.to_string(), allowed: "at least 0" });
            }
        }
        if !(-1.0..=cap).contains(&floor) {
            let allowed = "between -1 and the cap";
            return Err(NnError::Setting { setting: "floor", value: floor.to_string(), allowed });
        }
        Ok(())
    }
}

/// The weights of the reward for the rows of a batch.
pub struct EmbeddingReward<T: Real> {
    settings: RewardSettings,
    tokens: Vec<u32>,
    /// Unit vectors.
    embeddings: Arc<Matrix<T>>,
    /// The random tokens of each row, drawn in advance, so that a row has the same ones whenever it is looked at.
    random: Vec<u32>,
}

impl<T: Real> EmbeddingReward<T> {
    /// Scales embeddings to length 1, as the reward takes them. A vector of zeros stays one: its cosines are 0.
    pub fn unit_vectors(mut embeddings: Matrix<T>) -> Arc<Matrix<T>> {
        for row in 0..embeddings.rows() {
            let values = embeddings.row_mut(row);
            let length = dot(values, values).sqrt();
            if length > T::ZERO {
                values.iter_mut().for_each(|value| *value = *value / length);
            }
        }
        Arc::new(embeddings)
    }

    /// Prepares the reward for rows with the given original tokens.
    ///
    /// # Errors
    /// When a token is outside the vocabulary or a setting out of range.
    pub fn new(
        settings: RewardSettings,
        tokens: Vec<u32>,
        unit_vectors: Arc<Matrix<T>>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let vocabulary = unit_vectors.rows();
        check(&tokens, vocabulary)?;
        settings.check()?;
        let candidates = settings.candidates;
        if candidates > vocabulary {
            let allowed = "at most the size of the vocabulary";
            return Err(NnError::Setting { setting: "candidates", value: candidates.to_string(), allowed });
        }
        let random = (0..tokens.len() * candidates).map(|_| rng.below(vocabulary as u64) as u32).collect();
        Ok(Self { settings, tokens, embeddings: unit_vectors, random })
    }
}

impl<T: Real> Targets<T> for EmbeddingReward<T> {
    fn rows(&self) -> usize {
        self.tokens.len()
    }

    fn of_row(&self, row: usize, logits: &[T], weights: &mut Vec<(u32, T)>) {
        let RewardSettings { reconstruction, reward, candidates, cap, floor } = self.settings;
        let original = self.tokens[row];
        weights.push((original, T::of(reconstruction)));
        let mut best = Vec::with_capacity(candidates);
        top(logits, candidates, &mut best);
        let random = &self.random[row * candidates..(row + 1) * candidates];
        for token in best.iter().chain(random) {
            let cosine = dot(self.embeddings.row(original as usize), self.embeddings.row(*token as usize));
            weights.push((*token, T::of(reward * cosine.wide().clamp(floor, cap))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reward_is_the_capped_cosine_with_the_original() {
        // Vectors at 0, 60 and 90 degrees: cosines 1, 0.5 and 0.
        let vectors = Matrix::of(3, 2, vec![2.0, 0.0, 0.5, 0.75_f64.sqrt(), 0.0, 3.0]);
        let settings = RewardSettings { candidates: 2, ..RewardSettings::default() };
        let unit = EmbeddingReward::unit_vectors(vectors);
        let reward = EmbeddingReward::new(settings, vec![0], unit, &mut PrivacyRng::reproducible(1)).unwrap();
        let mut weights = Vec::new();
        reward.of_row(0, &[3.0, 2.0, 1.0], &mut weights);
        assert_eq!(weights.len(), 1 + 2 + 2);
        assert_eq!(weights[0], (0, 1.0));
        assert_eq!(weights[1], (0, 0.5 * 0.85));
        assert!(weights[2].0 == 1 && (weights[2].1 - 0.25).abs() < 1e-12);
        let mut again = Vec::new();
        reward.of_row(0, &[3.0, 2.0, 1.0], &mut again);
        assert_eq!(weights, again, "random candidates are drawn once");
    }

    #[test]
    fn more_candidates_than_words_are_refused() {
        let unit = EmbeddingReward::unit_vectors(Matrix::of(2, 1, vec![1.0_f32, 0.0]));
        let settings = RewardSettings { candidates: 3, ..RewardSettings::default() };
        assert!(EmbeddingReward::new(settings, vec![0], unit, &mut PrivacyRng::reproducible(1)).is_err());
    }
}
