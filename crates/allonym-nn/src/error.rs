//! What can go wrong in a network. Messages name layers, shapes, steps and files, never a text.

use thiserror::Error;

/// An error of the neural core.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NnError {
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] allonym_text::Cancelled),
    /// A layer that cannot be built, or that was given something of another shape.
    #[error("layer `{layer}`: {what} is {found}; it must be {expected}")]
    Shape {
        /// The layer's name.
        layer: String,
        /// Which number.
        what: &'static str,
        /// What it is.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// A token that the vocabulary does not have.
    #[error("layer `{layer}`: token {token} is outside the vocabulary of {vocabulary}")]
    Token {
        /// The layer's name.
        layer: String,
        /// The token.
        token: u32,
        /// How many there are.
        vocabulary: usize,
    },
    /// A sequence without tokens.
    #[error("sequence {index} of the batch has no tokens")]
    EmptySequence {
        /// Its place in the batch, counted from 0.
        index: usize,
    },
    /// A batch without sequences.
    #[error("the batch has no sequences")]
    EmptyBatch,
    /// A number that is none.
    #[error("{what} has a value that is not a number, at {place}")]
    NotFinite {
        /// What holds it.
        what: String,
        /// Where.
        place: String,
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
    /// A file that cannot be read or written.
    #[error("`{file}`: {source}")]
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
    /// A file whose tensor is missing, or is of another size or kind than the model's.
    #[error("`{file}`: tensor `{tensor}` is {found}; the model has {expected}")]
    Tensor {
        /// The file.
        file: String,
        /// The tensor.
        tensor: String,
        /// What the file has.
        found: String,
        /// What the model has.
        expected: String,
    },
    /// A tensor of a file that is missing, or that is not what the model needs.
    #[error("file `{file}`: tensor `{tensor}` {why}")]
    Unfit {
        /// The file's name.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// What is the matter with it.
        why: String,
    },
    /// A card of a later version than this program knows.
    #[error("`{file}` has version {found}; this program reads up to {known}")]
    LaterVersion {
        /// The file.
        file: String,
        /// Its version.
        found: i64,
        /// The last version known.
        known: i64,
    },
    /// A run that went out of bounds.
    #[error("{what} of step {step} is not a number; {}", match checkpoint {
        Some(name) => format!("the last good checkpoint is `{name}`"),
        None => "no checkpoint was written before".to_owned(),
    })]
    Diverged {
        /// Which number.
        what: &'static str,
        /// The step, counted from 1.
        step: u64,
        /// The last good checkpoint.
        checkpoint: Option<String>,
    },
    /// Something that is possible and not allowed.
    #[error("{what}; {hint}")]
    Refused {
        /// What was asked for.
        what: String,
        /// What can be done instead.
        hint: &'static str,
    },
    /// The privacy core refused.
    #[error(transparent)]
    Privacy(#[from] allonym_dp::DpError),
}

impl NnError {
    /// What went wrong with a file.
    pub(crate) fn file(path: &std::path::Path) -> impl Fn(std::io::Error) -> Self + '_ {
        |source| Self::File { file: path.display().to_string(), source }
    }

    pub(crate) fn broken(path: &std::path::Path, problem: impl Into<String>) -> Self {
        Self::Broken { file: path.display().to_string(), problem: problem.into() }
    }

    /// A file of a model that cannot be used.
    pub(crate) fn unusable(path: &std::path::Path, why: impl std::fmt::Display) -> Self {
        Self::broken(path, why.to_string())
    }

    /// A layer whose number is not what it must be.
    pub fn shape(
        layer: &str,
        what: &'static str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        Self::Shape { layer: layer.to_owned(), what, found: found.to_string(), expected: expected.to_string() }
    }
}
