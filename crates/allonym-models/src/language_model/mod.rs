//! A language model of public text: what is likely to come next, after what has been written so far.
//!
//! It never sees an original. As the base of a mechanism it makes words that fit the released text cheap, and words that nobody expects dear.

mod files;
mod prefixes;
mod settings;
#[cfg(test)]
mod tests;

pub use prefixes::Prefixes;
pub use settings::LanguageModelSettings;

use crate::error::ModelError;
use crate::model_files::Beside;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Dropout, Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape, scale};
use allonym_nn::loss::{Evaluated, Negatives, Sample, Tokens, sampled_softmax, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Rows, Sequences, Store};
use allonym_text::vocabulary::{END, START};
use allonym_text::{Document, Vocabulary};
use std::sync::Arc;

/// What an example is made of: the id of the token before, and those that follow it.
pub type Text = Vec<u32>;

/// The model.
#[derive(Clone, Debug)]
pub struct LanguageModel {
    settings: LanguageModelSettings,
    vocabulary: Arc<Vocabulary>,
    embedding: Embedding<f32>,
    layers: Recurrent,
    output: Linear,
    dropout: Option<Dropout>,
    store: Store<f32>,
    files: toml::Table,
}

/// Texts as the model has read them.
pub(crate) struct ReadTexts {
    pub(crate) sequences: Arc<Sequences>,
    pub(crate) vectors: Arc<Matrix<f32>>,
    pub(crate) targets: Vec<u32>,
}

/// What a forward pass leaves.
struct Pass {
    sequences: Arc<Sequences>,
    before: Arc<Vec<u32>>,
    targets: Vec<u32>,
    vectors: Arc<Matrix<f32>>,
    trace: RecurrentTrace<f32>,
    dropped: [Option<Vec<f32>>; 2],
}

