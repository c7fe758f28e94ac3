//! Gaussian noise for millions of numbers a step.
//!
//! Two words of 64 random bits become two normal numbers (Box and Muller 1958), in `f64`, by polynomials that the compiler turns
//! into vector instructions. Sum and noise together are rounded to a public grid, a power of two near 2^-16 of the
//! noise's standard deviation.
//!
//! # What is proven, and what is not
//!
//! Rounding looks only at the noised number, so with noise that were exactly Gaussian it would cost nothing. Ours is not exactly
//! Gaussian:
//! - it never exceeds 9.5 standard deviations, which exact noise does less than once in 10^20 numbers;
//! - it is right to about 10^-14 of a standard deviation (a test compares it with the library's functions). That is a
//!   billionth of the grid, so every point of the grid is reached from very many pairs of words whatever the sum is, and its
//!   chance is right to about one part in a billion. Without the grid the lowest bits of a `f64` would show which sums
//!   are possible (Mironov 2012).
//!
//! It is **not** proven that these deviations, of millions of numbers in thousands of steps, add nothing noticeable to epsilon; the
//! accountant counts exact Gaussian noise. Nor is there a proven bound on how much one example can move the sum beyond the clip through
//! the rounding of `f32` sums, which depends on all examples of the batch. How long a step takes is not hidden either.
//!
//! The discrete Gaussian of `allonym-dp` is exact. It is not used here for two reasons. It took 200 ns of processor time a
//! number where this takes 11 ns: 5 s instead of 0.3 s a step, for 24 million parameters on one core. And it needs the sum on the
//! grid before the noise, which moves the sum by up to the root of the number of parameters in grid steps, and an accountant
//! for sampled discrete noise.

use crate::real::Real;
use crate::vectorise::vectorised;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use rayon::prelude::*;
use std::f64::consts::{LN_2, PI};

/// Numbers that share a random stream. Fixed, so that the noise does not depend on the number of threads.
const PART: usize = 1 << 14;

/// Numbers that are made at a time: they stay in the nearest cache.
const BLOCK: usize = 1 << 10;

/// The grid is the largest power of two that is at most this share of the standard deviation: 2^-16.
const GRID: f64 = 1.0 / 65_536.0;

/// How numbers become noised numbers.
#[derive(Clone, Copy, Debug)]
struct Scale {
    deviation: f64,
    grid: f64,
    /// What the result is multiplied with afterwards.
    factor: f64,
}

/// The public grid that noised numbers are rounded to.
pub fn grid(deviation: f64) -> f64 {
    (deviation * GRID).log2().floor().exp2()
}

/// Adds noise of a standard deviation to every number, rounds to the [`grid`], and multiplies with `factor`. `step` must be another one each time:
/// the same entropy and step give the same noise again.
pub(super) fn add<T: Real>(
    values: &mut [T],
    deviation: f64,
    factor: f64,
    entropy: &Entropy,
    step: u64,
    threads: usize,
) {
    // 32 bits of step and 24 of part: 2^38 parameters, 4 billion steps.
    assert!(step < 1 << 32 && values.len() <= PART << 24, "a run has fewer steps and parameters");
    let scale = Scale { deviation, grid: grid(deviation), factor };
    let one = |(part, values): (usize, &mut [T])| {
        let mut rng = entropy.stream(Purpose::Noise, step << 24 | part as u64);
        add_part(values, scale, &mut rng);
    };
    if threads > 1 {
        let least = values.len() / PART / threads;
        values.par_chunks_mut(PART).enumerate().with_min_len(least).for_each(one);
    } else {
        values.chunks_mut(PART).enumerate().for_each(one);
    }
}

fn add_part<T: Real>(values: &mut [T], scale: Scale, rng: &mut PrivacyRng) {
    let (mut words, mut noise) = ([0; BLOCK], [0.0; BLOCK]);
    for values in values.chunks_mut(BLOCK) {
        let even = values.len().next_multiple_of(2);
        words[..even].iter_mut().for_each(|word| *word = rng.bits());
        noised(values, &words[..even], &mut noise[..even], scale);
    }
}

