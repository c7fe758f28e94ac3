//! One direction of an LSTM layer.
//!
//! `i = sigmoid(..)`, `f = sigmoid(..)`, `g = tanh(..)`, `o = sigmoid(..)`, cell `f c + i g`, new state `o tanh(cell)`; the sweeps are those
//! of the GRU.

use super::gru::fill_before;
use super::recurrent::{Beginning, Direction, Step, Trace, add_last, beginnings, last_of, split, steps, sweep_all};
use crate::gradient::{Gradients, Rows};
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::{Sequences, Shard};
use crate::store::Store;
use crate::vectorise::vectorised;
use std::sync::Arc;

/// What a forward pass remembers: the gates, the cells after each step, and cells and states before.
#[derive(Debug)]
pub(crate) struct LstmTrace<T: Real> {
    gates: Matrix<T>,
    after: Matrix<T>,
    cells_before: Matrix<T>,
    before: Matrix<T>,
    sequences: Arc<Sequences>,
}

struct Part<'a, T> {
    gates: &'a mut [T],
    after: &'a mut [T],
    cells_before: &'a mut [T],
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
    let [mut after, mut cells_before, mut before, mut out] = [(); 4].map(|()| Matrix::zeros(rows, cells));
    let parts = split(gates.values_mut(), 4 * cells, sequences)
        .into_iter()
        .zip(split(after.values_mut(), cells, sequences))
        .zip(split(cells_before.values_mut(), cells, sequences))
        .zip(split(before.values_mut(), cells, sequences))
        .zip(split(out.values_mut(), cells, sequences))
        .map(|((((gates, after), cells_before), before), out)| Part { gates, after, cells_before, before, out })
        .collect();
    sweep_all(sequences, parts, |shard, part| sweep(layer, store, shard, initial, part));
    let last = vec![last_of(&out, sequences, layer.reverse), last_of(&after, sequences, layer.reverse)];
    (out, last, Trace::Lstm(LstmTrace { gates, after, cells_before, before, sequences: sequences.clone() }))
}

fn sweep<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    shard: &Shard,
    initial: Option<&[Matrix<T>]>,
    part: Part<'_, T>,
) {
    let cells = layer.cells;
    let Part { gates: all_gates, after, cells_before, before: all_before, out } = part;
    let (weight, bias) = (store.view(layer.of_state).transposed(), store.slice(layer.bias_state));
    let mut product = vec![T::ZERO; shard.sequences.len() * 4 * cells];
    for Step { rows, before } in steps(shard, layer.reverse) {
        let count = rows.len();
        let (place, earlier) = (rows.start * cells..rows.end * cells, before.start * cells..before.end * cells);
        let states = &mut all_before[place.clone()];
        fill_before(states, &out[earlier.clone()], initial.map(|i| &i[0]), shard, cells);
        let contents = &mut cells_before[place.clone()];
        fill_before(contents, &after[earlier], initial.map(|i| &i[1]), shard, cells);
        let product = &mut product[..count * 4 * cells];
        multiply(ViewMut::of(product, count, 4 * cells), Into::Replace, View::of(states, count, cells), weight, 1);
        let gates = &mut all_gates[rows.start * 4 * cells..rows.end * 4 * cells];
        step_forward(cells, gates, product, bias, contents, &mut after[place.clone()], &mut out[place]);
    }
}

vectorised! {
    fn step_forward<T>(
        cells: usize,
        gates: &mut [T],
        product: &[T],
        bias: &[T],
        cells_before: &[T],
        after: &mut [T],
        out: &mut [T],
    ) {
        let rows = gates.chunks_exact_mut(4 * cells).zip(product.chunks_exact(4 * cells));
        let states = cells_before.chunks_exact(cells).zip(after.chunks_exact_mut(cells)).zip(out.chunks_exact_mut(cells));
        for ((gates, product), ((cells_before, after), out)) in rows.zip(states) {
            for ((gate, product), bias) in gates.iter_mut().zip(product).zip(bias) {
                *gate += *product + *bias;
            }
            let (i, rest) = gates.split_at_mut(cells);
            let (f, rest) = rest.split_at_mut(cells);
            let (g, o) = rest.split_at_mut(cells);
            for k in 0..cells {
                let (input, forget) = (i[k].sigmoid(), f[k].sigmoid());
                let (new, output) = (g[k].tanh(), o[k].sigmoid());
                let cell = forget * cells_before[k] + input * new;
                i[k] = input;
                f[k] = forget;
                g[k] = new;
                o[k] = output;
                after[k] = cell;
                out[k] = output * cell.tanh();
            }
        }
    }
}

/// One step for one row each of some sequences, without a trace; for generation.
pub(crate) fn advance<T: Real>(
    cells: usize,
    gates: &mut [T],
    product: &[T],
    bias: &[T],
    states: &mut [T],
    contents: &mut [T],
) {
    let before = contents.to_vec();
    step_forward(cells, gates, product, bias, &before, contents, states);
}

