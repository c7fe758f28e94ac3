//! Names replaced by what many share: a city by its country, a person by a star.

mod cut;
mod hierarchy;
mod ladder;
mod mentions;

pub use cut::{Value, k_anonymous, shared};
pub use hierarchy::{Hierarchy, HierarchyError};
pub use ladder::{LAST, Ladders, NOTHING, STAR, initials};
pub use mentions::{Elsewhere, Mention, mentions, rewritten};
