//! The network that values actions: one hidden layer, and an output for each action.
//!
//! A step learns from the values of a few actions, so only their rows of the output layer have a gradient: nothing is computed for the others.

use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::Linear;
use allonym_nn::loss::huber;
use allonym_nn::optimiser::{RmsProp, RmsPropSettings};
use allonym_nn::{Into, Matrix, Store, multiply};

/// The network.
#[derive(Clone, Debug)]
pub(super) struct QNetwork {
    pub(super) store: Store<f32>,
    hidden: Linear,
    value: Linear,
}

impl QNetwork {
    pub(super) fn new(
        (inputs, hidden, actions): (usize, usize, usize),
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        let layer = Linear::new("hidden", inputs, hidden, true, &mut store, rng)?;
        let value = Linear::new("value", hidden, actions, true, &mut store, rng)?;
        Ok(Self { store, hidden: layer, value })
    }

    fn hidden(&self, states: &Matrix<f32>, threads: usize) -> Matrix<f32> {
        let mut hidden = match self.hidden.forward(&self.store, states, threads) {
            Ok(hidden) => hidden,
            Err(_) => unreachable!("contexts have the width of the network"),
        };
        hidden.values_mut().iter_mut().for_each(|value| *value = value.max(0.0));
        hidden
    }

    /// The value of every action in every state.
    pub(super) fn values(&self, states: &Matrix<f32>, threads: usize) -> Matrix<f32> {
        match self.value.forward(&self.store, &self.hidden(states, threads), threads) {
            Ok(values) => values,
            Err(_) => unreachable!("the layers fit each other"),
        }
    }

    /// The same for the release of texts: no state's numbers depend on which others there are.
    pub(super) fn values_steadily(&self, states: &Matrix<f32>) -> Matrix<f32> {
        let Ok(mut hidden) = self.hidden.forward_steadily(&self.store, states) else {
            unreachable!("contexts have the width of the network")
        };
        hidden.values_mut().iter_mut().for_each(|value| *value = value.max(0.0));
        match self.value.forward_steadily(&self.store, &hidden) {
            Ok(values) => values,
            Err(_) => unreachable!("the layers fit each other"),
        }
    }
}

/// The best action of a row of values, and its value; of equals the first.
pub(super) fn best(values: &[f32]) -> (u32, f32) {
    let mut best = 0;
    for (action, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = action;
        }
    }
    (best as u32, values[best])
}

/// What moves a network.
#[derive(Clone, Debug)]
pub(super) struct QOptimiser {
    /// Of the hidden layer: weights, then biases.
    hidden: RmsProp<f32>,
    value: RmsProp<f32>,
    value_bias: RmsProp<f32>,
    rate: f64,
}

impl QOptimiser {
    pub(super) fn new(network: &QNetwork, rate: f64) -> Result<Self, ModelError> {
        let settings = RmsPropSettings::default();
        let (hidden, value) = (network.hidden.weight(), network.value.weight());
        Ok(Self {
            hidden: RmsProp::new(1, hidden.range().len() + hidden.rows(), settings)?,
            value: RmsProp::new(value.rows(), value.columns(), settings)?,
            value_bias: RmsProp::new(value.rows(), 1, settings)?,
            rate,
        })
    }

