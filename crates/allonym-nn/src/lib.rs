//! The neural core: the few layers that the models of the papers are made of, each with its exact gradient.
//!
//! Everything runs on the processor, in `f32` for work and in `f64` for checks. Sequences of different lengths stand in a batch
//! without padding ([`Sequences`]). Parameters live in one array ([`Store`]), so that optimisers and clipping cannot
//! miss one. Layers hand over what gradients are made of ([`Gradients`]): a private step gets the norm of every
//! example's gradient from it without forming that gradient.

mod buffer;
mod card;
pub mod checkpoint;
pub mod encoder;
pub mod engine;
mod error;
mod few;
mod gradient;
mod inference;
pub mod layer;
pub mod loss;
mod matrix;
pub mod optimiser;
mod product;
mod real;
pub mod sampling;
mod sequences;
pub mod sparse;
mod steady;
mod store;
pub mod streamed;
pub mod training;
mod vectorise;

pub use buffer::Buffer;
pub use card::{Card, Differential, Losses, Protection};
pub use error::NnError;
pub use gradient::{Clipped, Gradients, Later, Rows};
pub use inference::{Candidate, candidates, probabilities};
pub use matrix::{Matrix, View, ViewMut};
pub use product::{Into, multiply};
pub use real::Real;
pub use sequences::{Sequences, Shard};
pub use store::{Slot, Store, unit};
pub use vectorise::{largest, softmax as to_chances};
