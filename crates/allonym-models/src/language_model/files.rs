//! The model on disk.

use super::{LanguageModel, LanguageModelSettings};
use crate::error::ModelError;
use crate::model_files::{self, Beside, Files};
use allonym_dp::PrivacyRng;
use allonym_nn::{Card, Store, checkpoint};
use std::path::Path;
use std::sync::Arc;

pub(super) const KIND: &str = "language-model";

impl LanguageModel {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        model_files::for_card(&self.settings, &self.files)
    }

    /// Writes the model with its words and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        Beside::words(&self.vocabulary).save(directory, &self.store, card)
    }

    /// Reads a model that [`LanguageModel::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let (card, settings): (Card, LanguageModelSettings) = model_files::read_card(directory, KIND)?;
        let model = Self::read(directory.into(), &card, settings)?;
        Ok((model, card))
    }

    /// Reads the parameters and words that belong to a card.
    pub(crate) fn read(files: Files<'_>, card: &Card, settings: LanguageModelSettings) -> Result<Self, ModelError> {
        settings.check()?;
        let vocabulary = Arc::new(model_files::read_words(files, card)?);
        let least = settings.parameters(vocabulary.ids() as usize);
        let (path, parameters) = model_files::parameters(files, card, least)?;
        let (hashes, rng) = (model_files::hashes_beside(card), &mut PrivacyRng::reproducible(0));
        let mut model = Self::with(settings, vocabulary, hashes, Store::awaiting_file(), rng)?;
        checkpoint::load_bytes(&path, &parameters, &mut model.store)?;
        Ok(model)
    }
}
