//! The mechanisms, one file each, and their catalogue.
//!
//! Adding one: copy `exponential.rs`, write the guarantee and its proof first, add the type to the list in `mechanisms!`
//! below. The command line, the docs, the audits and the conformance suite take it from there.

mod band;
mod band_lambda;
mod clipped_logit;
mod exponential;
mod floored;
mod fluent;
mod metric;
mod parameters;
mod random;
mod randomized_response;
mod subset;
mod syntf;
mod two_set;
mod two_set_law;

pub use band::{Band, Base};
pub use clipped_logit::ClippedLogit;
pub use exponential::Exponential;
pub use floored::Floored;
pub use fluent::{Expected, Fluent};
pub use metric::Metric;
pub use parameters::{MOST_EPSILON, Parameters};
pub use random::Random;
pub use randomized_response::RandomizedResponse;
pub use subset::Subset;
pub use syntf::SynTf;
pub use two_set::TwoSet;

use crate::context::PublicContext;
use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::loss::{Class, Loss};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use allonym_text::Private;
use std::fmt;

/// What a mechanism takes its scores for. Anything else a score may be (not a number, infinite, too few of them) is
/// harmless: the guarantee holds for all scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Nothing: scores are not looked at.
    Nothing,
    /// Only which scores are highest.
    Order,
    /// Probabilities that sum to at most one.
    Probabilities,
    /// Logits, around zero.
    Logits,
    /// Ratings in [0, 1], each for itself.
    Ratings,
    /// Distances from the original token.
    Distances,
}

/// Chooses one outcome from scores that depend on the original text.
///
/// Other crates may implement it: the release loop, the accounting and the audits treat every mechanism alike, only
/// [`Draw::draw`] turns what it chose into a [`Released`] value, and the statement names the crate that
/// [claims](Mechanism::claimed_by) the loss.
pub trait Mechanism: Send + Sync + fmt::Debug {
    /// The name in catalogues and statements.
    fn name(&self) -> &'static str;

    /// The crate that claims the loss: `env!("CARGO_PKG_NAME")`.
    fn claimed_by(&self) -> &'static str;

    /// How many outcomes a draw has.
    fn outcomes(&self) -> u32;

    /// What the scores are taken for.
    fn reads(&self) -> Reads;

    /// Whether draws depend on the public context.
    fn reads_context(&self) -> bool {
        false
    }

    /// The exact probability of each outcome for given scores, where it can be enumerated. Audits compare draws with it,
    /// and pairs of inputs by it.
    fn distribution(&self, scores: &[f32], context: &PublicContext<'_>) -> Option<Vec<f64>>;

    /// Chooses an outcome. Called by [`Draw::draw`] only.
    fn choose(&self, scores: &[f32], context: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome;

    /// The privacy loss of one draw.
    fn loss(&self) -> Loss;

    /// The probability that a good token is drawn when the proposal could not be better, where no token is expected more
    /// than another.
    fn survival(&self) -> f64 {
        let others = f64::from(self.outcomes() - 1);
        match self.loss().class {
            Class::Independent => 1.0 / (others + 1.0),
            Class::Band { hit } => hit,
            Class::BoundedRange { range } => 1.0 / (1.0 + others * (-range / 2.0).exp()),
        }
    }

    /// What the mechanism's source prints as the loss of one draw, where it differs from the truth.
    fn paper_epsilon(&self) -> Option<f64> {
        None
    }
}

/// The one step from private scores to a released outcome. Implemented for every mechanism, and by nothing else.
pub trait Draw: Mechanism {
    /// Draws an outcome. An index that the mechanism does not have is replaced by the last one, which is post-processing.
    fn draw(&self, scores: Private<&[f32]>, context: &PublicContext<'_>, rng: &mut PrivacyRng) -> Released<Outcome> {
        let last = self.outcomes().saturating_sub(1);
        scores.draw(|scores| Outcome::new(self.choose(scores, context, rng).index().min(last)))
    }
}

impl<M: Mechanism + ?Sized> Draw for M {}

type Build = fn(&Parameters, outcomes: u32) -> Result<Box<dyn Mechanism>, DpError>;

/// A line of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name on the command line and in files.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The parameters that it reads; `epsilon` stands for `epsilon-per-token` too.
    pub parameters: &'static [&'static str],
    build: Build,
}

impl Entry {
    /// Makes the mechanism for a number of outcomes.
    ///
    /// # Errors
    /// When a parameter is missing, out of range or not read, or there are fewer than two outcomes.
    pub fn build(&self, parameters: &Parameters, outcomes: u32) -> Result<Box<dyn Mechanism>, DpError> {
        parameters.check_known(self.name, self.parameters)?;
        if outcomes < 2 {
            return Err(DpError::Setting { setting: "vocabulary", value: outcomes.to_string(), allowed: "2 or more" });
        }
        (self.build)(parameters, outcomes)
    }
}

macro_rules! mechanisms {
    ($($mechanism:ident),+ $(,)?) => {
        /// Every mechanism there is.
        pub const CATALOGUE: &[Entry] = &[$(Entry {
            name: $mechanism::NAME,
            summary: $mechanism::SUMMARY,
            parameters: $mechanism::READS,
            build: |parameters, outcomes| Ok(Box::new($mechanism::build(parameters, outcomes)?)),
        }),+];
    };
}

mechanisms! { Random, Exponential, TwoSet, RandomizedResponse, Subset, Band, Fluent, ClippedLogit, Floored, Metric, SynTf }

/// The catalogue's line for a name.
///
/// # Errors
/// When there is no such mechanism.
pub fn entry(name: &str) -> Result<&'static Entry, DpError> {
    CATALOGUE.iter().find(|entry| entry.name == name).ok_or_else(|| DpError::UnknownMechanism {
        name: name.to_owned(),
        known: CATALOGUE.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })
}

/// Makes a mechanism by its name.
///
/// # Errors
/// When there is no such mechanism, or its parameters do not fit.
pub fn by_name(name: &str, parameters: &Parameters, outcomes: u32) -> Result<Box<dyn Mechanism>, DpError> {
    entry(name)?.build(parameters, outcomes)
}
