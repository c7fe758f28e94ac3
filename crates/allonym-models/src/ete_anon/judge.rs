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

impl Chance {
    fn of(&self, score: f32) -> f64 {
        1.0 / (1.0 + (self.slope * f64::from(score) + self.offset).exp())
    }
}

/// A word that is expected less often than this is left out of sums.
const HARDLY: f32 = 1e-6;

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
        self.scores_and_length(text).0
    }

    /// The scores of all classes, and the length that they are scaled by.
    fn scores_and_length(&self, text: &[u32]) -> (Vec<f32>, f32) {
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
        (sums.iter().zip(&self.offsets).map(|(sum, offset)| sum / length + offset).collect(), length)
    }

    /// Adds to the worth of every id what one more of it changes in a text, to first order; `slopes` says what each class's probability is worth.
    pub(super) fn add_worth(&self, text: &[u32], slopes: &[f64], worth: &mut [f32]) {
        let (scores, length) = self.scores_and_length(text);
        let chances: Vec<f64> = scores.iter().zip(&self.chances).map(|(score, chance)| chance.of(*score)).collect();
        let sum: f64 = chances.iter().sum();
        if sum <= 0.0 {
            return;
        }
        let mean: f64 = chances.iter().zip(slopes).map(|(chance, slope)| chance / sum * slope).sum();
        let each = chances.iter().zip(slopes).zip(&self.chances);
        let to_scores: Vec<f32> = each
            .map(|((chance, slope), Chance { slope: steep, .. })| {
                ((slope - mean) / sum * -steep * chance * (1.0 - chance)) as f32 / length
            })
            .collect();
        for (worth, weights) in worth.iter_mut().zip(self.weights.chunks_exact(self.classes())) {
            *worth += weights.iter().zip(&to_scores).map(|(weight, to)| weight * to).sum::<f32>();
        }
        // A word that is there already also makes the text longer, and all that it says smaller.
        let said: f32 =
            scores.iter().zip(&self.offsets).zip(&to_scores).map(|((score, offset), to)| (score - offset) * to).sum();
        for id in text.iter().filter(|id| (**id as usize) < self.rarity.len()) {
            worth[*id as usize] -= said * self.rarity[*id as usize].powi(2) / length;
        }
    }

    /// The probabilities of all classes for a text of which it is only known how often each id is expected in it.
    pub(super) fn expected(&self, counts: &[f32]) -> Vec<f64> {
        let classes = self.classes();
        let mut sums = vec![0.0_f32; classes];
        let mut square = 0.0_f32;
        for ((count, rarity), row) in counts.iter().zip(&self.rarity).zip(self.weights.chunks_exact(classes)) {
            if *count < HARDLY || *rarity == 0.0 {
                continue;
            }
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += count * weight);
            // What may stand there once has the square of once as often as it stands there.
            square += count.max(count * count) * rarity * rarity;
        }
        let length = if square > 0.0 { square.sqrt() } else { 1.0 };
        let scores: Vec<f32> = sums.iter().zip(&self.offsets).map(|(sum, offset)| sum / length + offset).collect();
        self.of_scores(&scores)
    }

    /// The probabilities of all classes, which sum to 1.
    pub fn probabilities(&self, text: &[u32]) -> Vec<f64> {
        self.of_scores(&self.scores(text))
    }

    fn of_scores(&self, scores: &[f32]) -> Vec<f64> {
        let mut chances: Vec<f64> = scores.iter().zip(&self.chances).map(|(score, chance)| chance.of(*score)).collect();
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
    fn what_is_expected_for_certain_is_judged_as_the_text_that_it_is() {
        let judge = Judge::new(vec![0.0, 3.0, 4.0], &[class(&[9.0, 1.0, 0.0], 0.5), class(&[9.0, 0.0, -1.0], 0.0)]);
        let judge = judge.unwrap();
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(&judge.expected(&[1.0, 2.0, 1.0]), &judge.probabilities(&[1, 2, 0, 1])));
        assert!(near(&judge.expected(&[0.0; 3]), &judge.probabilities(&[])));
        // A word that stands there in half of the cases: half of its value 3, and in the mean half of its square 9.
        let score = 1.5 / 4.5_f64.sqrt() + 0.5;
        let [first, second] = [score, 0.0].map(|score: f64| 1.0 / (1.0 + (-score).exp()));
        assert!(near(&judge.expected(&[0.0, 0.5, 0.0]), &[first / (first + second), second / (first + second)]));
    }

    #[test]
    fn the_worth_of_a_word_is_what_a_little_more_of_it_changes() {
        let rarity = vec![0.0, 3.0, 4.0, 2.0];
        let classes =
            [class(&[9.0, 1.0, 0.3, -1.0], 0.5), class(&[9.0, 0.0, -1.0, 2.0], 0.0), class(&[0.0, 0.5, 1.0, 1.0], 0.1)];
        let judge = Judge::new(rarity.clone(), &classes).unwrap();
        let (text, slopes) = ([1, 2, 1], [1.0, -0.5, 0.25]);
        // The same by counts that need not be whole.
        let at = |counts: [f64; 4]| -> f64 {
            let square: f64 = (0..4).map(|id| (counts[id] * f64::from(rarity[id])).powi(2)).sum();
            let chance = |class: &JudgedClass| {
                let sum: f64 = (0..4).map(|id| counts[id] * f64::from(rarity[id] * class.weights[id])).sum();
                1.0 / (1.0 + (-(sum / square.sqrt() + f64::from(class.offset))).exp())
            };
            let chances: Vec<f64> = classes.iter().map(chance).collect();
            chances.iter().zip(slopes).map(|(chance, slope)| slope * chance / chances.iter().sum::<f64>()).sum()
        };
        let mut worth = vec![0.0; 4];
        judge.add_worth(&text, &slopes, &mut worth);
        for id in 0..4 {
            let with = |more: f64| {
                let mut counts = [0.0, 2.0, 1.0, 0.0];
                counts[id] += more;
                at(counts)
            };
            let expected = (with(1e-4) - with(-1e-4)) / 2e-4;
            assert!((f64::from(worth[id]) - expected).abs() < 1e-4, "{id}: {} {expected}", worth[id]);
        }
    }

    #[test]
    fn classes_must_fit() {
        assert!(Judge::new(vec![1.0], &[class(&[1.0], 0.0)]).is_err());
        assert!(Judge::new(vec![1.0, 1.0], &[class(&[1.0], 0.0), class(&[1.0, 1.0], 0.0)]).is_err());
    }
}
