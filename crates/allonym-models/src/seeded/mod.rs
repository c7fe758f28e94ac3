//! The encoder-decoder of DPvG (Sasada et al. 2021), trained from nothing: an LSTM reads a seed word, another goes on from there and writes a text.
//!
//! The paper says that a word is given and a text comes out, and leaves open what is learned from. Here a text is learned with one of its own words, drawn anew in every step, as the
//! seed. All numbers are trained, so the noise of private training falls on all of them: on hundreds of thousands, where [`crate::tuned`] has a few thousand.

mod generate;
mod settings;
#[cfg(test)]
mod tests;

pub use settings::SeededSettings;

use crate::error::ModelError;
use crate::language_model::Text;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Dropout, Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape, scale};
use allonym_nn::loss::{Evaluated, Tokens, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Rows, Sequences, Store};
use allonym_text::Vocabulary;
use allonym_text::vocabulary::{END, START};
use std::sync::Arc;

const KIND: &str = "seeded";

/// The model.
#[derive(Debug)]
pub struct Seeded {
    settings: SeededSettings,
    vocabulary: Arc<Vocabulary>,
    read: Embedding<f32>,
    encoder: Recurrent,
    written: Embedding<f32>,
    decoder: Recurrent,
    output: Linear,
    dropout: Option<Dropout>,
    store: Store<f32>,
}

/// What the encoder leaves. Rows are in an order of their own, which depends on the threads.
struct Encoded {
    seeds: Arc<Vec<u32>>,
    trace: RecurrentTrace<f32>,
    sequences: Arc<Sequences>,
}

/// What a forward pass leaves.
struct Pass {
    encoded: Encoded,
    before: Arc<Vec<u32>>,
    decoded: RecurrentTrace<f32>,
    sequences: Arc<Sequences>,
    vectors: Arc<Matrix<f32>>,
    targets: Vec<u32>,
    dropped: Option<Vec<f32>>,
}

