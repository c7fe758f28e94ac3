//! Exact composition of the band mechanisms: k-RR, subset-RR, two-set, floor, clip (the band lemma, PRIVACY.md 1.3).
//!
//! A draw in the band is dominated by three losses: `+epsilon` with probability `hit`, `-epsilon` with probability
//! `hit e^-epsilon`, and 0 otherwise. Sums of such losses lie on a lattice, so many draws compose without rounding to
//! a grid, and adaptively.

use super::{check, lattice, pure, up};
use crate::error::DpError;

/// Deltas below this are too near the smallest float; the pure bound is reported for them.
const SMALLEST_DELTA: f64 = 1e-290;

/// The delta at a total epsilon of `draws` draws that lose `per_draw` with probability `hit`.
///
/// # Errors
/// When an argument is outside its range: `hit` is a probability of at most `1 / (1 + e^-per_draw)`.
pub fn delta(per_draw: f64, hit: f64, draws: u64, total: f64) -> Result<f64, DpError> {
    check::not_negative("epsilon", total)?;
    let losses = Losses::composed(per_draw, hit, draws)?;
    Ok(losses.delta(total))
}

/// The least total epsilon at a delta of `draws` draws that lose `per_draw` with probability `hit`.
///
/// # Errors
/// When an argument is outside its range: `hit` is a probability of at most `1 / (1 + e^-per_draw)`.
pub fn epsilon(per_draw: f64, hit: f64, draws: u64, delta: f64) -> Result<f64, DpError> {
    check::probability("delta", delta)?;
    let losses = Losses::composed(per_draw, hit, draws)?;
    Ok(losses.epsilon(delta).min(pure::epsilon(per_draw, draws)?))
}

/// The distribution of the sum of the losses of several draws, from the largest sum down to 0.
pub(crate) struct Losses {
    step: f64,
    draws: usize,
    masses: Vec<f64>,
}

impl Losses {
    fn composed(per_draw: f64, hit: f64, draws: u64) -> Result<Self, DpError> {
        check::positive("epsilon", per_draw)?;
        let draws = check::convolved(draws)?;
        check::probability("hit", hit)?;
        let opposite = (-per_draw).exp();
        let neither = 1.0 - hit - hit * opposite;
        // A caller's rounding may make the largest allowed probability a few floats too large.
        let allowed = "at most 1 / (1 + e^-epsilon), as the opposite loss needs its share";
        check::accept(neither > -1e-12, "hit", hit, allowed)?;
        Ok(Self::of_three(per_draw, hit, neither.max(0.0), draws))
    }

    /// Sums of losses `step`, 0 and `-step` with probabilities `plus`, `zero` and `plus e^-step`.
    pub(crate) fn of_three(step: f64, plus: f64, zero: f64, draws: usize) -> Self {
        // The probabilities d_m of the sum n - m are the coefficients of (plus + zero x + minus x^2)^n. Its derivative
        // gives  m plus d_m = (n - m + 1) zero d_(m-1) + (2n - m + 2) minus d_(m-2),  in which nothing is negative down
        // to the sum 0: errors do not grow. They start at any scale and are divided by their sum in the end.
        let n = draws as f64;
        // A larger `plus` only loses more, and one that is not tiny keeps the ratio within the floats.
        let ratio = zero / plus.max(1e-100);
        let minus_ratio = (-step).exp();
        let mut masses = Vec::with_capacity(draws + 1);
        let mut scales = Vec::with_capacity(draws + 1);
        let (mut before, mut last, mut scale) = (0.0, 1.0, 0u32);
        masses.push(last);
        scales.push(scale);
        for m in 1..=draws {
            let m = m as f64;
            let next = ((n - m + 1.0) * ratio * last + (2.0 * n - m + 2.0) * minus_ratio * before) / m;
            (before, last) = (last, next);
            if last > RESCALE {
                (before, last, scale) = (before / RESCALE, last / RESCALE, scale + 1);
            }
            masses.push(last);
            scales.push(scale);
        }
        // What lies three scales below the end is less than the smallest float of it.
        for (mass, at) in masses.iter_mut().zip(&scales) {
            for _ in 0..(scale - at).min(3) {
                *mass /= RESCALE;
            }
        }
        // The mass of the sum -k is that of k times e^(-k step).
        let whole: f64 = masses.iter().zip(0..).map(|(mass, m)| mass * (1.0 + mirrored(draws - m, step))).sum();
        for mass in &mut masses {
            *mass /= whole;
        }
        Self { step, draws, masses }
    }

