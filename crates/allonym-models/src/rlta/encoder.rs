//! The encoder as a model that is trained by its task.

use super::judge::VectorJudge;
use super::network::Network;
use super::settings::RltaSettings;
use crate::error::ModelError;
use crate::groups::in_groups;
use crate::known_words::KnownWords;
use crate::model_files::{self, Beside};
use allonym_dp::PrivacyRng;
use allonym_nn::loss::{Evaluated, Tokens, softmax};
use allonym_nn::training::Model;
use allonym_nn::{Card, Gradients, Matrix, NnError, Sequences, Store, checkpoint};
use allonym_text::vocabulary::{END, UNKNOWN};
use allonym_text::{Document, Vocabulary};
use std::path::Path;
use std::sync::Arc;

pub(super) const KIND: &str = "rlta-encoder";

/// A text as ids, the last of which is the end.
type Text = Vec<u32>;

/// A text and its class in the task.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Ids, the last of which is the end.
    pub text: Text,
    /// Its class.
    pub label: u32,
}

/// The encoder.
pub struct Encoder {
    settings: RltaSettings,
    words: KnownWords,
    network: Network,
    store: Store<f32>,
}

impl Encoder {
    /// One that has learned nothing yet. `vectors` has one for every id of the vocabulary, and is not trained; without it, vectors are trained with everything else.
    ///
    /// # Errors
    /// When a setting is out of range, or there is not one vector for each id.
    pub fn new(
        settings: RltaSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Option<Arc<Matrix<f32>>>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        Self::with(settings, KnownWords::new(vocabulary, vectors)?, Store::new(), rng)
    }

    fn with(
        settings: RltaSettings,
        words: KnownWords,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let network = Network::new(&settings, words.ids(), words.vectors(), &mut store, rng)?;
        Ok(Self { settings, words, network, store })
    }

    /// The network's settings.
    pub fn shape(&self) -> &RltaSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.words.vocabulary()
    }

    /// A document as it is read: its first tokens, and the end.
    pub fn text(&self, document: &Document) -> Vec<u32> {
        let tokens = document.tokens().take(self.settings.max_tokens);
        tokens.map(|token| self.words.vocabulary().id(token.text)).chain([END]).collect()
    }

    /// The vector of each text. What a text's neighbours are does not show in its numbers.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn encoded(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, ModelError> {
        let known = |token| if token < self.words.vocabulary().ids() { token } else { UNKNOWN };
        let as_read = |text: &Text| -> Text {
            let tokens = text.iter().copied().take_while(|token| *token != END).take(self.settings.max_tokens);
            tokens.map(known).chain([END]).collect()
        };
        let read: Vec<Text> = texts.iter().map(as_read).collect();
        let read: Vec<&[u32]> = read.iter().map(Vec::as_slice).collect();
        Ok(in_groups(&read, |group| {
            let vectors = self.network.forward(&self.store, group, 1)?.vectors;
            Ok((0..vectors.rows()).map(|row| vectors.row(row).to_vec()).collect())
        })?)
    }

    /// The classifier of the task that it was trained with.
    pub fn judge(&self) -> VectorJudge {
        let output = &self.network.output;
        let offsets = output.bias().map(|bias| self.store.slice(bias).to_vec()).unwrap_or_default();
        let (rows, columns) = (self.settings.classes, self.settings.vector());
        VectorJudge::new(Matrix::of(rows, columns, self.store.slice(output.weight()).to_vec()), offsets)
    }

    pub(super) fn settings_for_card(&self) -> toml::Table {
        self.words.for_card(&self.settings)
    }

    pub(super) fn beside(&self) -> Result<Beside, ModelError> {
        self.words.beside()
    }

    /// Writes the model into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        self.beside()?.save(directory, &self.store, card)
    }

    /// Reads the encoder of a directory, which must be of this kind.
    pub(super) fn read(directory: &Path, kind: &str) -> Result<(Self, Card), ModelError> {
        let (card, settings): (Card, RltaSettings) = model_files::read_card(directory, kind)?;
        let words = KnownWords::read(directory, &card)?;
        let (path, parameters) = model_files::parameters(directory, &card, settings.least_parameters())?;
        let mut model = Self::with(settings, words, Store::awaiting_file(), &mut PrivacyRng::reproducible(0))?;
        checkpoint::load_bytes(&path, &parameters, &mut model.store)?;
        Ok((model, card))
    }

    /// Reads a model that [`Encoder::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        Self::read(directory, KIND)
    }
}

fn texts_of<'a>(batch: &[&'a Labelled]) -> Vec<&'a [u32]> {
    batch.iter().map(|example| example.text.as_slice()).collect()
}

fn labels_of(batch: &[&Labelled], classes: usize) -> Result<Tokens, NnError> {
    Tokens::new(batch.iter().map(|example| example.label).collect(), classes)
}

impl Model for Encoder {
    type Example = Labelled;

    fn kind(&self) -> &'static str {
        KIND
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

    fn length(example: &Labelled) -> usize {
        example.text.len()
    }

    fn losses(
        &self,
        batch: &[&Labelled],
        gradients: &mut Gradients<f32>,
        _: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        let pass = self.network.forward(&self.store, &texts_of(batch), gradients.threads())?;
        let targets = Arc::new(labels_of(batch, self.settings.classes)?);
        // One part, in which texts of one row stay in their order: row i is text i.
        let rows = Arc::new(Sequences::new(&vec![1; batch.len()], 1)?);
        let (vectors, weights) = (pass.vectors.clone(), vec![1.0; batch.len()]);
        let loss = softmax(&self.network.output, &self.store, &vectors, &rows, targets, weights, gradients)?;
        drop(vectors);
        self.network.backward(&self.store, pass, &loss.back, gradients);
        Ok(loss.of_examples)
    }

    fn evaluate(&self, batch: &[&Labelled], threads: usize) -> Result<Vec<f64>, NnError> {
        let pass = self.network.forward(&self.store, &texts_of(batch), threads)?;
        let targets = labels_of(batch, self.settings.classes)?;
        let found = Evaluated::of(&self.network.output, &self.store, &pass.vectors, &targets, threads)?;
        Ok(vec![found.loss / batch.len() as f64; batch.len()])
    }
}
