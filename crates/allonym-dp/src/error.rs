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
    /// A mechanism needs an epsilon.
    #[error("the mechanism needs `epsilon` or `epsilon-per-token`")]
    MissingEpsilon,
    /// Both epsilons were given.
    #[error("`epsilon` and `epsilon-per-token` are two ways to say the same; give one")]
    TwoEpsilons,
    /// A parameter that the mechanism does not read.
    #[error("`{mechanism}` does not read `{parameter}`")]
    NotRead {
        /// The parameter.
        parameter: &'static str,
        /// The mechanism.
        mechanism: &'static str,
    },
    /// No setting of a mechanism is cheap enough.
    #[error("`{mechanism}` cannot keep to a total of {total}: its least is {least:.4}")]
    NothingFits {
        /// The mechanism.
        mechanism: &'static str,
        /// The total asked for.
        total: f64,
        /// The least total that it can have.
        least: f64,
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
    /// A bound that is larger than any number.
    #[error("no finite epsilon bounds this; add noise or draw less often")]
    Unbounded,
}