    /// Its parts by name.
    pub(super) fn parts(&self) -> [(&'static str, &RmsProp<f32>); 3] {
        [("hidden", &self.hidden), ("value", &self.value), ("value-bias", &self.value_bias)]
    }

    /// The same, for a change.
    pub(super) fn parts_mut(&mut self) -> [(&'static str, &mut RmsProp<f32>); 3] {
        [("hidden", &mut self.hidden), ("value", &mut self.value), ("value-bias", &mut self.value_bias)]
    }
}

impl QNetwork {
    /// Moves the values of some actions in some states towards others; returns the mean Huber loss.
    pub(super) fn learn(
        &mut self,
        states: &Matrix<f32>,
        actions: &[u32],
        targets: &[f32],
        optimiser: &mut QOptimiser,
        threads: usize,
    ) -> f64 {
        let (count, width) = (actions.len(), self.value.weight().columns());
        let hidden = self.hidden(states, threads);
        let (weights, bias) = (self.store.slice(self.value.weight()), self.bias());
        // What flows back to the hidden layer, and the gradients of the rows that were asked for, each action once.
        let mut to_hidden = Matrix::zeros(count, width);
        let mut rows: Vec<usize> = actions.iter().map(|action| *action as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        let (mut of_rows, mut of_biases) = (vec![0.0_f32; rows.len() * width], vec![0.0_f32; rows.len()]);
        let mut sum = 0.0;
        for (example, (action, target)) in actions.iter().zip(targets).enumerate() {
            let action = *action as usize;
            let (weight, seen) = (&weights[action * width..(action + 1) * width], hidden.row(example));
            let value = dot(weight, seen) + bias[action];
            let (loss, slope) = huber(value - target, 1.0);
            sum += f64::from(loss);
            let slope = slope / count as f32;
            let place = rows.partition_point(|row| *row < action);
            of_biases[place] += slope;
            let of_row = &mut of_rows[place * width..(place + 1) * width];
            let back = to_hidden.row_mut(example);
            for (((of_row, back), seen), weight) in of_row.iter_mut().zip(back).zip(seen).zip(weight) {
                *of_row += slope * seen;
                *back = if *seen > 0.0 { slope * weight } else { 0.0 };
            }
        }
        self.descend(states, &to_hidden, optimiser, threads);
        let (weight, bias) = (self.value.weight().range(), self.value.bias().map(|bias| bias.range()));
        optimiser.value.step_rows(&mut self.store.values_mut()[weight], &rows, &of_rows, optimiser.rate);
        if let Some(bias) = bias {
            optimiser.value_bias.step_rows(&mut self.store.values_mut()[bias], &rows, &of_biases, optimiser.rate);
        }
        sum / count as f64
    }

    fn bias(&self) -> &[f32] {
        self.value.bias().map_or(&[], |bias| self.store.slice(bias))
    }

    /// Moves the hidden layer.
    fn descend(&mut self, states: &Matrix<f32>, to_hidden: &Matrix<f32>, optimiser: &mut QOptimiser, threads: usize) {
        let weight = self.hidden.weight();
        let mut gradients = Matrix::<f32>::zeros(1, weight.range().len() + weight.rows());
        let (of_weights, of_biases) = gradients.values_mut().split_at_mut(weight.range().len());
        let out = allonym_nn::ViewMut::of(of_weights, weight.rows(), weight.columns());
        multiply(out, Into::Replace, to_hidden.view().transposed(), states.view(), threads);
        for row in 0..to_hidden.rows() {
            of_biases.iter_mut().zip(to_hidden.row(row)).for_each(|(sum, back)| *sum += back);
        }
        // Weights and biases of the layer stand beside each other in the store.
        let end = self.hidden.bias().map_or(weight.range().end, |bias| bias.range().end);
        let parameters = &mut self.store.values_mut()[weight.range().start..end];
        optimiser.hidden.step(parameters, gradients.values(), optimiser.rate, threads);
    }
}

/// Eight sums side by side, which the compiler turns into vectors.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let (left_parts, right_parts) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest: f32 = left_parts.remainder().iter().zip(right_parts.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0_f32; 8];
    for (a, b) in left_parts.zip(right_parts) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> QNetwork {
        QNetwork::new((3, 16, 4), Store::new(), &mut PrivacyRng::reproducible(5)).unwrap()
    }

    #[test]
    fn it_learns_the_values_it_is_told_and_leaves_other_actions_nearly_alone() {
        let mut network = network();
        let mut optimiser = QOptimiser::new(&network, 1e-2).unwrap();
        let states = Matrix::of(4, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        let (actions, targets) = ([0, 1, 2, 1], [0.5, -1.0, 2.0, 0.0]);
        let row = network.store.slice(network.value.weight())[3 * 16..].to_vec();
        let first = network.learn(&states, &actions, &targets, &mut optimiser, 1);
        let mut last = first;
        for _ in 0..500 {
            last = network.learn(&states, &actions, &targets, &mut optimiser, 1);
        }
        assert!(last < 1e-3 && first > 0.1, "{first} {last}");
        let values = network.values(&states, 1);
        for (example, (action, target)) in actions.iter().zip(targets).enumerate() {
            assert!((values.row(example)[*action as usize] - target).abs() < 0.1);
        }
        assert_eq!(network.store.slice(network.value.weight())[3 * 16..], row, "nobody asked for action 3");
        assert_eq!(best(&[1.0, 3.0, 3.0]), (1, 3.0));
    }

    #[test]
    fn gradients_are_those_of_the_loss() {
        // A plain optimiser would show them at once; here the first step of RMSprop shows their signs, and its mean squares their sizes.
        let network = network();
        let states = Matrix::of(2, 3, vec![0.3, -0.7, 0.2, 0.9, 0.1, -0.4]);
        let (actions, targets) = ([2, 2], [0.3, -0.2]);
        let loss = |network: &QNetwork| {
            let values = network.values(&states, 1);
            let of = |example: usize| f64::from(huber(values.row(example)[2] - targets[example], 1.0).0);
            (of(0) + of(1)) / 2.0
        };
        let mut moved = network.clone();
        let mut optimiser = QOptimiser::new(&network, 0.0).unwrap();
        moved.learn(&states, &actions, &targets, &mut optimiser, 2);
        let sizes: Vec<f64> = [optimiser.hidden.state().1, optimiser.value.state().1, optimiser.value_bias.state().1]
            .concat()
            .iter()
            .map(|square| (f64::from(*square) / 0.01).sqrt())
            .collect();
        assert_eq!(sizes.len(), network.store.values().len());
        for (place, size) in sizes.into_iter().enumerate() {
            let at = |step: f32| {
                let mut other = network.clone();
                other.store.values_mut()[place] += step;
                loss(&other)
            };
            let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
            assert!((slope.abs() - size).abs() < 5e-3, "{place}: {slope} {size}");
        }
    }

    #[test]
    fn threads_and_neighbours_do_not_change_what_is_valued_for_a_release() {
        let network = network();
        let states = Matrix::of(2, 3, vec![0.3, -0.7, 0.2, 0.9, 0.1, -0.4]);
        let both = network.values_steadily(&states);
        let alone = network.values_steadily(&Matrix::of(1, 3, states.row(1).to_vec()));
        assert_eq!(both.row(1), alone.row(0));
        let plain = network.values(&states, 1);
        assert!(plain.values().iter().zip(both.values()).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