impl Seeded {
    /// A model that has learned nothing. What it begins with follows from its settings alone.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: SeededSettings, vocabulary: Arc<Vocabulary>) -> Result<Self, ModelError> {
        settings.check()?;
        let SeededSettings { cells, words, dropout, seed } = settings;
        let (mut store, rng) = (Store::new(), &mut PrivacyRng::reproducible(seed));
        let ids = vocabulary.ids() as usize;
        let shape = Shape { kind: Kind::Lstm, inputs: words, cells, layers: 1, both_ways: false };
        let read = Embedding::trained("read", ids, words, &mut store, rng)?;
        let encoder = Recurrent::new("encoder", shape, &mut store, rng)?;
        let written = Embedding::trained("written", ids, words, &mut store, rng)?;
        let decoder = Recurrent::new("decoder", shape, &mut store, rng)?;
        let output = Linear::new("output", cells, ids, true, &mut store, rng)?;
        let dropout = (dropout > 0.0).then(|| Dropout::new(dropout)).transpose()?;
        Ok(Self { settings, vocabulary, read, encoder, written, decoder, output, dropout, store })
    }

    /// How many numbers are trained.
    pub fn trained(&self) -> usize {
        self.store.values().len()
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// What the encoder holds after a seed each, and the seeds in the order of its rows.
    fn encode(&self, seeds: &[u32], threads: usize) -> Result<Encoded, NnError> {
        let sequences = Arc::new(Sequences::new(&vec![1; seeds.len()], threads)?);
        let each: Vec<[u32; 1]> = seeds.iter().map(|seed| [*seed]).collect();
        let seeds = sequences.lay_out(&each.iter().map(<[u32; 1]>::as_slice).collect::<Vec<_>>());
        let mut vectors = Matrix::zeros(seeds.len(), self.read.dimension());
        self.read.forward(&self.store, &seeds, &mut vectors, 0)?;
        let trace = self.encoder.forward(&self.store, Arc::new(vectors), &sequences, None, None, threads)?;
        Ok(Encoded { seeds: Arc::new(seeds), trace, sequences })
    }

    fn forward(
        &self,
        batch: &[&Text],
        seeds: &[u32],
        training: Option<&mut PrivacyRng>,
        threads: usize,
    ) -> Result<Pass, NnError> {
        let encoded = self.encode(seeds, threads)?;
        let lengths: Vec<usize> = batch.iter().map(|text| text.len() - 1).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let before = sequences.lay_out(&batch.iter().map(|text| &text[..text.len() - 1]).collect::<Vec<_>>());
        let targets = sequences.lay_out(&batch.iter().map(|text| &text[1..]).collect::<Vec<_>>());
        let mut inputs = Matrix::zeros(sequences.rows(), self.written.dimension());
        self.written.forward(&self.store, &before, &mut inputs, 0)?;
        let decoded = self.decoder.forward(
            &self.store,
            Arc::new(inputs),
            &sequences,
            Some(&encoded.trace.last),
            None,
            threads,
        )?;
        let (vectors, dropped) = match self.dropout.zip(training) {
            None => (decoded.outputs.clone(), None),
            Some((dropout, rng)) => {
                let mut vectors = (*decoded.outputs).clone();
                let dropped = dropout.forward(&mut vectors, rng);
                (Arc::new(vectors), dropped)
            }
        };
        Ok(Pass { encoded, before: Arc::new(before), decoded, sequences, vectors, targets, dropped })
    }

    fn backward(&self, pass: Pass, mut back: Matrix<f32>, gradients: &mut Gradients<f32>) {
        let Pass { encoded, before, decoded, sequences, dropped, .. } = pass;
        if let Some(factors) = dropped {
            scale(&mut back, &factors);
        }
        let back = self.decoder.backward(&self.store, decoded, Some(back), None, gradients);
        self.written.backward(&before, back.inputs, &Rows::Tokens(sequences), gradients);
        let Encoded { seeds, trace, sequences } = encoded;
        let to_seeds = self.encoder.backward(&self.store, trace, None, Some(&back.initial), gradients).inputs;
        self.read.backward(&seeds, to_seeds, &Rows::Tokens(sequences), gradients);
    }

    fn words(text: &Text) -> Vec<u32> {
        text.iter().copied().filter(|id| *id > END).collect()
    }
}

impl Model for Seeded {
    type Example = Text;

    fn kind(&self) -> &'static str {
        KIND
    }

    fn settings(&self) -> toml::Table {
        toml::Table::try_from(&self.settings).unwrap_or_default()
    }

    fn store(&self) -> &Store<f32> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        &mut self.store
    }

    fn length(example: &Text) -> usize {
        example.len() - 1
    }

    fn losses(
        &self,
        batch: &[&Text],
        gradients: &mut Gradients<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        // A text without a known word is begun from the start token.
        let seed = |text: &&Text| match Self::words(text) {
            words if words.is_empty() => START,
            words => words[rng.below(words.len() as u64) as usize],
        };
        let seeds: Vec<u32> = batch.iter().map(seed).collect();
        let mut pass = self.forward(batch, &seeds, Some(rng), gradients.threads())?;
        let (targets, ids) = (std::mem::take(&mut pass.targets), self.vocabulary.ids() as usize);
        let (vectors, sequences) = (pass.vectors.clone(), pass.sequences.clone());
        let weights = vec![1.0; targets.len()];
        let targets = Arc::new(Tokens::new(targets, ids)?);
        let loss = softmax(&self.output, &self.store, &vectors, &sequences, targets, weights, gradients)?;
        drop(vectors);
        self.backward(pass, loss.back, gradients);
        Ok(loss.of_examples)
    }

    /// With the first word as the seed.
    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        let seeds: Vec<u32> = batch.iter().map(|text| Self::words(text).first().copied().unwrap_or(START)).collect();
        let pass = self.forward(batch, &seeds, None, threads)?;
        let targets = Tokens::new(pass.targets, self.vocabulary.ids() as usize)?;
        let found = Evaluated::of(&self.output, &self.store, &pass.vectors, &targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
