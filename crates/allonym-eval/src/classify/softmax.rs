//! A linear classifier whose decision values are logarithms of probabilities, up to a number that all classes share.

use super::linear::Linear;
use crate::error::EvalError;
use crate::features::{Row, Sparse};
use rayon::prelude::*;

/// A linear classifier that knows how sure it is.
#[derive(Clone, Debug)]
pub struct Softmax {
    /// Its weights and offsets.
    pub linear: Linear,
}

impl Softmax {
    /// The logarithm of each class's probability.
    pub fn log_probabilities(&self, row: Row<'_>) -> Vec<f32> {
        let mut decisions = self.linear.decide(row);
        let highest = decisions.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = decisions.iter().map(|decision| f64::from(decision - highest).exp()).sum();
        let shared = (f64::from(highest) + sum.ln()) as f32;
        decisions.iter_mut().for_each(|decision| *decision -= shared);
        decisions
    }

    /// The logarithms of all rows.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn log_probabilities_all(&self, rows: &Sparse) -> Result<Vec<Vec<f32>>, EvalError> {
        self.linear.check_width(rows)?;
        Ok((0..rows.rows()).into_par_iter().map(|row| self.log_probabilities(rows.row(row))).collect())
    }

    /// The likeliest class of every row.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn predict(&self, rows: &Sparse) -> Result<Vec<u32>, EvalError> {
        self.linear.predict(rows)
    }

    /// The probabilities of all classes for all rows.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn probabilities(&self, rows: &Sparse) -> Result<Vec<Vec<f32>>, EvalError> {
        let mut found = self.log_probabilities_all(rows)?;
        found.par_iter_mut().flatten().for_each(|number| *number = number.exp());
        Ok(found)
    }
}
