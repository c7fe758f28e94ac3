//! The layers that models are made of.

mod attention;
mod dropout;
mod embedding;
mod generation;
mod gru;
mod linear;
mod lstm;
mod orthogonal;
mod recurrent;

pub use attention::{Attended, attend};
pub use dropout::{Dropout, scale, word_dropout};
pub use embedding::Embedding;
pub use generation::States;
pub use linear::Linear;
pub use recurrent::{Kind, Recurrent, RecurrentBack, RecurrentTrace, Shape};
