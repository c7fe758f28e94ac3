//! The exact total of draws of bounded range that do not look at each other's outputs (Dong, Durfee and Rogers, 2020).
//! Draws that do look lose a little more, so this is a yardstick, not a guarantee for texts.

use crate::accountant::special::ln_binomial_pmf;
use crate::accountant::{check, pure, search, up};
use crate::error::DpError;

/// The time grows with the power 1.5 of the draws; this many take seconds.
const MOST_DRAWS: u64 = 10_000;

/// The delta at a total epsilon of `draws` draws of range `eta`, chosen beforehand.
///
/// # Errors
/// When an argument is outside its range; there may be ten thousand draws at most.
pub fn nonadaptive_delta(eta: f64, draws: u64, total: f64) -> Result<f64, DpError> {
    let draws = checked(eta, draws)?;
    check::not_negative("epsilon", total)?;
    Ok(up(worst_delta(eta, draws, total)).min(1.0))
}

/// The least total epsilon at a delta of `draws` draws of range `eta`, chosen beforehand.
///
/// # Errors
/// When an argument is outside its range; there may be ten thousand draws at most.
pub fn nonadaptive_epsilon(eta: f64, draws: u64, delta: f64) -> Result<f64, DpError> {
    let draws = checked(eta, draws)?;
    check::probability("delta", delta)?;
    let pure = pure::epsilon(eta, draws)?;
    let target = delta * (1.0 - 1e-12);
    Ok(up(search::smallest(0.0, pure, |total| worst_delta(eta, draws, total) <= target)).min(pure))
}

fn checked(eta: f64, draws: u64) -> Result<u64, DpError> {
    check::positive("eta", eta)?;
    check::accept((1..=MOST_DRAWS).contains(&draws), "draws", draws as f64, "between 1 and 10000")?;
    Ok(draws)
}

/// The largest delta over t. Each piece of it, with a given number of outcomes above the total, has its maximum at one
/// known t, so a finite list is enough.
fn worst_delta(eta: f64, draws: u64, total: f64) -> f64 {
    (0..=draws)
        .map(|piece| ((total + (piece + 1) as f64 * eta) / (draws + 1) as f64).clamp(0.0, eta))
        .map(|t| delta_at(eta, draws, total, t))
        .fold(0.0, f64::max)
}

/// The delta if every draw loses `t` or `t - eta`. With i low losses the sum is `draws t - i eta`.
fn delta_at(eta: f64, draws: u64, total: f64, t: f64) -> f64 {
    let rest = -(-eta).exp_m1();
    let high = -(t - eta).exp_m1() / rest;
    let low = (-eta).exp() * t.exp_m1() / rest;
    let room = draws as f64 * t - total;
    // At either end of the range of t nothing is ever lost: the one loss that has any chance is 0.
    if room <= 0.0 || high <= 0.0 || low <= 0.0 {
        return 0.0;
    }
    let excess = |i: u64| -(i as f64 * eta - room).exp_m1();
    let last = ((room / eta) as u64).min(draws);
    // The terms rise to one peak and fall: start at the most likely i that counts and go both ways.
    let start = last.min((draws as f64 * low) as u64);
    let at_start = ln_binomial_pmf(start, draws, low, high).exp();
    let mut sum = 0.0;
    let mut mass = at_start;
    for i in (0..=start).rev() {
        sum += mass * excess(i).max(0.0);
        mass *= i as f64 / (draws - i + 1) as f64 * high / low;
        if mass < 1e-18 * sum {
            break;
        }
    }
    mass = at_start;
    for i in start + 1..=last {
        mass *= (draws - i + 1) as f64 / i as f64 * low / high;
        sum += mass * excess(i).max(0.0);
        if mass < 1e-18 * sum {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::bounded_range::rdp_epsilon;
    use crate::accountant::{close, optimal};

    #[test]
    fn one_draw_by_hand() {
        // delta(t) = (1 - e^(t-eta)) / (1 - e^-eta) * (1 - e^(total-t)), largest at t = (total + eta) / 2:
        // eta 2, total 1, t 1.5: (1 - e^-.5)^2 / (1 - e^-2) = .179049.
        let by_hand = (-(-0.5f64).exp_m1()).powi(2) / -(-2f64).exp_m1();
        assert!(close(nonadaptive_delta(2.0, 1, 1.0).unwrap(), by_hand, 1e-11));
        assert!(close(nonadaptive_epsilon(2.0, 1, by_hand).unwrap(), 1.0, 1e-11));
    }

    #[test]
    fn the_listed_t_are_the_worst_of_many() {
        let brute = (0..=10_000).map(|i| delta_at(1.0, 30, 9.0, f64::from(i) / 1e4)).fold(0.0, f64::max);
        assert!(close(nonadaptive_delta(1.0, 30, 9.0).unwrap(), brute, 1e-5));
        assert!(nonadaptive_delta(1.0, 30, 9.0).unwrap() >= brute);
    }

    #[test]
    fn it_is_the_least_of_the_bounds() {
        let total = nonadaptive_epsilon(1.0, 200, 1e-6).unwrap();
        assert!(total < rdp_epsilon(1.0, 200, 1e-6).unwrap() && total < optimal::epsilon(1.0, 200, 1e-6).unwrap());
    }
}
