//! The incomplete beta function, which is the distribution function of the binomial.

use super::gamma::{deviance, stirling_error};
use std::f64::consts::PI;

/// The regularised incomplete beta function `I_x(a, b)` for a, b > 0: the probability that a beta variable is below x.
///
/// With whole numbers, `I_p(k, n - k + 1)` is the probability of k or more successes in n trials.
pub fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else if x <= (a + 1.0) / (a + b + 2.0) {
        front(x, a, b) / a * fraction(x, a, b)
    } else {
        // On this side the fraction of the complement converges, and the complement is the smaller part.
        1.0 - front(1.0 - x, b, a) / b * fraction(1.0 - x, b, a)
    }
}

/// The `x` at which `I_x(a, b)` equals `probability`.
pub fn inverse_incomplete_beta(probability: f64, a: f64, b: f64) -> f64 {
    let (low, high) = inverse_bracket(|x| incomplete_beta(x, a, b) >= probability);
    low + (high - low) / 2.0
}

/// The last `x` in 0..1 that is below an increasing condition and the first that is not, to the accuracy of floats.
pub(crate) fn inverse_bracket(reached: impl Fn(f64) -> bool) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return (low, high);
        }
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
}

/// `x^a (1-x)^b / B(a, b)`, in Loader's form so that large powers do not cancel.
fn front(x: f64, a: f64, b: f64) -> f64 {
    let n = a + b;
    let smooth = stirling_error(n) - stirling_error(a) - stirling_error(b);
    let distance = deviance(a, n * x) + deviance(b, n * (1.0 - x));
    (smooth - distance).exp() * (a * b / (2.0 * PI * n)).sqrt()
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), from the front, after Lentz.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    // A zero in Lentz's method is replaced by a number too small to be seen.
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut result = d;
    // The terms needed grow with the square root of a + b.
    let most = 200 + 20 * (a + b).sqrt() as u64;
    for m in (1..=most).map(|m| m as f64) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        result *= c * d;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        result *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn whole_numbers_give_the_binomial() {
        // 3 or more of 5 at 1/4: (90 + 15 + 1) / 1024.
        assert!(close(incomplete_beta(0.25, 3.0, 3.0), 106.0 / 1024.0, 1e-15));
        assert_eq!((incomplete_beta(0.0, 3.0, 3.0), incomplete_beta(1.0, 3.0, 3.0)), (0.0, 1.0));
    }

    #[test]
    fn the_two_ends_add_up_to_one() {
        for (x, a, b) in [(0.3, 0.5, 0.5), (0.7, 20.0, 3.0), (0.01, 2.0, 500.0), (0.5, 1e5, 1e5)] {
            let sum = incomplete_beta(x, a, b) + incomplete_beta(1.0 - x, b, a);
            assert!(close(sum, 1.0, 1e-13), "{x} {a} {b}: {sum}");
        }
    }

    #[test]
    fn large_numbers_cost_no_digits() {
        // mpmath: 50500 or more of 100000 at 1/2.
        let tail = incomplete_beta(0.5, 50_500.0, 49_501.0);
        assert!(close(tail, 7.911_799_394_257_978e-4, 1e-12), "{tail:e}");
    }

    #[test]
    fn the_inverse_undoes_the_function() {
        for probability in [1e-12, 1e-3, 0.5, 0.999] {
            let x = inverse_incomplete_beta(probability, 7.0, 30.0);
            assert!(close(incomplete_beta(x, 7.0, 30.0), probability, 1e-12));
        }
        // I_x(1, n) = 1 - (1-x)^n.
        assert!(close(inverse_incomplete_beta(0.95, 1.0, 1000.0), -(0.05f64.ln() / 1000.0).exp_m1(), 1e-12));
    }
}
