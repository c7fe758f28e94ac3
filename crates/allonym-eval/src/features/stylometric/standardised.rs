//! Features that can be compared: how many deviations a text lies from the mean of others.

use super::{FEATURES, stylometric};
use crate::error::EvalError;
use crate::features::Sparse;
use rayon::prelude::*;

/// Texts that are read at once.
const BATCH: usize = 512;

/// No number counts for more deviations: one misspelling that no other text has would drown the other features.
const FURTHEST: f32 = 5.0;

/// The mean and the deviation of every feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardised {
    means: Vec<f32>,
    deviations: Vec<f32>,
}

impl Standardised {
    /// Learns the mean and the deviation from texts.
    ///
    /// # Errors
    /// When there are no texts.
    pub fn fit<Text: AsRef<str> + Sync>(texts: &[Text]) -> Result<Self, EvalError> {
        let first = texts.first().ok_or(EvalError::NoTexts)?;
        // Differences from the first text: a constant feature has no deviation at all, and large numbers lose no digits.
        let base = stylometric(first.as_ref());
        let (mut sums, mut squares) = (vec![0.0_f64; base.len()], vec![0.0_f64; base.len()]);
        for batch in texts.chunks(BATCH) {
            let rows: Vec<Vec<f32>> = batch.par_iter().map(|text| stylometric(text.as_ref())).collect();
            for row in rows {
                for (feature, value) in row.into_iter().enumerate() {
                    let difference = f64::from(value - base[feature]);
                    sums[feature] += difference;
                    squares[feature] += difference * difference;
                }
            }
        }
        let count = texts.len() as f64;
        let mean = |(base, sum): (&f32, &f64)| (f64::from(*base) + sum / count) as f32;
        let deviation = |(square, sum): (&f64, &f64)| (square / count - (sum / count).powi(2)).max(0.0).sqrt() as f32;
        Ok(Self {
            means: base.iter().zip(&sums).map(mean).collect(),
            deviations: squares.iter().zip(&sums).map(deviation).collect(),
        })
    }

    /// How many features there are.
    pub fn width(&self) -> usize {
        self.means.len()
    }

    /// The features of a text in deviations from the mean, five at most; those that were constant are 0.
    pub fn values(&self, text: &str) -> Vec<f32> {
        let mut values = stylometric(text);
        for (value, (mean, deviation)) in values.iter_mut().zip(self.means.iter().zip(&self.deviations)) {
            *value = if *deviation > 0.0 { ((*value - mean) / deviation).clamp(-FURTHEST, FURTHEST) } else { 0.0 };
        }
        values
    }

    /// The rows of some texts.
    pub fn transform<Text: AsRef<str> + Sync>(&self, texts: &[Text]) -> Sparse {
        let mut rows = Sparse::new(FEATURES.len());
        for batch in texts.chunks(BATCH) {
            let batch: Vec<Vec<f32>> = batch.par_iter().map(|text| self.values(text.as_ref())).collect();
            for row in batch {
                rows.push((0..).zip(row).filter(|(_, value)| *value != 0.0));
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> usize {
        FEATURES.iter().position(|feature| feature.name == name).unwrap()
    }

    #[test]
    fn deviations_by_hand() {
        // Shares of `a` among letters: 1, 1/2, 0. Mean 1/2, variance (1/4 + 0 + 1/4) / 3 = 1/6, deviation 0.408248.
        let standardised = Standardised::fit(&["aa", "ab", "bb"]).unwrap();
        let a = place("letter-a");
        assert!((standardised.values("aa")[a] - 1.224_745).abs() < 1e-5); // 0.5 / 0.408248
        assert_eq!(standardised.values("ba")[a], 0.0);
        assert_eq!(standardised.values("ccc")[place("letter-c")], 0.0, "constant where it was learned");
        assert_eq!(standardised.values("a, b")[place("characters")], 0.0, "all texts had two characters");
    }

    #[test]
    fn no_feature_counts_for_more_than_five_deviations() {
        let mut texts = vec!["no no"; 99];
        texts.push("no no teh");
        let standardised = Standardised::fit(&texts).unwrap();
        // One of 100 texts has it: (1 - 0.01) / sqrt(0.01 * 0.99) = 9.95 deviations.
        assert_eq!(standardised.values("no no teh")[place("misspelling-teh")], 5.0);
    }

    #[test]
    fn rows_keep_what_is_not_zero() {
        let standardised = Standardised::fit(&["aa", "ab", "bb"]).unwrap();
        let rows = standardised.transform(&["aa", "ab"]);
        assert_eq!((rows.rows(), rows.width()), (2, FEATURES.len()));
        assert!(rows.row(0).iter().any(|(column, _)| column == place("letter-a")));
        assert!(rows.row(1).iter().all(|(column, _)| column != place("letter-a")));
        assert!(matches!(Standardised::fit(&[] as &[&str]), Err(EvalError::NoTexts)));
    }
}
