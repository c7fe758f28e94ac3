//! The mechanisms, one file each, and their catalogue.
//!
//! Adding one: copy `random.rs`, write the guarantee first, add the type to the list in `mechanisms!` below. The
//! command line, the docs and the conformance suite (`tests/conformance.rs`) take it from there.

mod random;

pub use random::Random;

use crate::error::DpError;
use crate::guarantee::Guarantee;
use crate::release::Terms;
use crate::released::Released;
use crate::rng::PrivacyRng;
use allonym_text::Private;
use std::fmt;

/// Draws one token of a release from scores that depend on the original text.
pub trait Mechanism: Send + Sync + fmt::Debug {
    /// The name in the catalogue.
    fn name(&self) -> &'static str;

    /// How many outcomes a draw has.
    fn outcomes(&self) -> u32;

    /// The exact probability of each outcome for given scores. Audits compare draws with it and pairs of inputs by it.
    fn distribution(&self, scores: &[f32]) -> Vec<f64>;

    /// Draws an outcome.
    fn draw(&self, scores: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32>;

    /// What a whole record released under these terms is promised.
    fn guarantee(&self, terms: &Terms) -> Guarantee;
}

/// A line of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Makes the mechanism for a number of outcomes.
    pub build: fn(outcomes: u32) -> Result<Box<dyn Mechanism>, DpError>,
}

macro_rules! mechanisms {
    ($($mechanism:ident),+ $(,)?) => {
        /// Every mechanism there is.
        pub const CATALOGUE: &[Entry] = &[$(Entry {
            name: $mechanism::NAME,
            summary: $mechanism::SUMMARY,
            build: |outcomes| Ok(Box::new($mechanism::for_outcomes(outcomes)?)),
        }),+];
    };
}

mechanisms! { Random }

/// Makes a mechanism by its name.
///
/// # Errors
/// When there is no such mechanism, or it cannot work with so few outcomes.
pub fn by_name(name: &str, outcomes: u32) -> Result<Box<dyn Mechanism>, DpError> {
    let entry = CATALOGUE.iter().find(|entry| entry.name == name).ok_or_else(|| DpError::UnknownMechanism {
        name: name.to_owned(),
        known: CATALOGUE.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })?;
    (entry.build)(outcomes)
}