    /// The relative error that a mass may have: each step of the recurrence rounds about four times, and the sum again.
    fn slack(&self) -> f64 {
        1.0 + 8.0 * f64::EPSILON * (self.draws as f64 + 10.0)
    }

    pub(crate) fn delta(&self, total: f64) -> f64 {
        let sum = lattice::delta(self.step, self.draws as i64, self.masses.iter().copied(), total);
        (sum * self.slack()).min(1.0)
    }

    pub(crate) fn epsilon(&self, delta: f64) -> f64 {
        if delta < SMALLEST_DELTA {
            return f64::INFINITY;
        }
        // The sum 0 is left out: above it lie the totals from 0.
        let positive = self.masses[..self.draws].iter().copied();
        up(lattice::epsilon(self.step, self.draws as i64, positive, delta / self.slack()))
    }
}

/// Where a coefficient is scaled down. Its square is within the floats.
const RESCALE: f64 = 1e150;

/// The mass of the sum `-k` in units of that of `k`; the sum 0 has no mirror image.
fn mirrored(k: usize, step: f64) -> f64 {
    if k == 0 { 0.0 } else { (-(k as f64) * step).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn one_draw_is_the_band_lemma() {
        // h (1 - e^(total - eps)) = .1 (1 - e^-1).
        assert!(close(delta(2.0, 0.1, 1, 1.0).unwrap(), 0.1 * (1.0 - (-1f64).exp()), 1e-13));
    }

    #[test]
    fn three_draws_agree_with_a_sum_over_all_outcomes() {
        let (step, hit) = (1.5f64, 0.3);
        let single = [(step, hit), (-step, hit * (-step).exp()), (0.0, 1.0 - hit - hit * (-step).exp())];
        let mut by_hand = 0.0;
        for (a, p) in single {
            for (b, q) in single {
                for (c, r) in single {
                    by_hand += p * q * r * (1.0 - (0.7 - a - b - c).exp()).max(0.0);
                }
            }
        }
        assert!(close(delta(step, hit, 3, 0.7).unwrap(), by_hand, 1e-13));
        assert!(close(epsilon(step, hit, 3, by_hand).unwrap(), 0.7, 1e-11));
    }

    #[test]
    fn a_hundred_thousand_draws_keep_their_digits() {
        // 20000 outcomes, epsilon 3: a normal approximation is useless out here, so epsilon must undo delta.
        let hit = 3f64.exp() / (3f64.exp() + 19_999.0);
        let total = epsilon(3.0, hit, 100_000, 1e-6).unwrap();
        assert!(close(delta(3.0, hit, 100_000, total).unwrap(), 1e-6, 1e-8), "{total}");
        assert!(total > 300.0 && total < 600.0, "{total}");
    }

    #[test]
    fn extreme_settings_give_bounds_and_no_nan() {
        // Certain hits lose everything; hopeless ones almost nothing; tiny deltas get the pure bound.
        assert!(close(epsilon(800.0, 0.999_999, 3, 1e-9).unwrap(), 2400.0, 1e-9));
        assert_eq!(epsilon(1.0, 1e-200, 1000, 1e-9), Ok(0.0));
        assert_eq!(epsilon(1.0, 0.2, 10, 1e-300), Ok(10.0));
        assert_eq!(epsilon(1.0, 0.2, 10, 0.999), Ok(0.0));
        assert!(delta(1e-9, 0.4, 100_000, 1e-5).unwrap() < 1e-6);
    }

    #[test]
    fn more_hits_than_the_loss_allows_are_refused() {
        assert!(epsilon(1.0, 0.74, 10, 1e-6).is_err()); // 1 / (1 + e^-1) = .7311
        assert!(epsilon(1.0, 0.73, 10, 1e-6).is_ok());
    }
}
