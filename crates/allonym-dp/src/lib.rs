//! The privacy core: randomness, mechanisms, accounting, guarantees, audits, and the types under which a value may leave.
//!
//! Small on purpose. No float decides the draw of a token or of a latent vector ([`vector_noise`] is the one exception, and
//! says so), and there is no unsafe code. A [`Private`](allonym_text::Private) value becomes [`Released`] only through a
//! [`Mechanism`], through the noise of [`latent`] and [`vector_noise`], or through [`counts`], [`histogram`] and [`presence`].
//! A [`Rewriter`] yields [`Rewritten`] values, for which nothing is promised.
#![forbid(unsafe_code)]

pub mod accountant;
pub mod allocation;
pub mod audit;
pub mod clopper_pearson;
pub mod compose;
mod context;
pub mod counts;
mod discrete;
mod error;
mod exit;
pub mod guarantee;
pub mod histogram;
pub mod latent;
mod length;
mod loss;
pub mod mechanism;
mod natural;
mod outcome;
pub mod presence;
mod radial;
mod release;
mod rng;
pub mod statistics;
mod table;
mod terms;
pub mod vector_noise;

pub use context::PublicContext;
pub use error::DpError;
pub use exit::{Exit, ExitText, ForOwner, Released, Rewriter, Rewritten, Synthetic, rewrite, rewrite_batch};
pub use guarantee::{Bound, ClaimedGuarantee, Guarantee};
pub use length::Length;
pub use loss::{Class, Loss};
pub use mechanism::{Draw, Mechanism};
pub use outcome::Outcome;
pub use release::{Drawing, Expectation, NoExpectation, Proposer, release};
pub use rng::{Entropy, PrivacyRng, Purpose};
pub use terms::Terms;
