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
use std::ops::Range;

/// Counts of outcomes on the half that chooses and on the half that measures.
pub(super) struct Halves {
    pub(super) choose: Vec<u64>,
    measure: Vec<u64>,
}

impl Halves {
    /// No draws yet of so many outcomes.
    pub(super) fn new(outcomes: usize) -> Self {
        Self { choose: vec![0; outcomes], measure: vec![0; outcomes] }
    }

    /// Counts an outcome; every second turn measures.
    pub(super) fn add(&mut self, turn: u64, outcome: usize) {
        let half = if turn.is_multiple_of(2) { &mut self.choose } else { &mut self.measure };
        half[outcome] += 1;
    }

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
        let mut counted: Vec<Self> = (0..inputs).map(|_| Self::new(outcomes)).collect();
        for turn in 0..effort.draws {
            let mut rng = entropy.stream(Purpose::Audit, first_record + turn);
            for (input, halves) in counted.iter_mut().enumerate() {
                halves.add(turn, draw(input, &mut rng));
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
    lower_bound_of_event([first, second], event..event + 1, 0.0, confidence)
}

/// The epsilon that a set of outcomes shows on the measuring halves, at a delta: ln((p - delta) / q), with p bounded
/// from below and q from above, each with `confidence`.
pub(super) fn lower_bound_of_event(
    [first, second]: [&Halves; 2],
    event: Range<usize>,
    delta: f64,
    confidence: f64,
) -> f64 {
    let between = |halves: &Halves| {
        let count = halves.measure[event.clone()].iter().sum();
        // Counts of real draws always have bounds.
        bounds(count, halves.measure.iter().sum(), confidence).unwrap_or((0.0, 1.0))
    };
    let ((low, _), (_, high)) = (between(first), between(second));
    if low > delta { ((low - delta) / high).ln() } else { 0.0 }
}

/// Audits a mechanism by its draws.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Finding {
    let outcomes = mechanism.outcomes();
    let inputs = for_draws(outcomes as usize);
    let counted = Halves::count(inputs.len(), outcomes as usize, effort, 1 << 48, |input, rng| {
        mechanism.draw(Private::new(&inputs[input]), context, rng).value().position()
    });
    let (claim, found) = (mechanism.loss().epsilon, lower_bound(&counted));
    Finding::of_token_mechanism(mechanism, "black box", claim, found, found <= claim + 1e-12)
}
