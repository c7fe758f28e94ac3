//! The privacy core: randomness, mechanisms, and the guarantees that they give.
//!
//! Small on purpose, so that it can be read in an evening. No float decides a draw, nothing here is `unsafe`, and the
//! only way from [`Private`](allonym_text::Private) to [`Released`] leads through a [`Mechanism`].
#![forbid(unsafe_code)]

mod error;
mod guarantee;
mod length;
pub mod mechanism;
mod release;
mod released;
mod rng;
pub mod statistics;

pub use error::DpError;
pub use guarantee::{Guarantee, Strength};
pub use length::Length;
pub use mechanism::Mechanism;
pub use release::{Proposer, Terms, guarantee, release};
pub use released::Released;
pub use rng::{Entropy, PrivacyRng, Purpose};
