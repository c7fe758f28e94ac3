//! Stated distributions of releases, as probabilities of cells, and the G-test of draws against them.

use crate::accountant::special::normal_tail;
use crate::statistics::{chi_squared_tail, g_statistic};

/// Edges of the cells of noise, in units of its scale or standard deviation.
const EDGES: [f64; 13] = [-3.0, -2.0, -1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0];
/// Below this scale, in grid steps, the rounding of continuous tails to the grid would be visible.
const FINE: f64 = 256.0;

/// The cell of a release.
type Cell<'a> = Box<dyn Fn(&[f64]) -> usize + 'a>;

/// The probabilities of the cells of a release, and which cell a release is in.
pub struct Stated<'a> {
    probabilities: Vec<f64>,
    cell: Cell<'a>,
}

impl<'a> Stated<'a> {
    /// Cells with these probabilities. `cell` must return an index of one of them.
    pub fn new(probabilities: Vec<f64>, cell: impl Fn(&[f64]) -> usize + 'a) -> Self {
        Self { probabilities, cell: Box::new(cell) }
    }

    /// Discrete Laplace noise on the first coordinate: integers with P(X = x) proportional to e^(-|x| / scale), times `step`.
    pub fn laplace(center: f64, step: f64, scale: u64) -> Self {
        let scale = scale as f64;
        let upper = |t: f64| (-t / scale).exp() / (1.0 + (-1.0 / scale).exp());
        Self::integers(center, step, scale, move |t| if t >= 1.0 { upper(t) } else { 1.0 - upper(1.0 - t) })
    }

    /// Discrete Gaussian noise on the first coordinate, in the same way. `None` where the noise is narrower than a few hundred
    /// steps: its tails are computed from the continuous Gaussian.
    pub fn gaussian(center: f64, step: f64, variance: u64) -> Option<Self> {
        let deviation = (variance as f64).sqrt();
        // The sum over integers from t on is the integral from t - 1/2 on, but for a relative error of about 1 / variance.
        (deviation >= FINE)
            .then(|| Self::integers(center, step, deviation, move |t| normal_tail((t - 0.5) / deviation)))
    }

    /// Noise of density proportional to e^(-|z| / scale) around a point, in the L2 norm: its length is a Gamma variable. `None` where
    /// the scale is smaller than a few hundred steps, as the noise is rounded to steps.
    pub fn radial(center: Vec<f64>, step: f64, scale: u64) -> Option<Self> {
        let n = center.len();
        let unit = scale as f64 * step;
        if (scale as f64) < FINE {
            return None;
        }
        let edges: Vec<f64> =
            EDGES.iter().map(|edge| n as f64 + edge * (n as f64).sqrt()).filter(|edge| *edge > 0.0).collect();
        // A Gamma(n) variable is half of a chi-squared one with 2n degrees of freedom.
        let tails = edges.iter().map(|edge| chi_squared_tail(2.0 * edge, 2 * n)).collect();
        Some(Self::between(tails, move |release| {
            let square: f64 = release.iter().zip(&center).map(|(value, center)| (value - center).powi(2)).sum();
            let length = square.sqrt() / unit;
            edges.partition_point(|edge| *edge <= length)
        }))
    }

    fn integers(center: f64, step: f64, scale: f64, tail: impl Fn(f64) -> f64) -> Self {
        let mut edges: Vec<f64> = EDGES.iter().map(|edge| (edge * scale).round()).collect();
        edges.dedup();
        let tails = edges.iter().map(|edge| tail(*edge)).collect();
        Self::between(tails, move |release| {
            let integer = (release.first().copied().unwrap_or(f64::NAN) - center) / step;
            edges.partition_point(|edge| *edge <= integer.round())
        })
    }

    /// Cells between edges, of which the probabilities of being beyond each are known.
    fn between(tails: Vec<f64>, cell: impl Fn(&[f64]) -> usize + 'a) -> Self {
        let tails: Vec<f64> = [1.0].into_iter().chain(tails).chain([0.0]).collect();
        Self::new(tails.windows(2).map(|pair| pair[0] - pair[1]).collect(), cell)
    }

    pub(super) fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    pub(super) fn cell(&self, release: &[f64]) -> usize {
        (self.cell)(release)
    }

    /// The probability that draws of the stated distribution look like these counts, or less likely.
    pub(super) fn chance_of(&self, counts: &[u64]) -> f64 {
        let g = g_statistic(counts, &self.probabilities);
        match self.probabilities.iter().filter(|p| **p > 0.0).count() {
            // A single possible cell: G is infinite if another was drawn.
            0 | 1 => f64::from(u8::from(g.is_finite())),
            possible => chi_squared_tail(g, possible - 1),
        }
    }
}
