//! Files that stand beside the parameters of a model: its words and their vectors. The card has the hashes of all of them, so that parts of different models
//! are not taken for one.

use crate::error::ModelError;
use allonym_nn::checkpoint::{self, matrix_file, read_matrix};
use allonym_nn::{Card, Matrix, Store};
use allonym_text::Vocabulary;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const CARD: &str = "card.toml";
const MODEL: &str = "model.safetensors";
const VOCABULARY: &str = "vocabulary.txt";
const VECTORS: &str = "embeddings.safetensors";

/// Where the files of a model are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Files<'a> {
    /// In a directory, where they may have been cut or exchanged.
    Directory(&'a Path),
    /// In the program: names and bytes.
    Bundled(&'a [(&'a str, &'a [u8])]),
}

impl<'a> From<&'a Path> for Files<'a> {
    fn from(directory: &'a Path) -> Self {
        Self::Directory(directory)
    }
}

impl<'a> Files<'a> {
    fn read(self, name: &str) -> Result<(PathBuf, Cow<'a, [u8]>), ModelError> {
        match self {
            Self::Directory(directory) => {
                let path = directory.join(name);
                let bytes = std::fs::read(&path).map_err(ModelError::file(&path))?;
                Ok((path, Cow::Owned(bytes)))
            }
            Self::Bundled(files) => {
                let path = Path::new("(in the program)").join(name);
                match files.iter().find(|(known, _)| *known == name) {
                    Some((_, bytes)) => Ok((path, Cow::Borrowed(*bytes))),
                    None => Err(ModelError::broken(&path, "is missing")),
                }
            }
        }
    }
}

/// The words of a model and their vectors, as files.
pub(crate) struct Beside {
    pub(crate) files: Vec<(&'static str, Vec<u8>)>,
}

impl Beside {
    pub(crate) fn of(vocabulary: &Vocabulary, vectors: &Matrix<f32>) -> Result<Self, ModelError> {
        let files =
            vec![(VOCABULARY, vocabulary.to_file().into_bytes()), (VECTORS, matrix_file("embedding", vectors)?)];
        Ok(Self { files })
    }

    /// The words alone, for a model whose vectors are among its parameters.
    pub(crate) fn words(vocabulary: &Vocabulary) -> Self {
        Self { files: vec![(VOCABULARY, vocabulary.to_file().into_bytes())] }
    }

    /// The hashes of the files.
    pub(crate) fn hashes(&self) -> toml::Table {
        self.files.iter().map(|(name, bytes)| ((*name).to_owned(), toml::Value::String(hash(bytes)))).collect()
    }

    /// Writes a model, with the hashes of all files on its card.
    pub(crate) fn save(&self, directory: &Path, store: &Store<f32>, card: Card) -> Result<(), ModelError> {
        self.save_as(directory, checkpoint::model_file(store)?, card)
    }

