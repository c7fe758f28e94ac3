//! Tails of the normal distribution, far out as well as near the middle.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};

/// Below this the error function is summed and subtracted from 1, which costs a digit from here on.
const MIDDLE: f64 = 0.5;

/// The complementary error function `2/sqrt(pi) * integral from x to infinity of e^-t^2`.
pub fn erfc(x: f64) -> f64 {
    if x.abs() < MIDDLE {
        1.0 - erf_series(x)
    } else if x > 0.0 {
        minus_square_exp(x, 1.0) * erfcx_tail(x)
    } else {
        2.0 - erfc(-x)
    }
}

/// The scaled complementary error function `e^(x^2) erfc(x)`, which falls only like `1/x`.
pub fn erfcx(x: f64) -> f64 {
    if x >= MIDDLE { erfcx_tail(x) } else { erfc(x) / minus_square_exp(x, 1.0) }
}

/// `ln erfc(x)`, finite where `erfc(x)` is too small for a float.
pub fn ln_erfc(x: f64) -> f64 {
    if x < MIDDLE { erfc(x).ln() } else { erfcx_tail(x).ln() - x * x }
}

/// The probability that a standard normal variable exceeds `z`.
pub fn normal_tail(z: f64) -> f64 {
    let x = z * FRAC_1_SQRT_2;
    // The square of z, not of the rounded x: far out the difference would show.
    if x >= MIDDLE { 0.5 * minus_square_exp(z, 0.5) * erfcx_tail(x) } else { 0.5 * erfc(x) }
}

/// The logarithm of [`normal_tail`].
pub fn ln_normal_tail(z: f64) -> f64 {
    let x = z * FRAC_1_SQRT_2;
    if x >= MIDDLE {
        erfcx_tail(x).ln() - LN_2 - 0.5 * z * z
    } else {
        // Through the other tail, which is small where this one is nearly 1.
        (-normal_tail(-z)).ln_1p()
    }
}

/// `e^(-factor x^2)` with the part of the square that a float cannot hold.
fn minus_square_exp(x: f64, factor: f64) -> f64 {
    let square = x * x;
    if !square.is_finite() {
        return 0.0;
    }
    let rest = x.mul_add(x, -square);
    (-factor * square).exp() * (1.0 - factor * rest)
}

/// `erf(x) = 2/sqrt(pi) e^-x^2 (x + 2x^3/3 + 4x^5/15 + ...)`: no term is negative for x > 0, so none cancels.
fn erf_series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    2.0 / PI.sqrt() * minus_square_exp(x, 1.0) * sum
}

/// `e^(x^2) erfc(x)` for x >= 1/2, as the integral `x/pi * integral of e^(-t^2) / (t^2 + x^2)` by the trapezoid rule.
///
/// For such an integrand the rule with steps of 1/2 errs by e^-39.5 (Chiarella and Reichel, 1968), once the poles at
/// `t = ix` are accounted for, which matters only where x is below pi / step.
fn erfcx_tail(x: f64) -> f64 {
    const STEP: f64 = 0.5;
    let mut sum = 0.0;
    for node in (1..=13).rev() {
        let t = STEP * f64::from(node);
        // Relative to x, as the square of a large x is no float.
        sum += (-t * t).exp() / (1.0 + (t / x) * (t / x));
    }
    let integral = STEP / PI * (1.0 + 2.0 * sum) / x;
    let pole = if x < PI / STEP { 2.0 * (x * x).exp() / (2.0 * PI * x / STEP).exp_m1() } else { 0.0 };
    integral - pole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn the_complementary_error_function_has_its_tabulated_values() {
        // mpmath, 30 digits.
        for (x, value) in [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (0.499, 0.480_379_344_010_531_54),
            (0.999, 0.157_714_729_793_503_06),
            (1.0, 0.157_299_207_050_285_13),
            (1.5, 0.033_894_853_524_689_27),
            (2.0, 0.004_677_734_981_047_266),
            (5.0, 1.537_459_794_428_034_8e-12),
            (10.0, 2.088_487_583_762_545e-45),
            (26.0, 5.663_192_408_856_143e-296),
            (-1.0, 1.842_700_792_949_715),
        ] {
            assert!(close(erfc(x), value, 1e-15), "erfc({x}) = {:e}", erfc(x));
        }
        assert_eq!((erfc(40.0), erfc(-40.0)), (0.0, 2.0));
    }

    #[test]
    fn the_two_methods_meet_without_a_step() {
        let below = MIDDLE.next_down();
        assert!(close(erfc(below), erfc(MIDDLE), 1e-15) && close(erfcx(below), erfcx(MIDDLE), 1e-15));
        let pole = PI / 0.5;
        assert!(close(erfcx(pole.next_down()), erfcx(pole), 1e-15));
    }

    #[test]
    fn far_tails_are_as_accurate_as_near_ones() {
        assert!(close(normal_tail(1.959_963_984_540_054), 0.025, 1e-14));
        assert!(close(normal_tail(38.0), 2.885_428_35e-316, 1e-7), "a subnormal float has few digits");
        assert!(close(normal_tail(30.0), 4.906_713_927_148_187e-198, 1e-14));
        assert!(close(ln_normal_tail(100.0), -5_005.524_208_694_205, 1e-15));
        assert!(close(ln_normal_tail(-3.0), -0.001_350_809_964_748_202_5, 1e-13));
        assert!(close(ln_erfc(100.0), -10_005.177_585_122_665, 1e-15));
        // For large x the scaled function is 1/(x sqrt(pi)).
        assert!(close(erfcx(1e200), 5.641_895_835_477_563e-201, 1e-15));
    }
}
