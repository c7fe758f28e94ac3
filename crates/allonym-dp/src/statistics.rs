//! Checks of statistical claims, all with one false-alarm rate: a correct sampler fails once in a million runs.

/// The chance with which a check of a correct sampler may fail.
pub const FALSE_ALARM: f64 = 1e-6;

/// Twice the log-likelihood ratio (G) of observed counts against expected probabilities.
///
/// Infinite when an outcome of probability zero was seen.
pub fn g_statistic(counts: &[u64], probabilities: &[f64]) -> f64 {
    let total: u64 = counts.iter().sum();
    counts
        .iter()
        .zip(probabilities)
        .filter(|(count, _)| **count > 0)
        .map(|(count, p)| 2.0 * *count as f64 * (*count as f64 / (total as f64 * p)).ln())
        .sum()
}

/// The chance that a chi-squared variable exceeds `value`: the regularised upper incomplete gamma function
/// Q(freedom/2, value/2), by its series below the mean and by Lentz's continued fraction above.
pub fn chi_squared_tail(value: f64, freedom: usize) -> f64 {
    let (a, x) = (freedom as f64 / 2.0, value / 2.0);
    if x <= 0.0 {
        return 1.0;
    }
    if x.is_infinite() {
        return 0.0;
    }
    let scale = (a * x.ln() - x - ln_gamma_of_half(freedom)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * f64::EPSILON {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return 1.0 - scale * sum;
    }
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::INFINITY, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let step = c * d;
        fraction *= step;
        if (step - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    scale * fraction
}

/// ln of the gamma function at `k / 2`, by its recursion from gamma(1) = 1 or gamma(1/2) = sqrt(pi).
fn ln_gamma_of_half(k: usize) -> f64 {
    let start = if k.is_multiple_of(2) { 0.0 } else { std::f64::consts::PI.sqrt().ln() };
    let first = if k.is_multiple_of(2) { 2 } else { 1 };
    start + (first..k).step_by(2).map(|j| (j as f64 / 2.0).ln()).sum::<f64>()
}

/// Asserts that counts could come from the given probabilities.
///
/// # Panics
/// When they could not, with a false-alarm rate of [`FALSE_ALARM`], or when the slices differ in length.
pub fn assert_distribution(counts: &[u64], probabilities: &[f64]) {
    assert_eq!(counts.len(), probabilities.len(), "a probability for each outcome");
    assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9, "probabilities sum to one");
    assert!(counts.iter().any(|count| *count > 0), "something was drawn");
    let possible = probabilities.iter().filter(|p| **p > 0.0).count();
    let g = g_statistic(counts, probabilities);
    if possible == 1 {
        assert!(g.abs() < 1e-9, "an impossible outcome was drawn");
        return;
    }
    let chance = chi_squared_tail(g, possible - 1);
    assert!(chance >= FALSE_ALARM, "G = {g:.1}, p = {chance:.1e}: the draws do not follow the stated distribution");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_chi_squared_matches_known_quantiles() {
        // Quantiles at 1 - 1e-6 by scipy.stats.chi2.isf.
        let quantiles = [
            (1, 23.928_126_976_934_827),
            (4, 33.376_841_581_719_84),
            (100, 182.126_777_119_547_65),
            (1000, 1_227.152_421_187_575_6),
        ];
        for (freedom, quantile) in quantiles {
            let tail = chi_squared_tail(quantile, freedom);
            assert!((tail / 1e-6 - 1.0).abs() < 1e-8, "{freedom}: {tail}");
        }
    }

    #[test]
    fn the_tail_is_exponential_at_two_degrees_of_freedom() {
        for x in [0.1, 1.0, 2.0, 5.0, 30.0] {
            assert!((chi_squared_tail(x, 2) - (-x / 2.0_f64).exp()).abs() < 1e-14);
        }
    }

    #[test]
    fn g_of_a_perfect_match_is_zero() {
        assert!(g_statistic(&[25, 75], &[0.25, 0.75]).abs() < 1e-9);
    }

    #[test]
    #[should_panic(expected = "do not follow")]
    fn a_biased_coin_is_found() {
        assert_distribution(&[51_500, 48_500], &[0.5, 0.5]); // G = 90
    }

    #[test]
    #[should_panic(expected = "do not follow")]
    fn an_impossible_outcome_is_found() {
        assert_distribution(&[99, 1, 0], &[1.0 / 2.0, 0.0, 1.0 / 2.0]);
    }
}
