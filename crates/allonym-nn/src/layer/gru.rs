//! One direction of a GRU layer.
//!
//! `r = sigmoid(x_r + h_r)`, `z = sigmoid(x_z + h_z)`, `n = tanh(x_n + r * h_n)`, new state `(1 - z) n + z h`, where `x_.` comes from
//! the inputs and `h_.` from the state before. The part of the inputs is one product for all steps, before the sweep; so are the
//! gradients of the weights, after it. Within the sweep there is one product a step.

use super::recurrent::{Beginning, Direction, Step, Trace, add_last, beginnings, last_of, split, steps, sweep_all};
use crate::gradient::{Gradients, Rows};
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::{Sequences, Shard};
use crate::store::Store;
use crate::vectorise::vectorised;
use std::sync::Arc;

/// What a forward pass remembers: the gates r, z and n, the state's part of n, and the states before.
#[derive(Debug)]
pub(crate) struct GruTrace<T: Real> {
    gates: Matrix<T>,
    state_part: Matrix<T>,
    before: Matrix<T>,
    sequences: Arc<Sequences>,
}

/// The sweep's share of a shard.
struct Part<'a, T> {
    gates: &'a mut [T],
    state_part: &'a mut [T],
    before: &'a mut [T],
    out: &'a mut [T],
}

pub(crate) fn forward<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    inputs: &Matrix<T>,
    sequences: &Arc<Sequences>,
    initial: Option<&[Matrix<T>]>,
    threads: usize,
) -> (Matrix<T>, Vec<Matrix<T>>, Trace<T>) {
    let (rows, cells) = (inputs.rows(), layer.cells);
    let mut gates = layer.of_inputs(store, inputs, threads);
    let [mut state_part, mut before, mut out] = [(); 3].map(|()| Matrix::zeros(rows, cells));
    let parts = split(gates.values_mut(), 3 * cells, sequences)
        .into_iter()
        .zip(split(state_part.values_mut(), cells, sequences))
        .zip(split(before.values_mut(), cells, sequences))
        .zip(split(out.values_mut(), cells, sequences))
        .map(|(((gates, state_part), before), out)| Part { gates, state_part, before, out })
        .collect();
    let initial = initial.map(|states| &states[0]);
    sweep_all(sequences, parts, |shard, part| sweep(layer, store, shard, initial, part));
    let last = last_of(&out, sequences, layer.reverse);
    (out, vec![last], Trace::Gru(GruTrace { gates, state_part, before, sequences: sequences.clone() }))
}

fn sweep<T: Real>(layer: &Direction, store: &Store<T>, shard: &Shard, initial: Option<&Matrix<T>>, part: Part<'_, T>) {
    let cells = layer.cells;
    let (weight, bias) = (store.view(layer.of_state).transposed(), store.slice(layer.bias_state));
    let mut product = vec![T::ZERO; shard.sequences.len() * 3 * cells];
    let Part { gates: all_gates, state_part, before: all_before, out } = part;
    for Step { rows, before } in steps(shard, layer.reverse) {
        let count = rows.len();
        let place = rows.start * cells..rows.end * cells;
        let states = &mut all_before[place.clone()];
        fill_before(states, &out[before.start * cells..before.end * cells], initial, shard, cells);
        let product = &mut product[..count * 3 * cells];
        multiply(ViewMut::of(product, count, 3 * cells), Into::Replace, View::of(states, count, cells), weight, 1);
        let gates = &mut all_gates[rows.start * 3 * cells..rows.end * 3 * cells];
        step_forward(cells, gates, product, bias, &mut state_part[place.clone()], states, &mut out[place]);
    }
}

/// The states before a step: those of the step before, and the initial ones of sequences that begin here.
pub(crate) fn fill_before<T: Real>(
    states: &mut [T],
    earlier: &[T],
    initial: Option<&Matrix<T>>,
    shard: &Shard,
    cells: usize,
) {
    let (known, beginning) = states.split_at_mut(earlier.len());
    known.copy_from_slice(earlier);
    if let Some(initial) = initial {
        let sequences = &shard.sequences[earlier.len() / cells..];
        for (state, sequence) in beginning.chunks_exact_mut(cells).zip(sequences) {
            state.copy_from_slice(initial.row(*sequence));
        }
    }
}

vectorised! {
    fn step_forward<T>(
        cells: usize,
        gates: &mut [T],
        product: &[T],
        bias: &[T],
        state_part: &mut [T],
        before: &[T],
        out: &mut [T],
    ) {
        let (bias_r, bias) = bias.split_at(cells);
        let (bias_z, bias_n) = bias.split_at(cells);
        let rows = gates.chunks_exact_mut(3 * cells).zip(product.chunks_exact(3 * cells));
        let states = state_part.chunks_exact_mut(cells).zip(before.chunks_exact(cells)).zip(out.chunks_exact_mut(cells));
        for ((gates, product), ((state_part, before), out)) in rows.zip(states) {
            let (r, rest) = gates.split_at_mut(cells);
            let (z, n) = rest.split_at_mut(cells);
            let (product_r, rest) = product.split_at(cells);
            let (product_z, product_n) = rest.split_at(cells);
            for i in 0..cells {
                let reset = (r[i] + product_r[i] + bias_r[i]).sigmoid();
                let update = (z[i] + product_z[i] + bias_z[i]).sigmoid();
                let of_state = product_n[i] + bias_n[i];
                let new = (n[i] + reset * of_state).tanh();
                r[i] = reset;
                z[i] = update;
                n[i] = new;
                state_part[i] = of_state;
                out[i] = new + update * (before[i] - new);
            }
        }
    }
}

