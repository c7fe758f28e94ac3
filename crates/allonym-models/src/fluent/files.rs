//! The model on disk, and in the program.

use super::{FluentModel, Near};
use crate::error::ModelError;
use crate::language_model::{LanguageModel, LanguageModelSettings};
use crate::model_files::{self, Beside, Files};
use allonym_nn::training::Model;
use allonym_nn::{Card, checkpoint};
use std::path::Path;

const KIND: &str = "fluent";
const NEAR: &str = "near.bin";

/// A file of a model in the program: its name and its bytes.
pub type Bundled<'a> = (&'a str, &'a [u8]);

impl FluentModel {
    /// Writes the model with its words and its card into a directory of its own, numbers as 8-bit integers.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let mut beside = Beside::words(self.language.vocabulary());
        beside.files.push((NEAR, self.near.to_file()));
        let model = model_files::for_card(self.language.shape(), &beside.hashes());
        let card = Card { kind: KIND.to_owned(), model, ..card.clone() };
        beside.save_as(directory, checkpoint::model_file_int8(self.language.store())?, card)
    }

    /// Reads a model that [`FluentModel::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        Self::read(Files::Directory(directory))
    }

    /// The same from files in the program.
    ///
    /// # Errors
    /// When one of them is missing or damaged.
    pub fn from_bundled(files: &[Bundled<'_>]) -> Result<(Self, Card), ModelError> {
        Self::read(Files::Bundled(files))
    }

    fn read(files: Files<'_>) -> Result<(Self, Card), ModelError> {
        let (card, settings): (Card, LanguageModelSettings) = model_files::read_card(files, KIND)?;
        let language = LanguageModel::read(files, &card, settings)?;
        let (path, bytes) = model_files::checked(files, &card, NEAR)?;
        let near = Near::parse(&path, &bytes, language.vocabulary())?;
        Ok((Self { language, near }, card))
    }
}
