//! The support vector machine with a Gaussian kernel (RBF), one class against another, as libsvm and scikit-learn's `SVC` define it.
//!
//! Every two classes have a machine; each gives its vote, and of classes with as many votes the one with the larger sum of decision
//! values comes first. For rows of some hundred numbers, such as habits of style: on n-grams the linear machine is better and far quicker.

mod kernel;
mod smo;

use super::{above_zero, check, largest};
use crate::error::EvalError;
use crate::features::{Row, Sparse};
use kernel::{Cache, Points};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RbfSvmSettings {
    /// The cost of a loss. Default 1.
    pub cost: f64,
    /// How quickly rows grow unlike with their distance. Default: 1 over the width times the variance of all numbers, zeros included.
    pub gamma: Option<f64>,
    /// Training ends when no two rows violate optimality by more. Default 1e-3.
    pub tolerance: f64,
    /// The most steps for two classes. Default ten million.
    pub steps: usize,
    /// The most memory for kernels, in megabytes, of all threads together. Default 400.
    pub cache_megabytes: usize,
}

impl Default for RbfSvmSettings {
    fn default() -> Self {
        Self { cost: 1.0, gamma: None, tolerance: 1e-3, steps: 10_000_000, cache_megabytes: 400 }
    }
}

/// A machine of two classes.
#[derive(Clone, Debug)]
struct Pair {
    first: u32,
    second: u32,
    /// Places of support vectors and what they count; above 0 for the first class.
    coefficients: Vec<(u32, f32)>,
    offset: f64,
}

/// A support vector machine that has learned.
#[derive(Clone, Debug)]
pub struct RbfSvm {
    gamma: f64,
    classes: usize,
    /// Whether a class had rows.
    seen: Vec<bool>,
    support: Points,
    pairs: Vec<Pair>,
}

impl RbfSvm {
    /// Learns to tell classes apart; `labels` are numbers from 0, `what` names them for messages.
    ///
    /// # Errors
    /// When there is only one class, rows and labels do not line up, or a setting is out of range.
    pub fn fit(settings: RbfSvmSettings, rows: &Sparse, labels: &[u32], what: &'static str) -> Result<Self, EvalError> {
        let classes = check(rows, labels, what)?;
        above_zero("cost", settings.cost)?;
        above_zero("tolerance", settings.tolerance)?;
        let gamma = settings.gamma.unwrap_or_else(|| scale(rows));
        above_zero("gamma", gamma)?;
        let mut of_class = vec![Vec::new(); classes];
        labels.iter().enumerate().for_each(|(row, label)| of_class[*label as usize].push(row));
        let seen: Vec<bool> = of_class.iter().map(|rows| !rows.is_empty()).collect();
        let present: Vec<usize> = (0..classes).filter(|class| seen[*class]).collect();
        let pairs: Vec<(usize, usize)> = present
            .iter()
            .enumerate()
            .flat_map(|(place, first)| present[place + 1..].iter().map(|second| (*first, *second)))
            .collect();
        let bytes = settings.cache_megabytes * 1_000_000 / rayon::current_num_threads();
        let points = Points::new(rows.clone());
        let solved: Vec<(Vec<(usize, f32)>, f64)> = pairs
            .par_iter()
            .map_init(
                || vec![0.0; rows.width()],
                |scratch, (first, second)| {
                    let places: Vec<usize> = of_class[*first].iter().chain(&of_class[*second]).copied().collect();
                    let ahead = of_class[*first].len();
                    let signs: Vec<f64> = (0..places.len()).map(|at| if at < ahead { 1.0 } else { -1.0 }).collect();
                    let mut cache = Cache::new(places.len(), bytes, |at: usize| {
                        points.kernel(gamma, points.rows().row(places[at]), places.iter().copied(), scratch)
                    });
                    let found = smo::solve(&signs, &mut cache, settings.cost, settings.tolerance, settings.steps);
                    let kept = places.iter().zip(&found.coefficients).filter(|(_, coefficient)| **coefficient != 0.0);
                    (kept.map(|(place, coefficient)| (*place, *coefficient as f32)).collect(), found.offset)
                },
            )
            .collect();
        // Only rows that count in some machine are kept.
        let mut support: Vec<usize> = solved.iter().flat_map(|(kept, _)| kept.iter().map(|(row, _)| *row)).collect();
        support.sort_unstable();
        support.dedup();
        let place = |row: usize| support.partition_point(|other| *other < row) as u32;
        let pairs = pairs.iter().zip(&solved).map(|((first, second), (kept, offset))| Pair {
            first: *first as u32,
            second: *second as u32,
            coefficients: kept.iter().map(|(row, coefficient)| (place(*row), *coefficient)).collect(),
            offset: *offset,
        });
        let pairs = pairs.collect();
        Ok(Self { gamma, classes, seen, pairs, support: Points::new(rows.select(&support)) })
    }

    /// How many rows count in some machine.
    pub fn support_vectors(&self) -> usize {
        self.support.rows().rows()
    }

