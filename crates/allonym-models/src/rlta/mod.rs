//! RLTA (Mosallanezhad, Beigi and Liu, EMNLP 2019), as the paper on ETE-Anon describes it: vectors of texts that keep a task and hide attributes of their authors.
//!
//! A recurrent network reads a text both ways; an attention that the task teaches decides which words count, and their weighted mean is the text's vector. An agent changes numbers of the
//! vector, so that a classifier of the task is as sure as it was and classifiers of private attributes (gender, age) are not. What is released is the vector; no text is
//! written from it. Nothing of this is a guarantee: it is measured.

mod encoder;
mod judge;
mod model;
mod network;
mod settings;
#[cfg(test)]
mod tests;
mod world;

pub use encoder::{Encoder, Labelled};
pub use judge::VectorJudge;
pub use model::{AttributeFound, Rlta, RltaMeasured};
pub use settings::RltaSettings;
pub use world::VectorWorld;
