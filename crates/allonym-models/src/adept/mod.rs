//! ADePT (Krishna, Gupta and Dupuy, EACL 2021): a recurrent auto-encoder whose latent vector is noised.
//!
//! An encoder reads the text from its beginning to its end. What it then holds becomes a short vector, which is clipped. A mechanism
//! ([`allonym_dp::latent::Latent`]) adds noise, and a decoder writes a text from the noised vector. The loss is that of the whole text, whatever its length.
//! The paper's own bound does not hold (Habernal, EMNLP 2021); the mechanism has those that do.
//!
//! # What the guarantee needs
//!
//! [`Adept::decode`] is a function of noised vectors and of the model. It sees no state of the encoder, no original token and no original length: each
//! step sees the noised vector and what it wrote itself. Only training feeds it with originals. If the model was trained on the texts that are
//! released, as in the paper, what it learned from them is not covered: its card says what they were.

mod clip;
mod evaluate;
mod files;
mod network;
mod release;
mod settings;
#[cfg(test)]
mod tests;

pub use clip::{Clip, Norm};
pub use evaluate::Reconstruction;
pub use settings::{AdeptSettings, PRESETS, Preset};

use crate::error::ModelError;
use crate::known_words::KnownWords;
use allonym_dp::PrivacyRng;
use allonym_nn::loss::{Evaluated, Tokens, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Store};
use allonym_text::vocabulary::END;
use allonym_text::{Document, Vocabulary};
use network::Network;
use std::sync::Arc;

/// What an example is made of: ids of tokens, the last of which is the end.
pub type Text = Vec<u32>;

/// The model.
pub struct Adept {
    settings: AdeptSettings,
    words: KnownWords,
    network: Network<f32>,
    store: Store<f32>,
}

impl Adept {
    /// A model that has learned nothing yet. `vectors` has one for every id of the vocabulary, and is not trained; without it, vectors are
    /// trained with everything else.
    ///
    /// # Errors
    /// When a setting is out of range, or there is not one vector for each id.
    pub fn new(
        settings: AdeptSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Option<Arc<Matrix<f32>>>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        Self::with(settings, KnownWords::new(vocabulary, vectors)?, Store::new(), rng)
    }

    fn with(
        settings: AdeptSettings,
        words: KnownWords,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let network = Network::new(&settings, words.ids(), words.vectors(), &mut store, rng)?;
        Ok(Self { settings, words, network, store })
    }

    /// The network's settings.
    pub fn shape(&self) -> &AdeptSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.words.vocabulary()
    }

    /// A document as the encoder reads it: its first tokens, and the end. One document is one vector, and one unit of the guarantee.
    pub fn text(&self, document: &Document) -> Text {
        let tokens = document.tokens().take(self.settings.max_tokens);
        tokens.map(|token| self.words.vocabulary().id(token.text)).chain([END]).collect()
    }
}

impl Model for Adept {
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
        let pass = self.network.forward(&self.store, &texts, Some(rng), gradients.threads())?;
        let targets = Arc::new(Tokens::new(pass.tokens(), self.words.ids())?);
        let (vectors, weights) = (pass.vectors.clone(), vec![1.0; pass.vectors.rows()]);
        let loss = softmax(&self.network.output, &self.store, &vectors, &pass.sequences, targets, weights, gradients)?;
        drop(vectors);
        self.network.backward(&self.store, pass, loss.back, gradients);
        Ok(loss.of_examples)
    }

    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        let texts: Vec<&[u32]> = batch.iter().map(|text| text.as_slice()).collect();
        let pass = self.network.forward(&self.store, &texts, None, threads)?;
        let targets = Tokens::new(pass.tokens(), self.words.ids())?;
        let found = Evaluated::of(&self.network.output, &self.store, &pass.vectors, &targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
