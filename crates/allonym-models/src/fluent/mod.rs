//! What fluent releases are written with: a language model of public text, and words that can stand in the place of others.
//!
//! The language model decides what is cheap to write after what was released; near words are what is proposed beside the original one.

mod expectation;
mod files;
mod near;
mod propose;

pub use expectation::Written;
pub use files::Bundled;
pub use near::Near;
pub use propose::{FluentProposal, Taste};

use crate::language_model::LanguageModel;

/// The model.
#[derive(Debug)]
pub struct FluentModel {
    /// What is expected after a released text.
    pub language: LanguageModel,
    /// Which words are near each other.
    pub near: Near,
}

#[cfg(test)]
mod tests;