/// One step for one row each of some sequences, without a trace; for generation.
pub(crate) fn advance<T: Real>(cells: usize, gates: &mut [T], product: &[T], bias: &[T], states: &mut [T]) {
    let before = states.to_vec();
    let mut state_part = vec![T::ZERO; states.len()];
    step_forward(cells, gates, product, bias, &mut state_part, &before, states);
}

/// The sweep's share of a shard on the way back. `gates` becomes what flows back to the inputs' part, `to_state` to the state's part.
struct BackPart<'a, T> {
    gates: &'a mut [T],
    to_state: &'a mut [T],
    state_part: &'a [T],
    before: &'a [T],
    back: &'a [T],
}

pub(crate) fn backward<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    trace: GruTrace<T>,
    mut back: Matrix<T>,
    to_last: Option<&[Matrix<T>]>,
    rows: &Rows,
    gradients: &mut Gradients<T>,
) -> (Arc<Matrix<T>>, Vec<Matrix<T>>) {
    let GruTrace { mut gates, state_part, before, sequences } = trace;
    let cells = layer.cells;
    if let Some(last) = to_last {
        add_last(&mut back, &last[0], &sequences, layer.reverse);
    }
    let mut to_state = Matrix::zeros(back.rows(), 3 * cells);
    let parts = split(gates.values_mut(), 3 * cells, &sequences)
        .into_iter()
        .zip(split(to_state.values_mut(), 3 * cells, &sequences))
        .zip(sequences.shards())
        .map(|((gates, to_state), shard)| {
            let place = shard.rows.start * cells..shard.rows.end * cells;
            BackPart {
                gates,
                to_state,
                state_part: &state_part.values()[place.clone()],
                before: &before.values()[place.clone()],
                back: &back.values()[place],
            }
        })
        .collect();
    let found = sweep_all(&sequences, parts, |shard, part| sweep_back(layer, store, shard, part));
    let initial = beginnings(found, &sequences, cells);
    drop(state_part);
    drop(back);
    gradients.weight(layer.of_state, Some(layer.bias_state), Arc::new(to_state), &Arc::new(before), rows);
    (Arc::new(gates), initial)
}

/// Returns what flows back to the initial state of each sequence.
fn sweep_back<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    shard: &Shard,
    part: BackPart<'_, T>,
) -> Vec<Beginning<T, 1>> {
    let cells = layer.cells;
    let BackPart { gates, to_state: all_to_state, state_part, before: all_before, back } = part;
    let mut found = Vec::new();
    let weight = store.view(layer.of_state);
    // What flows back from later steps of the sweep to the states of the sequences that are under way.
    let mut carry = vec![T::ZERO; shard.sequences.len() * cells];
    for Step { rows, before } in steps(shard, layer.reverse).into_iter().rev() {
        let count = rows.len();
        let place = rows.start * cells..rows.end * cells;
        let wide = rows.start * 3 * cells..rows.end * 3 * cells;
        let carried = &mut carry[..count * cells];
        let to_state = &mut all_to_state[wide.clone()];
        step_backward(
            cells,
            &mut gates[wide],
            to_state,
            &state_part[place.clone()],
            &all_before[place.clone()],
            &back[place],
            carried,
        );
        multiply(ViewMut::of(carried, count, cells), Into::Add, View::of(to_state, count, 3 * cells), weight, 1);
        // Sequences that began at this step are done.
        for (index, state) in carried.chunks_exact_mut(cells).enumerate().skip(before.len()) {
            found.push((shard.sequences[index], [state.to_vec()]));
            state.fill(T::ZERO);
        }
    }
    found
}

vectorised! {
    /// Turns gates into what flows back to them; `carry` holds what flowed back to the new states from later steps, and then
    /// what flows directly to the states before.
    fn step_backward<T>(
        cells: usize,
        gates: &mut [T],
        to_state: &mut [T],
        state_part: &[T],
        before: &[T],
        back: &[T],
        carry: &mut [T],
    ) {
        let rows = gates.chunks_exact_mut(3 * cells).zip(to_state.chunks_exact_mut(3 * cells));
        let states = state_part.chunks_exact(cells).zip(before.chunks_exact(cells));
        let backs = back.chunks_exact(cells).zip(carry.chunks_exact_mut(cells));
        for (((gates, to_state), (state_part, before)), (back, carry)) in rows.zip(states).zip(backs) {
            let (r, rest) = gates.split_at_mut(cells);
            let (z, n) = rest.split_at_mut(cells);
            let (to_r, rest) = to_state.split_at_mut(cells);
            let (to_z, to_n) = rest.split_at_mut(cells);
            for i in 0..cells {
                let to_new = back[i] + carry[i];
                let (reset, update, new) = (r[i], z[i], n[i]);
                let n_back = to_new * (T::ONE - update) * (T::ONE - new * new);
                let z_back = to_new * (before[i] - new) * update * (T::ONE - update);
                let r_back = n_back * state_part[i] * reset * (T::ONE - reset);
                carry[i] = to_new * update;
                r[i] = r_back;
                z[i] = z_back;
                n[i] = n_back;
                to_r[i] = r_back;
                to_z[i] = z_back;
                to_n[i] = n_back * reset;
            }
        }
    }
}
