//! From scores to probabilities (Platt 1999), one sigmoid for each class, fitted by Newton's method as Lin, Lin and Weng (2007) have it.

use crate::error::EvalError;
use rayon::prelude::*;

/// The most steps; ten are usual.
const STEPS: usize = 100;
/// A gradient that is short enough, for each item.
const TOLERANCE: f64 = 1e-9;
/// What keeps the matrix of second derivatives from having no inverse.
const RIDGE: f64 = 1e-12;
/// A step below this no longer changes anything.
const SMALLEST_STEP: f64 = 1e-10;

/// The chance of a class is `1 / (1 + e^(slope * score + offset))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    /// Below 0 when a higher score speaks for the class.
    pub slope: f64,
    /// What is added.
    pub offset: f64,
}

impl Sigmoid {
    /// Fits scores to whether they belong to the class. Truths are moved a little towards each other, so that the fit has an end:
    /// `(positives + 1) / (positives + 2)` stands for true and `1 / (negatives + 2)` for false.
    pub fn fit(items: &[(f32, bool)]) -> Self {
        let positives = items.iter().filter(|(_, positive)| *positive).count() as f64;
        let negatives = items.len() as f64 - positives;
        let (high, low) = ((positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0));
        // Newton's method goes wrong on scores in the thousands, as naive Bayes has them: they are brought to a spread of 1.
        let size = items.len().max(1) as f64;
        let mean = items.iter().map(|(score, _)| f64::from(*score)).sum::<f64>() / size;
        let spread = (items.iter().map(|(score, _)| (f64::from(*score) - mean).powi(2)).sum::<f64>() / size).sqrt();
        let spread = if spread > 0.0 { spread } else { 1.0 };
        let items: Vec<(f64, f64)> = items
            .iter()
            .map(|(score, positive)| ((f64::from(*score) - mean) / spread, if *positive { high } else { low }))
            .collect();
        let found = newton(&items, Self { slope: 0.0, offset: ((negatives + 1.0) / (positives + 1.0)).ln() });
        let slope = found.slope / spread;
        Self { slope, offset: found.offset - slope * mean }
    }

    /// The chance of a score.
    pub fn chance(&self, score: f32) -> f64 {
        if score == f32::NEG_INFINITY {
            return 0.0;
        }
        logistic(-(self.slope * f64::from(score) + self.offset))
    }

    /// The surprise of all items, each a score and how true it is.
    fn surprise(&self, items: &[(f64, f64)]) -> f64 {
        let of = |(score, truth): &(f64, f64)| {
            let exponent = self.slope * score + self.offset;
            // ln(1 + e^x) without overflow.
            exponent.max(0.0) + (-exponent.abs()).exp().ln_1p() - (1.0 - truth) * exponent
        };
        items.iter().map(of).sum()
    }
}

fn logistic(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// Newton's method in two numbers; a step is halved until it helps.
fn newton(items: &[(f64, f64)], start: Sigmoid) -> Sigmoid {
    let mut at = start;
    let mut surprise = at.surprise(items);
    for _ in 0..STEPS {
        let (mut h11, mut h22, mut h21, mut g1, mut g2) = (RIDGE, RIDGE, 0.0, 0.0, 0.0);
        for (score, truth) in items {
            let chance = logistic(-(at.slope * score + at.offset));
            let spread = chance * (1.0 - chance);
            h11 += score * score * spread;
            h22 += spread;
            h21 += score * spread;
            g1 += score * (truth - chance);
            g2 += truth - chance;
        }
        if g1.abs().max(g2.abs()) <= TOLERANCE * items.len() as f64 {
            break;
        }
        let determinant = h11 * h22 - h21 * h21;
        let (slope, offset) = (-(h22 * g1 - h21 * g2) / determinant, -(h11 * g2 - h21 * g1) / determinant);
        let promised = g1 * slope + g2 * offset;
        let mut step = 1.0;
        loop {
            let next = Sigmoid { slope: at.slope + step * slope, offset: at.offset + step * offset };
            let found = next.surprise(items);
            if found < surprise + 1e-4 * step * promised {
                (at, surprise) = (next, found);
                break;
            }
            step /= 2.0;
            if step < SMALLEST_STEP {
                return at;
            }
        }
    }
    at
}

/// A sigmoid for each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Sigmoids {
    classes: Vec<Sigmoid>,
}

