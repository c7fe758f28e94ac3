//! Gaussian noise on a Poisson sample, many times: DP-SGD by Rényi divergences (Mironov, Talwar and Zhang, 2019).
//!
//! `noise` is the standard deviation in units of the clipping norm, `rate` the chance of a record to be in a batch.
//! Adjacent data sets differ by one record added or removed; of the two directions the one counted here is the worse,
//! as they prove. The accountants of opacus and dp-accounting use the same orders and the same conversion.

use super::special::{ln_binomial_pmf, log_sum_exp};
use super::{check, renyi, up};
use crate::error::DpError;

/// The orders that are tried: tenths below 11, whole numbers to 63, then a few large ones for tiny losses.
fn orders() -> impl Iterator<Item = f64> {
    (1..100)
        .map(|tenths| 1.0 + f64::from(tenths) / 10.0)
        .chain((11..64).map(f64::from))
        .chain([128.0, 256.0, 512.0, 1024.0])
}

/// The Rényi divergence of one step at an order above 1.
///
/// # Errors
/// When an argument is outside its range; orders go up to 100000.
pub fn rdp(order: f64, noise: f64, rate: f64) -> Result<f64, DpError> {
    check::accept(order > 1.0 && order <= 1e5, "order", order, "above 1 and at most 100000")?;
    check::positive("noise", noise)?;
    check::rate(rate)?;
    check::finite(up(divergence(order, noise, rate)))
}

/// The epsilon at a delta of `steps` steps, and the order that gives it.
///
/// # Errors
/// When an argument is outside its range.
pub fn epsilon(noise: f64, rate: f64, steps: u64, delta: f64) -> Result<(f64, f64), DpError> {
    check::positive("noise", noise)?;
    check::rate(rate)?;
    let steps = check::count("steps", steps)?;
    check::probability("delta", delta)?;
    let bounds =
        orders().map(|order| (renyi::epsilon_at(steps * divergence(order, noise, rate), order - 1.0, delta), order));
    let (epsilon, order) = bounds.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 1.0));
    Ok((check::finite(up(epsilon))?, order))
}

/// The divergence is `ln E[(1 - q + q e^u)^order] / (order - 1)`, with u the loss of a step that surely has the record.
fn divergence(order: f64, noise: f64, rate: f64) -> f64 {
    if rate == 1.0 {
        return order / (2.0 * noise * noise);
    }
    let scaled = if order.fract() == 0.0 {
        ln_moment_of_whole(order as u64, noise, rate)
    } else if noise < 0.1 || order > 100.0 {
        // The integral would be long. The logarithm of the moment is convex in the order, so a chord lies above it.
        let (below, share) = (order as u64, order.fract());
        let lower = if below == 1 { 0.0 } else { ln_moment_of_whole(below, noise, rate) };
        (1.0 - share) * lower + share * ln_moment_of_whole(below + 1, noise, rate)
    } else {
        ln_moment_by_integral(order, noise, rate)
    };
    scaled / (order - 1.0)
}

/// The moment less 1 is the sum over k >= 2 of the binomial probabilities times `e^(k(k-1)/(2 noise^2)) - 1`: taking
/// the 1 out of the sum keeps every digit of a tiny loss.
fn ln_moment_of_whole(order: u64, noise: f64, rate: f64) -> f64 {
    let terms: Vec<f64> = (2..=order)
        .map(|k| {
            let exponent = k as f64 * (k - 1) as f64 / 2.0 / (noise * noise);
            ln_binomial_pmf(k, order, rate, 1.0 - rate) + exponent + (-(-exponent).exp_m1()).ln()
        })
        .collect();
    let excess = log_sum_exp(&terms);
    if excess > 40.0 { excess + (-excess).exp() } else { excess.exp().ln_1p() }
}

