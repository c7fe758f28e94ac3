//! Multinomial naive Bayes: the words of a text are drawn one by one from those of its class (McCallum and Nigam 1998), with
//! scikit-learn's smoothing.

use super::linear::{Group, Linear};
use super::softmax::Softmax;
use super::{above_zero, check};
use crate::error::EvalError;
use crate::features::Sparse;
use allonym_nn::sparse::LANES;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of naive Bayes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NaiveBayesSettings {
    /// What is added to every count. Default 1.
    pub smoothing: f64,
    /// Whether classes that occur more often are likelier beforehand. Default true.
    pub priors: bool,
}

impl Default for NaiveBayesSettings {
    fn default() -> Self {
        Self { smoothing: 1.0, priors: true }
    }
}

/// Counts for naive Bayes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NaiveBayes;

impl NaiveBayes {
    /// Learns from rows of counts; `labels` are numbers from 0, `what` names them for messages. A class without rows has probability 0.
    ///
    /// # Errors
    /// When there is only one class, rows and labels do not line up, a count is below 0, or a setting is out of range.
    pub fn fit(
        settings: NaiveBayesSettings,
        rows: &Sparse,
        labels: &[u32],
        what: &'static str,
    ) -> Result<Softmax, EvalError> {
        let classes = check(rows, labels, what)?;
        above_zero("smoothing", settings.smoothing)?;
        // A value that is no number is refused too.
        let counts = |row: &usize| rows.row(*row).values.iter().all(|value| *value >= 0.0);
        if let Some(row) = (0..rows.rows()).find(|row| !counts(row)) {
            return Err(EvalError::BelowZero { row });
        }
        let lanes = classes.next_multiple_of(LANES);
        let width = rows.width();
        let mut weights = vec![0.0_f32; (width + 1) * lanes];
        let (mut sums, mut occurrences) = (vec![0.0_f64; classes], vec![0.0_f64; classes]);
        for (row, label) in labels.iter().enumerate() {
            let class = *label as usize;
            occurrences[class] += 1.0;
            for (column, value) in rows.row(row).iter() {
                weights[column * lanes + class] += value;
                sums[class] += f64::from(value);
            }
        }
        let totals: Vec<f64> = sums.iter().map(|sum| (sum + settings.smoothing * width as f64).ln()).collect();
        weights[..width * lanes].par_chunks_exact_mut(lanes).for_each(|numbers| {
            let logarithms = numbers.iter().zip(&totals);
            let found: Vec<f64> =
                logarithms.map(|(count, total)| (f64::from(*count) + settings.smoothing).ln() - total).collect();
            // What all classes share says nothing about any: without it, sums over long texts keep their last digits.
            let mean = found.iter().sum::<f64>() / classes as f64;
            numbers.iter_mut().zip(found).for_each(|(to, logarithm)| *to = (logarithm - mean) as f32);
        });
        let seen = occurrences.iter().filter(|rows| **rows > 0.0).count() as f64;
        let prior = |of: &f64| match (*of > 0.0, settings.priors) {
            (false, _) => f64::NEG_INFINITY,
            (true, true) => (of / labels.len() as f64).ln(),
            (true, false) => -seen.ln(),
        };
        weights[width * lanes..].iter_mut().zip(&occurrences).for_each(|(to, of)| *to = prior(of) as f32);
        Ok(Softmax { linear: Linear { width, groups: vec![Group { classes, lanes, weights }] } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> (Sparse, [u32; 3]) {
        let mut rows = Sparse::new(2);
        rows.push([(0, 3.0)]);
        rows.push([(0, 1.0), (1, 1.0)]);
        rows.push([(1, 2.0)]);
        (rows, [0, 0, 1])
    }

    #[test]
    fn probabilities_by_hand() {
        let (rows, labels) = counts();
        let found = NaiveBayes::fit(NaiveBayesSettings::default(), &rows, &labels, "classes").unwrap();
        // Class 0 has counts 4 and 1: 5/7 and 2/7; class 1 has 0 and 2: 1/4 and 3/4. Priors 2/3 and 1/3.
        // The text (0, 2): 2/3 * 4/49 = 0.054422 against 1/3 * 9/16 = 0.1875: 0.77504 for class 1.
        let chances = found.probabilities(&rows).unwrap();
        assert!((chances[2][1] - 0.775_04).abs() < 1e-5, "{chances:?}");
        // Without priors 4/49 against 9/16: 0.87327.
        let settings = NaiveBayesSettings { priors: false, ..NaiveBayesSettings::default() };
        let equal = NaiveBayes::fit(settings, &rows, &labels, "classes").unwrap();
        assert!((equal.probabilities(&rows).unwrap()[2][1] - 0.873_27).abs() < 1e-5);
    }

    #[test]
    fn a_class_without_rows_is_impossible_and_counts_below_zero_are_refused() {
        let (rows, _) = counts();
        let found = NaiveBayes::fit(NaiveBayesSettings::default(), &rows, &[0, 0, 2], "classes").unwrap();
        assert_eq!(found.probabilities(&rows).unwrap()[0][1], 0.0);
        let mut below = Sparse::new(2);
        below.push([(0, 1.0)]);
        below.push([(1, -1.0)]);
        let refused = NaiveBayes::fit(NaiveBayesSettings::default(), &below, &[0, 1], "classes");
        assert!(matches!(refused, Err(EvalError::BelowZero { row: 1 })));
    }
}
