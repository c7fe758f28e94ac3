//! Audits: does a mechanism keep what it claims?
//!
//! Four layers, each of which finds bugs that the others cannot:
//! - **exact**: the stated distribution, over inputs at the edges, never exceeds the claim, and attains it (a loose claim
//!   would hide bugs);
//! - **sampler**: draws follow the stated distribution;
//! - **black box**: draws alone, without looking at the stated distribution, do not show a larger loss;
//! - **joint**: two draws of one text together do not show a larger loss than two draws cost. Random words that are used
//!   twice, or replacements that are remembered, show up here and nowhere else.
//!
//! What claims a bound without drawing tokens (noise on vectors and on counts) is [`Auditable`]: it is run on pairs of adjacent
//! inputs, and an event of its releases shows a lower bound of its epsilon at its delta; where the distribution of the noise is
//! stated, draws are tested against it.
//!
//! Every statistical check has a false-alarm rate of one in a million. Test doubles with known bugs
//! (`audit/mutants.rs`, for whole texts `audit/texts.rs`, for noise `mutants.rs` beside each mechanism) show that each
//! layer can fail.

mod auditable;
mod black_box;
mod case;
#[cfg(test)]
mod double;
mod exact;
#[cfg(test)]
mod fluent_texts;
mod inputs;
mod joint;
mod large;
#[cfg(test)]
mod mutants;
mod noise_subjects;
mod sampler;
mod stated;
mod statistics_of_release;
#[cfg(test)]
pub(crate) mod text_audit;
#[cfg(test)]
mod texts;

pub use auditable::{Adjacency, Auditable};
pub use case::{Case, Run, Side};
pub use inputs::extremal;
pub use noise_subjects::{NOISE_SUBJECTS, NoiseSubject, audit_noise, noise_subject};
pub use stated::Stated;

use crate::context::PublicContext;
use crate::mechanism::Mechanism;
use serde::Serialize;

/// How thorough an audit is.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Draws for each input of a statistical layer.
    pub draws: u64,
    /// The stream of random numbers that the audit uses: an audit can be repeated.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { draws: 100_000, seed: 7 }
    }
}

/// What one layer found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The mechanism.
    pub mechanism: &'static str,
    /// The layer.
    pub layer: &'static str,
    /// Which inputs the claim compares.
    pub adjacency: Adjacency,
    /// How many outcomes the mechanism had; for noise on vectors and counts, the coordinates of a release.
    pub outcomes: u32,
    /// What the mechanism claims: its loss, or for the sampler the chance of a false alarm.
    pub claim: f64,
    /// The delta of the claim; 0 for the sampler.
    pub delta: f64,
    /// What was found: a loss, or for the sampler the chance that a correct one would look like this.
    pub found: f64,
    /// Whether the claim stands.
    pub passed: bool,
}

impl Finding {
    /// What a layer found about a mechanism that draws tokens: any two texts are adjacent, and delta is 0.
    pub(crate) fn of_token_mechanism(
        mechanism: &dyn Mechanism,
        layer: &'static str,
        claim: f64,
        found: f64,
        passed: bool,
    ) -> Self {
        let (adjacency, outcomes) = (Adjacency::AnyTwo, mechanism.outcomes());
        Self { mechanism: mechanism.name(), layer, adjacency, outcomes, claim, delta: 0.0, found, passed }
    }
}

/// Runs every layer on a mechanism; one that reads the public context, in several of them.
pub fn audit(mechanism: &dyn Mechanism, effort: &Effort) -> Vec<Finding> {
    let mut findings = audit_in(mechanism, &PublicContext::NONE, effort);
    if mechanism.reads_context() {
        for logits in contexts(mechanism.outcomes() as usize) {
            findings.extend(audit_in(mechanism, &PublicContext::expecting(&logits), effort));
        }
    }
    findings
}

/// Runs every layer on a mechanism in one public context, which is the same for all inputs. With many outcomes not every input
/// is tried.
pub fn audit_in(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Vec<Finding> {
    if mechanism.outcomes() >= large::LARGE {
        return large::audit(mechanism, context, effort);
    }
    let mut findings = Vec::new();
    findings.extend(exact::audit(mechanism, context));
    findings.extend(sampler::audit(mechanism, context, effort));
    findings.push(black_box::audit(mechanism, context, effort));
    findings.push(joint::audit(mechanism, context, effort));
    findings
}

/// Public logits at which a mechanism that reads them is audited: falling, and with one outcome nearly certain.
fn contexts(outcomes: usize) -> [Vec<f32>; 2] {
    let falling = (0..outcomes).map(|outcome| -(outcome as f32)).collect();
    let certain = (0..outcomes).map(|outcome| if outcome == 1 { 9.0 } else { 0.0 }).collect();
    [falling, certain]
}
