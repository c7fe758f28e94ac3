//! Stacked recurrent layers, in one direction or both.

use super::dropout::{Dropout, scale};
use super::gru::{self, GruTrace};
use super::lstm::{self, LstmTrace};
use crate::error::NnError;
use crate::gradient::{Gradients, Rows};
use crate::matrix::Matrix;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::{Sequences, Shard};
use crate::store::{Slot, Store};
use allonym_dp::PrivacyRng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Which recurrent cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Gated recurrent unit (Cho et al. 2014), with the reset gate after the product, as cuDNN and PyTorch have it.
    Gru,
    /// Long short-term memory (Hochreiter and Schmidhuber 1997).
    Lstm,
}

impl Kind {
    pub(crate) fn gates(self) -> usize {
        match self {
            Self::Gru => 3,
            Self::Lstm => 4,
        }
    }

    /// How many vectors the state of a sequence is made of.
    pub fn states(self) -> usize {
        match self {
            Self::Gru => 1,
            Self::Lstm => 2,
        }
    }
}

/// One direction of one layer.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub(crate) cells: usize,
    pub(crate) of_input: Slot,
    pub(crate) of_state: Slot,
    pub(crate) bias_input: Slot,
    pub(crate) bias_state: Slot,
    pub(crate) reverse: bool,
}

/// What a direction remembers for its way back.
#[derive(Debug)]
pub(crate) enum Trace<T: Real> {
    Gru(GruTrace<T>),
    Lstm(LstmTrace<T>),
}

/// A step of a sweep over a shard: its rows, and the rows whose states come before those of the first of them. The
/// others begin with the initial state.
pub(crate) struct Step {
    pub(crate) rows: Range<usize>,
    pub(crate) before: Range<usize>,
}

/// The steps of a shard in the order of a sweep.
pub(crate) fn steps(shard: &Shard, reverse: bool) -> Vec<Step> {
    let count = shard.len();
    let of = |step: usize| {
        let rows = shard.step(step);
        let before = if reverse {
            (step + 1 < count).then(|| shard.step(step + 1))
        } else {
            step.checked_sub(1).map(|s| shard.step(s))
        };
        let before = before.unwrap_or(rows.start..rows.start);
        Step { before: before.start..before.start + before.len().min(rows.len()), rows }
    };
    if reverse { (0..count).rev().map(of).collect() } else { (0..count).map(of).collect() }
}

/// The rows of each shard.
pub(crate) fn split<'a, T>(mut values: &'a mut [T], columns: usize, sequences: &Sequences) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(sequences.shards().len());
    for shard in sequences.shards() {
        let (part, rest) = values.split_at_mut(shard.rows.len() * columns);
        parts.push(part);
        values = rest;
    }
    parts
}

/// Runs a sweep for every shard, side by side where there are several, and returns what each leaves.
pub(crate) fn sweep_all<Part: Send, Left: Send>(
    sequences: &Sequences,
    parts: Vec<Part>,
    sweep: impl Fn(&Shard, Part) -> Left + Sync,
) -> Vec<Left> {
    sequences.shards().par_iter().zip(parts).with_max_len(1).map(|(shard, part)| sweep(shard, part)).collect()
}

/// What flows back to the initial state of a sequence: one vector, or two for an LSTM.
pub(crate) type Beginning<T, const STATES: usize> = (usize, [Vec<T>; STATES]);

/// The same for all sequences, as matrices.
pub(crate) fn beginnings<T: Real, const STATES: usize>(
    found: Vec<Vec<Beginning<T, STATES>>>,
    sequences: &Sequences,
    cells: usize,
) -> Vec<Matrix<T>> {
    let mut states = vec![Matrix::zeros(sequences.len(), cells); STATES];
    for (sequence, vectors) in found.into_iter().flatten() {
        for (state, vector) in states.iter_mut().zip(vectors) {
            state.row_mut(sequence).copy_from_slice(&vector);
        }
    }
    states
}

