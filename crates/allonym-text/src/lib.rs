//! Texts as Allonym sees them: plain form, tokens with spans, sentences, a public vocabulary, and the way back to text.
//!
//! Every function on texts is a pure function of its input. Nothing is read, written, drawn or logged. Beside texts, the crate has the
//! [`Observer`] and the [`CancelToken`] that all long work of the workspace shares.
#![forbid(unsafe_code)]

mod cancel;
mod detokenise;
mod document;
mod fold;
mod lexicon;
mod normalise;
mod observer;
mod private;
mod sentence;
mod tokenise;
pub mod vocabulary;

pub use cancel::{CancelToken, Cancelled};
pub use detokenise::detokenise;
pub use document::{Document, Token, key};
pub use normalise::{Normalised, normalise};
pub use observer::{
    Activity, Cost, Event, Observer, Prefixed, Progress, Recorder, Silent, Stage, TrainingDetails, Unit, Warning,
    WarningCode,
};
pub use private::Private;
pub use tokenise::{Tokens, tokenise};
pub use vocabulary::Vocabulary;
