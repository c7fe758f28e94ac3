//! Mechanisms of bounded range: the log-ratios of their outcomes, between any two inputs, all lie in an interval of
//! length `eta`. The exponential mechanism on scores clipped to an interval of length R, divided by a temperature T, is
//! one with `eta = 2R/T`.
//!
//! Such a mechanism is dominated by a pair on two outcomes, with losses `t` and `t - eta` for some t in 0..eta (Dong,
//! Durfee and Rogers, 2020). Draws that see earlier outputs may choose t anew each time, so the bound to print is
//! [`rdp_epsilon`], which takes the worst t at every order; [`nonadaptive_epsilon`] is a reference.

mod nonadaptive;

pub use nonadaptive::{nonadaptive_delta, nonadaptive_epsilon};

use super::{check, pure, renyi, up};
use crate::error::DpError;

/// The zero-concentrated loss of a draw: `x - 1 - ln x` with `x = eta / (e^eta - 1)`, tight (Harrison and Manurangsi,
/// 2025).
///
/// # Errors
/// When `eta` is not a finite number above 0.
pub fn zcdp(eta: f64) -> Result<f64, DpError> {
    check::positive("eta", eta)?;
    if eta < 0.03 {
        // The formula would cancel. Its series alternates, so it is an upper bound after a positive term.
        let square = eta * eta;
        return Ok(up(square / 8.0 - square * square / 576.0 + square * square * square / 25_920.0));
    }
    let ln_x = eta.ln() - eta - (-(-eta).exp_m1()).ln();
    Ok(up(ln_x.exp() - 1.0 - ln_x))
}

/// The zero-concentrated loss of a draw in its well-known form, `eta^2 / 8` (Cesar and Rogers, 2021).
///
/// # Errors
/// When `eta` is not a finite number above 0.
pub fn zcdp_simple(eta: f64) -> Result<f64, DpError> {
    check::positive("eta", eta)?;
    check::finite(eta * eta / 8.0)
}

/// The Rényi divergence of a draw at an order above 1, for the worst t.
///
/// # Errors
/// When `eta` is not a finite number above 0 or `order` is not one above 1.
pub fn rdp(eta: f64, order: f64) -> Result<f64, DpError> {
    check::positive("eta", eta)?;
    check::accept(order > 1.0 && order.is_finite(), "order", order, "a finite number above 1")?;
    Ok(up(divergence(eta, order)))
}

/// The least epsilon at a delta of `draws` draws, each of which may depend on the outputs before it.
///
/// # Errors
/// When an argument is outside its range.
pub fn rdp_epsilon(eta: f64, draws: u64, delta: f64) -> Result<f64, DpError> {
    let pure = pure::epsilon(eta, draws)?;
    let draws = check::count("draws", draws)?;
    check::probability("delta", delta)?;
    let epsilon = renyi::epsilon(|order| draws * divergence(eta, order), delta);
    Ok(up(epsilon).min(pure))
}

/// With b = order - 1, the moment `E[e^(b loss)]` is `c e^(bt) - g e^(order t)` for two constants c and g of eta and
/// the order. It is largest at `e^t = c b / (order g)`, where it is `c e^(bt) / order`.
fn divergence(eta: f64, order: f64) -> f64 {
    // Below this the logarithms would cancel, and eta^2 / 8 is nearly as good.
    if eta < 0.03 {
        return order * eta * eta / 8.0;
    }
    let b = order - 1.0;
    // 1 - e^-y, without loss of digits.
    let rest = |y: f64| -(-y).exp_m1();
    // e^t = (b / order) (1 - e^(-order eta)) / (1 - e^(-b eta)) e^eta.
    let t = eta + (b / order).ln() + (rest(order * eta) / rest(b * eta)).ln();
    // c = (1 - e^(-order eta)) / (1 - e^-eta) = 1 + e^-eta (1 - e^(-b eta)) / (1 - e^-eta).
    let ln_c = ((-eta).exp() * rest(b * eta) / rest(eta)).ln_1p();
    // Near order 1 the logarithms of t are large and opposite.
    let rounding = 8.0 * f64::EPSILON * (1.0 + b.ln().abs());
    t + (ln_c - b.ln_1p()) / b + rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn the_worst_t_is_the_worst_of_many() {
        for eta in [0.05f64, 1.0, 6.0, 30.0] {
            for order in [1.01, 1.5, 2.0, 10.0, 60.0] {
                let at = |t: f64| {
                    let q = ((-t).exp() - (-eta).exp()) / (1.0 - (-eta).exp());
                    ((q * t.exp() + (1.0 - q) * (order * (t - eta) - (order - 1.0) * t).exp()).ln() + (order - 1.0) * t)
                        / (order - 1.0)
                };
                let brute = (1..20_000).map(|i| at(eta * f64::from(i) / 20_000.0)).fold(0.0, f64::max);
                let exact = rdp(eta, order).unwrap();
                assert!(exact > brute * (1.0 - 1e-10) && close(exact, brute, 1e-6), "{eta} {order}: {exact} {brute}");
            }
        }
    }

    #[test]
    fn near_order_one_the_divergence_is_the_concentrated_loss() {
        // The supremum of divergence / order is reached there.
        assert!(close(rdp(3.0, 1.0 + 1e-9).unwrap(), zcdp(3.0).unwrap(), 1e-8));
        assert!(rdp(3.0, 5.0).unwrap() < 5.0 * zcdp(3.0).unwrap());
    }

    #[test]
    fn small_ranges_cost_an_eighth_of_their_square() {
        for eta in [1e-9, 1e-3, 0.029_999, 0.030_001] {
            let (tight, simple) = (zcdp(eta).unwrap(), zcdp_simple(eta).unwrap());
            assert!(tight <= simple * (1.0 + 1e-11) && close(tight, simple, 1e-4 + eta * eta / 70.0), "{eta}");
        }
        assert!(close(zcdp(0.029_999_999).unwrap(), zcdp(0.030_000_001).unwrap(), 2e-7));
    }

    #[test]
    fn no_total_exceeds_the_pure_one() {
        assert!(rdp_epsilon(500.0, 2, 1e-12).unwrap() <= 1000.0);
        assert!(rdp_epsilon(700.0, 2, 1e-300).unwrap() <= 1400.0);
        assert!(rdp_epsilon(1e-9, 1000, 1e-6).unwrap() <= 1e-6);
    }
}
