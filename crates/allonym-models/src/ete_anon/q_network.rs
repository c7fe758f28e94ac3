//! The network that values actions: one hidden layer, and an output for each action. How it learns stands in `q_steps.rs`.

use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::Linear;
use allonym_nn::optimiser::{RmsProp, RmsPropSettings};
use allonym_nn::{Matrix, Store};

/// The network.
#[derive(Clone, Debug)]
pub(super) struct QNetwork {
    pub(super) store: Store<f32>,
    pub(super) hidden: Linear,
    pub(super) value: Linear,
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

    /// The same with every action worth nothing, for one that has to be told first.
    pub(super) fn of_no_opinion(mut self) -> Self {
        let rows = self.value.weight().range();
        self.store.values_mut()[rows].fill(0.0);
        self.bias_mut().fill(0.0);
        self
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

    /// The bias of every action.
    pub(super) fn bias(&self) -> &[f32] {
        self.value.bias().map_or(&[], |bias| self.store.slice(bias))
    }

    pub(super) fn bias_mut(&mut self) -> &mut [f32] {
        let range = self.value.bias().map_or(0..0, |bias| bias.range());
        &mut self.store.values_mut()[range]
    }

    /// Weights and biases of the hidden layer, and the weights of the output layer, which stand in this order in the store.
    pub(super) fn parts_mut(&mut self) -> [&mut [f32]; 3] {
        let (hidden, value) = (self.hidden.weight().range(), self.value.weight().range());
        let [_, rest] = cut(self.store.values_mut(), hidden.start);
        let [weights, rest] = cut(rest, hidden.len());
        let [biases, values] = cut(rest, value.start - hidden.end);
        [weights, biases, &mut values[..value.len()]]
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

fn cut(values: &mut [f32], place: usize) -> [&mut [f32]; 2] {
    let (before, after) = values.split_at_mut(place);
    [before, after]
}

/// The best action of a row of values among those that may be taken, and its value; of equals the first. Where none may be taken, the first of all.
pub(super) fn best(values: &[f32], may: impl Fn(usize) -> bool) -> (u32, f32) {
    let mut best = None;
    for (action, value) in values.iter().enumerate() {
        if best.is_none_or(|best: usize| *value > values[best]) && may(action) {
            best = Some(action);
        }
    }
    let best = best.unwrap_or_default();
    (best as u32, values[best])
}

/// What moves a network.
#[derive(Clone, Debug)]
pub(super) struct QOptimiser {
    /// Of the hidden layer, unit by unit.
    pub(super) hidden: RmsProp<f32>,
    pub(super) hidden_bias: RmsProp<f32>,
    /// Of the output layer, action by action.
    pub(super) value: RmsProp<f32>,
    pub(super) value_bias: RmsProp<f32>,
    pub(super) rate: f64,
}

impl QOptimiser {
    pub(super) fn new(network: &QNetwork, rate: f64, damping: f64) -> Result<Self, ModelError> {
        let settings = RmsPropSettings { epsilon: damping, ..RmsPropSettings::default() };
        let (hidden, value) = (network.hidden.weight(), network.value.weight());
        Ok(Self {
            hidden: RmsProp::new(hidden.rows(), hidden.columns(), settings)?,
            hidden_bias: RmsProp::new(hidden.rows(), 1, settings)?,
            value: RmsProp::new(value.rows(), value.columns(), settings)?,
            value_bias: RmsProp::new(value.rows(), 1, settings)?,
            rate,
        })
    }

    /// Begins a step of all but the biases of actions.
    pub(super) fn begin(&mut self) {
        [&mut self.hidden, &mut self.hidden_bias, &mut self.value].into_iter().for_each(RmsProp::begin);
    }

    /// Its parts by name.
    pub(super) fn parts(&self) -> [(&'static str, &RmsProp<f32>); 4] {
        let Self { hidden, hidden_bias, value, value_bias, .. } = self;
        [("hidden", hidden), ("hidden-bias", hidden_bias), ("value", value), ("value-bias", value_bias)]
    }

    /// The same, for a change.
    pub(super) fn parts_mut(&mut self) -> [(&'static str, &mut RmsProp<f32>); 4] {
        let Self { hidden, hidden_bias, value, value_bias, .. } = self;
        [("hidden", hidden), ("hidden-bias", hidden_bias), ("value", value), ("value-bias", value_bias)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::q_steps::Batch;
    use super::*;
    use allonym_nn::loss::huber;

    const DAMPING: f64 = 1e-8;

    fn network() -> QNetwork {
        QNetwork::new((3, 16, 4), Store::new(), &mut PrivacyRng::reproducible(5)).unwrap()
    }

    /// The same batch, again and again.
    fn learn(
        network: &mut QNetwork,
        states: &Matrix<f32>,
        (actions, targets): (&[u32], &[f32]),
        optimiser: &mut QOptimiser,
        times: usize,
    ) -> f64 {
        let batch = || {
            let rows: Vec<&[f32]> = (0..states.rows()).map(|row| states.row(row)).collect();
            Batch::new(rows.into_iter(), states.columns(), actions.to_vec(), targets.to_vec())
        };
        network.learn(&(0..times).map(|_| batch()).collect::<Vec<_>>(), optimiser)
    }

    #[test]
    fn it_learns_the_values_it_is_told_and_leaves_other_actions_nearly_alone() {
        let mut network = network();
        let mut optimiser = QOptimiser::new(&network, 1e-2, DAMPING).unwrap();
        let states = Matrix::of(4, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        let (actions, targets) = ([0, 1, 2, 1], [0.5, -1.0, 2.0, 0.0]);
        let row = network.store.slice(network.value.weight())[3 * 16..].to_vec();
        let first = learn(&mut network, &states, (&actions, &targets), &mut optimiser, 1);
        let last = learn(&mut network, &states, (&actions, &targets), &mut optimiser, 500) / 500.0;
        let last = last.min(learn(&mut network, &states, (&actions, &targets), &mut optimiser, 1));
        assert!(last < 1e-3 && first > 0.1, "{first} {last}");
        let values = network.values(&states, 1);
        for (example, (action, target)) in actions.iter().zip(targets).enumerate() {
            assert!((values.row(example)[*action as usize] - target).abs() < 0.1);
        }
        assert_eq!(network.store.slice(network.value.weight())[3 * 16..], row, "nobody asked for action 3");
    }

    #[test]
    fn the_best_is_the_first_of_equals_among_those_that_may_be_taken() {
        let values = [1.0, 3.0, 3.0, -2.0];
        assert_eq!(best(&values, |_| true), (1, 3.0));
        assert_eq!(best(&values, |action| action != 1), (2, 3.0));
        assert_eq!(best(&values, |action| action == 3), (3, -2.0));
        assert_eq!(best(&values, |_| false), (0, 1.0), "something must be done");
    }

    #[test]
    fn one_of_no_opinion_values_every_action_alike_and_learns() {
        let mut network = network().of_no_opinion();
        let states = Matrix::of(2, 3, vec![0.3, -0.7, 0.2, 0.9, 0.1, -0.4]);
        assert!(network.values(&states, 1).values().iter().all(|value| *value == 0.0));
        let mut optimiser = QOptimiser::new(&network, 0.5, 1.0).unwrap();
        learn(&mut network, &states, (&[0, 2], &[0.5, -0.5]), &mut optimiser, 500);
        let values = network.values(&states, 1);
        assert!((values.row(0)[0] - 0.5).abs() < 0.05 && (values.row(1)[2] + 0.5).abs() < 0.05, "{values:?}");
        assert!(values.row(0)[1] == 0.0 && values.row(1)[3] == 0.0, "nobody spoke of them");
    }

    #[test]
    fn batches_together_teach_what_they_teach_one_by_one() {
        let rng = &mut PrivacyRng::reproducible(9);
        let mut network = QNetwork::new((5, 50, 7), Store::new(), rng).unwrap();
        let mut optimiser = QOptimiser::new(&network, 1e-3, DAMPING).unwrap();
        let (mut other, mut others) = (network.clone(), optimiser.clone());
        let state = |seed: usize| (0..5).map(|i| ((i * 37 + seed * 11) % 19) as f32 / 9.0 - 1.0).collect::<Vec<f32>>();
        let batch = |seed: usize| {
            let states: Vec<Vec<f32>> = (0..4).map(|example| state(seed + example)).collect();
            let actions = (0..4).map(|example| ((seed + example * example) % 7) as u32).collect();
            Batch::new(states.iter().map(Vec::as_slice), 5, actions, vec![0.5, -0.5, 1.0, 0.0])
        };
        let together = network.learn(&(0..6).map(batch).collect::<Vec<_>>(), &mut optimiser);
        let one_by_one: f64 = (0..6).map(|seed| other.learn(&[batch(seed)], &mut others)).sum();
        assert!((together - one_by_one).abs() < 1e-6, "{together} {one_by_one}");
        let near = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near(network.store.values(), other.store.values()));
        for ((name, part), (_, other)) in optimiser.parts().into_iter().zip(others.parts()) {
            assert_eq!(part.state().0, 6, "{name}: steps");
            assert!(near(part.state().1, other.state().1), "{name}");
        }
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
        let mut optimiser = QOptimiser::new(&network, 0.0, DAMPING).unwrap();
        learn(&mut moved, &states, (&actions, &targets), &mut optimiser, 1);
        let sizes: Vec<f64> = optimiser
            .parts()
            .iter()
            .flat_map(|(_, part)| part.state().1)
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
