//! Classifiers on sparse rows.

mod linear;
mod linear_svm;

pub use linear::Linear;
pub use linear_svm::{LinearSvm, SvmSettings};

use crate::error::EvalError;
use crate::features::Sparse;

/// Checks what a classifier is to learn from; returns how many classes there are.
pub(crate) fn check(rows: &Sparse, labels: &[u32], what: &'static str) -> Result<usize, EvalError> {
    if rows.rows() != labels.len() {
        return Err(EvalError::Labels { rows: rows.rows(), labels: labels.len() });
    }
    let Some(largest) = labels.iter().max() else { return Err(EvalError::NoTexts) };
    if labels.iter().all(|label| label == largest) {
        return Err(EvalError::OneClass { what });
    }
    Ok(*largest as usize + 1)
}

/// The place of the largest number; of equals the first.
pub(crate) fn largest(values: &[f32]) -> u32 {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best as u32
}
