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
//! Every statistical check has a false-alarm rate of one in a million. Test doubles with known bugs
//! (`audit/mutants.rs`, for whole texts `audit/texts.rs`) show that each layer can fail.

mod black_box;
#[cfg(test)]
mod double;
mod exact;
#[cfg(test)]
mod fluent_texts;
mod inputs;
mod joint;
#[cfg(test)]
mod mutants;
mod sampler;
#[cfg(test)]
pub(crate) mod text_audit;
#[cfg(test)]
mod texts;

pub use inputs::extremal;

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
    /// How many outcomes the mechanism had.
    pub outcomes: u32,
    /// What the mechanism claims: its loss, or for the sampler the chance of a false alarm.
    pub claim: f64,
    /// What was found: a loss, or for the sampler the chance that a correct one would look like this.
    pub found: f64,
    /// Whether the claim stands.
    pub passed: bool,
}

/// Runs every layer on a mechanism with few outcomes; one that reads the public context, after several of them.
pub fn audit(mechanism: &dyn Mechanism, effort: &Effort) -> Vec<Finding> {
    let mut findings = audit_in(mechanism, &PublicContext::NONE, effort);
    if mechanism.reads_context() {
        for logits in contexts(mechanism.outcomes() as usize) {
            findings.extend(audit_in(mechanism, &PublicContext::expecting(&logits), effort));
        }
    }
    findings
}

/// Runs every layer on a mechanism with few outcomes in one public context, which is the same for all inputs.
pub fn audit_in(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Vec<Finding> {
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
