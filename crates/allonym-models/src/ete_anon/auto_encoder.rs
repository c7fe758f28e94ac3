//! The auto-encoder as a model that is trained.

use super::files;
use super::network::Network;
use super::settings::AutoEncoderSettings;
use crate::error::ModelError;
use crate::known_words::KnownWords;
use allonym_dp::PrivacyRng;
use allonym_nn::loss::{Evaluated, Negatives, Sample, Tokens, sampled_softmax, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Gradients, Matrix, NnError, Sequences, Store, unit};
use allonym_text::vocabulary::{END, START};
use allonym_text::{Document, Vocabulary};
use std::sync::Arc;

/// What an example is made of: ids of tokens, the last of which is the end.
pub type Text = Vec<u32>;

/// The auto-encoder.
pub struct AutoEncoder {
    pub(super) settings: AutoEncoderSettings,
    pub(super) words: KnownWords,
    pub(super) network: Network<f32>,
    pub(super) store: Store<f32>,
}

impl AutoEncoder {
    /// The sequences of a document: its first tokens and its last ones, each with the end. A document that is not longer than one of them has only one.
    pub fn sequences(&self, document: &Document) -> Vec<Text> {
        let ids: Vec<u32> = document.tokens().map(|token| self.words.vocabulary().id(token.text)).collect();
        let most = self.settings.max_tokens;
        let ended = |ids: &[u32]| ids.iter().copied().chain([END]).collect();
        match ids.len() {
            0 => Vec::new(),
            length if length <= most => vec![ended(&ids)],
            length => vec![ended(&ids[..most]), ended(&ids[length - most..])],
        }
    }

    /// One that has learned nothing yet. `vectors` has one for every id of the vocabulary, and is not trained; without it, vectors are trained
    /// with everything else.
    ///
    /// # Errors
    /// When a setting is out of range, or there is not one vector for each id.
    pub fn new(
        settings: AutoEncoderSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Option<Arc<Matrix<f32>>>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        Self::with(settings, KnownWords::new(vocabulary, vectors)?, Store::new(), rng)
    }

    pub(super) fn with(
        settings: AutoEncoderSettings,
        words: KnownWords,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let network = Network::new(&settings, words.ids(), words.vectors(), &mut store, rng)?;
        Ok(Self { settings, words, network, store })
    }

    /// The network's settings.
    pub fn shape(&self) -> &AutoEncoderSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.words.vocabulary()
    }

    /// What the decoder is fed with at each step of some texts: their own tokens, or what it writes itself.
    fn fed(
        &self,
        texts: &[&[u32]],
        context: &[Vec<Matrix<f32>>],
        rng: &mut PrivacyRng,
    ) -> Result<Vec<Vec<u32>>, NnError> {
        let own: Vec<bool> = texts.iter().map(|_| unit(rng.bits()) < self.settings.own_output).collect();
        let places: Vec<usize> = (0..texts.len()).filter(|place| own[*place]).collect();
        let contexts: Vec<Vec<f32>> = places.iter().map(|place| joined(context, *place)).collect();
        let mut written = self.written_as_fed(&contexts)?.into_iter();
        let before = |(text, own): (&&[u32], &bool)| {
            let mut fed: Vec<u32> = match own {
                true => written.next().unwrap_or_default(),
                false => text.to_vec(),
            };
            // After its own end the decoder is fed with the end.
            fed.resize(text.len(), END);
            fed.pop();
            std::iter::once(START).chain(fed).collect()
        };
        Ok(texts.iter().zip(&own).map(before).collect())
    }
}

/// The context of one text: the states of all its layers, one after the other.
pub(super) fn joined(context: &[Vec<Matrix<f32>>], text: usize) -> Vec<f32> {
    context.iter().flatten().flat_map(|layer| layer.row(text)).copied().collect()
}

impl Model for AutoEncoder {
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
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let threads = gradients.threads();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let encoding = self.network.encode(&self.store, &texts, &sequences, threads)?;
        let before = self.fed(&texts, encoding.context(), rng)?;
        let mut pass = self.network.forward(&self.store, &texts, &before, encoding, sequences.clone(), threads)?;
        let (ids, vectors) = (self.words.ids(), pass.vectors.clone());
        let (weights, targets) = (vec![1.0; vectors.rows()], std::mem::take(&mut pass.targets));
        let (output, store) = (&self.network.output, &self.store);
        let loss = if gradients.is_private() || self.settings.negatives == 0 || self.settings.negatives >= ids {
            softmax(output, store, &vectors, &sequences, Arc::new(Tokens::new(targets, ids)?), weights, gradients)?
        } else {
            let negatives = Negatives::draw(self.settings.negatives, ids, rng)?;
            let sample = Sample { targets: &targets, negatives: &negatives, weights: &weights };
            sampled_softmax(output, store, &vectors, &sequences, &sample, gradients)?
        };
        drop(vectors);
        self.network.backward(&self.store, pass, loss.back, gradients);
        Ok(loss.of_examples)
    }

    /// As the decoder is used: fed with its own output.
    fn evaluate(&self, batch: &[&Text], threads: usize) -> Result<Vec<f64>, NnError> {
        let texts: Vec<&[u32]> = batch.iter().map(|text| text.as_slice()).collect();
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let encoding = self.network.encode(&self.store, &texts, &sequences, threads)?;
        let contexts: Vec<Vec<f32>> = (0..texts.len()).map(|text| joined(encoding.context(), text)).collect();
        let written = self.written_as_fed(&contexts)?;
        let before: Vec<Vec<u32>> = texts
            .iter()
            .zip(written)
            .map(|(text, mut fed)| {
                fed.resize(text.len(), END);
                fed.pop();
                std::iter::once(START).chain(fed).collect()
            })
            .collect();
        let pass = self.network.forward(&self.store, &texts, &before, encoding, sequences, threads)?;
        let targets = Tokens::new(pass.targets, self.words.ids())?;
        let found = Evaluated::of(&self.network.output, &self.store, &pass.vectors, &targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