impl LanguageModel {
    /// A model that has learned nothing yet.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(
        settings: LanguageModelSettings,
        vocabulary: Arc<Vocabulary>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        let files = Beside::words(&vocabulary).hashes();
        Self::with(settings, vocabulary, files, Store::new(), rng)
    }

    fn with(
        settings: LanguageModelSettings,
        vocabulary: Arc<Vocabulary>,
        files: toml::Table,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let LanguageModelSettings { layers, cells, words, dropout, .. } = settings;
        let ids = vocabulary.ids() as usize;
        let shape = Shape { kind: Kind::Gru, inputs: words, cells, layers, both_ways: false };
        let embedding = Embedding::trained("words", ids, words, &mut store, rng)?;
        let layers = Recurrent::new("layers", shape, &mut store, rng)?.orthogonal(&mut store, rng);
        let output = Linear::new("output", cells, ids, true, &mut store, rng)?;
        let dropout = (dropout > 0.0).then(|| Dropout::new(dropout)).transpose()?;
        Ok(Self { settings, vocabulary, embedding, layers, output, dropout, store, files })
    }

    /// The model's settings.
    pub fn shape(&self) -> &LanguageModelSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The same model with these numbers added to the logits of all ids: tokens become more or less likely wherever they stand.
    ///
    /// # Errors
    /// When there is not one number for each id.
    pub fn tilted(&self, tilt: &[f32]) -> Result<Self, NnError> {
        let Some(bias) = self.output.bias().filter(|bias| bias.columns() == tilt.len()) else {
            return Err(NnError::shape("output", "numbers of a tilt", tilt.len(), self.vocabulary.ids() as usize));
        };
        let mut model = self.clone();
        let values = &mut model.store.values_mut()[bias.range()];
        values.iter_mut().zip(tilt).for_each(|(value, tilt)| *value += tilt);
        Ok(model)
    }

    /// The parts of a document as examples. Each begins with the token before it, the first with the start; the last ends with the end.
    pub fn examples(&self, document: &Document) -> Vec<Text> {
        let words = document.tokens().map(|token| self.vocabulary.id(token.text));
        let ids: Vec<u32> = [START].into_iter().chain(words).chain([END]).collect();
        let part = self.settings.max_tokens;
        (0..ids.len() - 1).step_by(part).map(|start| ids[start..(start + part + 1).min(ids.len())].to_vec()).collect()
    }

    /// Nats of each example of these, all its tokens together.
    ///
    /// # Errors
    /// When an example has an id that the model does not know.
    pub fn surprisal(&self, examples: &[Text], threads: usize) -> Result<f64, NnError> {
        let mut sum = 0.0;
        for batch in examples.chunks(64) {
            sum += self.evaluated(&batch.iter().collect::<Vec<_>>(), threads)?;
        }
        Ok(sum)
    }

    /// The vectors from which the next token of each place of some texts is expected, and what comes there. Texts are laid out as the sequences say.
    pub(crate) fn read_texts(&self, batch: &[&Text], threads: usize) -> Result<ReadTexts, NnError> {
        let pass = self.forward(batch, None, threads)?;
        Ok(ReadTexts { sequences: pass.sequences, vectors: pass.vectors, targets: pass.targets })
    }

    /// The layer that makes logits of vectors.
    pub(crate) fn output(&self) -> &Linear {
        &self.output
    }

    fn evaluated(&self, batch: &[&Text], threads: usize) -> Result<f64, NnError> {
        let pass = self.forward(batch, None, threads)?;
        let targets = Tokens::new(pass.targets, self.vocabulary.ids() as usize)?;
        Ok(Evaluated::of(&self.output, &self.store, &pass.vectors, &targets, threads)?.loss)
    }

    fn forward(&self, batch: &[&Text], training: Option<&mut PrivacyRng>, threads: usize) -> Result<Pass, NnError> {
        let lengths: Vec<usize> = batch.iter().map(|text| text.len() - 1).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let before = Arc::new(sequences.lay_out(&batch.iter().map(|text| &text[..text.len() - 1]).collect::<Vec<_>>()));
        let targets = sequences.lay_out(&batch.iter().map(|text| &text[1..]).collect::<Vec<_>>());
        let mut inputs = Matrix::zeros(sequences.rows(), self.embedding.dimension());
        self.embedding.forward(&self.store, &before, &mut inputs, 0)?;
        let mut dropped = [None, None];
        let mut dropping = self.dropout.zip(training);
        if let Some((dropout, rng)) = &mut dropping {
            dropped[0] = dropout.forward(&mut inputs, rng);
        }
        let trace = self.layers.forward(&self.store, Arc::new(inputs), &sequences, None, None, threads)?;
        let vectors = match dropping {
            None => trace.outputs.clone(),
            Some((dropout, rng)) => {
                let mut vectors = (*trace.outputs).clone();
                dropped[1] = dropout.forward(&mut vectors, rng);
                Arc::new(vectors)
            }
        };
        Ok(Pass { sequences, before, targets, vectors, trace, dropped })
    }

    fn backward(&self, pass: Pass, mut back: Matrix<f32>, gradients: &mut Gradients<f32>) {
        let Pass { sequences, before, trace, dropped: [of_inputs, of_outputs], .. } = pass;
        if let Some(factors) = of_outputs {
            scale(&mut back, &factors);
        }
        let mut to_inputs = self.layers.backward(&self.store, trace, Some(back), None, gradients).inputs;
        if let Some(factors) = of_inputs {
            scale(&mut to_inputs, &factors);
        }
        self.embedding.backward(&before, to_inputs, &Rows::Tokens(sequences), gradients);
    }
}

impl Model for LanguageModel {
    type Example = Text;

    fn kind(&self) -> &'static str {
        files::KIND
    }

    fn settings(&self) -> toml::Table {
        self.settings_for_card()
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
        let mut pass = self.forward(batch, Some(rng), gradients.threads())?;
        let (targets, ids) = (std::mem::take(&mut pass.targets), self.vocabulary.ids() as usize);
        let weights = vec![1.0; targets.len()];
        let (vectors, sequences) = (pass.vectors.clone(), pass.sequences.clone());
        let loss = match self.settings.negatives.filter(|count| *count < ids && !gradients.is_private()) {
            Some(count) => {
                let negatives = Negatives::draw(count, ids, rng)?;
                let sample = Sample { targets: &targets, negatives: &negatives, weights: &weights };
                sampled_softmax(&self.output, &self.store, &vectors, &sequences, &sample, gradients)?
            }
            None => {
                let targets = Arc::new(Tokens::new(targets, ids)?);
                softmax(&self.output, &self.store, &vectors, &sequences, targets, weights, gradients)?
            }
        };
        drop(vectors);
        self.backward(pass, loss.back, gradients);
        Ok(loss.of_examples)
    }

    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        Ok(vec![self.evaluated(batch, threads)? / batch.len() as f64; batch.len()])
    }
}