/// The state of each sequence after its last step.
pub(crate) fn last_of<T: Real>(states: &Matrix<T>, sequences: &Sequences, reverse: bool) -> Matrix<T> {
    let mut last = Matrix::zeros(sequences.len(), states.columns());
    for (sequence, rows) in sequences.rows_of_sequences().iter().enumerate() {
        let row = if reverse { rows[0] } else { rows[rows.len() - 1] };
        last.row_mut(sequence).copy_from_slice(states.row(row));
    }
    last
}

/// Adds to each sequence's last row what flowed back to its last state.
pub(crate) fn add_last<T: Real>(back: &mut Matrix<T>, last: &Matrix<T>, sequences: &Sequences, reverse: bool) {
    for (sequence, rows) in sequences.rows_of_sequences().iter().enumerate() {
        let row = if reverse { rows[0] } else { rows[rows.len() - 1] };
        crate::vectorise::add_scaled(back.row_mut(row), T::ONE, last.row(sequence));
    }
}

impl Direction {
    fn new<T: Real>(
        name: &str,
        kind: Kind,
        inputs: usize,
        cells: usize,
        reverse: bool,
        store: &mut Store<T>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let bound = 1.0 / (cells.max(1) as f64).sqrt();
        let outputs = kind.gates() * cells;
        Ok(Self {
            cells,
            of_input: store.add(format!("{name}.weight_ih"), outputs, inputs, bound, rng)?,
            of_state: store.add(format!("{name}.weight_hh"), outputs, cells, bound, rng)?,
            bias_input: store.add(format!("{name}.bias_ih"), 1, outputs, bound, rng)?,
            bias_state: store.add(format!("{name}.bias_hh"), 1, outputs, bound, rng)?,
            reverse,
        })
    }

    /// The part of the gates that comes from the inputs: one product for all steps.
    pub(crate) fn of_inputs<T: Real>(&self, store: &Store<T>, inputs: &Matrix<T>, threads: usize) -> Matrix<T> {
        let mut gates = Matrix::of_rows(inputs.rows(), store.slice(self.bias_input));
        multiply(gates.view_mut(), Into::Add, inputs.view(), store.view(self.of_input).transposed(), threads);
        gates
    }
}

/// Stacked recurrent layers.
#[derive(Clone, Debug)]
pub struct Recurrent {
    name: String,
    kind: Kind,
    inputs: usize,
    cells: usize,
    layers: Vec<Vec<Direction>>,
    dropout: Option<Dropout>,
}

/// The shape of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Which cell.
    pub kind: Kind,
    /// The width of the inputs.
    pub inputs: usize,
    /// The cells of each direction of each layer.
    pub cells: usize,
    /// How many layers.
    pub layers: usize,
    /// Whether each layer also reads from the end.
    pub both_ways: bool,
}

/// What a forward pass leaves.
#[derive(Debug)]
pub struct RecurrentTrace<T: Real> {
    /// The outputs of the last layer for every row; the two directions stand beside each other.
    pub outputs: Arc<Matrix<T>>,
    /// For each layer and direction, the state of each sequence after its last step: one matrix, or two for an LSTM.
    pub last: Vec<Vec<Matrix<T>>>,
    layers: Vec<LayerTrace<T>>,
    rows: Arc<Sequences>,
}

#[derive(Debug)]
struct LayerTrace<T: Real> {
    inputs: Arc<Matrix<T>>,
    directions: Vec<Trace<T>>,
    dropped: Option<Vec<T>>,
}

/// What flows back out of a stack.
#[derive(Debug)]
pub struct RecurrentBack<T: Real> {
    /// To the inputs.
    pub inputs: Matrix<T>,
    /// To the initial states, laid out as [`RecurrentTrace::last`] is.
    pub initial: Vec<Vec<Matrix<T>>>,
}

