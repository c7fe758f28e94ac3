//! The linear support vector machine with squared hinge loss, one class against the rest, by dual coordinate descent (Hsieh et al. 2008).
//!
//! The problem is that of liblinear and scikit-learn's `LinearSVC`: half the squared length of the weights, offset included, plus the cost
//! times the squared losses. Its solution is unique, so it does not matter that the way there is our own: all classes of a group are
//! trained side by side, so that a row is read once for all of them and their weights lie together in memory.

use super::linear::{Group, Linear};
use super::{above_zero, check};
use crate::error::EvalError;
use crate::features::Sparse;
use allonym_dp::PrivacyRng;
use allonym_nn::sparse::{LANES, gather, scatter};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SvmSettings {
    /// The cost of a loss. Default 1.
    pub cost: f64,
    /// Training ends when no coordinate of any class violates optimality by more. Default 1e-4.
    pub tolerance: f64,
    /// The most rounds over all rows. Default 1000.
    pub rounds: usize,
}

impl Default for SvmSettings {
    fn default() -> Self {
        Self { cost: 1.0, tolerance: 1e-4, rounds: 1000 }
    }
}

/// Trains linear support vector machines.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearSvm;

impl LinearSvm {
    /// Learns to tell classes apart; `labels` are numbers from 0, `what` names them for messages.
    ///
    /// # Errors
    /// When there is only one class, rows and labels do not line up, or a setting is out of range.
    pub fn fit(settings: SvmSettings, rows: &Sparse, labels: &[u32], what: &'static str) -> Result<Linear, EvalError> {
        let classes = check(rows, labels, what)?;
        above_zero("cost", settings.cost)?;
        above_zero("tolerance", settings.tolerance)?;
        // Two classes have one machine; the other is its opposite.
        let machines = if classes == 2 { 1 } else { classes };
        let threads = rayon::current_num_threads();
        let size = machines.div_ceil(threads.min(machines)).min(64);
        let firsts: Vec<usize> = (0..machines).step_by(size).collect();
        let mut groups: Vec<Group> = firsts
            .into_par_iter()
            .map(|first| {
                let positives: Vec<u32> = match classes {
                    2 => vec![1],
                    _ => (first..(first + size).min(machines)).map(|class| class as u32).collect(),
                };
                train(settings, rows, labels, &positives)
            })
            .collect();
        if classes == 2 {
            groups = groups.into_iter().map(|group| both_sides(&group)).collect();
        }
        Ok(Linear { width: rows.width(), groups })
    }
}

/// Two classes from the machine of the second.
fn both_sides(group: &Group) -> Group {
    let mut weights = Vec::with_capacity(group.weights.len());
    for numbers in group.weights.chunks_exact(group.lanes) {
        weights.extend([-numbers[0], numbers[0]]);
        weights.extend(std::iter::repeat_n(0.0, group.lanes - 2));
    }
    Group { classes: 2, lanes: group.lanes, weights }
}

/// Trains the machines of some classes side by side.
///
/// Every row is looked at until none violates optimality. Between such rounds only the rows that violate it most are: with many classes
/// hardly a row is settled for all of them, but few are far from it.
fn train(settings: SvmSettings, rows: &Sparse, labels: &[u32], positives: &[u32]) -> Group {
    let mut machines = Machines::new(settings, rows, labels, positives);
    let mut order: Vec<usize> = (0..rows.rows()).collect();
    let mut rng = PrivacyRng::reproducible(0);
    let mut rounds = 0;
    while rounds < settings.rounds {
        rounds += 1;
        rng.shuffle(&mut order);
        if machines.round(&order) <= settings.tolerance {
            break;
        }
        let worst = machines.violations.iter().fold(0.0_f32, |worst, violation| worst.max(*violation));
        let bar = (worst * FAR).max(settings.tolerance as f32 * FAR);
        for _ in 0..SHORT_ROUNDS {
            let mut far: Vec<usize> = (0..rows.rows()).filter(|row| machines.violations[*row] > bar).collect();
            if far.is_empty() {
                break;
            }
            rng.shuffle(&mut far);
            machines.round(&far);
        }
    }
    Group { classes: positives.len(), lanes: machines.lanes, weights: machines.weights }
}

/// A row is far from its optimum when it violates it by this share of the worst.
const FAR: f32 = 0.3;

/// The most rounds over far rows between two over all.
const SHORT_ROUNDS: usize = 8;

/// Some machines while they learn.
struct Machines<'a> {
    rows: &'a Sparse,
    labels: &'a [u32],
    positives: &'a [u32],
    lanes: usize,
    weights: Vec<f32>,
    duals: Vec<f32>,
    /// The penalty on the diagonal of the dual problem, and the diagonal itself; 1 more for the offset.
    penalty: f32,
    diagonal: Vec<f32>,
    /// How far each row was from its optimum when it was last looked at: the most of any class.
    violations: Vec<f32>,
}

