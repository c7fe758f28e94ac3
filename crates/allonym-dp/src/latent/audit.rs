//! Audits of noise on vectors by draws alone, and test doubles with a bug each.

use super::{Latent, Noise, STEPS};
use crate::clopper_pearson::bounds;
use crate::radial::Radial;
use crate::rng::PrivacyRng;
use crate::statistics::FALSE_ALARM;
use allonym_text::Private;

const DRAWS: u64 = 20_000;

/// A lower bound of the loss between two texts, by how often something is seen of what is released of them.
fn black_box<T>(
    draws: u64,
    first: impl Fn(&mut PrivacyRng) -> T,
    second: impl Fn(&mut PrivacyRng) -> T,
    seen: impl Fn(&T) -> bool,
) -> f64 {
    let count = |draw: &dyn Fn(&mut PrivacyRng) -> T, seed| {
        let mut rng = PrivacyRng::reproducible(seed);
        (0..draws).filter(|_| seen(&draw(&mut rng))).count() as u64
    };
    let (low, _) = bounds(count(&first, 1), draws, 1.0 - FALSE_ALARM / 2.0).unwrap();
    let (_, high) = bounds(count(&second, 2), draws, 1.0 - FALSE_ALARM / 2.0).unwrap();
    (low / high).ln()
}

/// Releases of the vector with `value` in front and nothing elsewhere.
fn released(latent: &Latent, value: f32) -> impl Fn(&mut PrivacyRng) -> Vec<f32> + '_ {
    let vector: Vec<f32> = (0..latent.dimension).map(|i| if i == 0 { value } else { 0.0 }).collect();
    move |rng| latent.draw(Private::new(&vector), rng).into_value()
}

/// What opposite vectors show beyond the first of them, where they differ most.
fn opposite(latent: &Latent) -> f64 {
    let beyond = |point: &Vec<f32>| {
        let aside = point[1..].iter().map(|x| x * x).sum::<f32>().sqrt();
        point[0] > 1.0 && aside < 0.4 * point[0]
    };
    black_box(DRAWS, released(latent, 1e9), released(latent, -1e9), beyond)
}

#[test]
fn opposite_vectors_are_told_apart_as_claimed_and_no_better() {
    for (dimension, noise) in [(1, Noise::LaplaceL1), (1, Noise::LaplaceRadial), (2, Noise::LaplaceRadial)] {
        let latent = Latent::new(dimension, 1.0, 2.0, noise).unwrap();
        let (claim, found) = (latent.loss().unwrap().0, opposite(&latent));
        assert!(found <= claim && found > 0.8 * claim, "{noise:?} in {dimension}: {found}");
    }
}

#[test]
fn half_the_sensitivity_would_be_found() {
    // C instead of 2C: noise for epsilon 4 under a claim of 2.
    for (dimension, noise) in [(1, Noise::LaplaceL1), (1, Noise::LaplaceRadial), (2, Noise::LaplaceRadial)] {
        let wrong = Latent::new(dimension, 1.0, 4.0, noise).unwrap();
        let found = opposite(&wrong);
        assert!(found > 2.0, "{noise:?} in {dimension}: {found}");
    }
}

#[test]
fn half_the_sensitivity_of_gaussian_noise_would_be_found() {
    // Sigma for the distance C, a quarter of the variance. The event is seen in 4 % of draws, so delta 1e-5 does not explain it.
    let excess = |spread_divisor: u64| {
        let mut latent = Latent::new(1, 1.0, 2.0, Noise::Gaussian { delta: 1e-5 }).unwrap();
        latent.spread /= spread_divisor;
        let cut = (1.0 + 1.8 * latent.scale()) as f32;
        let beyond = |point: &Vec<f32>| point[0] > cut;
        black_box(200_000, released(&latent, 1e9), released(&latent, -1e9), beyond)
    };
    assert!(excess(1) <= 2.0);
    assert!(excess(4) > 2.0);
}

#[test]
fn laplace_noise_for_the_l2_bound_would_be_found() {
    // The paper's scale under L2 clipping: every coordinate may differ by 2 / sqrt(n), and all of them tell.
    const N: usize = 16;
    let paper = Latent { dimension: N, clip: 1.0, noise: Noise::LaplaceL2, spread: (2.0 * STEPS / 2.0) as u64 };
    let side = |sign: f32| {
        let (paper, vector) = (&paper, vec![sign; N]);
        move |rng: &mut PrivacyRng| paper.draw(Private::new(&vector), rng).into_value()
    };
    let toward = |point: &Vec<f32>| point.iter().map(|x| x.clamp(-0.25, 0.25)).sum::<f32>() > 1.5;
    assert!(black_box(DRAWS, side(1.0), side(-1.0), toward) > 2.0);
    assert!((paper.loss().unwrap().0 - 8.0).abs() < 1e-3); // 2 sqrt(16)
}

/// Releases of radial noise whose length is a sum of so many exponential variables, around a point on the first axis.
fn with_length_of(exponentials: usize, at: i128) -> impl Fn(&mut PrivacyRng) -> f64 {
    move |rng| {
        let scale = STEPS as u64; // 2C / epsilon at epsilon 2
        let noise = Radial::draw_with(2, exponentials, scale, rng);
        // How far the release is from the first text's vector.
        let from = [noise[0] + at * scale as i128 - scale as i128, noise[1]];
        (from[0] as f64).hypot(from[1] as f64) / STEPS
    }
}

#[test]
fn a_length_of_one_dimension_too_few_would_be_found() {
    // Its density grows without bound at the text's own vector: a release nearby gives it away.
    let near = |distance: &f64| *distance < 0.05;
    assert!(black_box(DRAWS, with_length_of(1, 1), with_length_of(1, -1), near) > 2.0);
    let near = |distance: &f64| *distance < 0.5;
    assert!(black_box(DRAWS, with_length_of(2, 1), with_length_of(2, -1), near) <= 2.0);
}

#[test]
fn a_length_that_is_normal_would_be_found() {
    // Falling as e^(-r^2 / 2): far out, a release on one side is more telling than e^2.
    let normal = |at: f64| {
        move |rng: &mut PrivacyRng| {
            let length = crate::discrete::gaussian(1 << 32, rng) as f64 / STEPS;
            let direction = Radial::draw(2, 1 << 20, rng);
            let norm = (direction[0] as f64).hypot(direction[1] as f64);
            at + length * direction[0] as f64 / norm
        }
    };
    assert!(black_box(DRAWS, normal(1.0), normal(-1.0), |x: &f64| *x > 1.5) > 2.0);
}
