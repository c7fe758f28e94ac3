//! Noisy sums of presence with a bug each, and the proof that the audit finds every one.

use super::{Presence, WHOLE};
use crate::audit::{Adjacency, Case, Side};
use crate::discrete::gaussian;
use crate::rng::PrivacyRng;

const DELTA: f64 = 0.01;

fn right() -> Presence {
    Presence::new(1.0).unwrap()
}

/// One record more, which has an outcome three times.
fn repeated(presence: &Presence) -> Case<'_> {
    presence.case(Adjacency::AddRemove, DELTA, [vec![], vec![vec![0, 0, 0]]])
}

/// Releases of what the record that is added would give, with this variance in grains.
fn releases(given: [f64; 3], variance: u64) -> impl Fn(Side, &mut PrivacyRng) -> Vec<f64> {
    move |side, rng| {
        let there = f64::from(u8::from(side == Side::Second));
        given.map(|given| there * given + gaussian(variance, rng) as f64 / WHOLE as f64).to_vec()
    }
}

fn caught(case: &Case<'_>) -> bool {
    case.failed().contains(&"black box")
}

#[test]
fn the_real_one_passes() {
    let presence = right();
    assert!(repeated(&presence).failed().is_empty());
    assert!(!caught(&repeated(&presence).of_double(releases([1.0, 0.0, 0.0], presence.variance))));
}

#[test]
fn an_outcome_that_counts_as_often_as_it_occurs_would_be_found() {
    let presence = right();
    assert!(caught(&repeated(&presence).of_double(releases([3.0, 0.0, 0.0], presence.variance))));
}

#[test]
fn weights_that_are_not_divided_by_their_norm_would_be_found() {
    // Weights 1, 1, 2 as they are: a norm of sqrt 6.
    let presence = right();
    let case = presence.case(Adjacency::AddRemove, DELTA, [vec![], vec![vec![0, 1, 2]]]);
    assert!(case.failed().is_empty());
    assert!(caught(&case.of_double(releases([1.0, 1.0, 2.0], presence.variance))));
}

#[test]
fn weights_divided_by_the_largest_would_be_found() {
    // Equal weights over the largest of them remain 1, 1, 1: a norm of sqrt 3.
    let presence = right();
    let case = presence.case(Adjacency::AddRemove, DELTA, [vec![], vec![vec![0, 1, 2]]]);
    assert!(caught(&case.of_double(releases([1.0, 1.0, 1.0], presence.variance))));
}

#[test]
fn halved_noise_would_be_found() {
    let presence = right();
    assert!(caught(&repeated(&presence).of_double(releases([1.0, 0.0, 0.0], presence.variance / 4))));
}

#[test]
fn a_standard_deviation_for_a_variance_would_be_found() {
    let presence = right();
    assert!(caught(&repeated(&presence).of_double(releases([1.0, 0.0, 0.0], presence.variance.isqrt()))));
}

#[test]
fn noise_only_on_outcomes_that_occur_would_be_found() {
    let presence = right();
    assert!(caught(&repeated(&presence).of_double(|side, rng| match side {
        Side::First => vec![0.0; 3],
        Side::Second => vec![1.0 + gaussian(presence.variance, rng) as f64 / WHOLE as f64, 0.0, 0.0],
    })));
}

#[test]
fn noise_that_outcomes_share_would_be_found() {
    let presence = right();
    let exchanged = presence.case(Adjacency::ReplaceOne, DELTA, [vec![vec![0]], vec![vec![1]]]);
    assert!(caught(&exchanged.of_double(|side, rng| {
        let noise = gaussian(presence.variance, rng) as f64 / WHOLE as f64;
        let mut sums = vec![noise; 3];
        sums[side as usize] += 1.0;
        sums
    })));
}

#[test]
fn noise_that_is_not_as_stated_is_found_by_the_sampler_alone() {
    let presence = right();
    let mut case = repeated(&presence);
    case.run = Box::new(releases([1.0, 0.0, 0.0], presence.variance + presence.variance / 5));
    assert_eq!(case.failed(), ["sampler"]);
}
