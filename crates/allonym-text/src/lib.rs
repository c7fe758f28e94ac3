//! Texts as Allonym sees them: plain form, tokens with spans, sentences, a public vocabulary, and the way back to text.
//!
//! Everything here is a pure function of its input. Nothing is read, written, drawn or logged.
#![forbid(unsafe_code)]

mod detokenise;
mod document;
mod fold;
mod lexicon;
mod normalise;
mod private;
mod sentence;
mod tokenise;
pub mod vocabulary;

pub use detokenise::detokenise;
pub use document::{Document, Token, key};
pub use normalise::{Normalised, normalise};
pub use private::Private;
pub use tokenise::{Tokens, tokenise};
pub use vocabulary::Vocabulary;
