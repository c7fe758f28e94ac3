//! Metric privacy by noise in the embedding space (Feyisetan et al. 2020; with a Mahalanobis norm, Xu et al. 2020).
//!
//! The word's vector gets noise of density proportional to e^(-epsilon |z|), and the nearest word of the vocabulary is
//! released. The nearest-word step costs nothing, and the original word must be allowed to win.
//!
//! **Claim.** Between words at distance d in the norm, the odds differ by at most e^(epsilon d). **Proof.** The densities of
//! x + z and x' + z at any point differ by that factor, by the triangle inequality; the nearest word is computed from the
//! noised point alone. QED.
//!
//! The noise is made of 64-bit floats, unlike that of the other mechanisms: an outcome of probability below about 2^-50 may
//! be impossible. The guarantee says so.

#[cfg(test)]
mod audit;

use crate::error::DpError;
use crate::released::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;
use std::sync::Arc;

/// The vectors of a vocabulary, row by row.
#[derive(Clone, Debug)]
pub struct Vectors {
    dimension: usize,
    values: Arc<[f32]>,
}

impl Vectors {
    /// Vectors of the given dimension.
    ///
    /// # Errors
    /// When there are fewer than two, values are missing, or one is not a number.
    pub fn new(dimension: usize, values: Vec<f32>) -> Result<Self, DpError> {
        let whole = dimension > 0 && values.len() >= 2 * dimension && values.len().is_multiple_of(dimension);
        if !whole || !values.iter().all(|value| value.is_finite()) {
            let allowed = "two or more whole rows of numbers";
            return Err(DpError::Setting { setting: "vectors", value: "another thing".into(), allowed });
        }
        Ok(Self { dimension, values: values.into() })
    }

    fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension)
    }

    /// The row nearest to a point; ties go to the first.
    fn nearest(&self, point: &[f64]) -> u32 {
        let distance = |row: &[f32]| row.iter().zip(point).map(|(a, b)| (f64::from(*a) - b).powi(2)).sum::<f64>();
        let mut best = (f64::INFINITY, 0);
        for (index, row) in self.rows().enumerate() {
            let far = distance(row);
            if far < best.0 {
                best = (far, index as u32);
            }
        }
        best.1
    }

    /// The lower triangle L with L L^T = (1 - lambda) I + lambda S, where S is the covariance of the rows, scaled to a mean
    /// variance of one.
    fn regularised_root(&self, lambda: f64) -> Vec<f64> {
        let (n, count) = (self.dimension, self.rows().len() as f64);
        let mut mean = vec![0.0; n];
        self.rows()
            .for_each(|row| row.iter().zip(&mut mean).for_each(|(value, mean)| *mean += f64::from(*value) / count));
        let mut covariance = vec![0.0; n * n];
        for row in self.rows() {
            for i in 0..n {
                let a = f64::from(row[i]) - mean[i];
                for j in 0..=i {
                    covariance[i * n + j] += a * (f64::from(row[j]) - mean[j]) / count;
                }
            }
        }
        let trace: f64 = (0..n).map(|i| covariance[i * n + i]).sum::<f64>() / n as f64;
        let scale = if trace > 0.0 { lambda / trace } else { 0.0 };
        let mut root = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let own = if i == j { 1.0 - lambda } else { 0.0 };
                let dot: f64 = (0..j).map(|k| root[i * n + k] * root[j * n + k]).sum();
                let rest = scale * covariance[i * n + j] + own - dot;
                root[i * n + j] = if i == j {
                    rest.max(0.0).sqrt()
                } else if root[j * n + j] > 0.0 {
                    rest / root[j * n + j]
                } else {
                    0.0
                };
            }
        }
        root
    }
}

/// The norm in which distance, and so privacy, is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// Straight distance.
    Euclidean,
    /// Distance in units of the vocabulary's own spread, mixed with the Euclidean one: `lambda` in [0, 1).
    Mahalanobis {
        /// The part of the vocabulary's covariance.
        lambda: f64,
    },
}

/// Noise on a word's vector, then the nearest word.
#[derive(Clone, Debug)]
pub struct VectorNoise {
    vectors: Vectors,
    epsilon: f64,
    root: Option<Vec<f64>>,
}

