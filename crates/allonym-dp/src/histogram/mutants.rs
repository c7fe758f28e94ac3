//! Noisy shares with a bug each, and the proof that the audit finds every one.

use super::{Shares, WHOLE};
use crate::audit::{Adjacency, Case, Side};
use crate::discrete::laplace;
use crate::rng::PrivacyRng;

fn right() -> Shares {
    Shares::new(1.0).unwrap()
}

/// One record more: three times a word that nobody else has.
fn repeated(shares: &Shares) -> Case<'_> {
    shares.case(Adjacency::AddRemove, [vec![], vec![vec![1, 1, 1]]])
}

/// Whether the record that is added is there.
fn added(side: Side) -> f64 {
    f64::from(u8::from(side == Side::Second))
}

fn noise(scale: u64, rng: &mut PrivacyRng) -> f64 {
    laplace(scale, rng) as f64 / WHOLE as f64
}

fn caught(case: &Case<'_>) -> bool {
    case.failed().contains(&"black box")
}

#[test]
fn the_real_one_passes() {
    assert!(repeated(&right()).failed().is_empty());
}

#[test]
fn tokens_that_all_count_one_would_be_found() {
    // Without the division by the length of the text, three tokens move the sum by three.
    let shares = right();
    let run = |side, rng: &mut PrivacyRng| vec![noise(shares.scale, rng), 3.0 * added(side) + noise(shares.scale, rng)];
    assert!(caught(&repeated(&shares).of_double(run)));
}

#[test]
fn a_text_divided_by_its_distinct_words_would_be_found() {
    // Four tokens, two distinct words: each token weighs a half.
    let shares = right();
    let case = shares.case(Adjacency::AddRemove, [vec![], vec![vec![1, 1, 1, 0]]]);
    let run = |side, rng: &mut PrivacyRng| {
        vec![0.5 * added(side) + noise(shares.scale, rng), 1.5 * added(side) + noise(shares.scale, rng)]
    };
    assert!(case.failed().is_empty() && caught(&case.of_double(run)));
}

#[test]
fn halved_noise_would_be_found() {
    let shares = right();
    let run =
        |side, rng: &mut PrivacyRng| vec![noise(shares.scale / 2, rng), added(side) + noise(shares.scale / 2, rng)];
    assert!(caught(&repeated(&shares).of_double(run)));
}

#[test]
fn noise_only_on_words_that_occur_would_be_found() {
    // A share of exactly zero says that nobody has the word.
    let shares = right();
    let run = |side, rng: &mut PrivacyRng| {
        vec![noise(shares.scale, rng), if side == Side::Second { 1.0 + noise(shares.scale, rng) } else { 0.0 }]
    };
    assert!(caught(&repeated(&shares).of_double(run)));
}

#[test]
fn a_vocabulary_of_the_private_texts_would_be_found() {
    // A word that nobody has is not in the list at all.
    let shares = right();
    let run = |side, rng: &mut PrivacyRng| {
        vec![noise(shares.scale, rng), if side == Side::Second { 1.0 + noise(shares.scale, rng) } else { f64::NAN }]
    };
    assert!(caught(&repeated(&shares).of_double(run)));
}

#[test]
fn the_price_of_adding_for_exchanging_would_be_found() {
    let shares = right();
    let exchanged = || shares.case(Adjacency::ReplaceOne, [vec![vec![0]], vec![vec![1]]]);
    assert!(exchanged().failed().is_empty());
    assert!(caught(&exchanged().claiming((shares.epsilon(), 0.0))));
}

#[test]
fn noise_that_outcomes_share_would_be_found() {
    let shares = right();
    let exchanged = shares.case(Adjacency::ReplaceOne, [vec![vec![0]], vec![vec![1]]]);
    let run = |side, rng: &mut PrivacyRng| {
        let noise = noise(shares.scale, rng);
        vec![1.0 - added(side) + noise, added(side) + noise]
    };
    assert!(caught(&exchanged.of_double(run)));
}
