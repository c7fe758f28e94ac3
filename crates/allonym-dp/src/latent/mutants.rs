//! Noise on vectors with a bug each, and the proof that the audit finds every one.

use super::{Latent, Noise, STEPS};
use crate::audit::{Auditable, Case, Effort, Side};
use crate::discrete::{gaussian, laplace};
use crate::radial::Radial;
use crate::rng::PrivacyRng;
use allonym_text::Private;

const PURE: [(usize, Noise); 3] = [(1, Noise::LaplaceL1), (1, Noise::LaplaceRadial), (2, Noise::LaplaceRadial)];

/// Vectors with a large number in front, and nothing elsewhere.
fn opposite(dimension: usize) -> [Vec<f32>; 2] {
    [1e9, -1e9].map(|value| (0..dimension).map(|i| if i == 0 { value } else { 0.0 }).collect())
}

fn right(dimension: usize, noise: Noise) -> Latent {
    Latent::new(dimension, 1.0, 2.0, noise).unwrap()
}

/// 1 for the first input, -1 for the second.
fn sign(side: Side) -> f64 {
    if side == Side::First { 1.0 } else { -1.0 }
}

fn caught(case: &Case<'_>) -> bool {
    case.failed().contains(&"black box")
}

#[test]
fn opposite_vectors_are_told_apart_as_claimed_and_no_better() {
    for (dimension, noise) in PURE {
        let latent = right(dimension, noise);
        let findings = latent.case(opposite(dimension)).audit(&Effort::default());
        let found = findings[0].found;
        assert!(findings.iter().all(|finding| finding.passed), "{findings:?}");
        assert!(found > 0.8 * findings[0].claim, "{noise:?} in {dimension}: {found}");
    }
}

#[test]
fn half_the_sensitivity_would_be_found() {
    // C instead of 2C: noise for epsilon 4 under a claim of 2.
    for (dimension, noise) in PURE {
        let wrong = Latent::new(dimension, 1.0, 4.0, noise).unwrap();
        assert!(caught(&wrong.case(opposite(dimension)).claiming((2.0, 0.0))), "{noise:?} in {dimension}");
    }
}

#[test]
fn half_the_sensitivity_of_gaussian_noise_would_be_found() {
    // The standard deviation for the distance C: a quarter of the variance. At a small delta the events that tell are rarer.
    for (delta, draws) in [(1e-5, 400_000), (0.01, 100_000)] {
        let right = right(1, Noise::Gaussian { delta });
        let wrong = Latent { spread: right.spread / 4, ..right.clone() };
        let passes = |case: Case<'_>| case.audit(&Effort { draws, ..Effort::default() })[0].passed;
        assert!(passes(right.case(opposite(1))), "{delta}");
        assert!(!passes(wrong.case(opposite(1)).claiming(right.loss().unwrap())), "{delta}");
    }
}

#[test]
fn laplace_noise_for_the_l2_bound_would_be_found() {
    // The paper's scale under L2 clipping: every coordinate may differ by 2 / sqrt(n), and all of them tell.
    const N: usize = 16;
    let paper = Latent { dimension: N, clip: 1.0, noise: Noise::LaplaceL2, spread: (2.0 * STEPS / 2.0) as u64 };
    assert!(caught(&paper.case([1.0, -1.0].map(|value| vec![value; N])).claiming((2.0, 0.0))));
    assert!((paper.loss().unwrap().0 - 8.0).abs() < 1e-3); // 2 sqrt(16)
}

/// Releases of radial noise whose length is a sum of so many exponential variables.
fn with_length_of(exponentials: usize) -> impl Fn(Side, &mut PrivacyRng) -> Vec<f64> {
    move |side, rng| {
        let scale = STEPS as u64; // 2C / epsilon at epsilon 2
        let noise = Radial::draw_with(2, exponentials, scale, rng);
        vec![sign(side) + noise[0] as f64 / STEPS, noise[1] as f64 / STEPS]
    }
}

