//! A privacy loss on a grid, and what many draws of it cost: composition by Fourier transform.
//!
//! The result is an upper bound. Three things could make it too small, and each is bounded and added:
//! sums that fall outside the window of the transform, the rounding of the transform, and the mass of infinite loss.
//!
//! Before the transform, masses are tilted by `e^(lambda loss)` towards the losses that decide the result (Esscher,
//! 1932). These are then likely, not rare, so the rounding is relative to delta and even tiny deltas are accurate.

use super::fft::{Complex, Fft};
use super::special::log_sum_exp;
use super::{lattice, renyi, up};

/// The longest transform. A window that needs more is computed on a coarser grid by the caller.
pub(crate) const LONGEST: usize = 1 << 21;

/// `ln` of the tilted mass that may lie beyond one end of the window.
const LN_OUTSIDE: f64 = -37.0;

/// The loss of one draw: `masses[i]` at `(lowest + i) * step`, and the rest, `infinite`, at no finite loss.
pub(crate) struct DiscreteLoss {
    pub(crate) step: f64,
    pub(crate) lowest: i64,
    pub(crate) masses: Vec<f64>,
    pub(crate) infinite: f64,
}

impl DiscreteLoss {
    fn loss(&self, index: usize) -> f64 {
        (self.lowest + index as i64) as f64 * self.step
    }

    /// Losses with their masses.
    pub(crate) fn points(&self) -> Vec<(f64, f64)> {
        self.masses.iter().enumerate().map(|(i, mass)| (self.loss(i), *mass)).collect()
    }

    /// The losses of a draw, weighted towards large ones.
    pub(crate) fn tilted(&self, tilt: f64) -> Tilted<'_> {
        let mut masses: Vec<f64> =
            self.masses.iter().enumerate().map(|(i, mass)| mass.ln() + tilt * self.loss(i)).collect();
        let moment = log_sum_exp(&masses);
        masses.iter_mut().for_each(|mass| *mass = (*mass - moment).exp());
        Tilted { loss: self, moment, masses }
    }
}

/// About the epsilon of draws of several kinds, each with its points and how many there are, by Rényi divergences, and the best tilt, which is the best order less 1. Not a
/// bound: near order 1 divergences found from masses are mostly rounding. It serves to choose a grid and a tilt.
pub(crate) fn guess(kinds: &[(&[(f64, f64)], f64)], delta: f64) -> (f64, f64) {
    let wholes: Vec<f64> = kinds.iter().map(|(points, _)| ln_moment(points, 0.0)).collect();
    let of = |(points, draws): &(&[(f64, f64)], f64), whole: &f64, excess: f64| {
        draws * (ln_moment(points, excess) - whole).max(0.0) / excess
    };
    let divergence = |excess: f64| kinds.iter().zip(&wholes).map(|(kind, whole)| of(kind, whole, excess)).sum::<f64>();
    let (tilt, epsilon) = renyi::least(1e-4, delta, |excess| renyi::converted(divergence(excess), excess, delta));
    (epsilon, tilt)
}

/// `ln E[e^(lambda loss)]` of losses with their masses.
pub(crate) fn ln_moment(points: &[(f64, f64)], lambda: f64) -> f64 {
    let terms: Vec<f64> = points.iter().map(|(loss, mass)| mass.ln() + lambda * loss).collect();
    log_sum_exp(&terms)
}

/// A loss whose masses are multiplied by `e^(tilt loss)` and divided by the moment, their sum.
pub(crate) struct Tilted<'a> {
    loss: &'a DiscreteLoss,
    /// The logarithm of the moment.
    moment: f64,
    masses: Vec<f64>,
}

