//! Zero-concentrated privacy and what it says at a delta (Bun and Steinke, 2016; the conversion of Canonne, Kamath and
//! Steinke, 2020). Its losses add up: n draws of rho each have n rho.

use super::{check, renyi, search, up};
use crate::error::DpError;

/// The least epsilon at a delta of a mechanism with `rho` zero-concentrated privacy.
///
/// # Errors
/// When `rho` is not a finite number above 0 or `delta` is not between 0 and 1.
pub fn epsilon(rho: f64, delta: f64) -> Result<f64, DpError> {
    check::positive("rho", rho)?;
    check::probability("delta", delta)?;
    check::finite(up(renyi::epsilon(|order| rho * order, delta)))
}

/// The least delta at an epsilon of a mechanism with `rho` zero-concentrated privacy.
///
/// # Errors
/// When `rho` is not a finite number above 0 or `epsilon` is negative or no number.
pub fn delta(rho: f64, epsilon: f64) -> Result<f64, DpError> {
    check::positive("rho", rho)?;
    check::not_negative("epsilon", epsilon)?;
    // ln delta at order a is (a-1)(a rho - epsilon) + a ln(1 - 1/a) - ln(a-1); its slope grows with a.
    let ln_delta = |ln_excess: f64| {
        let excess = ln_excess.exp();
        let order = 1.0 + excess;
        excess * (order * rho - epsilon) + order * (ln_excess - excess.ln_1p()) - ln_excess
    };
    let (_, least) = search::lowest(-50.0, 50.0, ln_delta);
    Ok(up(least.exp()).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn delta_undoes_epsilon() {
        for (rho, at) in [(0.01, 1e-5), (1.0, 1e-9), (50.0, 1e-3)] {
            assert!(close(delta(rho, epsilon(rho, at).unwrap()).unwrap(), at, 1e-8));
        }
    }

    #[test]
    fn the_bound_is_below_the_classic_one() {
        // Bun and Steinke: rho + 2 sqrt(rho ln(1/delta)) = 1 + 2 sqrt(ln 10^6) = 8.434.
        assert!(epsilon(1.0, 1e-6).unwrap() < 8.434);
    }

    #[test]
    fn no_epsilon_leaves_at_most_everything() {
        assert!(delta(100.0, 0.0).unwrap() <= 1.0);
        assert!(delta(0.1, 1e6).unwrap() < 1e-300);
    }
}
