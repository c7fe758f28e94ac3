//! ER-AE (Bo, Ding, Fung and Iqbal, NAACL 2021, and its first version): a recurrent auto-encoder that keeps good substitutes ready.
//!
//! A bidirectional encoder reads the text; its last states become the latent vector E(x) (equation 1). The generator sees E(x) and the
//! previous *original* token at every step and scores all words (equation 2). Trained for reconstruction alone (equation 6), it
//! is AE-DP; with the embedding reward as well (equations 7 and 8), it is ER-AE.
//!
//! Word vectors are given and not trained, as in the papers. Since the generator is fed with original tokens and never with released ones, all
//! steps of a text are computed at once, and the scores of a step do not depend on what was drawn before.

mod evaluate;
mod files;
mod network;
mod propose;
mod settings;
#[cfg(test)]
mod tests;

pub use evaluate::{OfLength, Reconstruction};
pub use propose::{Encoded, Proposal};
pub use settings::{ErAeSettings, PRESETS, Preset};

use crate::error::ModelError;
use crate::model_files::Beside;
use allonym_dp::PrivacyRng;
use allonym_nn::loss::{EmbeddingReward, Evaluated, Targets, Tokens, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Store};
use allonym_text::vocabulary::END;
use allonym_text::{Document, Vocabulary};
use network::Network;
use std::sync::Arc;

/// What an example is made of: ids of tokens, the last of which is the end.
pub type Text = Vec<u32>;

/// The model.
pub struct ErAe {
    settings: ErAeSettings,
    vocabulary: Arc<Vocabulary>,
    vectors: Arc<Matrix<f32>>,
    /// The vectors at length 1, once the reward needs them.
    directions: Option<Arc<Matrix<f32>>>,
    network: Network,
    store: Store<f32>,
    /// The hashes of the words and their vectors: a run is not gone on with under other ones.
    files: toml::Table,
}

impl ErAe {
    /// A model that has learned nothing yet. `vectors` has one for every id of the vocabulary.
    ///
    /// # Errors
    /// When a setting is out of range, or there is not one vector for each id.
    pub fn new(
        settings: ErAeSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Arc<Matrix<f32>>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        let files = Beside::of(&vocabulary, &vectors)?.hashes();
        Self::with(settings, vocabulary, vectors, files, Store::new(), rng)
    }

    fn with(
        settings: ErAeSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Arc<Matrix<f32>>,
        files: toml::Table,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let ids = vocabulary.ids() as usize;
        if vectors.rows() != ids {
            return Err(NnError::shape("embedding", "number of vectors", vectors.rows(), ids).into());
        }
        let network = Network::new(&settings, vectors.clone(), &mut store, rng)?;
        let mut model = Self { settings, vocabulary, vectors, directions: None, network, store, files };
        model.aim();
        Ok(model)
    }

    /// The second stage: from now on the model learns by this reward too.
    #[must_use]
    pub fn with_reward(mut self, reward: allonym_nn::loss::RewardSettings) -> Self {
        self.settings.reward = Some(reward);
        self.aim();
        self
    }

    fn aim(&mut self) {
        let wanted = self.settings.reward.is_some() && self.directions.is_none();
        if wanted {
            self.directions = Some(EmbeddingReward::unit_vectors((*self.vectors).clone()));
        }
    }

    /// The network's settings.
    pub fn shape(&self) -> &ErAeSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// The vector of every id.
    pub fn vectors(&self) -> &Arc<Matrix<f32>> {
        &self.vectors
    }

    /// The pieces of a document that are encoded together: its sentences, as many as fit into one piece, or parts of a sentence that is too
    /// long by itself. Every piece ends with the end token; a document without tokens is one piece that has only the end.
    pub fn pieces(&self, document: &Document) -> Vec<Text> {
        let most = self.settings.max_tokens;
        let ids: Vec<u32> = document.tokens().map(|token| self.vocabulary.id(token.text)).collect();
        let mut pieces: Vec<Text> = Vec::new();
        for sentence in document.sentences() {
            for part in ids[sentence.clone()].chunks(most) {
                match pieces.last_mut() {
                    Some(last) if last.len() + part.len() <= most => last.extend_from_slice(part),
                    _ => pieces.push(part.to_vec()),
                }
            }
        }
        if pieces.is_empty() {
            pieces.push(Text::new());
        }
        pieces.iter_mut().for_each(|piece| piece.push(END));
        pieces
    }

    /// The sentences of a document as examples: what the model learns from. Long ones are cut, and those without a token left out.
    pub fn examples(&self, document: &Document) -> Vec<Text> {
        let ids: Vec<u32> = document.tokens().map(|token| self.vocabulary.id(token.text)).collect();
        let of_sentence = |sentence: &std::ops::Range<usize>| {
            let parts = ids[sentence.clone()].chunks(self.settings.max_tokens);
            parts.map(|part| [part, &[END]].concat()).collect::<Vec<_>>()
        };
        document.sentences().iter().flat_map(of_sentence).collect()
    }

    fn targets(&self, tokens: Vec<u32>, rng: &mut PrivacyRng) -> Result<Arc<dyn Targets<f32>>, NnError> {
        Ok(match (self.settings.reward, &self.directions) {
            (Some(reward), Some(directions)) => {
                Arc::new(EmbeddingReward::new(reward, tokens, directions.clone(), rng)?)
            }
            _ => Arc::new(Tokens::new(tokens, self.vectors.rows())?),
        })
    }
}

impl Model for ErAe {
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
        example.len()
    }

    fn losses(
        &self,
        batch: &[&Text],
        gradients: &mut Gradients<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        let texts: Vec<&[u32]> = batch.iter().map(|text| text.as_slice()).collect();
        let mut pass = self.network.forward(&self.store, &texts, Some(rng), gradients.threads())?;
        let targets = self.targets(std::mem::take(&mut pass.tokens), rng)?;
        let weights = vec![1.0; pass.vectors.rows()];
        let (vectors, sequences) = (pass.vectors.clone(), pass.sequences.clone());
        let loss = softmax(&self.network.output, &self.store, &vectors, &sequences, targets, weights, gradients)?;
        drop(vectors);
        self.network.backward(&self.store, pass, loss.back, gradients);
        Ok(loss.of_examples)
    }

    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        let texts: Vec<&[u32]> = batch.iter().map(|text| text.as_slice()).collect();
        let pass = self.network.forward(&self.store, &texts, None, threads)?;
        // The same random candidates at every look, so that looks can be compared.
        let targets = self.targets(pass.tokens.clone(), &mut PrivacyRng::reproducible(0))?;
        let found = Evaluated::of(&self.network.output, &self.store, &pass.vectors, &*targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
