//! Naming large counts with a bug each, and the proof that the audit finds every one.

use super::{GRAIN, LargeCounts};
use crate::audit::{Adjacency, Case};
use crate::discrete::laplace;
use crate::rng::PrivacyRng;

fn right() -> LargeCounts {
    LargeCounts::new(1.0, 0.01, 1, 1).unwrap()
}

/// What a count with this noise and threshold gives.
fn named(count: u64, noise: i64, threshold: i64) -> f64 {
    f64::from(u8::from(count > 0 && count as i64 * GRAIN as i64 + noise >= threshold))
}

/// The largest count for which one more still does not reach the threshold.
fn shared(counts: &LargeCounts) -> u64 {
    (counts.threshold / GRAIN as i64 - 1) as u64
}

fn caught(case: &Case<'_>) -> bool {
    case.failed().contains(&"black box")
}

/// One record more, for a thing that others count for too.
fn known(counts: &LargeCounts) -> ([u64; 2], Case<'_>) {
    let counted = [shared(counts), shared(counts) + 1];
    (counted, counts.case(Adjacency::AddRemove, counted.map(|count| vec![count])))
}

/// One record more, for a thing that nobody else counts for.
fn new(counts: &LargeCounts) -> ([u64; 2], Case<'_>) {
    ([0, 1], counts.case(Adjacency::AddRemove, [vec![0], vec![1]]))
}

#[test]
fn halved_noise_would_be_found() {
    let counts = right();
    let (counted, case) = known(&counts);
    let run = |side, rng: &mut PrivacyRng| {
        vec![named(counted[side as usize], laplace(counts.scale / 2, rng), counts.threshold)]
    };
    assert!(case.failed().is_empty() && caught(&case.of_double(run)));
}

#[test]
fn a_threshold_without_noise_would_be_found() {
    let counts = right();
    let at = counts.threshold / GRAIN as i64;
    let exact = counts.case(Adjacency::AddRemove, [vec![at as u64], vec![at as u64 + 1]]);
    assert!(caught(&exact.of_double(|side, _| vec![named(
        [at, at + 1][side as usize] as u64,
        0,
        (at + 1) * GRAIN as i64
    )])));
}

#[test]
fn a_threshold_that_forgets_delta_would_be_found() {
    // Noise is right, but whatever at least one record and a half seems to count for is named.
    let counts = right();
    let low = GRAIN as i64 * 3 / 2;
    let (counted, case) = new(&counts);
    let run = |side, rng: &mut PrivacyRng| vec![named(counted[side as usize], laplace(counts.scale, rng), low)];
    assert!(case.failed().is_empty() && caught(&case.of_double(run)));
}

#[test]
fn noise_for_one_thing_where_records_count_for_several_would_be_found() {
    let (right, wrong) = (LargeCounts::new(1.0, 0.01, 4, 1).unwrap(), LargeCounts::new(1.0, 0.01, 1, 1).unwrap());
    let at = shared(&wrong);
    for counts in [[vec![at; 4], vec![at + 1; 4]], [vec![0; 4], vec![1; 4]]] {
        assert!(right.case(Adjacency::AddRemove, counts.clone()).failed().is_empty());
        assert!(caught(&wrong.case(Adjacency::AddRemove, counts)));
    }
}

#[test]
fn records_that_count_more_than_they_may_would_be_found() {
    // The cap is one thing, and the record counts for three times one.
    let counts = right();
    let at = shared(&counts);
    assert!(caught(&counts.case(Adjacency::AddRemove, [vec![at - 2], vec![at + 1]])));
}

#[test]
fn the_price_of_adding_for_exchanging_would_be_found() {
    let counts = LargeCounts::new(1.0, 0.001, 1, 1).unwrap();
    let at = shared(&counts);
    let exchanged = || counts.case(Adjacency::ReplaceOne, [vec![at + 1, at], vec![at, at + 1]]);
    assert!(exchanged().failed().is_empty());
    assert!(caught(&exchanged().claiming(counts.price())));
}

#[test]
fn noise_that_is_not_as_stated_is_found_by_the_sampler_alone() {
    let counts = right();
    let (counted, mut case) = known(&counts);
    // Without one record, names come a little too rarely.
    case.run =
        Box::new(|side, rng| vec![named(counted[side as usize], laplace(counts.scale, rng), counts.threshold + 200)]);
    assert_eq!(case.failed(), ["sampler"]);
}
