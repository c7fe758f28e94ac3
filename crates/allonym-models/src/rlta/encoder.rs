//! The encoder as a model that is trained by its task.

use super::judge::VectorJudge;
use super::network::Network;
use super::settings::RltaSettings;
use crate::error::ModelError;
use crate::groups::in_groups;
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
    vocabulary: Arc<Vocabulary>,
    vectors: Option<Arc<Matrix<f32>>>,
    network: Network,
    store: Store<f32>,
    files: toml::Table,
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
        let files = match &vectors {
            Some(vectors) => Beside::of(&vocabulary, vectors)?,
            None => Beside::words(&vocabulary),
        };
        Self::with(settings, vocabulary, vectors, files.hashes(), Store::new(), rng)
    }

    fn with(
        settings: RltaSettings,
        vocabulary: Arc<Vocabulary>,
        vectors: Option<Arc<Matrix<f32>>>,
        files: toml::Table,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        settings.check()?;
        let ids = vocabulary.ids() as usize;
        if let Some(rows) = vectors.as_ref().map(|vectors| vectors.rows()).filter(|rows| *rows != ids) {
            return Err(NnError::shape("embedding", "number of vectors", rows, ids).into());
        }
        let network = Network::new(&settings, ids, vectors.as_ref(), &mut store, rng)?;
        Ok(Self { settings, vocabulary, vectors, network, store, files })
    }

    /// The network's settings.
    pub fn shape(&self) -> &RltaSettings {
        &self.settings
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// A document as it is read: its first tokens, and the end.
    pub fn text(&self, document: &Document) -> Vec<u32> {
        let tokens = document.tokens().take(self.settings.max_tokens);
        tokens.map(|token| self.vocabulary.id(token.text)).chain([END]).collect()
    }

    /// The vector of each text. What a text's neighbours are does not show in its numbers.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn encoded(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, ModelError> {
        let known = |token| if token < self.vocabulary.ids() { token } else { UNKNOWN };
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
        model_files::for_card(&self.settings, &self.files)
    }

    pub(super) fn beside(&self) -> Result<Beside, ModelError> {
        match &self.vectors {
            Some(vectors) => Beside::of(&self.vocabulary, vectors),
            None => Ok(Beside::words(&self.vocabulary)),
        }
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
        let vocabulary = Arc::new(model_files::read_words(directory, &card)?);
        let vectors = model_files::read_vectors(directory, &card)?.map(Arc::new);
        let (path, parameters) = model_files::parameters(directory, &card, settings.least_parameters())?;
        let (files, rng) = (model_files::hashes_beside(&card), &mut PrivacyRng::reproducible(0));
        let mut model = Self::with(settings, vocabulary, vectors, files, Store::awaiting_file(), rng)?;
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
