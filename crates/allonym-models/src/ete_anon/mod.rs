//! ETE-Anon (Bale, Klement and Hamsioglu 2021): an auto-encoder of short sequences, and an agent that changes its context.
//!
//! A recurrent encoder reads a sequence of at most twenty words; what its layers hold then, the context, is where the decoder begins to write. An agent
//! changes numbers of the context so that what is written tells less of its author to an attacker and as much of its sentiment to an analyst.
//! Nothing of this is a guarantee: it is measured.

mod auto_encoder;
mod decode;
mod files;
mod network;
mod settings;
#[cfg(test)]
mod tests;

pub use auto_encoder::{AutoEncoder, Text};
pub use decode::Reconstruction;
pub use settings::{AutoEncoderSettings, PRESETS, Preset};
