//! Steps of learning of the Q-network, whose batches are known before the first of them.
//!
//! The units of the hidden layer are dealt out to a few shares, always as many, so that numbers do not depend on the machine. In each step a share moves what is
//! its own by one batch and says at once what its units have to say of the next one (see `allonym_nn::streamed`); the sums of all shares are the values of the next batch's actions.
//! Only the rows of actions that were taken have a gradient in the output layer: nothing is computed for the others.

use super::q_network::{QNetwork, QOptimiser};
use allonym_nn::loss::huber;
use allonym_nn::optimiser::{Factors, RmsPropRows};
use allonym_nn::streamed::{Examples, Units, add_scaled, dot};
use rayon::prelude::*;

/// Shares of the hidden layer.
const SHARES: usize = 4;

/// What is learned from in one step.
pub(super) struct Batch {
    states: Examples<f32>,
    actions: Vec<u32>,
    /// What the value of each action should be.
    targets: Vec<f32>,
    /// The actions, in order, each once.
    rows: Vec<usize>,
}

impl Batch {
    pub(super) fn new<'a>(
        states: impl ExactSizeIterator<Item = &'a [f32]>,
        cells: usize,
        actions: Vec<u32>,
        targets: Vec<f32>,
    ) -> Self {
        let mut rows: Vec<usize> = actions.iter().map(|action| *action as usize).collect();
        rows.sort_unstable();
        rows.dedup();
        Self { states: Examples::of(states, cells), actions, targets, rows }
    }
}

/// What one share owns during a step.
struct Share<'a> {
    units: Units<'a, f32>,
    /// Its part of rows of the output layer: those that are moved, and those of the next batch.
    values: Vec<&'a mut [f32]>,
    /// Its part of the mean squares of those that are moved.
    squares: Vec<(Factors<f32>, &'a mut [f32])>,
    /// What its units said of the batch that it is moved by, and then of the next.
    said: &'a mut Vec<f32>,
}

/// The rows of the output layer that a step works on: those of one batch and of the next.
struct Rows {
    all: Vec<usize>,
    moved: Vec<usize>,
}

impl Rows {
    fn of(moved: Option<&Batch>, next: Option<&Batch>) -> Self {
        let mut all: Vec<usize> = moved.into_iter().chain(next).flat_map(|batch| batch.rows.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        Self { all, moved: moved.map(|batch| batch.rows.clone()).unwrap_or_default() }
    }

    fn place(&self, action: u32) -> usize {
        self.all.partition_point(|row| *row < action as usize)
    }
}

impl QNetwork {
    /// Moves the values of some actions in some states towards others, batch by batch; returns the sum of the mean Huber losses.
    pub(super) fn learn(&mut self, batches: &[Batch], optimiser: &mut QOptimiser) -> f64 {
        let mut said = vec![Vec::new(); SHARES];
        let mut sums = self.step(None, batches.first(), optimiser, &mut said);
        let mut loss = 0.0;
        for (place, batch) in batches.iter().enumerate() {
            let mut slopes = Vec::with_capacity(batch.actions.len());
            for (example, (action, target)) in batch.actions.iter().zip(&batch.targets).enumerate() {
                let value = sums.iter().map(|sums| sums[example]).sum::<f32>() + self.bias()[*action as usize];
                let (of_example, slope) = huber(value - target, 1.0);
                loss += f64::from(of_example) / batch.actions.len() as f64;
                slopes.push(slope / batch.actions.len() as f32);
            }
            self.move_biases(batch, &slopes, optimiser);
            sums = self.step(Some((batch, &slopes)), batches.get(place + 1), optimiser, &mut said);
        }
        loss
    }

    fn move_biases(&mut self, batch: &Batch, slopes: &[f32], optimiser: &mut QOptimiser) {
        let of = |row: &usize| {
            let own = batch.actions.iter().zip(slopes).filter(|(action, _)| **action as usize == *row);
            own.map(|(_, slope)| slope).sum()
        };
        let gradients: Vec<f32> = batch.rows.iter().map(of).collect();
        let rate = optimiser.rate;
        optimiser.value_bias.step_rows(self.bias_mut(), &batch.rows, &gradients, rate);
    }