struct BackPart<'a, T> {
    gates: &'a mut [T],
    after: &'a [T],
    cells_before: &'a [T],
    back: &'a [T],
    /// What flowed back to the cells of each row from outside: to the last ones only.
    back_cells: Option<&'a [T]>,
}

pub(crate) fn backward<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    trace: LstmTrace<T>,
    mut back: Matrix<T>,
    to_last: Option<&[Matrix<T>]>,
    rows: &Rows,
    gradients: &mut Gradients<T>,
) -> (Arc<Matrix<T>>, Vec<Matrix<T>>) {
    let LstmTrace { mut gates, after, cells_before, before, sequences } = trace;
    let cells = layer.cells;
    let mut back_cells = None;
    if let Some(last) = to_last {
        add_last(&mut back, &last[0], &sequences, layer.reverse);
        let mut to_cells = Matrix::zeros(back.rows(), cells);
        add_last(&mut to_cells, &last[1], &sequences, layer.reverse);
        back_cells = Some(to_cells);
    }
    let parts = split(gates.values_mut(), 4 * cells, &sequences)
        .into_iter()
        .zip(sequences.shards())
        .map(|(gates, shard)| {
            let place = shard.rows.start * cells..shard.rows.end * cells;
            BackPart {
                gates,
                after: &after.values()[place.clone()],
                cells_before: &cells_before.values()[place.clone()],
                back: &back.values()[place.clone()],
                back_cells: back_cells.as_ref().map(|cells| &cells.values()[place]),
            }
        })
        .collect();
    let found = sweep_all(&sequences, parts, |shard, part| sweep_back(layer, store, shard, part));
    let initial = beginnings(found, &sequences, cells);
    let gates = Arc::new(gates);
    gradients.weight(layer.of_state, Some(layer.bias_state), gates.clone(), &Arc::new(before), rows);
    (gates, initial)
}

fn sweep_back<T: Real>(
    layer: &Direction,
    store: &Store<T>,
    shard: &Shard,
    part: BackPart<'_, T>,
) -> Vec<Beginning<T, 2>> {
    let cells = layer.cells;
    let BackPart { gates: all_gates, after: all_after, cells_before: all_before, back, back_cells } = part;
    let weight = store.view(layer.of_state);
    let mut found = Vec::new();
    let [mut carry, mut carry_cells] = [(); 2].map(|()| vec![T::ZERO; shard.sequences.len() * cells]);
    for Step { rows, before } in steps(shard, layer.reverse).into_iter().rev() {
        let count = rows.len();
        let place = rows.start * cells..rows.end * cells;
        let (carried, carried_cells) = (&mut carry[..count * cells], &mut carry_cells[..count * cells]);
        if let Some(back_cells) = back_cells {
            carried_cells.iter_mut().zip(&back_cells[place.clone()]).for_each(|(carry, back)| *carry += *back);
        }
        let gates = &mut all_gates[rows.start * 4 * cells..rows.end * 4 * cells];
        let (after, cells_before) = (&all_after[place.clone()], &all_before[place.clone()]);
        step_backward(cells, gates, after, cells_before, &back[place], carried, carried_cells);
        multiply(ViewMut::of(carried, count, cells), Into::Replace, View::of(gates, count, 4 * cells), weight, 1);
        for index in before.len()..count {
            let place = index * cells..(index + 1) * cells;
            let (state, cell) = (&mut carried[place.clone()], &mut carried_cells[place]);
            found.push((shard.sequences[index], [state.to_vec(), cell.to_vec()]));
            state.fill(T::ZERO);
            cell.fill(T::ZERO);
        }
    }
    found
}

vectorised! {
    fn step_backward<T>(
        cells: usize,
        gates: &mut [T],
        after: &[T],
        cells_before: &[T],
        back: &[T],
        carry: &[T],
        carry_cells: &mut [T],
    ) {
        let states = after.chunks_exact(cells).zip(cells_before.chunks_exact(cells)).zip(back.chunks_exact(cells));
        let carries = carry.chunks_exact(cells).zip(carry_cells.chunks_exact_mut(cells));
        let rows = gates.chunks_exact_mut(4 * cells).zip(states).zip(carries);
        for ((gates, ((after, cells_before), back)), (carry, carry_cells)) in rows {
            let (i, rest) = gates.split_at_mut(cells);
            let (f, rest) = rest.split_at_mut(cells);
            let (g, o) = rest.split_at_mut(cells);
            for k in 0..cells {
                let to_new = back[k] + carry[k];
                let (input, forget, new, output) = (i[k], f[k], g[k], o[k]);
                let squashed = after[k].tanh();
                let to_cell = carry_cells[k] + to_new * output * (T::ONE - squashed * squashed);
                carry_cells[k] = to_cell * forget;
                i[k] = to_cell * new * input * (T::ONE - input);
                f[k] = to_cell * cells_before[k] * forget * (T::ONE - forget);
                g[k] = to_cell * input * (T::ONE - new * new);
                o[k] = to_new * squashed * output * (T::ONE - output);
            }
        }
    }
}
