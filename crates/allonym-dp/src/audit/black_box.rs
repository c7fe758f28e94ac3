//! Layer C: a lower bound of the loss from draws alone.
//!
//! For each pair of inputs the most telling outcome is chosen on one half of the draws and measured on the other, with
//! Clopper and Pearson's bounds. What remains is a loss that the mechanism has, but for one false alarm in a million audits.

use super::inputs::for_draws;
use super::{Effort, Finding};
use crate::clopper_pearson::bounds;
use crate::mechanism::Mechanism;
use crate::rng::{Entropy, Purpose};
use crate::statistics::FALSE_ALARM;
use allonym_text::Private;

/// Counts of outcomes on the half that chooses and on the half that measures.
pub(super) struct Halves {
    choose: Vec<u64>,
    measure: Vec<u64>,
}

impl Halves {
    /// Counts outcomes of repeated draws.
    pub(super) fn count(outcomes: usize, draws: u64, mut draw: impl FnMut() -> usize) -> Self {
        let mut halves = Self { choose: vec![0; outcomes], measure: vec![0; outcomes] };
        for turn in 0..draws {
            let half = if turn % 2 == 0 { &mut halves.choose } else { &mut halves.measure };
            half[draw()] += 1;
        }
        halves
    }
}

/// The largest loss that any pair of inputs shows, at the common false-alarm rate.
pub(super) fn lower_bound(inputs: &[Halves]) -> f64 {
    let pairs = (inputs.len() * (inputs.len() - 1)) as f64;
    let confidence = 1.0 - FALSE_ALARM / pairs;
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
pub(super) fn audit(mechanism: &dyn Mechanism, effort: &Effort) -> Finding {
    let outcomes = mechanism.outcomes();
    let entropy = Entropy::reproducible(effort.seed);
    let counted: Vec<Halves> = for_draws(outcomes as usize)
        .iter()
        .enumerate()
        .map(|(index, scores)| {
            let mut record = (index as u64 + 1) << 48;
            Halves::count(outcomes as usize, effort.draws, || {
                // Each draw is a record with a stream of its own, as in a release.
                record += 1;
                let mut rng = entropy.stream(Purpose::Audit, record);
                *mechanism.draw(Private::new(scores), &mut rng).value() as usize
            })
        })
        .collect();
    let (claim, found) = (mechanism.loss().epsilon, lower_bound(&counted));
    Finding { mechanism: mechanism.name(), layer: "black box", outcomes, claim, found, passed: found <= claim + 1e-12 }
}
