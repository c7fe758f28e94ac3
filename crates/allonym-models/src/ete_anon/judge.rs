//! The two classifiers that the agent is rewarded by, as tables over the words of the auto-encoder.
//!
//! A text that was decoded has only words of the vocabulary. So the weight of every word for every class is looked up once, and what a classifier says of a
//! text is a sum of a few rows of a table.

use crate::error::ModelError;
use allonym_nn::NnError;
use serde::{Deserialize, Serialize};

/// The chance of a class is `1 / (1 + e^(slope * score + offset))`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// Below 0 when a higher score speaks for the class.
    pub slope: f64,
    /// What is added.
    pub offset: f64,
}

/// A class of a linear classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedClass {
    /// The weight of each id of the vocabulary.
    pub weights: Vec<f32>,
    /// What every text begins with.
    pub offset: f32,
    /// From its score to its chance.
    pub chance: Chance,
}

/// A linear classifier of counted words, weighted by how rare they are and scaled to length 1 (TF-IDF), with chances that sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    /// How rare each id is; 0 for one that the classifier does not see.
    rarity: Vec<f32>,
    /// For each id the weights of all classes, times its rarity.
    weights: Vec<f32>,
    offsets: Vec<f32>,
    chances: Vec<Chance>,
}

impl Judge {
    /// A judge of these classes. `rarity` has a number for each id of the vocabulary.
    ///
    /// # Errors
    /// When there are fewer than two classes, or one has not a weight for each id.
    pub fn new(rarity: Vec<f32>, classes: &[JudgedClass]) -> Result<Self, ModelError> {
        if classes.len() < 2 {
            return Err(NnError::shape("judge", "number of classes", classes.len(), "at least 2").into());
        }
        if let Some(other) = classes.iter().find(|class| class.weights.len() != rarity.len()) {
            return Err(NnError::shape("judge", "number of weights", other.weights.len(), rarity.len()).into());
        }
        let weights = rarity.iter().enumerate();
        let weights = weights.flat_map(|(id, rarity)| classes.iter().map(move |class| rarity * class.weights[id]));
        Ok(Self {
            weights: weights.collect(),
            offsets: classes.iter().map(|class| class.offset).collect(),
            chances: classes.iter().map(|class| class.chance).collect(),
            rarity,
        })
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.offsets.len()
    }

    /// The scores of all classes.
    fn scores(&self, text: &[u32]) -> Vec<f32> {
        let classes = self.classes();
        let mut sums = vec![0.0_f32; classes];
        let mut square = 0.0_f32;
        for (place, id) in text.iter().enumerate() {
            let rarity = self.rarity.get(*id as usize).copied().unwrap_or(0.0);
            if rarity == 0.0 {
                continue;
            }
            let row = &self.weights[*id as usize * classes..(*id as usize + 1) * classes];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
            // The square of a count is the sum of the odd numbers up to it.
            let before = text[..place].iter().filter(|other| *other == id).count();
            square += (2 * before + 1) as f32 * rarity * rarity;
        }
        let length = if square > 0.0 { square.sqrt() } else { 1.0 };
        sums.iter().zip(&self.offsets).map(|(sum, offset)| sum / length + offset).collect()
    }

    /// The probabilities of all classes, which sum to 1.
    pub fn probabilities(&self, text: &[u32]) -> Vec<f64> {
        let chance =
            |(score, Chance { slope, offset }): (f32, &Chance)| 1.0 / (1.0 + (slope * f64::from(score) + offset).exp());
        let mut chances: Vec<f64> = self.scores(text).into_iter().zip(&self.chances).map(chance).collect();
        let sum: f64 = chances.iter().sum();
        let share = 1.0 / chances.len() as f64;
        chances.iter_mut().for_each(|chance| *chance = if sum > 0.0 { *chance / sum } else { share });
        chances
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn class(weights: &[f32], offset: f32) -> JudgedClass {
        JudgedClass { weights: weights.to_vec(), offset, chance: Chance { slope: -1.0, offset: 0.0 } }
    }

    #[test]
    fn a_text_by_hand() {
        let judge = Judge::new(vec![0.0, 3.0, 4.0], &[class(&[9.0, 1.0, 0.0], 0.5), class(&[9.0, 0.0, -1.0], 0.0)]);
        let judge = judge.unwrap();
        // Counts 2 and 1: values 6 and 4, length sqrt(52).
        let scores = judge.scores(&[1, 2, 0, 1, 77]);
        let length = 52.0_f32.sqrt();
        assert!((scores[0] - (6.0 / length + 0.5)).abs() < 1e-6 && (scores[1] + 4.0 / length).abs() < 1e-6);
        let chances = judge.probabilities(&[1, 2, 0, 1]);
        let each = scores.iter().map(|score| 1.0 / (1.0 + (-f64::from(*score)).exp())).collect::<Vec<_>>();
        assert!((chances[0] - each[0] / (each[0] + each[1])).abs() < 1e-9);
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(judge.scores(&[]), [0.5, 0.0], "nothing was written");
    }

    #[test]
    fn classes_must_fit() {
        assert!(Judge::new(vec![1.0], &[class(&[1.0], 0.0)]).is_err());
        assert!(Judge::new(vec![1.0, 1.0], &[class(&[1.0], 0.0), class(&[1.0, 1.0], 0.0)]).is_err());
    }
}
