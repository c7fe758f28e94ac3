//! One step at a time, for generating: states go in and come out, and nothing is remembered for a way back.

use super::recurrent::{Kind, Recurrent};
use super::{gru, lstm};
use crate::error::NnError;
use crate::matrix::Matrix;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::steady::add_steadily;
use crate::store::{Slot, Store};

/// The states of some sequences between two steps: for each layer, one matrix, or two for an LSTM, with a row for each sequence.
#[derive(Clone, Debug)]
pub struct States<T: Real> {
    layers: Vec<Vec<Matrix<T>>>,
}

impl<T: Real> States<T> {
    /// The states of a layer.
    pub fn layer(&self, layer: usize) -> &[Matrix<T>] {
        &self.layers[layer]
    }

    /// Leaves only these sequences, in this order.
    pub fn keep(&mut self, sequences: &[usize]) {
        for state in self.layers.iter_mut().flatten() {
            if sequences.iter().copied().ne(0..state.rows()) {
                let values = sequences.iter().flat_map(|row| state.row(*row)).copied().collect();
                *state = Matrix::of(sequences.len(), state.columns(), values);
            }
        }
    }

    /// The states of a layer, for a change.
    pub fn layer_mut(&mut self, layer: usize) -> &mut [Matrix<T>] {
        &mut self.layers[layer]
    }
}

impl Recurrent {
    /// States to begin with: zero, or given as [`super::RecurrentTrace::last`] has them.
    ///
    /// # Errors
    /// When the layers also read from the end, which needs the whole sequence, or the states have another shape.
    pub fn begin<T: Real>(&self, sequences: usize, initial: Option<&[Vec<Matrix<T>>]>) -> Result<States<T>, NnError> {
        if self.layers()[0].len() > 1 {
            return Err(NnError::shape(self.name(), "number of directions", 2, "1, to generate"));
        }
        let zero = || vec![vec![Matrix::zeros(sequences, self.cells()); self.kind().states()]; self.layers().len()];
        let layers = initial.map_or_else(zero, <[_]>::to_vec);
        let fits = layers.len() == self.layers().len()
            && layers.iter().all(|states| {
                let size = |state: &Matrix<T>| (state.rows(), state.columns()) == (sequences, self.cells());
                states.len() == self.kind().states() && states.iter().all(size)
            });
        if !fits {
            let expected = format!("{} layers of {sequences} x {}", self.layers().len(), self.cells());
            return Err(NnError::shape(self.name(), "initial state", "of another size", expected));
        }
        Ok(States { layers })
    }

    /// One step for every sequence; returns the outputs of the last layer. No sequence's numbers depend on which others there are.
    ///
    /// # Errors
    /// When the inputs have another shape.
    pub fn advance<T: Real>(
        &self,
        store: &Store<T>,
        inputs: &Matrix<T>,
        states: &mut States<T>,
    ) -> Result<Matrix<T>, NnError> {
        self.advance_by(store, inputs, states, |weights, left, out| {
            add_steadily(out.values_mut(), left.values(), store.slice(weights), left.columns());
        })
    }

    /// The same, faster where there are several, on up to `threads` threads: other sequences may change the last bits of one's numbers.
    ///
    /// # Errors
    /// When the inputs have another shape.
    pub fn advance_together<T: Real>(
        &self,
        store: &Store<T>,
        inputs: &Matrix<T>,
        states: &mut States<T>,
        threads: usize,
    ) -> Result<Matrix<T>, NnError> {
        self.advance_by(store, inputs, states, |weights, left, out| {
            multiply(out.view_mut(), Into::Add, left.view(), store.view(weights).transposed(), threads);
        })
    }

    /// `add` adds the product of the second with the transposed first to the third.
    fn advance_by<T: Real>(
        &self,
        store: &Store<T>,
        inputs: &Matrix<T>,
        states: &mut States<T>,
        add: impl Fn(Slot, &Matrix<T>, &mut Matrix<T>),
    ) -> Result<Matrix<T>, NnError> {
        let count = states.layers[0][0].rows();
        if (inputs.rows(), inputs.columns()) != (count, self.inputs()) {
            let found = format!("{} x {}", inputs.rows(), inputs.columns());
            return Err(NnError::shape(
                self.name(),
                "size of the input",
                found,
                format!("{count} x {}", self.inputs()),
            ));
        }
        let mut below = None;
        for (directions, state) in self.layers().iter().zip(&mut states.layers) {
            let layer = &directions[0];
            let mut gates = Matrix::of_rows(count, store.slice(layer.bias_input));
            add(layer.of_input, below.as_ref().unwrap_or(inputs), &mut gates);
            let mut product = Matrix::zeros(count, gates.columns());
            add(layer.of_state, &state[0], &mut product);
            let (cells, bias) = (layer.cells, store.slice(layer.bias_state));
            match (self.kind(), state.as_mut_slice()) {
                (Kind::Lstm, [states, contents]) => lstm::advance(
                    cells,
                    gates.values_mut(),
                    product.values(),
                    bias,
                    states.values_mut(),
                    contents.values_mut(),
                ),
                (_, states) => {
                    gru::advance(cells, gates.values_mut(), product.values(), bias, states[0].values_mut());
                }
            }
            below = Some(state[0].clone());
        }
        Ok(below.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;
    use crate::sequences::Sequences;
    use allonym_dp::PrivacyRng;
    use std::sync::Arc;

    #[test]
    fn step_by_step_is_the_same_as_all_at_once() {
        for kind in [Kind::Gru, Kind::Lstm] {
            let (mut store, rng) = (Store::<f64>::new(), &mut PrivacyRng::reproducible(3));
            let shape = Shape { kind, inputs: 3, cells: 4, layers: 2, both_ways: false };
            let layers = Recurrent::new("test", shape, &mut store, rng).unwrap();
            let sequences = Arc::new(Sequences::new(&[5, 5], 1).unwrap());
            let number = |i: usize| ((i * 31 + 7) % 19) as f64 / 10.0 - 0.9;
            let inputs = Matrix::of(10, 3, (0..30).map(number).collect());
            let whole = layers.forward(&store, Arc::new(inputs.clone()), &sequences, None, None, 1).unwrap();
            let mut states = layers.begin(2, None).unwrap();
            for step in 0..5 {
                let input = Matrix::of(2, 3, inputs.values()[step * 6..(step + 1) * 6].to_vec());
                let mut together = states.clone();
                let out = layers.advance(&store, &input, &mut states).unwrap();
                let others = layers.advance_together(&store, &input, &mut together, 2).unwrap();
                assert!(out.values().iter().zip(others.values()).all(|(a, b)| (a - b).abs() < 1e-14));
                let expected = &whole.outputs.values()[step * 8..(step + 1) * 8];
                assert!(out.values().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
            }
            assert_eq!(states.layer(1).len(), kind.states());
        }
    }

    #[test]
    fn layers_that_read_from_the_end_cannot_generate() {
        let (mut store, rng) = (Store::<f32>::new(), &mut PrivacyRng::reproducible(3));
        let shape = Shape { kind: Kind::Gru, inputs: 3, cells: 4, layers: 1, both_ways: true };
        let layers = Recurrent::new("encoder", shape, &mut store, rng).unwrap();
        assert!(layers.begin::<f32>(1, None).unwrap_err().to_string().contains("layer `encoder`"));
    }
}