vectorised! {
    /// Adds noise to a block. Its first half and its second make the pairs, so that neighbours can be computed side by side.
    fn noised<T>(values: &mut [T], words: &[u64], noise: &mut [f64], scale: Scale) {
        let (first, second) = words.split_at(words.len() / 2);
        let (left, right) = noise.split_at_mut(words.len() / 2);
        for (((first, second), left), right) in first.iter().zip(second).zip(left).zip(right) {
            (*left, *right) = two_normals(*first, *second);
        }
        let Scale { deviation, grid, factor } = scale;
        let (up, down) = (1.0 / grid, grid * factor);
        for (value, noise) in values.iter_mut().zip(noise) {
            *value = T::of(((value.wide() + deviation * *noise) * up).round_ties_even() * down);
        }
    }
}

/// Two independent normal numbers of two words.
#[inline(always)]
fn two_normals(first: u64, second: u64) -> (f64, f64) {
    // In (0, 1]: small values keep all their bits, so the radius reaches sqrt(2 ln 2^65) = 9.49.
    let uniform = (first as f64 + 0.5) * (1.0 / 18_446_744_073_709_551_616.0);
    let radius = (-2.0 * ln(uniform)).sqrt();
    // 62 bits are an angle between -45 and 45 degrees; two bits mirror it to the other three quarters.
    let angle = ((second >> 2) as f64 * (1.0 / 4_611_686_018_427_387_904.0) - 0.5) * (PI / 2.0);
    let (sine, cosine) = (sin(angle), cos(angle));
    let (x, y) = if second & 1 == 0 { (cosine, sine) } else { (sine, cosine) };
    let signed = if second & 2 == 0 { radius } else { -radius };
    (signed * x, signed * y)
}

/// The natural logarithm of a normal number above 0.
#[inline(always)]
fn ln(x: f64) -> f64 {
    // x = 2^exponent m with m from sqrt(1/2) to sqrt(2).
    const ROOT: u64 = 0x3FE6_A09E_667F_3BCD;
    let shifted = x.to_bits().wrapping_sub(ROOT);
    let m = f64::from_bits((shifted & 0x000F_FFFF_FFFF_FFFF).wrapping_add(ROOT));
    // The exponent, made a float without an instruction for it: 2^52 + 2^51 has room for its sign.
    const SHIFT: u64 = 0x4338_0000_0000_0000;
    let exponent = f64::from_bits((((shifted as i64) >> 52) as u64).wrapping_add(SHIFT)) - f64::from_bits(SHIFT);
    // ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| <= 0.172: what is left out is below 10^-18.
    let s = (m - 1.0) / (m + 1.0);
    let q = s * s;
    let mut series = 1.0 / 23.0;
    for odd in [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * q + 1.0 / odd;
    }
    exponent * LN_2 + 2.0 * s * series
}

/// The sine between -45 and 45 degrees; what is left out is below 10^-17.
#[inline(always)]
fn sin(x: f64) -> f64 {
    let q = x * x;
    let mut series = 1.0;
    for n in [16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0] {
        series = 1.0 - series * q * (1.0 / (n * (n + 1.0)));
    }
    x * series
}

