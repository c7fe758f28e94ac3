//! What a release still says: how near it comes to its original, in meaning, in words, in length and in fluency.

mod averaged;
mod bleu;
mod copied;
mod fluency;
mod label;
mod overlap;
mod remembered;
mod similarity;

pub use averaged::Averaged;
pub use bleu::bleu;
pub use copied::{Copied, Piece, Pieces};
pub use fluency::{Fluency, WordModel};
pub use label::label_kept;
pub use overlap::{Words, words_kept};
pub use remembered::Remembered;
pub use similarity::similarities;

use allonym_text::Document;

/// The tokens of a text, in lower case.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    Document::read(text).tokens().map(|token| token.key().into_owned()).collect()
}
