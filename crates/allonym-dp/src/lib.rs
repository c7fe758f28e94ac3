//! The privacy core: randomness, mechanisms, and the guarantees that they give.
//!
//! Small on purpose. No float decides the draw of a token or of a latent vector ([`vector_noise`] is the one exception, and
//! says so), there is no code outside of Rust's checks, and the only way from [`Private`](allonym_text::Private) to
//! [`Released`] leads through a [`Mechanism`], through the noise of [`latent`] and [`vector_noise`],
//! through [`counts`], [`histogram`] and [`presence`], or through [`generalise`], which protects names alone and says so.
#![forbid(unsafe_code)]

pub mod accountant;
pub mod allocation;
pub mod audit;
pub mod clopper_pearson;
pub mod compose;
pub mod counts;
mod discrete;
mod error;
pub mod guarantee;
pub mod histogram;
pub mod latent;
mod length;
mod loss;
pub mod mechanism;
mod natural;
pub mod presence;
mod radial;
mod release;
mod release_fluently;
mod released;
mod rng;
pub mod statistics;
mod table;
pub mod vector_noise;

pub use error::DpError;
pub use guarantee::{Bound, ClaimedGuarantee, Guarantee};
pub use length::Length;
pub use loss::{Class, Loss};
pub use mechanism::Mechanism;
pub use release::{Proposer, Terms, release};
pub use release_fluently::{Drawing, Expectation, release_fluently};
pub use released::{Released, generalise, rewrite};
pub use rng::{Entropy, PrivacyRng, Purpose};
