//! What can go wrong in a network. Messages name layers, shapes, steps and files, never a text.

use thiserror::Error;

/// An error of the neural core.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NnError {
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
    /// A file that cannot be read, or that holds something else.
    #[error("file `{file}`: {why}")]
    File {
        /// Its name.
        file: String,
        /// What is the matter with it.
        why: String,
    },
    /// A tensor of a file that is missing, or that is not what the model needs.
    #[error("file `{file}`: tensor `{tensor}` {why}")]
    Tensor {
        /// The file's name.
        file: String,
        /// The tensor's name.
        tensor: String,
        /// What is the matter with it.
        why: String,
    },
}

impl NnError {
    pub(crate) fn shape(
        layer: &str,
        what: &'static str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> Self {
        Self::Shape { layer: layer.to_owned(), what, found: found.to_string(), expected: expected.to_string() }
    }

    pub(crate) fn file(path: &std::path::Path, why: impl std::fmt::Display) -> Self {
        Self::File { file: path.display().to_string(), why: why.to_string() }
    }
}
