//! The model on disk.

use super::{Adept, AdeptSettings};
use crate::error::ModelError;
use crate::model_files::{self, Beside, FILES};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Card, checkpoint};
use std::path::Path;
use std::sync::Arc;

pub(super) const KIND: &str = "adept";
const SHAPE: &str = "network";

impl Adept {
    pub(super) fn settings_for_card(&self) -> toml::Table {
        let shape = toml::Value::try_from(&self.settings).unwrap_or_else(|_| toml::Value::Table(toml::Table::new()));
        let files = toml::Value::Table(self.files.clone());
        toml::Table::from_iter([(SHAPE.to_owned(), shape), (FILES.to_owned(), files)])
    }

    /// Writes the model with its words, their vectors if those were given, and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let beside = match &self.vectors {
            Some(vectors) => Beside::of(&self.vocabulary, vectors)?,
            None => Beside::words(&self.vocabulary),
        };
        let card = Card { kind: KIND.to_owned(), model: self.settings_for_card(), ..card.clone() };
        beside.save(directory, self.store(), card)
    }

    /// Reads a model that [`Adept::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let card = checkpoint::load_card(directory)?;
        let path = directory.join("card.toml");
        if card.kind != KIND {
            return Err(ModelError::broken(&path, format!("is of a model of kind `{}`, not `{KIND}`", card.kind)));
        }
        let shape =
            card.model.get(SHAPE).cloned().ok_or_else(|| ModelError::broken(&path, format!("has no `{SHAPE}`")))?;
        let settings: AdeptSettings = shape
            .try_into()
            .map_err(|error: toml::de::Error| ModelError::broken(&path, format!("`{SHAPE}`: {}", error.message())))?;
        let vocabulary = Arc::new(model_files::read_words(directory, &card)?);
        let vectors = model_files::read_vectors(directory, &card)?.map(Arc::new);
        let least = settings.least_parameters(vocabulary.ids());
        let (path, parameters) = model_files::parameters(directory, &card, least)?;
        let mut model = Self::new(settings, vocabulary, vectors, &mut PrivacyRng::reproducible(0))?;
        checkpoint::load_bytes(&path, &parameters, model.store_mut())?;
        Ok((model, card))
    }
}
