//! The best total for draws of which only the loss is known (Kairouz, Oh and Viswanath, 2015).
//!
//! No mechanism of that loss composes worse than randomised response, which loses `+epsilon` or `-epsilon` and never 0.

use super::band::Losses;
use super::{check, pure};
use crate::error::DpError;

/// The delta at a total epsilon of `draws` draws that each lose at most `per_draw`.
///
/// # Errors
/// When an argument is outside its range.
pub fn delta(per_draw: f64, draws: u64, total: f64) -> Result<f64, DpError> {
    check::not_negative("epsilon", total)?;
    Ok(losses(per_draw, draws)?.delta(total))
}

/// The least total epsilon at a delta of `draws` draws that each lose at most `per_draw`.
///
/// # Errors
/// When an argument is outside its range.
pub fn epsilon(per_draw: f64, draws: u64, delta: f64) -> Result<f64, DpError> {
    check::probability("delta", delta)?;
    Ok(losses(per_draw, draws)?.epsilon(delta).min(pure::epsilon(per_draw, draws)?))
}

fn losses(per_draw: f64, draws: u64) -> Result<Losses, DpError> {
    check::positive("epsilon", per_draw)?;
    let draws = check::convolved(draws)?;
    Ok(Losses::of_three(per_draw, 1.0 / (1.0 + (-per_draw).exp()), 0.0, draws))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{band, close};

    #[test]
    fn two_draws_by_hand() {
        // Randomised response at ln 3 keeps with 3/4. At a total of 1 only the loss 2 ln 3 = ln 9 counts:
        // 9/16 (1 - e/9) = .392607...
        let by_hand = 9.0 / 16.0 * (1.0 - 1f64.exp() / 9.0);
        assert!(close(delta(3f64.ln(), 2, 1.0).unwrap(), by_hand, 1e-13));
        assert!(close(epsilon(3f64.ln(), 2, by_hand).unwrap(), 1.0, 1e-11));
    }

    #[test]
    fn a_band_never_loses_more_than_an_unknown_mechanism() {
        let unknown = epsilon(1.0, 100, 1e-6).unwrap();
        assert!(band::epsilon(1.0, 0.5, 100, 1e-6).unwrap() < unknown);
        // 1 / (1 + e^-1), the largest hit probability: the band is then randomised response itself.
        assert!(close(band::epsilon(1.0, 0.731_058_578_630_004_9, 100, 1e-6).unwrap(), unknown, 1e-9));
    }
}
