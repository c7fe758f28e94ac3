//! Discrete noise, exactly: Laplace and Gaussian on the integers (Canonne, Kamath and Steinke 2020).
//!
//! Everything is decided by exact uniform integers. A Bernoulli variable of chance e^(-a/b) is made of Bernoulli variables
//! of rational chance (von Neumann's comparison), and the rest of those.

use crate::rng::PrivacyRng;

/// Whether an event of chance e^(-numerator / denominator) happened.
fn bernoulli_exp(numerator: u128, denominator: u128, rng: &mut PrivacyRng) -> bool {
    // e^(-n/d) = (e^-1)^whole e^(-part/d)
    let whole = numerator / denominator;
    for _ in 0..whole {
        if !bernoulli_exp_fraction(1, 1, rng) {
            return false;
        }
    }
    bernoulli_exp_fraction(numerator % denominator, denominator, rng)
}

/// The same for numerator <= denominator: the first k for which a draw of chance (n/d)/k fails is odd with that chance.
pub(crate) fn bernoulli_exp_fraction(numerator: u128, denominator: u128, rng: &mut PrivacyRng) -> bool {
    let mut k = 1;
    while rng.below_wide(denominator * k) < numerator {
        k += 1;
    }
    k % 2 == 1
}

/// An integer with probability proportional to e^(-|x| / scale).
pub(crate) fn laplace(scale: u64, rng: &mut PrivacyRng) -> i64 {
    let scale = u128::from(scale);
    loop {
        let low = rng.below_wide(scale);
        if !bernoulli_exp(low, scale, rng) {
            continue;
        }
        let mut high = 0;
        while bernoulli_exp_fraction(1, 1, rng) {
            high += 1;
        }
        let magnitude = (low + scale * high) as i64;
        let negative = rng.below(2) == 1;
        if !(negative && magnitude == 0) {
            return if negative { -magnitude } else { magnitude };
        }
    }
}

/// An integer with probability proportional to e^(-x^2 / (2 variance)).
pub(crate) fn gaussian(variance: u64, rng: &mut PrivacyRng) -> i64 {
    let scale = variance.isqrt() + 1;
    let (variance, wide_scale) = (i128::from(variance), i128::from(scale));
    loop {
        let candidate = laplace(scale, rng);
        // Accept with e^(-(|y| - v/t)^2 / (2 v)) = e^(-(|y| t - v)^2 / (2 v t^2)).
        let gap = i128::from(candidate.unsigned_abs()) * wide_scale - variance;
        let (numerator, denominator) =
            (gap.unsigned_abs().pow(2), (2 * variance * wide_scale * wide_scale).unsigned_abs());
        if bernoulli_exp(numerator, denominator, rng) {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::assert_distribution;

    /// Counts of draws at -width..=width, with everything beyond in the first and last cell.
    fn counts(width: i64, mut draw: impl FnMut() -> i64) -> Vec<u64> {
        let mut counts = vec![0; 2 * width as usize + 1];
        for _ in 0..100_000 {
            counts[(draw().clamp(-width, width) + width) as usize] += 1;
        }
        counts
    }

    /// The same cells of a symmetric distribution with the given weights.
    fn expected(width: i64, weight: impl Fn(f64) -> f64) -> Vec<f64> {
        let far = 4000;
        let total: f64 = (-far..=far).map(|x| weight(x as f64)).sum();
        let mut cells = vec![0.0; 2 * width as usize + 1];
        (-far..=far).for_each(|x: i64| cells[(x.clamp(-width, width) + width) as usize] += weight(x as f64) / total);
        cells
    }

    #[test]
    fn laplace_noise_is_discrete_laplace() {
        for scale in [1_u64, 3, 20] {
            let mut rng = PrivacyRng::reproducible(scale);
            let width = 3 * scale as i64;
            assert_distribution(
                &counts(width, || laplace(scale, &mut rng)),
                &expected(width, |x| (-x.abs() / scale as f64).exp()),
            );
        }
    }

    #[test]
    fn gaussian_noise_is_discrete_gaussian() {
        for variance in [1_u64, 7, 400] {
            let mut rng = PrivacyRng::reproducible(variance);
            let width = 2 * variance.isqrt() as i64 + 1;
            assert_distribution(
                &counts(width, || gaussian(variance, &mut rng)),
                &expected(width, |x| (-x * x / (2.0 * variance as f64)).exp()),
            );
        }
    }
}