impl VectorNoise {
    /// The mechanism with this loss per unit of distance in the norm.
    ///
    /// # Errors
    /// When epsilon is not a positive number or lambda is outside [0, 1).
    pub fn new(vectors: Vectors, epsilon: f64, norm: Norm) -> Result<Self, DpError> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(DpError::Setting {
                setting: "epsilon",
                value: epsilon.to_string(),
                allowed: "a positive number",
            });
        }
        let root = match norm {
            Norm::Euclidean => None,
            Norm::Mahalanobis { lambda } if (0.0..1.0).contains(&lambda) => Some(vectors.regularised_root(lambda)),
            Norm::Mahalanobis { lambda } => {
                return Err(DpError::Setting { setting: "lambda", value: lambda.to_string(), allowed: "in [0, 1)" });
            }
        };
        Ok(Self { vectors, epsilon, root })
    }

    /// Draws a word for an original vector.
    pub fn draw(&self, vector: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32> {
        vector.draw(|vector| {
            let noise = self.noise(rng);
            let at = |i: usize| vector.get(i).copied().filter(|value| value.is_finite()).map_or(0.0, f64::from);
            let point: Vec<f64> = noise.iter().enumerate().map(|(i, z)| at(i) + z).collect();
            self.vectors.nearest(&point)
        })
    }

    /// A vector of Gamma(n, 1 / epsilon) length in a uniform direction, stretched by the norm.
    fn noise(&self, rng: &mut PrivacyRng) -> Vec<f64> {
        let n = self.vectors.dimension;
        let radius = (0..n).map(|_| -uniform(rng).ln()).sum::<f64>() / self.epsilon;
        let direction: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        let length = direction.iter().map(|z| z * z).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let ball: Vec<f64> = direction.iter().map(|z| radius * z / length).collect();
        match &self.root {
            None => ball,
            Some(root) => (0..n).map(|i| (0..=i).map(|j| root[i * n + j] * ball[j]).sum()).collect(),
        }
    }
}

/// A float in (0, 1].
fn uniform(rng: &mut PrivacyRng) -> f64 {
    ((rng.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// A standard normal float (Box and Muller).
fn normal(rng: &mut PrivacyRng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::assert_distribution;

    fn draws(mechanism: &VectorNoise, original: &[f32], outcomes: usize) -> Vec<u64> {
        let mut rng = PrivacyRng::reproducible(1);
        let mut counts = vec![0; outcomes];
        for _ in 0..50_000 {
            counts[*mechanism.draw(Private::new(original), &mut rng).value() as usize] += 1;
        }
        counts
    }

    #[test]
    fn on_a_line_the_noise_is_laplace() {
        // Words at 0, 1 and 3 with epsilon 1: the borders are 0.5 and 2. From 0: P(z < .5) = 1 - e^-.5 / 2,
        // P(z > 2) = e^-2 / 2.
        let vectors = Vectors::new(1, vec![0.0, 1.0, 3.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 1.0, Norm::Euclidean).unwrap();
        let (near, far) = (1.0 - (-0.5_f64).exp() / 2.0, (-2.0_f64).exp() / 2.0);
        assert_distribution(&draws(&mechanism, &[0.0], 3), &[near, 1.0 - near - far, far]);
    }

    #[test]
    fn the_radius_is_gamma_and_not_normal() {
        // In two dimensions Gamma(2, 1 / epsilon): P(r < 1) = 1 - 2 / e at epsilon 1.
        let vectors = Vectors::new(2, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 1.0, Norm::Euclidean).unwrap();
        let mut rng = PrivacyRng::reproducible(2);
        let mut counts = [0; 2];
        for _ in 0..50_000 {
            let length = mechanism.noise(&mut rng).iter().map(|z| z * z).sum::<f64>().sqrt();
            counts[usize::from(length >= 1.0)] += 1;
        }
        let inside = 1.0 - 2.0 / std::f64::consts::E;
        assert_distribution(&counts, &[inside, 1.0 - inside]);
    }

    #[test]
    fn mahalanobis_stretches_the_noise_along_the_spread() {
        let vectors = Vectors::new(2, vec![-9.0, 0.0, 9.0, 0.0, 0.0, 1.0, 0.0, -1.0]).unwrap();
        let root = vectors.regularised_root(0.5);
        // Covariance diag(40.5, .5), mean variance 20.5: .5 + .5 * 40.5 / 20.5 and .5 + .5 * .5 / 20.5.
        assert!((root[0].powi(2) - (0.5 + 0.5 * 40.5 / 20.5)).abs() < 1e-12);
        assert!((root[3].powi(2) - (0.5 + 0.5 * 0.5 / 20.5)).abs() < 1e-12);
        assert_eq!(vectors.regularised_root(0.0), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn the_original_word_can_win_and_bad_vectors_are_harmless() {
        let vectors = Vectors::new(1, vec![0.0, 1.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 100.0, Norm::Euclidean).unwrap();
        assert!(draws(&mechanism, &[0.0], 2)[0] > 49_000);
        assert_eq!(draws(&mechanism, &[f32::NAN], 2), draws(&mechanism, &[0.0], 2));
        assert!(Vectors::new(2, vec![0.0; 3]).is_err() && Vectors::new(1, vec![0.0, f32::NAN]).is_err());
    }
}