impl Sigmoids {
    /// Fits the scores of items that were not learned from to their classes. A class of which there is no such item, or whose score was
    /// never finite for one, takes the sigmoid of all classes together. Scores of minus infinity are left out.
    ///
    /// # Errors
    /// When there are no items, or scores and truths do not line up.
    pub fn fit(scores: &[Vec<f32>], truths: &[u32]) -> Result<Self, EvalError> {
        if scores.len() != truths.len() {
            return Err(EvalError::Labels { rows: scores.len(), labels: truths.len() });
        }
        let Some(classes) = scores.first().map(Vec::len) else { return Err(EvalError::NoTexts) };
        let of_class = |class: usize| -> Vec<(f32, bool)> {
            let items = scores.iter().zip(truths).map(|(scores, truth)| (scores[class], *truth as usize == class));
            items.filter(|(score, _)| score.is_finite()).collect()
        };
        let fitted: Vec<Option<Sigmoid>> = (0..classes)
            .into_par_iter()
            .map(|class| {
                let items = of_class(class);
                items.iter().any(|(_, positive)| *positive).then(|| Sigmoid::fit(&items))
            })
            .collect();
        let together = match fitted.contains(&None) {
            true => Sigmoid::fit(&(0..classes).flat_map(of_class).collect::<Vec<_>>()),
            false => Sigmoid { slope: -1.0, offset: 0.0 },
        };
        Ok(Self { classes: fitted.into_iter().map(|found| found.unwrap_or(together)).collect() })
    }

    /// The sigmoid of a class.
    pub fn of_class(&self, class: usize) -> Sigmoid {
        self.classes[class]
    }

    /// The probabilities of all classes, which sum to 1; equal ones, when the chance of every class is zero.
    pub fn probabilities(&self, scores: &[f32]) -> Vec<f32> {
        let chances: Vec<f64> = self.classes.iter().zip(scores).map(|(class, score)| class.chance(*score)).collect();
        let sum: f64 = chances.iter().sum();
        if sum > 0.0 {
            return chances.iter().map(|chance| (chance / sum) as f32).collect();
        }
        // A class that cannot be has nothing of it.
        let possible: Vec<bool> = scores.iter().map(|score| *score != f32::NEG_INFINITY).collect();
        let share = 1.0 / possible.iter().filter(|possible| **possible).count().max(1) as f32;
        possible.iter().map(|possible| if *possible { share } else { 0.0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_scores_by_hand() {
        // A positive at 1 and a negative at -1 stand for 2/3 and 1/3: exact at 1 / (1 + e^(slope)) = 2/3, slope = -ln 2.
        let found = Sigmoid::fit(&[(1.0, true), (-1.0, false)]);
        assert!((found.slope + 2.0_f64.ln()).abs() < 1e-6 && found.offset.abs() < 1e-6, "{found:?}");
        assert!((found.chance(1.0) - 2.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn scale_and_shift_of_scores_do_not_matter() {
        let items: Vec<(f32, bool)> = (0..40).map(|i| (i as f32, (i * 7) % 40 + i > 40)).collect();
        let moved: Vec<(f32, bool)> = items.iter().map(|(score, truth)| (score * 512.0 - 65536.0, *truth)).collect();
        let (plain, moved_fit) = (Sigmoid::fit(&items), Sigmoid::fit(&moved));
        for ((score, _), (of_moved, _)) in items.iter().zip(&moved) {
            assert!((plain.chance(*score) - moved_fit.chance(*of_moved)).abs() < 1e-6);
        }
    }

    #[test]
    fn two_opposite_classes_have_opposite_sigmoids_and_probabilities_sum_to_one() {
        let margins = [2.0_f32, 1.5, -0.2, 0.3, -1.0, -2.0, 0.1];
        let scores: Vec<Vec<f32>> = margins.iter().map(|margin| vec![-margin, *margin]).collect();
        let sigmoids = Sigmoids::fit(&scores, &[1, 1, 1, 0, 0, 0, 1]).unwrap();
        let (first, second) = (sigmoids.of_class(0), sigmoids.of_class(1));
        assert!((first.slope - second.slope).abs() < 1e-6 && (first.offset + second.offset).abs() < 1e-6);
        for scores in &scores {
            assert!((sigmoids.probabilities(scores).iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_class_without_items_takes_the_sigmoid_of_all_and_one_that_cannot_be_has_none() {
        let scores = vec![vec![1.0, -1.0, -1.0], vec![-1.0, 1.0, -0.5], vec![0.8, -0.9, -2.0], vec![-0.4, 0.2, -1.0]];
        let sigmoids = Sigmoids::fit(&scores, &[0, 1, 0, 1]).unwrap();
        assert!(sigmoids.of_class(2).slope < 0.0, "a higher score speaks for it too");
        let found = sigmoids.probabilities(&[0.5, -0.5, f32::NEG_INFINITY]);
        assert!(found[2] == 0.0 && (found[0] + found[1] - 1.0).abs() < 1e-6 && found[0] > found[1]);
        assert!(matches!(Sigmoids::fit(&[], &[]), Err(EvalError::NoTexts)));
    }
}
