//! The words that a model knows, with their vectors where those are given and not trained.

use crate::error::ModelError;
use crate::model_files::{self, Beside};
use allonym_nn::{Card, Matrix, NnError};
use allonym_text::Vocabulary;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

pub(crate) struct KnownWords {
    vocabulary: Arc<Vocabulary>,
    vectors: Option<Arc<Matrix<f32>>>,
    /// The hashes of the words and their vectors: a run is not gone on with under other ones.
    files: toml::Table,
}

impl KnownWords {
    /// Words, and a vector for each of their ids if vectors are given.
    ///
    /// # Errors
    /// When there is not one vector for each id.
    pub(crate) fn new(vocabulary: Arc<Vocabulary>, vectors: Option<Arc<Matrix<f32>>>) -> Result<Self, ModelError> {
        let files = beside(&vocabulary, vectors.as_deref())?.hashes();
        Self::checked(Self { vocabulary, vectors, files })
    }

    /// Those of a model's directory, which must be the ones that its card was written with.
    pub(crate) fn read(directory: &Path, card: &Card) -> Result<Self, ModelError> {
        let vocabulary = Arc::new(model_files::read_words(directory, card)?);
        let vectors = model_files::read_vectors(directory, card)?.map(Arc::new);
        Self::checked(Self { vocabulary, vectors, files: model_files::hashes_beside(card) })
    }

    fn checked(self) -> Result<Self, ModelError> {
        match self.vectors.as_ref().map(|vectors| vectors.rows()).filter(|rows| *rows != self.ids()) {
            Some(rows) => Err(NnError::shape("embedding", "number of vectors", rows, self.ids()).into()),
            None => Ok(self),
        }
    }

    /// How many ids there are.
    pub(crate) fn ids(&self) -> usize {
        self.vocabulary.ids() as usize
    }

    pub(crate) fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// Vectors that are not trained.
    pub(crate) fn vectors(&self) -> Option<&Arc<Matrix<f32>>> {
        self.vectors.as_ref()
    }

    /// What a card says of a model with these words.
    pub(crate) fn for_card(&self, settings: &impl Serialize) -> toml::Table {
        model_files::for_card(settings, &self.files)
    }

    /// The files that stand beside the parameters.
    pub(crate) fn beside(&self) -> Result<Beside, ModelError> {
        beside(&self.vocabulary, self.vectors.as_deref())
    }
}

fn beside(vocabulary: &Vocabulary, vectors: Option<&Matrix<f32>>) -> Result<Beside, ModelError> {
    match vectors {
        Some(vectors) => Beside::of(vocabulary, vectors),
        None => Ok(Beside::words(vocabulary)),
    }
}
