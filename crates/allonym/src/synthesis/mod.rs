//! New texts that were never written, from private ones: a public language model is tuned to them with noise, and then writes.

mod labels;
mod pair;
mod plan;
mod settings;
mod statement;
mod synthesize;
mod unigram;
mod words;
mod write;
mod writer;

pub(crate) use pair::OneLabel;
pub use plan::Planned;
pub use settings::{Method, Names, SynthesisSettings};
pub use synthesize::{Synthesized, synthesize};