    /// Moves everything but the biases of actions by one batch, and adds up, share by share, what the next batch's actions are worth.
    fn step(
        &mut self,
        moved: Option<(&Batch, &[f32])>,
        next: Option<&Batch>,
        optimiser: &mut QOptimiser,
        said: &mut [Vec<f32>],
    ) -> Vec<Vec<f32>> {
        if moved.is_some() {
            optimiser.begin();
        }
        let rows = Rows::of(moved.map(|(batch, _)| batch), next);
        let shares = self.shares(&rows, optimiser, said);
        shares.into_par_iter().map(|share| share.step(&rows, moved, next)).collect()
    }

    fn shares<'a>(
        &'a mut self,
        rows: &'a Rows,
        optimiser: &'a mut QOptimiser,
        said: &'a mut [Vec<f32>],
    ) -> Vec<Share<'a>> {
        let (inputs, units) = (self.hidden.weight().columns(), self.hidden.weight().rows());
        let each = units.div_ceil(SHARES);
        let rate = optimiser.rate;
        let (of_weights, of_biases): (Vec<RmsPropRows<'_, f32>>, Vec<RmsPropRows<'_, f32>>) =
            (optimiser.hidden.parts(rate, each), optimiser.hidden_bias.parts(rate, each));
        let squares = optimiser.value.rows(&rows.moved, rate);
        let [weights, biases, values] = self.parts_mut();
        let mut shares: Vec<Share<'a>> = weights
            .chunks_mut(each * inputs)
            .zip(biases.chunks_mut(each))
            .zip(of_weights.into_iter().zip(of_biases))
            .zip(said)
            .map(|(((weights, biases), (of_weights, of_biases)), said)| Share {
                units: Units { weights, biases, of_weights, of_biases },
                values: Vec::with_capacity(rows.all.len()),
                squares: Vec::with_capacity(rows.moved.len()),
                said,
            })
            .collect();
        let mut wanted = rows.all.iter().peekable();
        for (_, row) in values
            .chunks_exact_mut(units)
            .enumerate()
            .filter(|(row, _)| wanted.next_if(|next| **next == *row).is_some())
        {
            shares.iter_mut().zip(row.chunks_mut(each)).for_each(|(share, part)| share.values.push(part));
        }
        for (factors, row) in squares {
            shares.iter_mut().zip(row.chunks_mut(each)).for_each(|(share, part)| share.squares.push((factors, part)));
        }
        shares
    }
}

impl Share<'_> {
    fn step(mut self, rows: &Rows, moved: Option<(&Batch, &[f32])>, next: Option<&Batch>) -> Vec<f32> {
        let width = self.units.biases.len();
        let back = moved.map(|(batch, slopes)| (&batch.states, self.move_values(rows, batch, slopes)));
        *self.said = self
            .units
            .pass(back.as_ref().map(|(states, back)| (*states, back.as_slice())), next.map(|next| &next.states));
        let Some(next) = next else { return Vec::new() };
        self.said.iter_mut().for_each(|value| *value = value.max(0.0));
        let of = |(action, said): (&u32, &[f32])| dot(self.values[rows.place(*action)], said);
        next.actions.iter().zip(self.said.chunks_exact(width)).map(of).collect()
    }

    /// Moves its part of the output layer; returns what flows back to its units.
    fn move_values(&mut self, rows: &Rows, batch: &Batch, slopes: &[f32]) -> Vec<f32> {
        let width = self.units.biases.len();
        let mut back = vec![0.0; self.said.len()];
        for ((back, said), (action, slope)) in
            back.chunks_exact_mut(width).zip(self.said.chunks_exact(width)).zip(batch.actions.iter().zip(slopes))
        {
            let weights = &*self.values[rows.place(*action)];
            for ((back, said), weight) in back.iter_mut().zip(said).zip(weights) {
                *back = if *said > 0.0 { slope * weight } else { 0.0 };
            }
        }
        let mut gradient = vec![0.0; width];
        for (row, (factors, squares)) in rows.moved.iter().zip(&mut self.squares) {
            gradient.fill(0.0);
            for (example, _) in batch.actions.iter().enumerate().filter(|(_, action)| **action as usize == *row) {
                add_scaled(&mut gradient, slopes[example], &self.said[example * width..(example + 1) * width]);
            }
            factors.step(self.values[rows.place(*row as u32)], squares, &gradient);
        }
        back
    }
}
