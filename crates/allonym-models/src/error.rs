//! What can go wrong with a model. Messages name files, lines and settings, never a text.

use allonym_dp::DpError;
use allonym_nn::NnError;
use allonym_text::vocabulary::VocabularyError;
use std::path::Path;
use thiserror::Error;

/// An error of a model.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The neural core refused.
    #[error(transparent)]
    Network(#[from] NnError),
    /// The privacy core refused.
    #[error(transparent)]
    Privacy(#[from] DpError),
    /// The vocabulary of a model is not one.
    #[error("the vocabulary of the model: {0}")]
    Vocabulary(#[from] VocabularyError),
    /// A file that cannot be read.
    #[error("cannot read `{file}`: {source}")]
    File {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file that is not what it should be.
    #[error("`{file}` {problem}")]
    Broken {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A setting outside its range.
    #[error("`{setting}` is {value}; it must be {allowed}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
}

/// Checks that sizes are at least 1, and at most something: name, value, most, and that in words.
pub(crate) fn check_sizes(sizes: &[(&'static str, usize, usize, &'static str)]) -> Result<(), ModelError> {
    match sizes.iter().find(|(_, value, most, _)| !(1..=*most).contains(value)) {
        Some((setting, value, _, allowed)) => Err(ModelError::Setting { setting, value: value.to_string(), allowed }),
        None => Ok(()),
    }
}

impl ModelError {
    pub(crate) fn file(path: &Path) -> impl Fn(std::io::Error) -> Self + '_ {
        move |source| Self::File { file: path.display().to_string(), source }
    }

    pub(crate) fn broken(path: &Path, problem: impl Into<String>) -> Self {
        Self::Broken { file: path.display().to_string(), problem: problem.into() }
    }
}
