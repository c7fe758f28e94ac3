//! Multinomial logistic regression with squared weights as a penalty, as scikit-learn's `LogisticRegression` defines it.
//!
//! The cost times the sum of the losses, plus half the squared length of the weights; offsets are free. The best weights are a sum of rows,
//! so what is looked for is how much each row contributes: the search then runs over rows times classes, however many features there are,
//! and a pass over the data (weights from contributions, margins from weights) is needed once a step.

use super::lbfgs::{Limits, Problem, Vector, minimise};
use super::linear::{Group, Linear};
use super::softmax::Softmax;
use super::{above_zero, check};
use crate::error::EvalError;
use crate::features::Sparse;
use allonym_nn::sparse::{LANES, gather, scatter};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The most numbers that are remembered of earlier steps: 1 GiB.
const REMEMBERED: usize = 1 << 27;

/// Settings of the regression.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LogisticSettings {
    /// The cost of a loss. Default 1.
    pub cost: f64,
    /// Training ends when the gradient is no longer than this share of its length at the start, where all weights are zero. Default 1e-4.
    pub tolerance: f64,
    /// The most steps. Default 500.
    pub steps: usize,
}

impl Default for LogisticSettings {
    fn default() -> Self {
        Self { cost: 1.0, tolerance: 1e-4, steps: 500 }
    }
}

/// Trains logistic regressions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logistic;

impl Logistic {
    /// Learns to tell classes apart; `labels` are numbers from 0, `what` names them for messages.
    ///
    /// # Errors
    /// When there is only one class, rows and labels do not line up, or a setting is out of range.
    pub fn fit(
        settings: LogisticSettings,
        rows: &Sparse,
        labels: &[u32],
        what: &'static str,
    ) -> Result<Softmax, EvalError> {
        let classes = check(rows, labels, what)?;
        above_zero("cost", settings.cost)?;
        above_zero("tolerance", settings.tolerance)?;
        // Of two classes the first has weights of zero, as scikit-learn has it: the penalty then counts one of them.
        let first = usize::from(classes == 2);
        let free = classes - first;
        let regression = Regression { rows, labels, first, free, cost: settings.cost, groups: groups(free) };
        let size = (rows.rows() + 1) * free;
        let remembered = (REMEMBERED / (4 * size)).clamp(3, 10);
        let limits = Limits { tolerance: settings.tolerance, steps: settings.steps, remembered };
        let found = minimise(&regression, size, limits);
        Ok(Softmax { linear: regression.weights(&found) })
    }
}

/// Classes that are computed side by side: enough groups to keep all threads busy.
fn groups(free: usize) -> Vec<std::ops::Range<usize>> {
    let size = free.div_ceil(rayon::current_num_threads().min(free)).min(64);
    (0..free).step_by(size).map(|start| start..(start + size).min(free)).collect()
}

/// A point is the contribution of each row to each free class, row by row, and then the offsets.
struct Regression<'a> {
    rows: &'a Sparse,
    labels: &'a [u32],
    /// The first class with weights of its own.
    first: usize,
    /// How many classes have weights of their own.
    free: usize,
    cost: f64,
    groups: Vec<std::ops::Range<usize>>,
}

impl Regression<'_> {
    /// The sum of rows, each as often as it contributes.
    fn sum(&self, point: &[f64], group: &std::ops::Range<usize>) -> (usize, Vec<f32>) {
        let lanes = group.len().next_multiple_of(LANES);
        let mut weights = vec![0.0_f32; (self.rows.width() + 1) * lanes];
        let mut factors = vec![0.0_f32; lanes];
        for (index, contributions) in point.chunks_exact(self.free).take(self.rows.rows()).enumerate() {
            factors.iter_mut().zip(&contributions[group.clone()]).for_each(|(factor, of)| *factor = *of as f32);
            let row = self.rows.row(index);
            scatter(row.columns, row.values, &mut weights, lanes, &factors);
        }
        (lanes, weights)
    }

    fn weights(&self, found: &Vector) -> Linear {
        let width = self.rows.width();
        let offsets = &found.point[self.rows.rows() * self.free..];
        let groups = self.groups.par_iter().map(|group| {
            let (lanes, mut weights) = self.sum(&found.point, group);
            let of_group = &offsets[group.clone()];
            weights[width * lanes..].iter_mut().zip(of_group).for_each(|(to, offset)| *to = *offset as f32);
            if self.first == 1 {
                // The first class stands before the only free one, with zeros.
                weights.chunks_exact_mut(lanes).for_each(|numbers| numbers.swap(0, 1));
            }
            Group { classes: group.len() + self.first, lanes, weights }
        });
        Linear { width, groups: groups.collect() }
    }
}

