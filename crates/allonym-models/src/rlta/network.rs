//! The network: gated units both ways, a weight for each word, and the classes of the task from the weighted mean.

use super::settings::RltaSettings;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape};
use allonym_nn::{Gradients, Matrix, NnError, Rows, Sequences, Store};
use std::sync::Arc;

pub(super) struct Network {
    read: Embedding<f32>,
    both_ways: Recurrent,
    heard: Linear,
    weighed: Linear,
    pub(super) output: Linear,
}

/// What a forward pass leaves.
pub(super) struct Pass {
    /// The vector of each text, in the order of the texts.
    pub(super) vectors: Arc<Matrix<f32>>,
    sequences: Arc<Sequences>,
    tokens: Arc<Vec<u32>>,
    trace: RecurrentTrace<f32>,
    /// What the attention hears in each row.
    heard: Arc<Matrix<f32>>,
    /// How much each row counts in its text; those of a text sum to 1.
    shares: Vec<f32>,
}

impl Network {
    pub(super) fn new(
        settings: &RltaSettings,
        vocabulary: usize,
        vectors: Option<&Arc<Matrix<f32>>>,
        store: &mut Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let read = match vectors {
            Some(vectors) => Embedding::frozen("read", vectors.clone())?,
            None => Embedding::trained("read", vocabulary, settings.words, store, rng)?,
        };
        let width = settings.vector();
        let shape =
            Shape { kind: Kind::Gru, inputs: read.dimension(), cells: settings.cells, layers: 1, both_ways: true };
        Ok(Self {
            read,
            both_ways: Recurrent::new("both-ways", shape, store, rng)?,
            heard: Linear::new("heard", width, width, true, store, rng)?,
            // An offset that all words share would change no share.
            weighed: Linear::new("weighed", width, 1, false, store, rng)?,
            output: Linear::new("output", width, settings.classes, true, store, rng)?,
        })
    }

    /// The vectors of texts.
    pub(super) fn forward(&self, store: &Store<f32>, texts: &[&[u32]], threads: usize) -> Result<Pass, NnError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let tokens = sequences.lay_out(texts);
        let mut inputs = Matrix::zeros(sequences.rows(), self.read.dimension());
        self.read.forward(store, &tokens, &mut inputs, 0)?;
        let trace = self.both_ways.forward(store, Arc::new(inputs), &sequences, None, None, threads)?;
        let mut heard = self.heard.forward(store, &trace.outputs, threads)?;
        heard.values_mut().iter_mut().for_each(|value| *value = value.tanh());
        let scores = self.weighed.forward(store, &heard, threads)?;
        let mut shares = vec![0.0; sequences.rows()];
        let mut vectors = Matrix::zeros(texts.len(), trace.outputs.columns());
        for (text, rows) in sequences.rows_of_sequences().iter().enumerate() {
            let highest = rows.iter().map(|row| scores.row(*row)[0]).fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = rows.iter().map(|row| (scores.row(*row)[0] - highest).exp()).sum();
            for row in rows {
                shares[*row] = (scores.row(*row)[0] - highest).exp() / sum;
                add(vectors.row_mut(text), shares[*row], trace.outputs.row(*row));
            }
        }
        Ok(Pass {
            vectors: Arc::new(vectors),
            sequences,
            tokens: Arc::new(tokens),
            trace,
            heard: Arc::new(heard),
            shares,
        })
    }

    /// The way back from the vectors.
    pub(super) fn backward(&self, store: &Store<f32>, pass: Pass, back: &Matrix<f32>, gradients: &mut Gradients<f32>) {
        let Pass { sequences, tokens, trace, heard, shares, .. } = pass;
        let mut to_outputs = Matrix::zeros(trace.outputs.rows(), trace.outputs.columns());
        let mut to_scores = Matrix::zeros(shares.len(), 1);
        for (text, rows) in sequences.rows_of_sequences().iter().enumerate() {
            let back = back.row(text);
            let to_share = |row: &usize| trace.outputs.row(*row).iter().zip(back).map(|(a, b)| a * b).sum::<f32>();
            let to_shares: Vec<f32> = rows.iter().map(to_share).collect();
            let mean: f32 = rows.iter().zip(&to_shares).map(|(row, to)| shares[*row] * to).sum();
            for (row, to) in rows.iter().zip(&to_shares) {
                to_scores.row_mut(*row)[0] = shares[*row] * (to - mean);
                add(to_outputs.row_mut(*row), shares[*row], back);
            }
        }
        let rows = Rows::Tokens(sequences);
        let mut to_heard = self.weighed.backward(store, &heard, to_scores, &rows, gradients);
        let slope = |(to, value): (&mut f32, &f32)| *to *= 1.0 - value * value;
        to_heard.values_mut().iter_mut().zip(heard.values()).for_each(slope);
        let more = self.heard.backward(store, &trace.outputs, to_heard, &rows, gradients);
        to_outputs.values_mut().iter_mut().zip(more.values()).for_each(|(to, more)| *to += more);
        let to_inputs = self.both_ways.backward(store, trace, Some(to_outputs), None, gradients).inputs;
        self.read.backward(&tokens, to_inputs, &rows, gradients);
    }
}

fn add(to: &mut [f32], share: f32, vector: &[f32]) {
    to.iter_mut().zip(vector).for_each(|(to, value)| *to += share * value);
}