    /// The gamma that was used.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The decision values of all machines: 0 and 1, 0 and 2, .., 1 and 2, ..; above 0 for the first of the two.
    fn machines(&self, row: Row<'_>, scratch: &mut [f32]) -> Vec<f64> {
        let kernel = self.support.kernel(self.gamma, row, 0..self.support_vectors(), scratch);
        let decide = |pair: &Pair| {
            let says = pair.coefficients.iter().map(|(at, by)| f64::from(kernel[*at as usize]) * f64::from(*by));
            says.sum::<f64>() + pair.offset
        };
        self.pairs.iter().map(decide).collect()
    }

    /// The score of a row for every class. Of two classes: the decision value, and its opposite. Of more: the votes, plus the sum of the
    /// decision values squeezed to between -1/3 and 1/3. A class without rows has minus infinity.
    fn decide(&self, row: Row<'_>, scratch: &mut [f32]) -> Vec<f32> {
        let decisions = self.machines(row, scratch);
        let mut scores = vec![f32::NEG_INFINITY; self.classes];
        if let ([pair], [decision]) = (&self.pairs[..], &decisions[..]) {
            scores[pair.first as usize] = *decision as f32;
            scores[pair.second as usize] = -*decision as f32;
            return scores;
        }
        let (mut votes, mut sums) = (vec![0.0; self.classes], vec![0.0; self.classes]);
        for (pair, decision) in self.pairs.iter().zip(decisions) {
            sums[pair.first as usize] += decision;
            sums[pair.second as usize] -= decision;
            votes[if decision < 0.0 { pair.second } else { pair.first } as usize] += 1.0;
        }
        for class in (0..self.classes).filter(|class| self.seen[*class]) {
            scores[class] = (votes[class] + sums[class] / (3.0 * (sums[class].abs() + 1.0))) as f32;
        }
        scores
    }

    /// The scores of all rows.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn decide_all(&self, rows: &Sparse) -> Result<Vec<Vec<f32>>, EvalError> {
        let expected = self.support.rows().width();
        if rows.width() != expected {
            return Err(EvalError::Width { found: rows.width(), expected });
        }
        let scores = (0..rows.rows())
            .into_par_iter()
            .map_init(|| vec![0.0; expected], |scratch, row| self.decide(rows.row(row), scratch));
        Ok(scores.collect())
    }

    /// The class of every row.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn predict(&self, rows: &Sparse) -> Result<Vec<u32>, EvalError> {
        Ok(self.decide_all(rows)?.iter().map(|scores| largest(scores)).collect())
    }
}

/// 1 over the width times the variance of all numbers; 1 when they are all the same.
fn scale(rows: &Sparse) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for row in 0..rows.rows() {
        for value in rows.row(row).values {
            sum += f64::from(*value);
            squares += f64::from(*value).powi(2);
        }
    }
    let size = rows.rows() as f64 * rows.width() as f64;
    let variance = squares / size - (sum / size).powi(2);
    if variance > 0.0 { 1.0 / (rows.width() as f64 * variance) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring around a disc, and a third class far off; of which the numbers are 0, 2 and 3.
    fn rings() -> (Sparse, Vec<u32>) {
        let (mut rows, mut labels) = (Sparse::new(2), Vec::new());
        for step in 0..60_u16 {
            let (angle, class) = (f32::from(step), u32::from(step % 3));
            let radius = [0.4, 2.0, 0.4][class as usize];
            let centre = [0.0, 0.0, 6.0][class as usize];
            rows.push([(0, centre + radius * angle.cos()), (1, radius * angle.sin())]);
            labels.push([0, 2, 3][class as usize]);
        }
        (rows, labels)
    }

    #[test]
    fn what_no_line_can_part_is_told_apart() {
        let (rows, labels) = rings();
        let machine = RbfSvm::fit(RbfSvmSettings::default(), &rows, &labels, "classes").unwrap();
        assert_eq!(machine.predict(&rows).unwrap(), labels);
        let scores = machine.decide_all(&rows).unwrap();
        assert!(scores.iter().all(|scores| scores[1] == f32::NEG_INFINITY), "a class without rows");
        assert!(machine.support_vectors() < 60);
    }

    #[test]
    fn a_small_cache_changes_nothing() {
        let (rows, labels) = rings();
        let fit = |cache_megabytes| {
            let settings = RbfSvmSettings { cache_megabytes, ..RbfSvmSettings::default() };
            RbfSvm::fit(settings, &rows, &labels, "classes").unwrap().decide_all(&rows).unwrap()
        };
        assert_eq!(fit(0), fit(400));
    }

    #[test]
    fn gamma_by_hand() {
        // Numbers 1, 0, 0, 3: mean 1, variance (0 + 1 + 1 + 4) / 4 = 1.5; width 2: 1 / 3.
        let mut rows = Sparse::new(2);
        rows.push([(0, 1.0)]);
        rows.push([(1, 3.0)]);
        assert!((scale(&rows) - 1.0 / 3.0).abs() < 1e-12);
        let settings = RbfSvmSettings { gamma: Some(-1.0), ..RbfSvmSettings::default() };
        let refused = RbfSvm::fit(settings, &rows, &[0, 1], "classes");
        assert!(matches!(refused, Err(EvalError::Setting { setting: "gamma", .. })));
    }
}