/// The same for any order, as the integral over z of the normal density times
/// `(1 + w)^order - 1 - order w`, with `w = q (e^u - 1)` and `u = z/noise - 1/(2 noise^2)`; the mean of w is 0.
///
/// The integrand is nowhere negative, and analytic within `pi noise` of the real line, so the trapezoid rule with
/// steps of a quarter of the noise errs by e^-70 of it.
fn ln_moment_by_integral(order: f64, noise: f64, rate: f64) -> f64 {
    let step = (noise / 4.0).min(0.25);
    // Thirteen standard deviations on either side of where the mass is, with and without the record.
    let (first, last) = ((-13.0 / step) as i64, ((13.0 + order / noise) / step) as i64 + 1);
    let terms: Vec<f64> = (first..=last)
        .map(|node| {
            let z = node as f64 * step;
            ln_convexity(order, rate, z / noise - 0.5 / (noise * noise)) - 0.5 * z * z
        })
        .collect();
    let excess = log_sum_exp(&terms) + (step / (2.0 * std::f64::consts::PI).sqrt()).ln();
    if excess > 40.0 { excess + (-excess).exp() } else { excess.exp().ln_1p() }
}

/// `ln((1 + w)^order - 1 - order w)` with `w = rate (e^u - 1)`.
fn ln_convexity(order: f64, rate: f64, u: f64) -> f64 {
    // ln(1 + w), in a form that neither overflows nor cancels.
    let ln_growth = if u > 0.0 { u + ((1.0 - rate) * (-u).exp_m1()).ln_1p() } else { (rate * u.exp_m1()).ln_1p() };
    if order * ln_growth > 30.0 {
        // The power outweighs the rest, which is w times the order: subtract it as a share.
        let share = (1.0 + order * ln_growth.exp_m1()) / (order * ln_growth).exp();
        return order * ln_growth + (-share).ln_1p();
    }
    let w = rate * u.exp_m1();
    if (order * w).abs() > 0.1 {
        return ((order * ln_growth).exp_m1() - order * w).ln();
    }
    // For small w the first terms cancel; the binomial series begins with the second.
    let mut coefficient = order * (order - 1.0) / 2.0 * w * w;
    let mut sum = coefficient;
    for k in 3..40 {
        let k = f64::from(k);
        coefficient *= (order - k + 1.0) / k * w;
        sum += coefficient;
        if coefficient.abs() < 1e-17 * sum {
            break;
        }
    }
    sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn order_two_by_hand() {
        // E[(1 - q + q e^u)^2] = 1 + q^2 (e^(1/noise^2) - 1).
        let by_hand = (1e-4 * 1f64.exp_m1()).ln_1p();
        assert!(close(rdp(2.0, 1.0, 0.01).unwrap(), by_hand, 2e-12));
    }

    #[test]
    fn the_integral_agrees_with_the_sum_at_whole_orders() {
        for (noise, rate) in [(0.3, 0.2), (0.5, 0.001), (1.0, 0.01), (4.0, 0.9), (20.0, 1e-6)] {
            for order in [2u64, 3, 7, 10] {
                let (sum, integral) =
                    (ln_moment_of_whole(order, noise, rate), ln_moment_by_integral(order as f64, noise, rate));
                assert!(close(integral, sum, 1e-12), "{noise} {rate} {order}: {sum:e} {integral:e}");
            }
        }
    }

    #[test]
    fn a_chord_lies_above_the_curve() {
        let (noise, rate) = (0.1, 0.01);
        let chord = divergence(1.5, 0.099_999, rate);
        assert!(chord > ln_moment_by_integral(1.5, noise, rate) / 0.5 && chord.is_finite());
    }

    #[test]
    fn every_record_in_every_batch_is_plain_noise() {
        assert!(close(rdp(8.0, 2.0, 1.0).unwrap(), 1.0, 2e-12)); // order / (2 noise^2)
        let almost = rdp(8.0, 2.0, 1.0 - 1e-9).unwrap();
        assert!(close(almost, 1.0, 1e-7));
    }

    #[test]
    fn more_steps_and_less_noise_cost_more() {
        let total = |noise, steps| epsilon(noise, 0.01, steps, 1e-5).unwrap().0;
        assert!(total(1.0, 100) < total(1.0, 1000) && total(1.0, 100) < total(0.8, 100));
        assert!(total(1e-3, 1).is_finite());
    }
}
