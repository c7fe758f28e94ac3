//! From texts to rows of numbers.

mod counts;
mod function_words;
mod ngrams;
mod sparse;
mod tf_idf;

pub(crate) use counts::hash as hash_of;
pub use function_words::{FUNCTION_WORDS, is_function_word};
pub use ngrams::{Ngrams, Unit};
pub use sparse::{Row, Sparse};
pub use tf_idf::{TfIdf, TfIdfSettings};