impl Recurrent {
    /// Layers whose weights are drawn uniformly within 1 / sqrt(cells), as PyTorch does.
    ///
    /// # Errors
    /// When a size is zero or a name is taken.
    pub fn new<T: Real>(name: &str, shape: Shape, store: &mut Store<T>, rng: &mut PrivacyRng) -> Result<Self, NnError> {
        let Shape { kind, inputs, cells, layers, both_ways } = shape;
        if layers == 0 {
            return Err(NnError::shape(name, "number of layers", 0, "at least 1"));
        }
        let mut built = Vec::new();
        let mut width = inputs;
        for layer in 0..layers {
            let mut directions = Vec::new();
            for reverse in if both_ways { &[false, true][..] } else { &[false] } {
                let end = if *reverse { ".reverse" } else { "" };
                let name = format!("{name}.{layer}{end}");
                directions.push(Direction::new(&name, kind, width, cells, *reverse, store, rng)?);
            }
            width = cells * directions.len();
            built.push(directions);
        }
        Ok(Self { name: name.to_owned(), kind, inputs, cells, layers: built, dropout: None })
    }

    /// The same with a bias for keeping what is known: the gate that keeps the state begins more open. Whoever must remember the beginning of a
    /// sentence at its end learns that much sooner (Gers et al. 2000 for the LSTM; Tallec and Ollivier 2018).
    #[must_use]
    pub fn remembering<T: Real>(self, bias: f64, store: &mut Store<T>) -> Self {
        // The second gate: update in a GRU, forget in an LSTM.
        for direction in self.layers.iter().flatten() {
            let (cells, start) = (direction.cells, direction.bias_input.range().start);
            let more = |values: &mut [T]| values.iter_mut().for_each(|value| *value += T::of(bias));
            store.begin(start + cells..start + 2 * cells, more);
        }
        self
    }

    /// The same with dropout between layers while training.
    ///
    /// # Errors
    /// When the rate is not in [0, 1).
    pub fn with_dropout(self, rate: f64) -> Result<Self, NnError> {
        Ok(Self { dropout: Some(Dropout::new(rate)?), ..self })
    }

    /// The width of the outputs.
    pub fn outputs(&self) -> usize {
        self.cells * self.layers[0].len()
    }

    /// The cells of a direction.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Layers times directions.
    pub fn directions(&self) -> usize {
        self.layers.len() * self.layers[0].len()
    }

