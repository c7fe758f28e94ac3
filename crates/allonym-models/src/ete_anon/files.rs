//! The auto-encoder on disk.

use super::auto_encoder::AutoEncoder;
use super::settings::AutoEncoderSettings;
use crate::error::ModelError;
use crate::model_files::{self, Beside};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Card, Store, checkpoint};
use std::path::Path;
use std::sync::Arc;

pub(super) const KIND: &str = "ete-anon-auto-encoder";

impl AutoEncoder {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        model_files::for_card(&self.settings, &self.files)
    }

    pub(super) fn beside(&self) -> Result<Beside, ModelError> {
        match &self.vectors {
            Some(vectors) => Beside::of(&self.vocabulary, vectors),
            None => Ok(Beside::words(&self.vocabulary)),
        }
    }

    /// Writes the model with its words, their vectors if those were given, and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        self.beside()?.save(directory, self.store(), card)
    }

    /// Reads a model that [`AutoEncoder::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        read(directory, KIND)
    }
}

/// The auto-encoder of a directory, which must be of this kind.
pub(super) fn read(directory: &Path, kind: &str) -> Result<(AutoEncoder, Card), ModelError> {
    let (card, settings): (Card, AutoEncoderSettings) = model_files::read_card(directory, kind)?;
    let vocabulary = Arc::new(model_files::read_words(directory, &card)?);
    let vectors = model_files::read_vectors(directory, &card)?.map(Arc::new);
    let least = settings.least_parameters(vocabulary.ids());
    let (path, parameters) = model_files::parameters(directory, &card, least)?;
    let (files, rng) = (model_files::hashes_beside(&card), &mut PrivacyRng::reproducible(0));
    let mut model = AutoEncoder::with(settings, vocabulary, vectors, files, Store::awaiting_file(), rng)?;
    checkpoint::load_bytes(&path, &parameters, model.store_mut())?;
    Ok((model, card))
}
