//! The referee: what an attacker still finds in a release, and what the text still says.
//!
//! Texts become sparse rows of features ([`features`]), classifiers learn from rows ([`classify`]). Everything runs on the owner's machine,
//! on originals and releases side by side, and on the output of any tool.
#![forbid(unsafe_code)]

pub mod attack;
pub mod attacker;
pub mod classify;
mod error;
pub mod explain;
pub mod features;
pub mod measure;
pub mod report;
pub mod utility;

pub use error::EvalError;
