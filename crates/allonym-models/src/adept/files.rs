//! The model on disk.

use super::{Adept, AdeptSettings};
use crate::error::ModelError;
use crate::known_words::KnownWords;
use crate::model_files;
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Card, Store, checkpoint};
use std::path::Path;

pub(super) const KIND: &str = "adept";

impl Adept {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        self.words.for_card(&self.settings)
    }

    /// Writes the model with its words, their vectors if those were given, and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        self.words.beside()?.save(directory, self.store(), card)
    }

    /// Reads a model that [`Adept::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let (card, settings): (Card, AdeptSettings) = model_files::read_card(directory, KIND)?;
        let words = KnownWords::read(directory, &card)?;
        let least = settings.least_parameters(words.vocabulary().ids());
        let (path, parameters) = model_files::parameters(directory, &card, least)?;
        let rng = &mut PrivacyRng::reproducible(0);
        let mut model = Self::with(settings, words, Store::awaiting_file(), rng)?;
        checkpoint::load_bytes(&path, &parameters, model.store_mut())?;
        Ok((model, card))
    }
}
