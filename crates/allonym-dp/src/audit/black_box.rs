//! Layer C: a lower bound of the loss from draws alone.
//!
//! For each pair of inputs the most telling outcome is chosen on one half of the draws and measured on the other, with
//! Clopper and Pearson's bounds. What remains is a loss that the mechanism has, but for one false alarm in a million audits.

use super::inputs::for_draws;
use super::{Effort, Finding};
use crate::clopper_pearson::bounds;
use crate::context::PublicContext;
use crate::mechanism::{Draw, Mechanism};
use crate::rng::{Entropy, PrivacyRng, Purpose};
use crate::statistics::FALSE_ALARM;
use allonym_text::Private;

/// Counts of outcomes on the half that chooses and on the half that measures.
pub(super) struct Halves {
    choose: Vec<u64>,
    measure: Vec<u64>,
}

impl Halves {
    /// Counts outcomes of repeated draws, for each of some inputs.
    ///
    /// Every turn is a record with a stream of its own, as in a release, from which all inputs are drawn one after the
    /// other. The draws of one input are independent of each other, which is what the bounds need of them.
    pub(super) fn count(
        inputs: usize,
        outcomes: usize,
        effort: &Effort,
        first_record: u64,
        mut draw: impl FnMut(usize, &mut PrivacyRng) -> usize,
    ) -> Vec<Self> {
        let entropy = Entropy::reproducible(effort.seed);
        let mut counted: Vec<Self> =
            (0..inputs).map(|_| Self { choose: vec![0; outcomes], measure: vec![0; outcomes] }).collect();
        for turn in 0..effort.draws {
            let mut rng = entropy.stream(Purpose::Audit, first_record + turn);
            for (input, halves) in counted.iter_mut().enumerate() {
                let half = if turn % 2 == 0 { &mut halves.choose } else { &mut halves.measure };
                half[draw(input, &mut rng)] += 1;
            }
        }
        counted
    }
}

/// The largest loss that any pair of inputs shows, at the common false-alarm rate.
pub(super) fn lower_bound(inputs: &[Halves]) -> f64 {
    let pairs = (inputs.len() * (inputs.len() - 1)) as f64;
    // Every pair has two bounds that may fail.
    let confidence = 1.0 - FALSE_ALARM / (2.0 * pairs);
    let mut largest: f64 = 0.0;
    for (i, first) in inputs.iter().enumerate() {
        for (j, second) in inputs.iter().enumerate() {
            if i != j {
                largest = largest.max(loss(first, second, confidence));
            }
        }
    }
    largest
}

fn loss(first: &Halves, second: &Halves, confidence: f64) -> f64 {
    // Half a count more on both sides keeps outcomes that were never seen comparable.
    let telling = |outcome: &usize| (first.choose[*outcome] as f64 + 0.5) / (second.choose[*outcome] as f64 + 0.5);
    let Some(event) = (0..first.choose.len()).max_by(|a, b| telling(a).total_cmp(&telling(b))) else { return 0.0 };
    // Counts of real draws always have bounds.
    let between =
        |halves: &Halves| bounds(halves.measure[event], halves.measure.iter().sum(), confidence).unwrap_or((0.0, 1.0));
    let ((low, _), (_, high)) = (between(first), between(second));
    if low > 0.0 { (low / high).ln() } else { 0.0 }
}

/// Audits a mechanism by its draws.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Finding {
    let outcomes = mechanism.outcomes();
    let inputs = for_draws(outcomes as usize);
    let counted = Halves::count(inputs.len(), outcomes as usize, effort, 1 << 48, |input, rng| {
        mechanism.draw(Private::new(&inputs[input]), context, rng).value().position()
    });
    let (claim, found) = (mechanism.loss().epsilon, lower_bound(&counted));
    Finding { mechanism: mechanism.name(), layer: "black box", outcomes, claim, found, passed: found <= claim + 1e-12 }
}