impl Tilted<'_> {
    fn mean(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.masses.iter().enumerate().map(|(i, mass)| mass * f(self.loss.loss(i))).sum()
    }

    fn variance(&self) -> f64 {
        let mean = self.mean(|loss| loss);
        self.mean(|loss| (loss - mean).powi(2))
    }

    /// `ln E[e^(theta loss)]`, after Horner, in units of the power at the lowest loss or else at the highest. A sum
    /// that is too large in the one and too small in the other is called infinite, which is safe.
    fn ln_moment(&self, theta: f64) -> f64 {
        let (lowest, highest) = (self.loss.loss(0), self.loss.loss(self.masses.len() - 1));
        let (up, down) = ((theta * self.loss.step).exp(), (-theta * self.loss.step).exp());
        let from_lowest = self.masses.iter().rev().fold(0.0, |sum, mass| sum * up + mass);
        // What is lost below the smallest float does not show in a sum this large.
        let sound = |sum: f64| sum > 1e-280 && sum.is_finite();
        if sound(from_lowest) {
            return from_lowest.ln() + theta * lowest;
        }
        let from_highest = self.masses.iter().fold(0.0, |sum, mass| sum * down + mass);
        if sound(from_highest) { from_highest.ln() + theta * highest } else { f64::INFINITY }
    }
}

/// Draws of several kinds, on one grid and with one tilt.
pub(crate) struct Draws<'a> {
    kinds: Vec<(Tilted<'a>, u64)>,
    step: f64,
    tilt: f64,
}

impl<'a> Draws<'a> {
    /// Of losses on one grid, each with its number. Any positive tilt gives an upper bound, the best order less 1 a
    /// sharp one.
    pub(crate) fn new(kinds: &'a [(DiscreteLoss, u64)], tilt: f64) -> Self {
        let step = kinds.iter().map(|(loss, _)| loss.step).fold(0.0, f64::max);
        debug_assert!(kinds.iter().all(|(loss, _)| loss.step == step), "one grid");
        Self { kinds: kinds.iter().map(|(loss, draws)| (loss.tilted(tilt), *draws)).collect(), step, tilt }
    }

