//! Claims about radial noise.

use super::*;
use crate::statistics::assert_distribution;

/// Chances that the length of noise, in units of its scale, is between the edges: a Gamma variable of this shape.
fn gamma_cells(shape: usize, edges: &[f64]) -> Vec<f64> {
    // P(Gamma(n) > t) = e^-t (1 + t + .. + t^(n-1) / (n-1)!)
    let tail = |t: f64| {
        let terms = (1..shape).scan(1.0, |term, k| {
            *term *= t / k as f64;
            Some(*term)
        });
        (-t).exp() * (1.0 + terms.sum::<f64>())
    };
    let tails: Vec<f64> = [1.0].into_iter().chain(edges.iter().map(|t| tail(*t))).chain([0.0]).collect();
    tails.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

fn length(noise: &[i128]) -> f64 {
    noise.iter().map(|z| (*z as f64).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_length_is_a_gamma_variable_of_the_dimension() {
    const SCALE: u64 = 1 << 30;
    for dimension in [1, 2, 3, 8] {
        let (mean, sigma) = (dimension as f64, (dimension as f64).sqrt());
        let edges = [-0.8, -0.4, 0.0, 0.6, 1.2].map(|sigmas| mean + sigmas * sigma);
        let mut rng = PrivacyRng::reproducible(dimension as u64);
        let mut counts = vec![0; edges.len() + 1];
        for _ in 0..20_000 {
            let length = length(&Radial::draw(dimension, SCALE, &mut rng)) / SCALE as f64;
            counts[edges.partition_point(|edge| *edge < length)] += 1;
        }
        assert_distribution(&counts, &gamma_cells(dimension, &edges));
    }
}

#[test]
fn on_a_line_every_integer_has_the_chance_of_its_cell() {
    // Laplace noise of scale 2, rounded: 1 - e^(-1/4) at 0, (e^(-(k - 1/2) / 2) - e^(-(k + 1/2) / 2)) / 2 at k.
    let beyond = |k: f64| (-(k - 0.5) / 2.0_f64).exp() / 2.0;
    let mut rng = PrivacyRng::reproducible(1);
    let mut counts = [0; 9];
    for _ in 0..100_000 {
        counts[(Radial::draw(1, 2, &mut rng)[0].clamp(-4, 4) + 4) as usize] += 1;
    }
    let side: Vec<f64> = (1..4).map(|k| beyond(f64::from(k)) - beyond(f64::from(k) + 1.0)).collect();
    let middle = 1.0 - (-0.25_f64).exp();
    let cells = [beyond(4.0), side[2], side[1], side[0], middle, side[0], side[1], side[2], beyond(4.0)];
    assert_distribution(&counts, &cells);
}

#[test]
fn every_direction_is_as_likely() {
    // In three dimensions each coordinate of a direction is uniform on [-1, 1] (Archimedes).
    let mut rng = PrivacyRng::reproducible(3);
    for axis in 0..3 {
        let mut counts = [0; 8];
        for _ in 0..20_000 {
            let noise = Radial::draw(3, 1 << 30, &mut rng);
            counts[((noise[axis] as f64 / length(&noise) + 1.0) * 4.0).min(7.0) as usize] += 1;
        }
        assert_distribution(&counts, &[1.0 / 8.0; 8]);
    }
}

#[test]
fn more_digits_do_not_change_what_is_settled() {
    let mut rng = PrivacyRng::reproducible(4);
    let mut early = 0;
    for _ in 0..300 {
        let mut noise = Radial::unknown(5, 5, 7, &mut rng);
        let first = noise.rounded();
        early += u32::from(first.is_some());
        noise.refine(&mut rng);
        let second = noise.rounded().expect("64 bits settle noise of scale 7 but once in 2^55");
        assert!(first.is_none_or(|first| first == second));
        noise.refine(&mut rng);
        assert_eq!(noise.rounded(), Some(second));
    }
    assert!(early < 10, "hardly anything is known without digits: {early}");
}

#[test]
fn later_digits_of_an_exponential_variable_are_fair() {
    // The second digit of 64 bits has density e^-x over 2^-64: uniform as far as any count can tell.
    let mut rng = PrivacyRng::reproducible(5);
    let mut counts = [0; 4];
    (0..20_000).for_each(|_| counts[(exponential_digit(1, &mut rng) >> 62) as usize] += 1);
    assert_distribution(&counts, &[0.25; 4]);
    // The first is not: (e^(-i/4) - e^(-(i+1)/4)) / (1 - 1/e).
    let mut counts = [0; 4];
    (0..20_000).for_each(|_| counts[(exponential_digit(0, &mut rng) >> 62) as usize] += 1);
    let quarter = |i: i32| (-0.25 * f64::from(i)).exp() * (1.0 - (-0.25_f64).exp()) / (1.0 - (-1.0_f64).exp());
    assert_distribution(&counts, &[0, 1, 2, 3].map(quarter));
}

#[test]
fn a_wrong_guess_is_mended_and_a_hair_is_not_split() {
    let number = |low: u128, width| Between::new(Natural::from(low), width);
    // |Y| = 10: (2 * 10)^2 = 400.
    for guess in [0.0, 9.6, 10.0, 37.0] {
        assert_eq!(settle(&number(400, 0), &number(1, 0), guess), Some(10));
    }
    // |Y| = 10.5 to the last digit: 21^2 = 441 and 440 on two sides of the border.
    assert_eq!(settle(&number(440, 2), &number(1, 0), 10.0), None);
    assert_eq!(settle(&number(440, 1), &number(1, 0), 10.0), Some(10));
}
