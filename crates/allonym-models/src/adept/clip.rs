//! The bound of latent vectors: a vector that is longer is scaled down to it, and so is what flows back.
//!
//! The mechanism of `allonym-dp` clips again, in integers, and its guarantee rests on that alone. Here it is clipped so that the decoder learns from
//! the vectors that it will get.

use allonym_nn::{Matrix, Real};
use serde::{Deserialize, Serialize};

/// How the length of a vector is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The sum of the sizes of its numbers: for Laplace noise in each of them.
    L1,
    /// The root of the sum of their squares: for radial and Gaussian noise, and for the paper's.
    L2,
}

impl Norm {
    /// The length of a vector.
    pub fn of<T: Real>(self, vector: &[T]) -> f64 {
        match self {
            Self::L1 => vector.iter().map(|value| value.wide().abs()).sum(),
            Self::L2 => vector.iter().map(|value| value.wide().powi(2)).sum::<f64>().sqrt(),
        }
    }
}

/// The largest length of a latent vector.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Clip {
    /// Which length. Default L2.
    pub norm: Norm,
    /// The bound. The network gets used to any; it is the unit of the noise. Default 1.
    pub bound: f64,
}

impl Default for Clip {
    fn default() -> Self {
        Self { norm: Norm::L2, bound: 1.0 }
    }
}

impl Clip {
    /// The size of each number of a vector that is as long as it may be and has all numbers alike.
    pub(super) fn unit(self, dimension: usize) -> f64 {
        let numbers = dimension as f64;
        self.bound
            / match self.norm {
                Norm::L1 => numbers,
                Norm::L2 => numbers.sqrt(),
            }
    }

    /// Scales every row down to the bound, unless it is within.
    pub(crate) fn forward<T: Real>(self, vectors: &Matrix<T>) -> Matrix<T> {
        let mut clipped = vectors.clone();
        for row in 0..vectors.rows() {
            let length = self.norm.of(vectors.row(row));
            if length > self.bound {
                let factor = self.bound / length;
                clipped.row_mut(row).iter_mut().for_each(|value| *value = T::of(value.wide() * factor));
            }
        }
        clipped
    }

    /// What flows back to the vectors. Where one was scaled, `y = C x / |x|`: the part of the gradient that would only lengthen it is gone.
    pub(crate) fn backward<T: Real>(self, vectors: &Matrix<T>, mut back: Matrix<T>) -> Matrix<T> {
        for row in 0..vectors.rows() {
            let vector = vectors.row(row);
            let length = self.norm.of(vector);
            if length <= self.bound {
                continue;
            }
            let back = back.row_mut(row);
            let along = vector.iter().zip(&*back).map(|(x, g)| x.wide() * g.wide()).sum::<f64>() / length;
            for (g, x) in back.iter_mut().zip(vector) {
                // The gradient of the length itself.
                let steepest = match self.norm {
                    Norm::L2 => x.wide() / length,
                    Norm::L1 if x.wide() == 0.0 => 0.0,
                    Norm::L1 => x.wide().signum(),
                };
                *g = T::of(self.bound / length * (g.wide() - steepest * along));
            }
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_vectors_are_scaled_to_the_bound_and_short_ones_left() {
        let vectors = Matrix::of(2, 2, vec![3.0_f64, 4.0, 0.3, -0.4]);
        let l2 = Clip { norm: Norm::L2, bound: 1.0 }.forward(&vectors);
        // |(3, 4)| = 5.
        assert!(l2.row(0).iter().zip([0.6, 0.8]).all(|(a, b)| (a - b).abs() < 1e-15) && l2.row(1) == [0.3, -0.4]);
        let l1 = Clip { norm: Norm::L1, bound: 3.5 }.forward(&vectors);
        // 3 + 4 = 7: half of each.
        assert!(l1.row(0) == [1.5, 2.0] && l1.row(1) == [0.3, -0.4]);
    }

    #[test]
    fn a_vector_of_units_is_as_long_as_the_bound() {
        // 2 / 4, and 2 / sqrt(4).
        assert_eq!(Clip { norm: Norm::L1, bound: 2.0 }.unit(4), 0.5);
        assert_eq!(Clip { norm: Norm::L2, bound: 2.0 }.unit(4), 1.0);
    }

    #[test]
    fn gradients_by_hand() {
        let back = |norm, bound, vector: [f64; 2]| {
            let vectors = Matrix::of(1, 2, vector.to_vec());
            Clip { norm, bound }.backward(&vectors, Matrix::of(1, 2, vec![1.0, 0.0])).into_values()
        };
        let near = |found: Vec<f64>, expected: [f64; 2]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15);
        // (1/5) ((1, 0) - (0.6, 0.8) 0.6)
        assert!(near(back(Norm::L2, 1.0, [3.0, 4.0]), [0.128, -0.096]));
        // (2/4) ((1, 0) - (1, -1) 3/4)
        assert!(near(back(Norm::L1, 2.0, [3.0, -1.0]), [0.125, 0.375]));
        assert!(near(back(Norm::L1, 5.0, [3.0, -1.0]), [1.0, 0.0]), "within the bound nothing changes");
    }
}
