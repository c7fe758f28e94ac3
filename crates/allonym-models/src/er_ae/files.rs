//! The model on disk.

use super::{ErAe, ErAeSettings};
use crate::error::ModelError;
use crate::model_files::{self, Beside};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Card, Store, checkpoint};
use std::path::Path;
use std::sync::Arc;

pub(super) const KIND: &str = "er-ae";

impl ErAe {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        model_files::for_card(&self.settings, &self.files)
    }

    /// Writes the model with its words, their vectors and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let beside = Beside::of(&self.vocabulary, &self.vectors)?;
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        beside.save(directory, self.store(), card)
    }

    /// Reads a model that [`ErAe::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let (card, settings): (Card, ErAeSettings) = model_files::read_card(directory, KIND)?;
        let (vocabulary, vectors) = model_files::read(directory, &card)?;
        let least = settings.parameters(vectors.rows(), vectors.columns());
        let (path, parameters) = model_files::parameters(directory, &card, least)?;
        let (files, rng) = (model_files::hashes_beside(&card), &mut PrivacyRng::reproducible(0));
        let mut model =
            Self::with(settings, Arc::new(vocabulary), Arc::new(vectors), files, Store::awaiting_file(), rng)?;
        checkpoint::load_bytes(&path, &parameters, model.store_mut())?;
        Ok((model, card))
    }
}
