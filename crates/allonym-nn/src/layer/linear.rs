//! A linear map with a bias: `y = W x + b` for every row.

use crate::error::NnError;
use crate::gradient::{Gradients, Rows};
use crate::matrix::Matrix;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::steady::add_steadily;
use crate::store::{Slot, Store};
use allonym_dp::PrivacyRng;
use std::sync::Arc;

/// A linear layer.
#[derive(Clone, Debug)]
pub struct Linear {
    name: String,
    weight: Slot,
    bias: Option<Slot>,
}

impl Linear {
    /// A layer whose weights are drawn uniformly within 1 / sqrt(inputs), as PyTorch does.
    ///
    /// # Errors
    /// When a size is zero or the name is taken.
    pub fn new<T: Real>(
        name: &str,
        inputs: usize,
        outputs: usize,
        with_bias: bool,
        store: &mut Store<T>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let bound = 1.0 / (inputs.max(1) as f64).sqrt();
        let weight = store.add(format!("{name}.weight"), outputs, inputs, bound, rng)?;
        let bias = with_bias.then(|| store.add(format!("{name}.bias"), 1, outputs, bound, rng)).transpose()?;
        Ok(Self { name: name.to_owned(), weight, bias })
    }

    /// The weight, outputs x inputs.
    pub fn weight(&self) -> Slot {
        self.weight
    }

    /// The bias.
    pub fn bias(&self) -> Option<Slot> {
        self.bias
    }

    /// The outputs of every row.
    ///
    /// # Errors
    /// When the inputs have another width.
    pub fn forward<T: Real>(&self, store: &Store<T>, inputs: &Matrix<T>, threads: usize) -> Result<Matrix<T>, NnError> {
        self.check(inputs)?;
        let (mut out, into) = match self.bias {
            None => (Matrix::zeros(inputs.rows(), self.weight.rows()), Into::Replace),
            Some(bias) => (Matrix::of_rows(inputs.rows(), store.slice(bias)), Into::Add),
        };
        multiply(out.view_mut(), into, inputs.view(), store.view(self.weight).transposed(), threads);
        Ok(out)
    }

    /// The same, no row depending, not even in its last bit, on which others there are.
    ///
    /// # Errors
    /// When the inputs have another width.
    pub fn forward_steadily<T: Real>(&self, store: &Store<T>, inputs: &Matrix<T>) -> Result<Matrix<T>, NnError> {
        self.check(inputs)?;
        let mut out = match self.bias {
            None => Matrix::zeros(inputs.rows(), self.weight.rows()),
            Some(bias) => Matrix::of_rows(inputs.rows(), store.slice(bias)),
        };
        add_steadily(out.values_mut(), inputs.values(), store.slice(self.weight), inputs.columns());
        Ok(out)
    }

    fn check<T: Real>(&self, inputs: &Matrix<T>) -> Result<(), NnError> {
        if inputs.columns() == self.weight.columns() {
            return Ok(());
        }
        Err(NnError::shape(&self.name, "width of the input", inputs.columns(), self.weight.columns()))
    }

    /// Hands over the gradients of the parameters, and returns what flows back to the inputs.
    pub fn backward<T: Real>(
        &self,
        store: &Store<T>,
        inputs: &Arc<Matrix<T>>,
        back: Matrix<T>,
        rows: &Rows,
        gradients: &mut Gradients<T>,
    ) -> Matrix<T> {
        let mut to_inputs = Matrix::zeros(inputs.rows(), inputs.columns());
        multiply(to_inputs.view_mut(), Into::Replace, back.view(), store.view(self.weight), gradients.threads());
        gradients.weight(self.weight, self.bias, Arc::new(back), inputs, rows);
        to_inputs
    }
}