impl Problem for Regression<'_> {
    fn value(&self, at: &Vector) -> (f64, Vec<f64>) {
        let all = self.rows.rows() * self.free;
        let offsets = &at.point[all..];
        let mut gradient = at.point.clone();
        // Rows in blocks, so that sums do not depend on how many threads there are.
        let block = 256 * self.free;
        let found: Vec<(f64, Vec<f64>)> = gradient[..all]
            .par_chunks_mut(block)
            .zip(at.image[..all].par_chunks(block))
            .zip(self.labels.par_chunks(256))
            .map(|((gradient, margins), labels)| {
                let (mut value, mut of_offsets) = (0.0, vec![0.0; self.free]);
                let mut chances = vec![0.0; self.free];
                let rows = gradient.chunks_exact_mut(self.free).zip(margins.chunks_exact(self.free)).zip(labels);
                for ((gradient, margins), label) in rows {
                    chances.iter_mut().zip(margins).zip(offsets).for_each(|((to, margin), by)| *to = margin + by);
                    let own = (*label as usize).checked_sub(self.first);
                    value += self.cost * loss(&mut chances, own, self.first == 1);
                    for class in 0..self.free {
                        // Half the squared length of the weights is half the contributions times the margins.
                        value += 0.5 * gradient[class] * margins[class];
                        let pull = self.cost * (chances[class] - f64::from(u8::from(own == Some(class))));
                        gradient[class] += pull;
                        of_offsets[class] += pull;
                    }
                }
                (value, of_offsets)
            })
            .collect();
        gradient[all..].fill(0.0);
        let mut value = 0.0;
        for (of_block, of_offsets) in found {
            value += of_block;
            gradient[all..].iter_mut().zip(of_offsets).for_each(|(to, of)| *to += of);
        }
        (value, gradient)
    }

    fn image(&self, point: &[f64]) -> Vec<f64> {
        let (count, width) = (self.rows.rows(), self.rows.width());
        let mut image = point.to_vec();
        let of_groups: Vec<(usize, Vec<f32>)> = self
            .groups
            .par_iter()
            .map(|group| {
                let (lanes, weights) = self.sum(point, group);
                let mut margins = vec![0.0_f32; count * lanes];
                for (index, margins) in margins.chunks_exact_mut(lanes).enumerate() {
                    let row = self.rows.row(index);
                    gather(row.columns, row.values, &weights[..width * lanes], lanes, margins);
                }
                (lanes, margins)
            })
            .collect();
        for (group, (lanes, margins)) in self.groups.iter().zip(of_groups) {
            for (to, margins) in image.chunks_exact_mut(self.free).zip(margins.chunks_exact(lanes)) {
                to[group.clone()].iter_mut().zip(margins).for_each(|(to, margin)| *to = f64::from(*margin));
            }
        }
        image
    }
}

/// Minus the log-probability of the own class; decision values become probabilities. `besides` says that there is one more class, with
/// a decision value of 0, which is meant when there is no own one.
fn loss(decisions: &mut [f64], own: Option<usize>, besides: bool) -> f64 {
    let least = if besides { 0.0 } else { f64::NEG_INFINITY };
    let highest = decisions.iter().copied().fold(least, f64::max);
    let of_own = own.map_or(0.0, |own| decisions[own]);
    let mut sum = if besides { (-highest).exp() } else { 0.0 };
    for decision in decisions.iter_mut() {
        *decision = (*decision - highest).exp();
        sum += *decision;
    }
    decisions.iter_mut().for_each(|decision| *decision /= sum);
    highest + sum.ln() - of_own
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: LogisticSettings = LogisticSettings { cost: 1.0, tolerance: 1e-7, steps: 500 };

    fn rows(of: &[&[f32]]) -> Sparse {
        let mut rows = Sparse::new(of[0].len());
        for row in of {
            rows.push(row.iter().enumerate().map(|(column, value)| (column as u32, *value)));
        }
        rows
    }

    #[test]
    fn two_points_by_hand() {
        // Points 1 and -1, cost 1: w = 2 / (1 + e^w), so w = 0.6750; the offset is 0 by symmetry.
        let rows = rows(&[&[1.0], &[-1.0]]);
        let found = Logistic::fit(EXACT, &rows, &[1, 0], "classes").unwrap();
        let weight = f64::from(found.linear.weight(1, 0));
        assert!((weight * (1.0 + weight.exp()) - 2.0).abs() < 1e-5, "{weight}");
        assert_eq!(found.linear.weight(0, 0), 0.0);
        let chance = found.probabilities(&rows).unwrap()[0][1];
        assert!((f64::from(chance) - 1.0 / (1.0 + (-weight).exp())).abs() < 1e-6);
    }

    #[test]
    fn three_classes_are_at_rest_where_pulls_and_weights_balance() {
        // At the minimum each weight is the cost times the sum over rows of value times (truth - probability), and the
        // probabilities of a class sum to how often it occurs.
        let rows =
            rows(&[&[1.0, 0.0], &[0.8, 0.1], &[0.0, 1.0], &[0.3, 0.9], &[-1.0, -1.0], &[-0.5, -0.7], &[0.4, 0.4]]);
        let labels = [0, 0, 1, 1, 2, 2, 0];
        let found = Logistic::fit(EXACT, &rows, &labels, "classes").unwrap();
        let chances = found.probabilities(&rows).unwrap();
        for class in [0, 1, 2] {
            let pull = |row: usize| f32::from(u8::from(labels[row] == class as u32)) - chances[row][class];
            for column in 0..2 {
                let sum: f32 = (0..7).map(|row| pull(row) * rows.row(row).values[column]).sum();
                assert!((found.linear.weight(class, column) - sum).abs() < 1e-5);
            }
            assert!((0..7).map(pull).sum::<f32>().abs() < 1e-5);
        }
    }

    #[test]
    fn settings_out_of_range_and_one_class_are_refused() {
        let rows = rows(&[&[1.0], &[2.0]]);
        let fit = |cost, labels: &[u32]| Logistic::fit(LogisticSettings { cost, ..EXACT }, &rows, labels, "authors");
        assert!(matches!(fit(0.0, &[0, 1]), Err(EvalError::Setting { setting: "cost", .. })));
        assert!(matches!(fit(1.0, &[1, 1]), Err(EvalError::OneClass { what: "authors" })));
    }
}
