//! From texts to rows of numbers.

mod counts;
mod ngrams;
mod sparse;
mod tf_idf;

pub use ngrams::{Ngrams, Unit};
pub use sparse::{Row, Sparse};
pub use tf_idf::{TfIdf, TfIdfSettings};
