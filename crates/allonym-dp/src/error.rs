//! What can go wrong in the privacy core. Messages carry settings and names, never text.

use thiserror::Error;

/// An error of the privacy core.
#[derive(Debug, Error, PartialEq)]
pub enum DpError {
    /// The operating system gave no randomness.
    #[error("the operating system gave no randomness; nothing was drawn")]
    NoEntropy,
    /// A name that is not in the catalogue.
    #[error("there is no mechanism `{name}`; known: {known}")]
    UnknownMechanism {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
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
