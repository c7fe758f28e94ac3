//! The models of the papers.
//!
//! A model proposes: for every step of a release it scores all outcomes, and a mechanism of `allonym-dp` draws one. What a model proposes
//! is private, and no guarantee depends on it: a bad model costs usefulness, never privacy. What it was *trained on* is another
//! matter, and stands on its card.

pub mod adept;
mod embeddings;
pub mod er_ae;
mod error;
pub mod ete_anon;
pub mod fluent;
mod groups;
mod known_words;
pub mod language_model;
pub mod lexical;
mod model_files;
pub mod rlta;
mod sampled;
pub mod seeded;
#[cfg(test)]
mod testing;
pub mod tuned;

pub use embeddings::{Embeddings, Filled};
pub use error::ModelError;

pub use sampled::{Sampling, Written};
