//! Layer A: the stated distributions of extremal inputs, compared pair by pair.

use super::{Finding, extremal};
use crate::context::PublicContext;
use crate::mechanism::Mechanism;

/// How far below the claim the largest loss may stay, and how far above the arithmetic may err.
const SLACK: f64 = 1e-9;

/// Compares all pairs; `None` when the distribution cannot be enumerated.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>) -> Option<Finding> {
    let outcomes = mechanism.outcomes();
    let distributions: Option<Vec<Vec<f64>>> =
        extremal(outcomes as usize).iter().map(|scores| mechanism.distribution(scores, context)).collect();
    let distributions = distributions?;
    let mut found: f64 = 0.0;
    for first in &distributions {
        for second in &distributions {
            for (p, q) in first.iter().zip(second) {
                // An outcome that is possible for one input only is an infinite loss.
                let loss = if *p > 0.0 { (p / q).ln() } else { f64::NEG_INFINITY };
                found = found.max(loss);
            }
        }
    }
    let claim = mechanism.loss().epsilon;
    let passed = found <= claim + SLACK && found >= claim - SLACK;
    Some(Finding::of_token_mechanism(mechanism, "exact", claim, found, passed))
}