#[test]
fn a_length_of_one_dimension_too_few_would_be_found() {
    // Its density grows without bound at the text's own vector: a release nearby gives it away.
    let latent = right(2, Noise::LaplaceRadial);
    let case = || latent.case(opposite(2));
    assert!(caught(&case().of_double(with_length_of(1))));
    assert!(!caught(&case().of_double(with_length_of(2))));
}

#[test]
fn a_length_that_is_normal_would_be_found() {
    // Falling as e^(-r^2 / 2): far out, a release on one side is more telling than e^2.
    let latent = right(2, Noise::LaplaceRadial);
    assert!(caught(&latent.case(opposite(2)).of_double(|side, rng| {
        let length = gaussian(1 << 32, rng) as f64 / STEPS;
        let direction = Radial::draw(2, 1 << 20, rng);
        let norm = (direction[0] as f64).hypot(direction[1] as f64);
        let noise = direction.iter().map(|z| length * *z as f64 / norm);
        noise.zip([sign(side), 0.0]).map(|(noise, center)| center + noise).collect()
    })));
}

#[test]
fn vectors_that_are_not_clipped_would_be_found() {
    for noise in [Noise::LaplaceL1, Noise::LaplaceRadial, Noise::Gaussian { delta: 0.01 }] {
        let latent = right(1, noise);
        // Three times the bound, with the noise for once.
        let unclipped = |side, rng: &mut PrivacyRng| vec![3.0 * sign(side) + latent.noise(rng)[0] as f64 / STEPS];
        assert!(caught(&latent.case(opposite(1)).of_double(unclipped)), "{noise:?}");
    }
}

#[test]
fn noise_that_coordinates_share_would_be_found() {
    for noise in [Noise::LaplaceL1, Noise::Gaussian { delta: 0.01 }] {
        let latent = right(2, noise);
        let shared = |side, rng: &mut PrivacyRng| {
            let noise = latent.noise(rng)[0] as f64 / STEPS;
            vec![0.5 * sign(side) + noise, -0.5 * sign(side) + noise]
        };
        let diagonal = || [1e9, -1e9].map(|value| vec![value, -value]);
        assert!(caught(&latent.case(diagonal()).of_double(shared)), "{noise:?}");
        assert!(latent.case(diagonal()).failed().is_empty());
    }
}

#[test]
fn a_decoder_that_sees_the_encoder_would_be_found() {
    // One coordinate bypasses the noise.
    let latent = right(2, Noise::LaplaceRadial);
    assert!(caught(&latent.case(opposite(2)).of_double(|side, rng| {
        let mut release: Vec<f64> = latent.noise(rng).iter().map(|z| *z as f64 / STEPS).collect();
        release[0] = sign(side);
        release
    })));
}

#[test]
fn noise_that_is_not_as_stated_is_found_by_the_sampler_alone() {
    // A tenth more noise than stated costs no privacy, and is still not what the guarantee describes.
    for noise in [Noise::LaplaceL1, Noise::LaplaceL2, Noise::LaplaceRadial, Noise::Gaussian { delta: 0.01 }] {
        let latent = right(2, noise);
        let wrong = Latent { spread: latent.spread + latent.spread / 10, ..latent.clone() };
        let vectors = opposite(2);
        let mut case = latent.case(opposite(2));
        case.run = Box::new(move |side, rng| {
            let released = wrong.draw(Private::new(&vectors[side as usize]), rng).into_value();
            released.into_iter().map(f64::from).collect()
        });
        assert_eq!(case.failed(), ["sampler"], "{noise:?}");
    }
}

#[test]
fn a_clamped_tail_is_found_by_the_sampler() {
    // Noise beyond two scales is truncated to them.
    let latent = right(1, Noise::LaplaceL1);
    let mut case = latent.case(opposite(1));
    case.run = Box::new(|side, rng| {
        let noise = laplace(latent.spread, rng) as f64 / latent.spread as f64;
        vec![sign(side) + noise.clamp(-2.0, 2.0) * latent.scale()]
    });
    assert!(case.failed().contains(&"sampler"));
}

#[test]
fn invalid_numbers_are_as_private_as_all_others() {
    let latent = right(2, Noise::LaplaceL1);
    assert!(latent.audit(&Effort { draws: 20_000, ..Effort::default() }).iter().all(|finding| finding.passed));
}
