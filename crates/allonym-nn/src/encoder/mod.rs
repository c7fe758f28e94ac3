//! Sentence encoders: trained networks that turn a text into a vector, for measuring how near two texts are.
//!
//! They only compute; they are not trained here. Weights come from a directory that the user has ([`Bert`] reads
//! all-MiniLM-L6-v2 and its like, [`UseLite`] the Universal Sentence Encoder Lite). Texts of a batch are packed without padding
//! and divided among threads, so that the vector of a text does not depend on its neighbours.
//!
//! A vector says much about its text: it is as private as the text.

mod activation;
mod attention;
mod bert;
mod bert_settings;
mod dense;
mod norm;
mod packed;
mod unigram;
mod use_lite;
mod weights;
mod word_piece;

pub use bert::Bert;
pub use unigram::Unigram;
pub use use_lite::UseLite;
pub use word_piece::WordPiece;

use crate::error::NnError;
use crate::matrix::Matrix;

/// A network that turns texts into vectors of length 1.
pub trait SentenceEncoder: Send + Sync {
    /// How many numbers a vector has.
    fn dimension(&self) -> usize;

    /// The vectors of texts, one in a row, on up to `threads` threads.
    ///
    /// # Errors
    /// When a vector has a number that is none, which damaged weights can cause.
    fn encode(&self, texts: &[&str], threads: usize) -> Result<Matrix<f32>, NnError>;
}