    /// The same with the bytes of the parameters' file.
    pub(crate) fn save_as(&self, directory: &Path, model: Vec<u8>, card: Card) -> Result<(), ModelError> {
        let mut files = self.hashes();
        files.insert(MODEL.to_owned(), toml::Value::String(hash(&model)));
        let mut card = card;
        card.model.insert(FILES.to_owned(), toml::Value::Table(files));
        Ok(checkpoint::export(directory, model, &card, &self.files)?)
    }
}

/// The entries of a card that have the hashes, and the size of the network.
const FILES: &str = "files";
const SHAPE: &str = "network";

/// What a card says of a model: the settings of its network, and the hashes of its words and vectors.
pub(crate) fn for_card(settings: &impl Serialize, files: &toml::Table) -> toml::Table {
    let shape = toml::Value::try_from(settings).unwrap_or_else(|_| toml::Value::Table(toml::Table::new()));
    toml::Table::from_iter([(SHAPE.to_owned(), shape), (FILES.to_owned(), toml::Value::Table(files.clone()))])
}

/// The hashes of a model's words and vectors on its card: those of the files beside its parameters.
pub(crate) fn hashes_beside(card: &Card) -> toml::Table {
    let all = card.model.get(FILES).and_then(toml::Value::as_table).cloned().unwrap_or_default();
    all.into_iter().filter(|(name, _)| name != MODEL).collect()
}

/// The card of a model of this kind, and the settings of its network.
pub(crate) fn read_card<'a, S: DeserializeOwned>(
    files: impl Into<Files<'a>>,
    kind: &str,
) -> Result<(Card, S), ModelError> {
    let (path, bytes) = files.into().read(CARD)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| ModelError::broken(&path, "is not UTF-8"))?;
    let card = Card::from_toml(&path, text)?;
    if card.kind != kind {
        return Err(ModelError::broken(&path, format!("is of a model of kind `{}`, not `{kind}`", card.kind)));
    }
    let shape = card.model.get(SHAPE).cloned().ok_or_else(|| ModelError::broken(&path, format!("has no `{SHAPE}`")))?;
    let settings = shape
        .try_into()
        .map_err(|error: toml::de::Error| ModelError::broken(&path, format!("`{SHAPE}`: {}", error.message())))?;
    Ok((card, settings))
}

/// The file with the parameters, which must have at least so many.
pub(crate) fn parameters<'a>(
    files: impl Into<Files<'a>>,
    card: &Card,
    least: u64,
) -> Result<(PathBuf, Cow<'a, [u8]>), ModelError> {
    let (path, bytes) = checked(files, card, MODEL)?;
    if least > bytes.len() as u64 {
        // A card may say anything; no memory is asked for that the file could not fill.
        return Err(ModelError::broken(&path, "is too small for the sizes on its card"));
    }
    Ok((path, bytes))
}

/// The words of a model's directory and their vectors, which must be those that the card was written with.
pub(crate) fn read(directory: &Path, card: &Card) -> Result<(Vocabulary, Matrix<f32>), ModelError> {
    let vectors = read_vectors(directory, card)?;
    let missing = || ModelError::broken(&directory.join(VECTORS), "is not named on the model's card");
    Ok((read_words(directory, card)?, vectors.ok_or_else(missing)?))
}

/// The words alone.
pub(crate) fn read_words<'a>(files: impl Into<Files<'a>>, card: &Card) -> Result<Vocabulary, ModelError> {
    let (path, bytes) = checked(files, card, VOCABULARY)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| ModelError::broken(&path, "is not UTF-8"))?;
    Ok(Vocabulary::parse(text)?)
}

/// The vectors of the words, if the card says that there are any.
pub(crate) fn read_vectors(directory: &Path, card: &Card) -> Result<Option<Matrix<f32>>, ModelError> {
    if card.model.get(FILES).and_then(|files| files.get(VECTORS)).is_none() {
        return Ok(None);
    }
    let (path, bytes) = checked(directory, card, VECTORS)?;
    Ok(Some(read_matrix(&path, &bytes, &["embedding"])?))
}

/// A file, which must be the one that the card was written with. Those of the program itself are held against its card by a test.
pub(crate) fn checked<'a>(
    files: impl Into<Files<'a>>,
    card: &Card,
    name: &str,
) -> Result<(PathBuf, Cow<'a, [u8]>), ModelError> {
    let files = files.into();
    let (path, bytes) = files.read(name)?;
    if matches!(files, Files::Bundled(_)) {
        return Ok((path, bytes));
    }
    let signed = card.model.get(FILES).and_then(|files| files.get(name)).and_then(toml::Value::as_str);
    match signed {
        Some(signed) if signed == hash(&bytes) => Ok((path, bytes)),
        Some(_) => {
            Err(ModelError::broken(&path, "is not the file that the model was trained with: it was cut or exchanged"))
        }
        None => Err(ModelError::broken(&path, "is not named on the model's card")),
    }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
