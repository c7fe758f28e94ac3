//! Gaussian noise, once, calibrated exactly (Balle and Wang, 2018).
//!
//! `sigma` is the standard deviation in units of the L2 sensitivity. The classic `sqrt(2 ln(1.25/delta)) / epsilon` is
//! proved for epsilon below 1 only, and is too little noise where epsilon is large.

use super::special::{erfcx, normal_tail};
use super::{check, search, up};
use crate::error::DpError;
use std::f64::consts::FRAC_1_SQRT_2;

/// The least noise, per unit of L2 sensitivity, that gives `epsilon` and `delta`.
///
/// # Errors
/// When an argument is outside its range.
pub fn sigma(epsilon: f64, delta: f64) -> Result<f64, DpError> {
    check::positive("epsilon", epsilon)?;
    check::probability("delta", delta)?;
    let enough = |sigma: f64| exact_delta(epsilon, sigma) <= delta;
    let high = search::doubled(1e-150, enough);
    check::finite(up(search::smallest(high / 2.0, high, enough)))
}

/// The delta at an epsilon of noise `sigma`.
///
/// # Errors
/// When an argument is outside its range; `epsilon` may be 0.
pub fn delta(epsilon: f64, sigma: f64) -> Result<f64, DpError> {
    check::not_negative("epsilon", epsilon)?;
    check::positive("noise", sigma)?;
    Ok(exact_delta(epsilon, sigma).min(1.0))
}

/// The epsilon at a delta of noise `sigma`.
///
/// # Errors
/// When an argument is outside its range.
pub fn epsilon(sigma: f64, delta: f64) -> Result<f64, DpError> {
    check::positive("noise", sigma)?;
    check::probability("delta", delta)?;
    let enough = |epsilon: f64| exact_delta(epsilon, sigma) <= delta;
    if enough(0.0) {
        return Ok(0.0);
    }
    let high = search::doubled(1e-3, enough);
    check::finite(up(search::smallest(0.0, high, enough)))
}

/// `tail(a) - e^epsilon tail(b)` with `a, b = epsilon sigma -+ 1/(2 sigma)`, raised by its rounding error.
fn exact_delta(epsilon: f64, sigma: f64) -> f64 {
    let (middle, half) = (epsilon * sigma, 0.5 / sigma);
    let (a, b) = (middle - half, middle + half);
    if a < 0.0 {
        // e^epsilon tail(b) = e^(-a^2/2) erfcx(b / sqrt 2) / 2, as b^2 - a^2 = 2 epsilon: no large power appears.
        let second = 0.5 * (-0.5 * a * a).exp() * erfcx(b * FRAC_1_SQRT_2);
        let first = normal_tail(a);
        return first - second + 4.0 * f64::EPSILON * first;
    }
    // The common factor is taken out; what remains differs by about 1/sigma, so the error is a matter of that.
    let (first, second) = (erfcx(a * FRAC_1_SQRT_2), erfcx(b * FRAC_1_SQRT_2));
    0.5 * (-0.5 * a * a).exp() * (first - second + 4.0 * f64::EPSILON * first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn without_epsilon_delta_is_the_distance_of_two_normals() {
        // Total variation 2 Phi(1/2) - 1 at distance 1.
        assert!(close(delta(0.0, 1.0).unwrap(), 0.382_924_922_548_026, 1e-13));
    }

    #[test]
    fn the_three_functions_undo_each_other() {
        for (sigma_, epsilon_) in [(0.1, 60.0), (1.0, 4.377), (30.0, 0.1), (1e4, 1e-4)] {
            let at = delta(epsilon_, sigma_).unwrap();
            assert!(close(epsilon(sigma_, at).unwrap(), epsilon_, 1e-9), "{sigma_}");
            assert!(close(sigma(epsilon_, at).unwrap(), sigma_, 1e-9), "{sigma_}");
        }
    }

    #[test]
    fn the_classic_formula_is_too_little_noise_where_epsilon_is_large() {
        let classic = |epsilon: f64| (2.0 * (1.25e5f64).ln()).sqrt() / epsilon;
        assert!(classic(1.0) > sigma(1.0, 1e-5).unwrap());
        assert!(classic(16.0) < sigma(16.0, 1e-5).unwrap());
    }

    #[test]
    fn much_noise_needs_no_epsilon() {
        assert_eq!(epsilon(1e6, 1e-6), Ok(0.0));
    }
}