    fn sum(&self, f: impl Fn(&Tilted<'_>) -> f64) -> f64 {
        self.kinds.iter().map(|(kind, draws)| *draws as f64 * f(kind)).sum()
    }

    /// Where the sum of all tilted losses lies, but for [`LN_OUTSIDE`] at either end (Chernoff's bound).
    fn window(&self) -> (f64, f64) {
        let deviation = self.sum(|kind| kind.variance()).sqrt().max(self.step);
        // How far above (or below) 0 the sum may be, for one multiplier. A normal sum wants sqrt(2 * 37) = 8.6 over its
        // deviation and heavy tails want less, so they are tried downwards while they help.
        let reach = |sign: f64| {
            let mut best = f64::INFINITY;
            for halvings in 0..30 {
                let theta = 12.0 / deviation * 0.5f64.powf(0.5 * f64::from(halvings));
                let at = (self.sum(|kind| kind.ln_moment(sign * theta)) - LN_OUTSIDE) / theta;
                if best.is_finite() && at >= best {
                    break;
                }
                best = best.min(at);
            }
            best
        };
        (-reach(-1.0), reach(1.0))
    }

    /// The least epsilon at `delta` of all draws.
    pub(crate) fn epsilon(&self, delta: f64) -> f64 {
        let step = self.step;
        let (bottom, top) = self.window();
        let (first, last) = ((bottom / step).floor() as i64, (top / step).ceil() as i64);
        let length = match usize::try_from(last.saturating_sub(first)) {
            Ok(wanted) if wanted < 4 * LONGEST => (wanted + 1).next_power_of_two(),
            _ => return f64::INFINITY,
        };
        let place = |index: i64| index.rem_euclid(length as i64) as usize;
        let circles = self.kinds.iter().map(|(kind, draws)| {
            let mut values = vec![Complex { re: 0.0, im: 0.0 }; length];
            for (mass, index) in kind.masses.iter().zip(kind.loss.lowest..) {
                values[place(index)].re += mass;
            }
            (values, *draws)
        });
        let (values, rounding) = compose(circles, length);

        // Undo the tilt. A sum beyond the top wraps around to a lower place; it is charged whole instead.
        let (moment, infinite) = (self.sum(|kind| kind.moment), self.sum(|kind| kind.loss.infinite));
        let plain = |index: i64| (moment - self.tilt * index as f64 * step).exp();
        let left = delta - infinite - plain(last) * LN_OUTSIDE.exp();
        if left.is_nan() || left <= 0.0 {
            return f64::INFINITY;
        }
        let masses = (0..=last - first).map(|below| last - below);
        let masses = masses.map(|index| (values[place(index)].re.max(0.0) + rounding) * plain(index));
        // The masses of one draw and the moment are sums of many numbers; their rounding grows with the draws.
        let left = left * (1.0 - 1e-13 * (self.sum(|_| 1.0) + 10.0)).max(0.5);
        let bound = up(lattice::epsilon(step, last, masses, left));
        if bound.is_nan() { f64::INFINITY } else { bound.max(0.0) }
    }
}

/// The distribution, on a circle, of the sum of draws of several, each with its number; and a bound on the error of each mass.
fn compose(circles: impl Iterator<Item = (Vec<Complex>, u64)>, length: usize) -> (Vec<Complex>, f64) {
    let fft = Fft::of_length(length);
    // Masses sum to 1, and each stage rounds numbers of at most that size: a frequency errs by six roundings a stage.
    let error = 6.0 * f64::EPSILON * f64::from(length.ilog2() + 1);
    let mut all = vec![Complex::ONE; length];
    // Raising to a power multiplies the relative error by it, and a product adds those of its factors.
    let mut factors = 1.0;
    for (mut values, draws) in circles {
        fft.forward(&mut values);
        all.iter_mut().zip(values).for_each(|(product, value)| *product = *product * value.power(draws));
        factors += draws as f64 + 1.0;
    }
    let size: f64 = all.iter().map(|value| value.re.hypot(value.im)).sum();
    fft.inverse(&mut all);
    // A mass is the mean of the frequencies.
    (all, 2.0 * error * factors * (size / length as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{band, close};

    fn band_loss(step: f64, hit: f64) -> DiscreteLoss {
        let back = hit * (-step).exp();
        DiscreteLoss { step, lowest: -1, masses: vec![back, 1.0 - hit - back, hit], infinite: 0.0 }
    }

    #[test]
    fn the_transform_agrees_with_the_exact_band() {
        for (step, hit, draws, delta) in [(1.0, 0.1, 100, 1e-6), (3.0, 0.001, 1000, 1e-6), (0.1, 0.5, 5000, 1e-30)] {
            let loss = band_loss(step, hit);
            let (about, tilt) = guess(&[(&loss.points(), draws as f64)], delta);
            let (exact, by_fft) =
                (band::epsilon(step, hit, draws, delta).unwrap(), Draws::new(&[(loss, draws)], tilt).epsilon(delta));
            // The same draws, counted in two lots.
            let lots = [(band_loss(step, hit), draws / 3), (band_loss(step, hit), draws - draws / 3)];
            let apart = Draws::new(&lots, tilt).epsilon(delta);
            assert!(apart >= exact * (1.0 - 1e-11) && close(apart, exact, 1e-8), "{exact} {apart}");
            assert!(by_fft >= exact * (1.0 - 1e-11) && close(by_fft, exact, 1e-8), "{exact} {by_fft}");
            assert!(about > exact && about < 1.5 * exact);
        }
    }

    #[test]
    fn infinite_losses_are_paid_from_delta() {
        let loss = || DiscreteLoss { infinite: 1e-8, ..band_loss(1.0, 0.1) };
        let (_, tilt) = guess(&[(&loss().points(), 50.0)], 1e-6);
        let exact = band::epsilon(1.0, 0.1, 50, 1e-6 - 50.0 * 1e-8).unwrap();
        assert!(close(Draws::new(&[(loss(), 50)], tilt).epsilon(1e-6), exact, 1e-8));
        assert_eq!(Draws::new(&[(loss(), 200)], tilt).epsilon(1e-6), f64::INFINITY);
    }
}
