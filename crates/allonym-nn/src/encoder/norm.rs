//! Layer normalisation (Ba et al., 2016): every row gets mean 0 and variance 1, then a scale and a shift for each column.

use super::weights::Weights;
use crate::error::NnError;
use crate::vectorise::vectorised;

/// A layer norm.
pub(crate) struct LayerNorm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl LayerNorm {
    /// Reads scale and shift by their names.
    ///
    /// # Errors
    /// When the file has not what is asked for.
    pub(crate) fn read(
        weights: &Weights<'_>,
        scale: &str,
        shift: &str,
        width: usize,
        epsilon: f32,
    ) -> Result<Self, NnError> {
        Ok(Self { scale: weights.numbers(scale, &[width])?, shift: weights.numbers(shift, &[width])?, epsilon })
    }

    /// Normalises every row.
    pub(crate) fn over(&self, rows: &mut [f32]) {
        self.after(&vec![0.0; self.scale.len()], rows);
    }

    /// Adds a bias to every row and normalises it. The bias is that of the map before: one pass less.
    pub(crate) fn after(&self, bias: &[f32], rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(self.scale.len()) {
            normalise(row, bias, &self.scale, &self.shift, self.epsilon);
        }
    }
}

vectorised! {
    /// Normalises one row, with a bias added first.
    fn normalise<T>(row: &mut [T], bias: &[T], scale: &[T], shift: &[T], epsilon: T) {
        const LANES: usize = 16;
        for (value, bias) in row.iter_mut().zip(bias) {
            *value += *bias;
        }
        let count = T::of(row.len() as f64);
        // Sums side by side, so that they are computed in vectors.
        let (mut sums, parts) = ([T::ZERO; LANES], row.chunks_exact(LANES));
        let rest: T = parts.remainder().iter().copied().sum();
        for part in parts {
            for (sum, value) in sums.iter_mut().zip(part) {
                *sum += *value;
            }
        }
        let mean = (sums.into_iter().sum::<T>() + rest) / count;
        let (mut sums, parts) = ([T::ZERO; LANES], row.chunks_exact(LANES));
        let rest: T = parts.remainder().iter().map(|value| (*value - mean) * (*value - mean)).sum();
        for part in parts {
            for (sum, value) in sums.iter_mut().zip(part) {
                *sum += (*value - mean) * (*value - mean);
            }
        }
        let variance = (sums.into_iter().sum::<T>() + rest) / count;
        let factor = T::ONE / (variance + epsilon).sqrt();
        for ((value, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
            *value = (*value - mean) * factor * *scale + *shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_by_hand() {
        // 1 2 3 4 plus 1: mean 3.5, variance 1.25; deviations / sqrt(1.25), times 2, plus 1.
        let norm = LayerNorm { scale: vec![2.0; 4], shift: vec![1.0; 4], epsilon: 0.0 };
        let mut row = [1.0, 2.0, 3.0, 4.0];
        norm.after(&[1.0; 4], &mut row);
        let unit = 1.0 / 1.25_f32.sqrt();
        let expected = [-3.0, -1.0, 1.0, 3.0].map(|deviation: f32| deviation * unit + 1.0);
        assert!(row.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-6));
    }

    #[test]
    fn wide_rows_get_mean_zero_and_variance_one() {
        let width = 387;
        let norm = LayerNorm { scale: vec![1.0; width], shift: vec![0.0; width], epsilon: 1e-12 };
        let mut row: Vec<f32> = (0..width).map(|i| 100.0 + (i * i % 31) as f32).collect();
        norm.after(&vec![0.0; width], &mut row);
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|value| value * value).sum::<f32>() / width as f32;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_constant_row_becomes_the_shift() {
        let norm = LayerNorm { scale: vec![1.0; 3], shift: vec![0.5; 3], epsilon: 1e-12 };
        let mut row = [7.0; 3];
        norm.after(&[0.0; 3], &mut row);
        assert_eq!(row, [0.5; 3]);
    }
}