    /// The width of the inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Which cell it has.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn layers(&self) -> &[Vec<Direction>] {
        &self.layers
    }

    /// Runs over all sequences. `initial` holds the states before the first steps, laid out as [`RecurrentTrace::last`]; without it
    /// they are zero. With `training`, dropout is applied.
    ///
    /// # Errors
    /// When the inputs or initial states have another shape.
    pub fn forward<T: Real>(
        &self,
        store: &Store<T>,
        inputs: Arc<Matrix<T>>,
        sequences: &Arc<Sequences>,
        initial: Option<&[Vec<Matrix<T>>]>,
        mut training: Option<&mut PrivacyRng>,
        threads: usize,
    ) -> Result<RecurrentTrace<T>, NnError> {
        self.check(&inputs, sequences, initial)?;
        let (mut layers, mut last, mut inputs) = (Vec::new(), Vec::new(), inputs);
        for (index, directions) in self.layers.iter().enumerate() {
            let mut outs = Vec::new();
            let mut traces = Vec::new();
            for (side, direction) in directions.iter().enumerate() {
                let initial = initial.map(|initial| initial[index * directions.len() + side].as_slice());
                let (out, end, trace) = match self.kind {
                    Kind::Gru => gru::forward(direction, store, &inputs, sequences, initial, threads),
                    Kind::Lstm => lstm::forward(direction, store, &inputs, sequences, initial, threads),
                };
                outs.push(out);
                last.push(end);
                traces.push(trace);
            }
            let mut out = side_by_side(outs);
            let above = index + 1 < self.layers.len();
            let dropped = match (self.dropout, &mut training) {
                (Some(dropout), Some(rng)) if above => dropout.forward(&mut out, rng),
                _ => None,
            };
            layers.push(LayerTrace { inputs, directions: traces, dropped });
            inputs = Arc::new(out);
        }
        Ok(RecurrentTrace { outputs: inputs, last, layers, rows: sequences.clone() })
    }

    fn check<T: Real>(
        &self,
        inputs: &Matrix<T>,
        sequences: &Sequences,
        initial: Option<&[Vec<Matrix<T>>]>,
    ) -> Result<(), NnError> {
        let name = &self.name;
        if inputs.columns() != self.inputs {
            return Err(NnError::shape(name, "width of the input", inputs.columns(), self.inputs));
        }
        if inputs.rows() != sequences.rows() {
            return Err(NnError::shape(name, "number of rows", inputs.rows(), sequences.rows()));
        }
        let Some(initial) = initial else { return Ok(()) };
        if initial.len() != self.directions() {
            return Err(NnError::shape(name, "number of initial states", initial.len(), self.directions()));
        }
        for state in initial {
            if state.len() != self.kind.states() {
                return Err(NnError::shape(name, "number of vectors of a state", state.len(), self.kind.states()));
            }
            if let Some(state) = state.iter().find(|s| (s.rows(), s.columns()) != (sequences.len(), self.cells)) {
                let found = format!("{} x {}", state.rows(), state.columns());
                let expected = format!("{} x {}", sequences.len(), self.cells);
                return Err(NnError::shape(name, "size of an initial state", found, expected));
            }
        }
        Ok(())
    }

    /// The way back: from what flowed back to the outputs, and to the last states, to the parameters, inputs and initial states.
    pub fn backward<T: Real>(
        &self,
        store: &Store<T>,
        trace: RecurrentTrace<T>,
        to_outputs: Option<Matrix<T>>,
        to_last: Option<&[Vec<Matrix<T>>]>,
        gradients: &mut Gradients<T>,
    ) -> RecurrentBack<T> {
        let RecurrentTrace { outputs, layers, rows: sequences, .. } = trace;
        let rows = Rows::Tokens(sequences);
        let mut back = to_outputs.unwrap_or_else(|| Matrix::zeros(outputs.rows(), outputs.columns()));
        drop(outputs);
        let mut initial = vec![Vec::new(); self.directions()];
        for (index, layer) in layers.into_iter().enumerate().rev() {
            if let Some(factors) = &layer.dropped {
                scale(&mut back, factors);
            }
            let directions = &self.layers[index];
            let parts = apart(back, directions.len());
            let mut to_inputs = Matrix::zeros(layer.inputs.rows(), layer.inputs.columns());
            for (side, ((direction, trace), part)) in directions.iter().zip(layer.directions).zip(parts).enumerate() {
                let place = index * directions.len() + side;
                let to_last = to_last.map(|last| last[place].as_slice());
                let (to_gates, to_initial) = match trace {
                    Trace::Gru(trace) => gru::backward(direction, store, trace, part, to_last, &rows, gradients),
                    Trace::Lstm(trace) => lstm::backward(direction, store, trace, part, to_last, &rows, gradients),
                };
                let into = if side == 0 { Into::Replace } else { Into::Add };
                multiply(
                    to_inputs.view_mut(),
                    into,
                    to_gates.view(),
                    store.view(direction.of_input),
                    gradients.threads(),
                );
                gradients.weight(direction.of_input, Some(direction.bias_input), to_gates, &layer.inputs, &rows);
                initial[place] = to_initial;
            }
            back = to_inputs;
        }
        RecurrentBack { inputs: back, initial }
    }
}

fn side_by_side<T: Real>(mut outs: Vec<Matrix<T>>) -> Matrix<T> {
    if outs.len() == 1 {
        return outs.remove(0);
    }
    let width: usize = outs.iter().map(Matrix::columns).sum();
    let mut all = Matrix::zeros(outs[0].rows(), width);
    for row in 0..all.rows() {
        let mut place = 0;
        for out in &outs {
            all.row_mut(row)[place..place + out.columns()].copy_from_slice(out.row(row));
            place += out.columns();
        }
    }
    all
}

fn apart<T: Real>(back: Matrix<T>, parts: usize) -> Vec<Matrix<T>> {
    if parts == 1 {
        return vec![back];
    }
    let width = back.columns() / parts;
    let part = |side: usize| {
        let values = (0..back.rows()).flat_map(|row| back.row(row)[side * width..(side + 1) * width].iter().copied());
        Matrix::of(back.rows(), width, values.collect())
    };
    (0..parts).map(part).collect()
}
