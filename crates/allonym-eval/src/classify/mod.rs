//! Classifiers on sparse rows.

mod calibrate;
mod lbfgs;
mod linear;
mod linear_svm;
mod logistic;
mod naive_bayes;
mod rbf_svm;
mod softmax;
mod tree;

pub use calibrate::{Sigmoid, Sigmoids};
pub use linear::Linear;
pub use linear_svm::{LinearSvm, SvmSettings};
pub use logistic::{Logistic, LogisticSettings};
pub use naive_bayes::{NaiveBayes, NaiveBayesSettings};
pub use rbf_svm::{RbfSvm, RbfSvmSettings};
pub use softmax::Softmax;
pub use tree::{Tree, TreeSettings};

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

/// Checks a setting that must be a number above 0.
pub(crate) fn above_zero(setting: &'static str, value: f64) -> Result<(), EvalError> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err(EvalError::Setting { setting, value: value.to_string(), allowed: "above 0" }),
    }
}

/// The place of the largest number; of equals the first.
pub fn largest(values: &[f32]) -> u32 {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best as u32
}
