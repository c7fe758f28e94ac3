//! From texts to rows of numbers.

mod counts;
mod frequent_words;
mod function_words;
mod ngrams;
mod residual_idf;
mod sparse;
mod stylometric;
mod tf_idf;

pub(crate) use counts::{HashMap as ByHash, hash as hash_of};
pub use frequent_words::FrequentWords;
pub use function_words::{FUNCTION_WORDS, is_function_word};
pub use ngrams::{Ngrams, Unit};
pub use residual_idf::{ResidualIdf, residual_idf};
pub(crate) use sparse::to_unit_length;
pub use sparse::{Row, Sparse};
pub use stylometric::{FEATURES, Feature, FeatureChange, Group, Standardised, StyleChange, style_change, stylometric};
pub use tf_idf::{TfIdf, TfIdfSettings};