/// The cosine between -45 and 45 degrees; what is left out is below 10^-16.
#[inline(always)]
fn cos(x: f64) -> f64 {
    let q = x * x;
    let mut series = 1.0;
    for n in [15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = 1.0 - series * q * (1.0 / (n * (n + 1.0)));
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_dp::accountant::special::normal_tail;
    use allonym_dp::statistics::{FALSE_ALARM, assert_distribution, chi_squared_tail};

    fn draws(count: usize, deviation: f64, seed: u64) -> Vec<f64> {
        let mut values = vec![0.0; count];
        add(&mut values, deviation, 1.0, &Entropy::reproducible(seed), 0, 1);
        values
    }

    #[test]
    fn the_polynomials_agree_with_the_library_to_a_billionth_of_the_grid() {
        let mut rng = PrivacyRng::reproducible(1);
        let words = (0..100_000).map(|i| (rng.bits() >> (i % 64), rng.bits())).chain([(0, 0), (u64::MAX, u64::MAX)]);
        for (first, second) in words {
            let uniform = (first as f64 + 0.5) / 2_f64.powi(64);
            let radius = (-2.0 * uniform.ln()).sqrt();
            let angle = ((second >> 2) as f64 / 2_f64.powi(62) - 0.5) * PI / 2.0;
            let (mut x, mut y) = (radius * angle.cos(), radius * angle.sin());
            if second & 1 == 1 {
                (x, y) = (y, x);
            }
            let sign = if second & 2 == 0 { 1.0 } else { -1.0 };
            let ours = two_normals(first, second);
            let error = (ours.0 - sign * x).abs().max((ours.1 - sign * y).abs());
            assert!(error < 1e-14, "{first} {second}: {error:e}");
        }
    }

    #[test]
    fn noise_follows_the_normal_law_up_to_its_tails() {
        // Cells of half a deviation from -4 to 4, and the two tails.
        let edges: Vec<f64> = (0..=16).map(|i| -4.0 + 0.5 * f64::from(i)).collect();
        let mut counts = vec![0_u64; edges.len() + 1];
        for value in draws(1_000_000, 3.0, 2) {
            counts[edges.partition_point(|edge| *edge <= value / 3.0)] += 1;
        }
        let tails: Vec<f64> = [1.0].into_iter().chain(edges.iter().map(|e| normal_tail(*e))).chain([0.0]).collect();
        let law: Vec<f64> = tails.windows(2).map(|pair| pair[0] - pair[1]).collect();
        assert_distribution(&counts, &law);
    }

    #[test]
    fn noise_has_the_right_deviation_and_pairs_are_independent() {
        let values = draws(2_000_000, 0.01, 3);
        let squares: f64 = values.chunks(1000).map(|part| part.iter().map(|v| (v / 0.01).powi(2)).sum::<f64>()).sum();
        let above = chi_squared_tail(squares, values.len());
        assert!(2.0 * above.min(1.0 - above) >= FALSE_ALARM, "sum of squares {squares}");
        // Signs and sizes of the two numbers of a pair: four by four equally likely cells.
        let quarter =
            |v: f64| [-0.674_489_750_196_081_7, 0.0, 0.674_489_750_196_081_7].partition_point(|e| *e <= v / 0.01);
        let mut counts = [0_u64; 16];
        for block in values.chunks_exact(BLOCK) {
            let (left, right) = block.split_at(BLOCK / 2);
            left.iter().zip(right).for_each(|(a, b)| counts[4 * quarter(*a) + quarter(*b)] += 1);
        }
        assert_distribution(&counts, &[1.0 / 16.0; 16]);
    }

    #[test]
    fn noised_numbers_lie_on_the_public_grid() {
        let grid = grid(0.7);
        assert_eq!(grid, 2_f64.powi(-17)); // 0.7 * 2^-16 is between 2^-17 and 2^-16.
        let mut values: Vec<f64> = (0..1001).map(|i| f64::from(i).sqrt()).collect();
        add(&mut values, 0.7, 1.0, &Entropy::reproducible(4), 9, 1);
        assert!(values.iter().all(|value| (value / grid).fract() == 0.0));
    }

    #[test]
    fn threads_do_not_change_the_noise_and_steps_do() {
        let noise = |step, threads| {
            let mut values = vec![1.0_f32; 100_001];
            add(&mut values, 1.0, 0.5, &Entropy::reproducible(5), step, threads);
            values
        };
        assert_eq!(noise(1, 1), noise(1, 3));
        assert!(noise(1, 1).iter().zip(noise(2, 1)).filter(|(a, b)| *a == b).count() < 100);
    }

    #[test]
    fn every_number_gets_noise_also_the_last() {
        for count in [1, 2, 3, BLOCK - 1, BLOCK + 1, PART + 1] {
            assert!(draws(count, 1.0, 6).iter().all(|value| *value != 0.0), "{count}");
        }
    }
}
