//! The regularised Mahalanobis norm of a vocabulary: |L^-1 z|, where L is a root of its covariance, mixed with the identity.

use super::Vectors;
use crate::error::DpError;

/// The lower triangle L with L L^T = (1 - lambda) I + lambda S, where S is the covariance of the rows, scaled to a mean
/// variance of one.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) dimension: usize,
    pub(super) triangle: Vec<f64>,
}

impl Root {
    pub(super) fn of(vectors: &Vectors, lambda: f64) -> Self {
        let (n, count) = (vectors.dimension(), vectors.rows().len() as f64);
        let mut mean = vec![0.0; n];
        vectors
            .rows()
            .for_each(|row| row.iter().zip(&mut mean).for_each(|(value, mean)| *mean += f64::from(*value) / count));
        let mut covariance = vec![0.0; n * n];
        for row in vectors.rows() {
            for i in 0..n {
                let a = f64::from(row[i]) - mean[i];
                for j in 0..=i {
                    covariance[i * n + j] += a * (f64::from(row[j]) - mean[j]) / count;
                }
            }
        }
        let trace: f64 = (0..n).map(|i| covariance[i * n + i]).sum::<f64>() / n as f64;
        let scale = if trace > 0.0 { lambda / trace } else { 0.0 };
        let mut triangle = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let own = if i == j { 1.0 - lambda } else { 0.0 };
                let dot: f64 = (0..j).map(|k| triangle[i * n + k] * triangle[j * n + k]).sum();
                let rest = scale * covariance[i * n + j] + own - dot;
                triangle[i * n + j] = if i == j {
                    rest.max(0.0).sqrt()
                } else if triangle[j * n + j] > 0.0 {
                    rest / triangle[j * n + j]
                } else {
                    0.0
                };
            }
        }
        Self { dimension: n, triangle }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.triangle[i * self.dimension..=i * self.dimension + i]
    }

    /// L z: a vector of straight length r becomes one of length r in the norm.
    pub(super) fn stretch(&self, z: &[f64]) -> Vec<f64> {
        (0..self.dimension).map(|i| self.row(i).iter().zip(z).map(|(l, z)| l * z).sum()).collect()
    }

    /// L^-1 x for every row x: the straight distance of the results is the distance of the rows in the norm.
    pub(super) fn straighten(&self, vectors: &Vectors) -> Result<Vectors, DpError> {
        let values = vectors.rows().flat_map(|row| self.straightened(row)).map(|value| value as f32).collect();
        Vectors::new(self.dimension, values)
    }

    /// L^-1 x.
    pub(super) fn straightened(&self, row: &[f32]) -> Vec<f64> {
        let mut solved = vec![0.0; self.dimension];
        for i in 0..self.dimension {
            let known: f64 = self.row(i)[..i].iter().zip(&solved).map(|(l, z)| l * z).sum();
            solved[i] = (f64::from(row[i]) - known) / self.row(i)[i];
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mahalanobis_stretches_the_noise_along_the_spread() {
        let vectors = Vectors::new(2, vec![-9.0, 0.0, 9.0, 0.0, 0.0, 1.0, 0.0, -1.0]).unwrap();
        let root = Root::of(&vectors, 0.5).triangle;
        // Covariance diag(40.5, .5), mean variance 20.5: .5 + .5 * 40.5 / 20.5 and .5 + .5 * .5 / 20.5.
        assert!((root[0].powi(2) - (0.5 + 0.5 * 40.5 / 20.5)).abs() < 1e-12);
        assert!((root[3].powi(2) - (0.5 + 0.5 * 0.5 / 20.5)).abs() < 1e-12);
        assert_eq!(Root::of(&vectors, 0.0).triangle, [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn what_was_stretched_is_straightened_again() {
        let vectors = Vectors::new(2, vec![0.0, 1.0, 2.0, 3.0, 5.0, 4.0, 1.0, 1.0]).unwrap();
        let root = Root::of(&vectors, 0.7);
        for (row, straight) in vectors.rows().zip(root.straighten(&vectors).unwrap().rows()) {
            let again = root.stretch(&straight.iter().map(|value| f64::from(*value)).collect::<Vec<_>>());
            assert!(again.iter().zip(row).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-5), "{again:?}");
        }
    }
}
