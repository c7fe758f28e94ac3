//! A linear classifier: for every class a weight for every feature, and an offset.

use super::largest;
use crate::error::EvalError;
use crate::features::{Row, Sparse};
use allonym_nn::sparse::{LANES, gather};
use rayon::prelude::*;

/// The weights of some classes, side by side for each feature.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// How many of the lanes are classes.
    pub(crate) classes: usize,
    pub(crate) lanes: usize,
    /// For each feature, and then for the offset, a number for each lane.
    pub(crate) weights: Vec<f32>,
}

/// A linear classifier that has learned.
#[derive(Clone, Debug)]
pub struct Linear {
    pub(crate) width: usize,
    pub(crate) groups: Vec<Group>,
}

impl Linear {
    /// From the weights of each class, without offsets.
    pub(crate) fn of_classes(width: usize, classes: &[Vec<f32>]) -> Self {
        let group = |classes: &[Vec<f32>]| {
            let lanes = classes.len().next_multiple_of(LANES);
            let mut weights = vec![0.0; (width + 1) * lanes];
            for (lane, class) in classes.iter().enumerate() {
                class.iter().enumerate().for_each(|(feature, weight)| weights[feature * lanes + lane] = *weight);
            }
            Group { classes: classes.len(), lanes, weights }
        };
        Self { width, groups: classes.chunks(64).map(group).collect() }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.groups.iter().map(|group| group.classes).sum()
    }

    /// The weight of a feature for a class.
    pub fn weight(&self, class: usize, feature: usize) -> f32 {
        let (group, lane) = self.place(class);
        group.weights[feature * group.lanes + lane]
    }

    /// The offset of a class.
    pub fn offset(&self, class: usize) -> f32 {
        let (group, lane) = self.place(class);
        group.weights[self.width * group.lanes + lane]
    }

    fn place(&self, class: usize) -> (&Group, usize) {
        let mut rest = class;
        for group in &self.groups {
            if rest < group.classes {
                return (group, rest);
            }
            rest -= group.classes;
        }
        panic!("class {class} of {}", self.classes());
    }

    /// The decision value of a row for every class: the larger, the more it belongs there.
    pub fn decide(&self, row: Row<'_>) -> Vec<f32> {
        let mut decisions = Vec::with_capacity(self.classes());
        for group in &self.groups {
            let mut margins = vec![0.0; group.lanes];
            gather(row.columns, row.values, &group.weights, group.lanes, &mut margins);
            let offsets = &group.weights[self.width * group.lanes..];
            decisions.extend(margins.iter().zip(offsets).take(group.classes).map(|(margin, offset)| margin + offset));
        }
        decisions
    }

    pub(crate) fn check_width(&self, rows: &Sparse) -> Result<(), EvalError> {
        match rows.width() == self.width {
            true => Ok(()),
            false => Err(EvalError::Width { found: rows.width(), expected: self.width }),
        }
    }

    /// The decision values of all rows.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn decide_all(&self, rows: &Sparse) -> Result<Vec<Vec<f32>>, EvalError> {
        self.check_width(rows)?;
        Ok((0..rows.rows()).into_par_iter().map(|row| self.decide(rows.row(row))).collect())
    }

    /// The class of every row.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn predict(&self, rows: &Sparse) -> Result<Vec<u32>, EvalError> {
        Ok(self.decide_all(rows)?.iter().map(|decisions| largest(decisions)).collect())
    }
}
