//! Noise on word vectors with a bug each, and the proof that the audit finds every one.

use super::{Norm, VectorNoise, Vectors, normal, uniform};
use crate::audit::{Auditable, Case, Effort, Side};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// Three words on a line, the first two at distance 1, of which epsilon 1 makes a loss of 1.
fn on_a_line() -> VectorNoise {
    VectorNoise::new(Vectors::new(1, vec![0.0, 1.0, 6.0]).unwrap(), 1.0, Norm::Euclidean).unwrap()
}

/// Words in a plane, four times as far apart along one axis as along the other.
fn in_a_plane(norm: Norm) -> VectorNoise {
    let vectors = Vectors::new(2, vec![0.0, 0.0, 0.0, 1.0, 4.0, 0.0, -4.0, 0.0, 0.0, -1.0]).unwrap();
    VectorNoise::new(vectors, 1.0, norm).unwrap()
}

/// The vector of the first input or of the second: the first row and the nearest to it.
fn original(side: Side) -> f64 {
    if side == Side::First { 0.0 } else { 1.0 }
}

fn caught(case: &Case<'_>) -> bool {
    case.failed().iter().any(|layer| *layer != "sampler")
}

#[test]
fn near_words_are_told_apart_as_claimed_and_no_better() {
    let mechanism = on_a_line();
    let findings = mechanism.case(1, 1).audit(&Effort { draws: 200_000, ..Effort::default() });
    assert!(findings.iter().all(|finding| finding.passed), "{findings:?}");
    assert!(findings[0].found > 0.8 && findings[0].claim == 1.0, "{findings:?}");
}

#[test]
fn normal_noise_would_be_found() {
    // It falls faster than e^-|z|: the far word is out of reach of one original before it is of the other.
    let mechanism = on_a_line();
    assert!(caught(&mechanism.case(1, 1).of_double(|side, rng| {
        let word = mechanism.vectors.nearest(&[original(side) + normal(rng)]);
        vec![f64::from(mechanism.vectors.row(word as usize)[0])]
    })));
}

#[test]
fn a_normal_radius_would_be_found() {
    let mechanism = in_a_plane(Norm::Euclidean);
    assert!(caught(&mechanism.case(1, 1).of_double(|side, rng| {
        let (radius, angle) = (normal(rng), std::f64::consts::TAU * uniform(rng));
        let word = mechanism.vectors.nearest(&[radius * angle.cos(), original(side) + radius * angle.sin()]);
        mechanism.vectors.row(word as usize).iter().map(|x| f64::from(*x)).collect()
    })));
}

#[test]
fn a_nearest_word_that_may_not_be_the_original_would_be_found() {
    let mechanism = on_a_line();
    assert!(caught(&mechanism.case(1, 1).of_double(|side, rng| {
        let original = original(side) as f32;
        loop {
            let word = mechanism.draw(Private::new(&[original]), rng).into_value();
            if mechanism.vectors.row(word as usize)[0] != original {
                return vec![f64::from(mechanism.vectors.row(word as usize)[0])];
            }
        }
    })));
}

#[test]
fn straight_noise_under_the_claim_of_a_stretched_norm_would_be_found() {
    // Two words along the wide axis: near each other in the norm of the vocabulary, far apart for straight noise.
    let norm = Norm::Mahalanobis { lambda: 0.9 };
    let (stretched, straight) = (in_a_plane(norm), in_a_plane(Norm::Euclidean));
    let case = || stretched.case(2, 1);
    assert!(case().failed().is_empty());
    assert!(caught(&case().of_double(|side, rng| {
        let vector = stretched.vectors.row([0, 2][side as usize]);
        let word = straight.draw(Private::new(vector), rng).into_value();
        stretched.root.as_ref().unwrap().straightened(stretched.vectors.row(word as usize))
    })));
}

#[test]
fn words_that_share_their_noise_are_found_by_the_joint_layer() {
    // Opposite words under the same noise: either both stay or both move.
    let mechanism = on_a_line();
    let mut case = mechanism.case(1, 2);
    assert!(case.failed().is_empty());
    case.centers = [vec![0.0, 1.0], vec![1.0, 0.0]];
    let shared = |side, rng: &mut PrivacyRng| {
        let noise = mechanism.noise(rng)[0];
        let word = |original: f64| mechanism.vectors.nearest(&[original + noise]) as usize;
        [original(side), 1.0 - original(side)]
            .map(|original| f64::from(mechanism.vectors.row(word(original))[0]))
            .to_vec()
    };
    assert_eq!(case.of_double(shared).failed(), ["joint"]);
}

#[test]
fn a_replacement_that_is_remembered_is_found_by_the_joint_layer() {
    // A text that repeats its word gets the noise once per word form: two equal words always get equal replacements.
    let mechanism = on_a_line();
    let mut case = mechanism.case(1, 2);
    // The same word twice against two words.
    case.centers = [vec![0.0, 0.0], vec![0.0, 1.0]];
    case.claim.0 = 1.0;
    let remembered = |side, rng: &mut PrivacyRng| {
        let mut word = |original: f64| {
            let point = [original + mechanism.noise(rng)[0]];
            f64::from(mechanism.vectors.row(mechanism.vectors.nearest(&point) as usize)[0])
        };
        let first = word(0.0);
        vec![first, if side == Side::First { first } else { word(1.0) }]
    };
    assert_eq!(case.of_double(remembered).failed(), ["joint"]);
}

#[test]
fn a_large_vocabulary_is_audited_on_some_of_its_words() {
    let rng = &mut PrivacyRng::reproducible(1);
    let values: Vec<f32> = (0..3000).map(|_| normal(rng) as f32).collect();
    for norm in [Norm::Euclidean, Norm::Mahalanobis { lambda: 0.2 }] {
        let mechanism = VectorNoise::new(Vectors::new(3, values.clone()).unwrap(), 2.0, norm).unwrap();
        let findings = mechanism.audit(&Effort { draws: 5000, ..Effort::default() });
        assert!(findings.len() == 3 && findings.iter().all(|finding| finding.passed), "{findings:?}");
    }
}