impl<'a> Machines<'a> {
    fn new(settings: SvmSettings, rows: &'a Sparse, labels: &'a [u32], positives: &'a [u32]) -> Self {
        let lanes = positives.len().next_multiple_of(LANES);
        let penalty = (0.5 / settings.cost) as f32;
        Self {
            lanes,
            weights: vec![0.0; (rows.width() + 1) * lanes],
            duals: vec![0.0; rows.rows() * lanes],
            penalty,
            diagonal: (0..rows.rows()).map(|row| rows.row(row).square() + 1.0 + penalty).collect(),
            violations: vec![0.0; rows.rows()],
            rows,
            labels,
            positives,
        }
    }

    /// Improves the duals of some rows, one after the other; returns the largest spread of violations of any class.
    fn round(&mut self, order: &[usize]) -> f64 {
        let (width, lanes, classes) = (self.rows.width(), self.lanes, self.positives.len());
        let (mut margins, mut changes) = (vec![0.0_f32; lanes], vec![0.0_f32; lanes]);
        let (mut highest, mut lowest) = (vec![f32::NEG_INFINITY; classes], vec![f32::INFINITY; classes]);
        for index in order {
            let row = self.rows.row(*index);
            gather(row.columns, row.values, &self.weights[..width * lanes], lanes, &mut margins);
            let offsets = &mut self.weights[width * lanes..];
            let duals = &mut self.duals[index * lanes..][..classes];
            let (mut changed, mut violation) = (false, 0.0_f32);
            for lane in 0..classes {
                let sign = if self.labels[*index] == self.positives[lane] { 1.0 } else { -1.0 };
                let dual = duals[lane];
                let gradient = sign * (margins[lane] + offsets[lane]) - 1.0 + self.penalty * dual;
                let projected = if dual > 0.0 { gradient } else { gradient.min(0.0) };
                highest[lane] = highest[lane].max(projected);
                lowest[lane] = lowest[lane].min(projected);
                violation = violation.max(projected.abs());
                changes[lane] = 0.0;
                if projected.abs() > 1e-12 {
                    let new = (dual - gradient / self.diagonal[*index]).max(0.0);
                    changes[lane] = (new - dual) * sign;
                    duals[lane] = new;
                    changed |= new != dual;
                }
                offsets[lane] += changes[lane];
            }
            self.violations[*index] = violation;
            if changed {
                scatter(row.columns, row.values, &mut self.weights, lanes, &changes);
            }
        }
        highest.iter().zip(&lowest).map(|(highest, lowest)| f64::from(highest - lowest)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[f32]) -> Sparse {
        let mut rows = Sparse::new(1);
        points.iter().for_each(|point| rows.push([(0, *point)]));
        rows
    }

    #[test]
    fn two_points_by_hand() {
        // Minimise (w^2 + b^2)/2 + 2 (1 - w)^2 with points 1 and -1 and cost 1: b = 0 and w = 4 (1 - w), so w = 0.8.
        let rows = line(&[1.0, -1.0]);
        let settings = SvmSettings { tolerance: 1e-7, ..SvmSettings::default() };
        let machine = LinearSvm::fit(settings, &rows, &[1, 0], "classes").unwrap();
        assert!((machine.weight(1, 0) - 0.8).abs() < 1e-5 && machine.offset(1).abs() < 1e-5);
        assert_eq!(machine.predict(&rows).unwrap(), [1, 0]);
        assert_eq!(machine.decide(rows.row(0))[0], -machine.decide(rows.row(0))[1]);
    }

    #[test]
    fn several_classes_are_told_apart() {
        let mut rows = Sparse::new(3);
        let labels: Vec<u32> = (0..60).map(|i| i % 3).collect();
        for (index, label) in labels.iter().enumerate() {
            let noise = ((index * 7) % 5) as f32 * 0.1;
            rows.push((0..3).map(|column| (column, if column == *label { 1.0 } else { noise })));
        }
        let machine = LinearSvm::fit(SvmSettings::default(), &rows, &labels, "classes").unwrap();
        assert_eq!(machine.classes(), 3);
        assert_eq!(machine.predict(&rows).unwrap(), labels);
    }

    #[test]
    fn one_class_and_labels_that_do_not_line_up_are_refused() {
        let rows = line(&[1.0, 2.0]);
        let fit = |labels: &[u32]| LinearSvm::fit(SvmSettings::default(), &rows, labels, "authors");
        assert!(matches!(fit(&[1, 1]), Err(EvalError::OneClass { what: "authors" })));
        assert!(matches!(fit(&[1]), Err(EvalError::Labels { rows: 2, labels: 1 })));
        let machine = fit(&[0, 1]).unwrap();
        assert!(matches!(machine.predict(&Sparse::new(7)), Err(EvalError::Width { found: 7, expected: 1 })));
    }
}
