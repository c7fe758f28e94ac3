//! Audits of a mechanism as it is used: with thousands of outcomes, in the public context of a real model.
//!
//! Not every pair of inputs can be tried. Inputs that prefer single outcomes (the most and the least expected, the first and the
//! last) and inputs without a preference are the extremes of every mechanism here; outcomes that none of them prefers are
//! counted in a few cells, which is an event like any other.

use super::black_box::{Halves, lower_bound};
use super::{Effort, Finding};
use crate::context::PublicContext;
use crate::mechanism::{Draw, Mechanism};
use crate::rng::{Entropy, Purpose};
use crate::statistics::{FALSE_ALARM, chi_squared_tail, g_statistic};
use allonym_text::Private;

/// From this number of outcomes on, not all inputs and outcomes are tried.
pub(super) const LARGE: u32 = 32;
/// Cells for the outcomes that no input prefers.
const REST: usize = 8;
/// Rounding of probabilities.
const SLACK: f64 = 1e-9;

/// Audits a mechanism with many outcomes in one public context.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Vec<Finding> {
    let outcomes = mechanism.outcomes() as usize;
    let preferred = preferred(outcomes, context.logits());
    let inputs = inputs(outcomes, &preferred);
    let cell = |outcome: usize| {
        let of_rest = preferred.len() + outcome * REST / outcomes;
        preferred.iter().position(|known| *known == outcome).unwrap_or(of_rest)
    };
    let cells = preferred.len() + REST;
    let mut findings = Vec::new();
    let stated: Option<Vec<Vec<f64>>> = inputs.iter().map(|scores| mechanism.distribution(scores, context)).collect();
    let claim = mechanism.loss().epsilon;
    if let Some(stated) = &stated {
        let mut found: f64 = 0.0;
        for (first, second) in stated.iter().flat_map(|first| stated.iter().map(move |second| (first, second))) {
            let losses = first.iter().zip(second).filter(|(p, _)| **p > 0.0).map(|(p, q)| (p / q).ln());
            found = losses.fold(found, f64::max);
        }
        findings.push(Finding::of_token_mechanism(mechanism, "exact", claim, found, found <= claim + SLACK));
    }
    let effort = Effort { draws: (effort.draws / 20).max(2), ..*effort };
    if let Some(stated) = &stated {
        let entropy = Entropy::reproducible(effort.seed);
        let mut least: f64 = 1.0;
        for ((index, scores), stated) in (0..).zip(&inputs).zip(stated) {
            let mut rng = entropy.stream(Purpose::Audit, (1 << 46) + index);
            let (mut counts, mut expected) = (vec![0; cells], vec![0.0; cells]);
            stated.iter().enumerate().for_each(|(outcome, p)| expected[cell(outcome)] += p);
            for _ in 0..effort.draws {
                counts[cell(mechanism.draw(Private::new(scores), context, &mut rng).value().position())] += 1;
            }
            least = least.min(chi_squared_tail(g_statistic(&counts, &expected), cells - 1));
        }
        let allowed = FALSE_ALARM / inputs.len() as f64;
        findings.push(Finding::of_token_mechanism(mechanism, "sampler", allowed, least, least >= allowed));
    }
    let counted = Halves::count(inputs.len(), cells, &effort, 1 << 47, |input, rng| {
        cell(mechanism.draw(Private::new(&inputs[input]), context, rng).value().position())
    });
    let found = lower_bound(&counted);
    findings.push(Finding::of_token_mechanism(mechanism, "black box", claim, found, found <= claim + 1e-12));
    findings
}

/// Outcomes that inputs prefer: the most and the least expected, the first, one in the middle and the last.
fn preferred(outcomes: usize, logits: &[f32]) -> Vec<usize> {
    let mut chosen = vec![0, outcomes / 2, outcomes - 1];
    if logits.len() == outcomes {
        let by_logit = |a: &usize, b: &usize| logits[*a].total_cmp(&logits[*b]);
        chosen.extend((0..outcomes).max_by(by_logit));
        chosen.extend((0..outcomes).min_by(by_logit));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// A score of 1 or 10,000 for each preferred outcome, and no preference at all.
fn inputs(outcomes: usize, preferred: &[usize]) -> Vec<Vec<f32>> {
    let mut inputs = vec![vec![0.0; outcomes], Vec::new()];
    for outcome in preferred {
        for (high, low) in [(1.0, 0.0), (1e4, -1e4)] {
            let mut scores = vec![low; outcomes];
            scores[*outcome] = high;
            inputs.push(scores);
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::audit_in;
    use crate::mechanism::{Fluent, Subset};

    const EFFORT: Effort = Effort { draws: 40_000, seed: 7 };

    #[test]
    fn mechanisms_with_many_outcomes_keep_their_claims() {
        let logits: Vec<f32> = (0..500).map(|outcome| -(outcome as f32) / 40.0).collect();
        let fluent = Fluent::new(3.0, 0.05, 4.0, 500).unwrap();
        let mut findings = audit_in(&fluent, &PublicContext::expecting(&logits), &EFFORT);
        findings.extend(audit_in(&Subset::new(3.0, 5, 500).unwrap(), &PublicContext::NONE, &EFFORT));
        assert_eq!(findings.len(), 6);
        assert!(findings.iter().all(|finding| finding.passed), "{findings:?}");
    }

    #[test]
    fn a_claim_that_is_too_small_is_found_among_many_outcomes() {
        /// Claims half of what it costs.
        #[derive(Debug)]
        struct Half(Subset);
        impl Mechanism for Half {
            fn name(&self) -> &'static str {
                "half"
            }
            fn claimed_by(&self) -> &'static str {
                "a test"
            }
            fn outcomes(&self) -> u32 {
                self.0.outcomes()
            }
            fn reads(&self) -> crate::mechanism::Reads {
                self.0.reads()
            }
            fn distribution(&self, scores: &[f32], context: &PublicContext<'_>) -> Option<Vec<f64>> {
                self.0.distribution(scores, context)
            }
            fn choose(
                &self,
                scores: &[f32],
                context: &PublicContext<'_>,
                rng: &mut crate::PrivacyRng,
            ) -> crate::Outcome {
                self.0.choose(scores, context, rng)
            }
            fn loss(&self) -> crate::Loss {
                crate::Loss { epsilon: self.0.loss().epsilon / 2.0, ..self.0.loss() }
            }
        }
        let findings = audit_in(&Half(Subset::new(6.0, 1, 500).unwrap()), &PublicContext::NONE, &EFFORT);
        let failed: Vec<_> = findings.iter().filter(|finding| !finding.passed).map(|finding| finding.layer).collect();
        assert_eq!(failed, ["exact", "black box"], "{findings:?}");
    }
}
