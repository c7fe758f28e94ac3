//! The auto-encoder on disk.

use super::auto_encoder::AutoEncoder;
use super::settings::AutoEncoderSettings;
use crate::error::ModelError;
use crate::known_words::KnownWords;
use crate::model_files::{self, Beside};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Card, Store, checkpoint};
use std::path::Path;

pub(super) const KIND: &str = "ete-anon-auto-encoder";

impl AutoEncoder {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        self.words.for_card(&self.settings)
    }

    pub(super) fn beside(&self) -> Result<Beside, ModelError> {
        self.words.beside()
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
    let words = KnownWords::read(directory, &card)?;
    let (path, parameters) = model_files::parameters(directory, &card, settings.least_parameters(words.ids()))?;
    let mut model = AutoEncoder::with(settings, words, Store::awaiting_file(), &mut PrivacyRng::reproducible(0))?;
    checkpoint::load_bytes(&path, &parameters, model.store_mut())?;
    Ok((model, card))
}
