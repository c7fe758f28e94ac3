//! Names in texts: people, places, organisations, and numbers that stand for one person.
//!
//! [`Recogniser`] finds them. Nothing here is private by itself: what is found belongs to the owner of the text.
#![forbid(unsafe_code)]

mod entity;
pub mod generalise;
mod given;
pub mod patterns;
mod recognise;
pub mod tagger;

pub use entity::{Entity, Kind, without_overlaps};
pub use given::given;
pub use recognise::Recogniser;
