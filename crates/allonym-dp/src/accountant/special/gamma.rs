//! The gamma function and the binomial distribution, by logarithms.

use std::f64::consts::PI;

/// From here on the first eight terms of Stirling's series are exact to the last digit.
const STIRLING: f64 = 15.0;

/// `ln gamma(x)` for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    // gamma(x) = gamma(x + n) / (x (x+1) ... (x+n-1)); fifteen factors below 15 stay far below the largest float.
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < STIRLING {
        product *= shifted;
        shifted += 1.0;
    }
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * (2.0 * PI).ln() + stirling_series(shifted) - product.ln()
}

/// `ln (n choose k)`.
pub fn ln_binomial(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    let (n, k) = (n as f64, k as f64);
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// `ln` of the probability of `k` successes in `n` trials with probability `success`, of which `failure` is the
/// complement: given both, neither loses digits near 0.
///
/// Loader's form (2000): large logarithms never cancel, so the result is accurate for a billion trials as for ten.
pub fn ln_binomial_pmf(k: u64, n: u64, success: f64, failure: f64) -> f64 {
    let (hits, misses, trials) = (k as f64, (n - k) as f64, n as f64);
    if k == 0 {
        return if n == 0 { 0.0 } else { trials * ln_complement(failure, success) };
    }
    if k == n {
        return trials * ln_complement(success, failure);
    }
    let smooth = stirling_error(trials) - stirling_error(hits) - stirling_error(misses);
    let distance = deviance(hits, trials * success) + deviance(misses, trials * failure);
    smooth - distance + 0.5 * (trials / (2.0 * PI * hits * misses)).ln()
}

/// `ln probability`, through its complement where that is the smaller.
fn ln_complement(probability: f64, complement: f64) -> f64 {
    if complement < 0.5 { (-complement).ln_1p() } else { probability.ln() }
}

/// What Stirling's formula leaves of `ln gamma(x + 1)`, and the same thing of `ln gamma(x)`.
pub(super) fn stirling_error(x: f64) -> f64 {
    if x >= STIRLING { stirling_series(x) } else { ln_gamma(x) - (x - 0.5) * x.ln() + x - 0.5 * (2.0 * PI).ln() }
}

fn stirling_series(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let inverse_square = 1.0 / (x * x);
    TERMS.iter().rev().fold(0.0, |sum, term| sum * inverse_square + term) / x
}

/// `observed ln(observed / expected) + expected - observed`, without cancellation where the two are close.
pub(super) fn deviance(observed: f64, expected: f64) -> f64 {
    let gap = observed - expected;
    if gap.abs() > 0.1 * (observed + expected) {
        return observed * (observed / expected).ln() - gap;
    }
    // With v = gap / (observed + expected), observed/expected = (1+v)/(1-v), whose logarithm is 2 (v + v^3/3 + ...).
    let v = gap / (observed + expected);
    let (mut power, mut sum, mut odd) = (2.0 * observed * v, gap * v, 1.0);
    loop {
        power *= v * v;
        odd += 2.0;
        let next = sum + power / odd;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn the_gamma_function_has_its_known_values() {
        assert!(ln_gamma(1.0).abs() < 1e-14 && ln_gamma(2.0).abs() < 1e-14);
        assert!(close(ln_gamma(0.5), 0.5 * PI.ln(), 1e-14)); // gamma(1/2) = sqrt(pi)
        assert!(close(ln_gamma(11.0), 3_628_800f64.ln(), 1e-15)); // 10!
        assert!(close(ln_gamma(1e5 + 1.0), 1_051_299.221_899_122, 1e-15)); // mpmath
        assert!(close(ln_gamma(1e-8), 18.420_680_738_180_21, 1e-15)); // mpmath
    }

    #[test]
    fn binomial_coefficients_are_those_of_pascal() {
        assert!(close(ln_binomial(10, 3), 120f64.ln(), 1e-14));
        assert_eq!(ln_binomial(3, 10), f64::NEG_INFINITY);
    }

    #[test]
    fn probabilities_of_a_small_binomial_are_exact() {
        // 5 trials at 1/4: 243, 405, 270, 90, 15, 1 of 1024.
        for (k, weight) in [243.0, 405.0, 270.0, 90.0, 15.0, 1.0f64].into_iter().enumerate() {
            let ln = ln_binomial_pmf(k as u64, 5, 0.25, 0.75);
            assert!(close(ln.exp(), weight / 1024.0, 3e-15), "{k}: {}", ln.exp());
        }
        assert_eq!(ln_binomial_pmf(0, 0, 0.5, 0.5), 0.0);
    }

    #[test]
    fn a_billion_trials_cost_no_digits() {
        // mpmath: 10^9 trials, probability 1/2, 5 10^8 + 50000 successes.
        let ln = ln_binomial_pmf(500_050_000, 1_000_000_000, 0.5, 0.5);
        assert!(close(ln, -15.587_424_274_701_266, 1e-13), "{ln}");
    }
}
