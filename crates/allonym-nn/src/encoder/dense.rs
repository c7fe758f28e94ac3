//! A linear map for inference: its weight stands as the product reads it, and its bias is added by whoever comes next.

use super::weights::Weights;
use crate::error::NnError;
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};

/// A weight, inputs x outputs, and a bias.
pub(crate) struct Dense {
    weight: Matrix<f32>,
    bias: Vec<f32>,
}

impl Dense {
    /// A map whose weight stands as inputs x outputs.
    pub(crate) fn of(weight: Matrix<f32>, bias: Vec<f32>) -> Self {
        assert_eq!(weight.columns(), bias.len(), "a bias for every output");
        Self { weight, bias }
    }

    /// Reads a map as PyTorch keeps it, `name.weight` as outputs x inputs.
    ///
    /// # Errors
    /// When the file has not what is asked for.
    pub(crate) fn read(weights: &Weights<'_>, name: &str, inputs: usize, outputs: usize) -> Result<Self, NnError> {
        let stored = weights.matrix(&format!("{name}.weight"), outputs, inputs)?;
        let mut weight = Matrix::zeros(inputs, outputs);
        for output in 0..outputs {
            for (input, value) in stored.row(output).iter().enumerate() {
                weight.row_mut(input)[output] = *value;
            }
        }
        Ok(Self::of(weight, weights.numbers(&format!("{name}.bias"), &[outputs])?))
    }

    /// Several maps of the same inputs, side by side in one product.
    pub(crate) fn beside(maps: &[Self]) -> Self {
        let inputs = maps[0].weight.rows();
        let rows = (0..inputs).flat_map(|row| maps.iter().flat_map(move |map| map.weight.row(row)));
        let values: Vec<f32> = rows.copied().collect();
        let bias: Vec<f32> = maps.iter().flat_map(|map| &map.bias).copied().collect();
        Self::of(Matrix::of(inputs, bias.len(), values), bias)
    }

    /// Multiplies the first `outputs` outputs by a factor, once and for all.
    pub(crate) fn scale(&mut self, outputs: usize, factor: f32) {
        for row in 0..self.weight.rows() {
            self.weight.row_mut(row)[..outputs].iter_mut().for_each(|value| *value *= factor);
        }
        self.bias[..outputs].iter_mut().for_each(|value| *value *= factor);
    }

    /// How many outputs there are.
    pub(crate) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// The bias.
    pub(crate) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Writes or adds the products, without the bias, on this thread.
    pub(crate) fn product(&self, out: ViewMut<'_, f32>, into: Into, inputs: View<'_, f32>) {
        multiply(out, into, inputs, self.weight.view(), 1);
    }

    /// Adds the products with the bias.
    pub(crate) fn add(&self, out: &mut Matrix<f32>, inputs: &Matrix<f32>) {
        for row in 0..out.rows() {
            crate::vectorise::add_scaled(out.row_mut(row), 1.0, &self.bias);
        }
        self.product(out.view_mut(), Into::Add, inputs.view());
    }

    /// Products with the bias.
    pub(crate) fn forward(&self, inputs: View<'_, f32>) -> Matrix<f32> {
        let values = (0..inputs.rows).flat_map(|_| &self.bias).copied().collect();
        let mut out = Matrix::of(inputs.rows, self.outputs(), values);
        self.product(out.view_mut(), Into::Add, inputs);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_side_by_side_are_the_maps() {
        // (1 2) (1 0; 0 1) + (5 6) = (6 8), and (1 2) (3; 4) + 1 = 12
        let first = Dense::of(Matrix::of(2, 2, vec![1.0, 0.0, 0.0, 1.0]), vec![5.0, 6.0]);
        let second = Dense::of(Matrix::of(2, 1, vec![3.0, 4.0]), vec![1.0]);
        let input = Matrix::of(1, 2, vec![1.0, 2.0]);
        let mut both = Dense::beside(&[first, second]);
        assert_eq!(both.forward(input.view()).values(), [6.0, 8.0, 12.0]);
        both.scale(2, 0.5);
        assert_eq!(both.forward(input.view()).values(), [3.0, 4.0, 12.0]);
    }
}
