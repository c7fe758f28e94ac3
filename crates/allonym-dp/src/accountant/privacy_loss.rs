//! Gaussian noise on a Poisson sample, many times, by the distribution of the privacy loss itself: sharper than the
//! Rényi divergences of [`subsampled_gaussian`](super::subsampled_gaussian), and for both notions of adjacency.
//!
//! The loss of a step is continuous. It is put on a grid so that the result is never too small: a loss between two grid
//! points becomes one or the other, with the chances that keep both the probability and its counterpart under the
//! other input ("connect the dots", Doroshenko et al., 2022). Then [`DiscreteLoss`] composes.

use super::discrete_loss::{DiscreteLoss, LONGEST};
use super::special::{ln_normal_tail, normal_tail};
use super::{check, discrete_loss, search};
use crate::error::DpError;

/// What it means for two data sets to differ by one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjacency {
    /// One has a record more.
    AddRemove,
    /// One record of the same place differs. Its epsilon is up to about twice as large.
    ReplaceOne,
}

/// The epsilon at a delta of `steps` steps with `noise`, the standard deviation in units of the clipping norm, on
/// Poisson samples with `rate`.
///
/// # Errors
/// When an argument is outside its range: `noise` is at least 1/100, as below it outputs hardly overlap and losses are
/// in the thousands.
pub fn epsilon(noise: f64, rate: f64, steps: u64, delta: f64, adjacency: Adjacency) -> Result<f64, DpError> {
    check::accept(noise >= 0.01 && noise.is_finite(), "noise", noise, "a finite number, 0.01 or more")?;
    check::rate(rate)?;
    check::count("steps", steps)?;
    check::probability("delta", delta)?;
    let pairs: &[Pair] = match adjacency {
        Adjacency::AddRemove => &[Pair::Removed, Pair::Added],
        Adjacency::ReplaceOne => &[Pair::Replaced],
    };
    let totals = pairs.iter().map(|pair| Step { pair: *pair, noise, rate }.epsilon(steps, delta));
    check::finite(totals.fold(0.0, f64::max))
}

/// Which data set the output came from, and which it is compared with.
#[derive(Clone, Copy, Debug)]
enum Pair {
    /// With the record, compared with without.
    Removed,
    /// Without the record, compared with with. The noise is mirrored, so that the loss grows with it.
    Added,
    /// With the record, compared with its opposite: gradients of norm 1 in opposite directions.
    Replaced,
}

/// How much of epsilon the grid may cost.
const GRID_COST: f64 = 2e-5;

/// One step of training.
#[derive(Clone, Copy, Debug)]
struct Step {
    pair: Pair,
    noise: f64,
    rate: f64,
}

impl Step {
    fn epsilon(self, steps: u64, delta: f64) -> f64 {
        let count = steps as f64;
        // Beyond this many deviations lies a billionth of what each step may add to delta.
        let ln_tail = (1e-9 * delta).ln() - count.ln();
        let deviations = search::smallest(0.0, 1e3, |z| ln_normal_tail(z) <= ln_tail);
        let nodes: Vec<_> = self.nodes(self.first(deviations), self.last(deviations)).collect();
        let (guess, tilt) = discrete_loss::guess(&nodes, count, delta);
        // The grid adds step^2 / 12 * tilt * (tilt + 1) to the logarithm of the moment of each draw on average, and
        // the total of that, divided by the tilt, to epsilon.
        let wanted = (12.0 * GRID_COST * guess.max(1e-3) / (count * (tilt + 1.0))).sqrt().min(0.1 / (tilt + 1.0));
        let grid = self.discretised(wanted.max(self.coarsest(&nodes, count, tilt, deviations)), deviations);
        grid.tilted(tilt).epsilon(steps, delta)
    }

    /// The step below which a grid, of one draw or of all, would have more points than are transformed.
    fn coarsest(self, nodes: &[(f64, f64)], draws: f64, tilt: f64, deviations: f64) -> f64 {
        let (low, high) = (self.loss(self.first(deviations)), self.loss(self.last(deviations)));
        let moment = discrete_loss::ln_moment(nodes, tilt);
        let mean = |f: &dyn Fn(f64) -> f64| -> f64 {
            nodes.iter().map(|(loss, mass)| (mass.ln() + tilt * loss - moment).exp() * f(*loss)).sum()
        };
        let centre = mean(&|loss| loss);
        let variance = mean(&|loss| (loss - centre).powi(2));
        // Twenty deviations hold nearly normal sums. Indices must be integers, even for losses that hardly differ.
        let widest = (20.0 * (draws * variance).sqrt()).max(high - low);
        (widest / LONGEST as f64 * 2.0).max(1e-9 * low.abs().max(high.abs())).max(1e-290)
    }

    /// The place of the output below which next to nothing lies.
    fn first(self, deviations: f64) -> f64 {
        -deviations * self.noise
    }

    /// The place of the output above which next to nothing lies.
    fn last(self, deviations: f64) -> f64 {
        let shift = if matches!(self.pair, Pair::Added) { 0.0 } else { 1.0 };
        shift + deviations * self.noise
    }

    /// The probability density of the output, where the noise is normal around 0 or, with the record, around 1.
    fn density(self, x: f64) -> f64 {
        let normal = |z: f64| (-0.5 * z * z).exp() / (self.noise * (2.0 * std::f64::consts::PI).sqrt());
        match self.pair {
            Pair::Added => normal(x / self.noise),
            Pair::Removed | Pair::Replaced => {
                (1.0 - self.rate) * normal(x / self.noise) + self.rate * normal((x - 1.0) / self.noise)
            }
        }
    }

    /// The loss of an output, which grows with it.
    fn loss(self, x: f64) -> f64 {
        match self.pair {
            Pair::Removed => self.ln_ratio(x),
            Pair::Added => -self.ln_ratio(-x),
            Pair::Replaced => self.ln_ratio(x) - self.ln_ratio(-x),
        }
    }

    /// `ln(1 - q + q e^u)`: the density with the record by that without, where u is `ln` of the ratio of two normals.
    fn ln_ratio(self, x: f64) -> f64 {
        let u = (x - 0.5) / (self.noise * self.noise);
        if self.rate == 1.0 {
            u
        } else if u > 0.0 {
            u + ((1.0 - self.rate) * (-u).exp_m1()).ln_1p()
        } else {
            (self.rate * u.exp_m1()).ln_1p()
        }
    }

    /// The output at which the loss is reached; infinite if it never is.
    fn position(self, loss: f64) -> f64 {
        let square = self.noise * self.noise;
        // Where ln_ratio(x) is r: e^u = (e^r - 1 + q) / q.
        let inverse = |r: f64| {
            let above = if self.rate == 1.0 || r > 40.0 { r } else { (r.exp_m1() + self.rate).max(0.0).ln() };
            square * (above - self.rate.ln()) + 0.5
        };
        match self.pair {
            Pair::Removed => inverse(loss),
            Pair::Added => -inverse(-loss),
            // With y = e^(x / noise^2) a quadratic equation: y = e^(loss/2) (s + sqrt(s^2 + 1)), where
            // s = (1-q)/q e^(1/(2 noise^2)) sinh(loss/2).
            Pair::Replaced => {
                let half = loss / 2.0;
                let ln_factor = (1.0 - self.rate).ln() - self.rate.ln() + 0.5 / square;
                let bend = if ln_factor < 300.0 && half.abs() < 300.0 {
                    (ln_factor.exp() * half.sinh()).asinh()
                } else {
                    // asinh(s) is ln(2s) for large s, and ln(2 sinh(h)) is h + ln(1 - e^-2h).
                    let size = ln_factor + half.abs() + (-(-loss.abs()).exp_m1()).ln();
                    half.signum() * size.max(0.0)
                };
                square * (half + bend)
            }
        }
    }

    /// Losses and masses that stand for the outputs between two places in integrals.
    fn nodes(self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
        // Within a tenth of the noise, or of its square where that is smaller, four nodes are as good as exact.
        let narrow = 0.1 * self.noise.min(self.noise * self.noise);
        let panels = ((to - from) / narrow).ceil().max(1.0);
        let width = (to - from) / panels;
        (0..panels as u64).flat_map(move |panel| {
            let middle = from + (panel as f64 + 0.5) * width;
            GAUSS_LEGENDRE.map(|(node, weight)| {
                let x = middle + 0.5 * width * node;
                (self.loss(x), 0.5 * width * weight * self.density(x))
            })
        })
    }

    /// The loss on a grid. Below the first place masses are raised to the lowest grid point, above the last to infinity.
    fn discretised(self, step: f64, deviations: f64) -> DiscreteLoss {
        let (first, last) = (self.first(deviations), self.last(deviations));
        let lowest = (self.loss(first) / step).floor() as i64;
        let highest = (self.loss(last) / step).floor() as i64 + 1;
        let mut masses = vec![0.0; (highest - lowest + 1) as usize];
        let mut from = first;
        for index in lowest..highest {
            // Between these places the split below is smooth, and its integral exact.
            let end = self.position((index + 1) as f64 * step).clamp(from, last);
            let to = if index + 1 == highest { last } else { end };
            for (loss, mass) in self.nodes(from, to) {
                // A node knows its own grid point, so that a rounded place costs accuracy and not safety.
                let below = (loss / step).floor();
                let cell = (below as i64 - lowest).clamp(0, highest - lowest - 1) as usize;
                // The share that goes up, so that the mass under the other input, mass e^-loss, stays the same.
                let share = (below * step - loss).exp_m1() / (-step).exp_m1();
                masses[cell] += mass * (1.0 - share);
                masses[cell + 1] += mass * share;
            }
            from = to;
        }
        let tail = normal_tail(deviations);
        masses[0] += tail;
        // Sums of many small numbers lose a little. What is lost would be privacy gained, so it is made up for.
        let sum = masses.iter().sum::<f64>() + tail;
        masses.iter_mut().for_each(|mass| *mass /= sum.min(1.0));
        DiscreteLoss { step, lowest, masses, infinite: tail }
    }
}

/// Nodes and weights of the Gauss-Legendre rule with four nodes on -1..1: `sqrt(3/7 -+ 2/7 sqrt(6/5))` with
/// `(18 +- sqrt(30)) / 36`.
const GAUSS_LEGENDRE: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{analytic_gaussian, close, subsampled_gaussian};

    const PAIRS: [Pair; 3] = [Pair::Removed, Pair::Added, Pair::Replaced];

    #[test]
    fn positions_undo_losses() {
        for pair in PAIRS {
            for (noise, rate) in [(0.5, 0.01), (1.0, 1.0), (10.0, 0.3), (0.02, 0.5), (0.05, 1.0)] {
                let step = Step { pair, noise, rate };
                for x in [-1.0, -0.2, 0.0, 0.4, 1.0, 2.5] {
                    let back = step.loss(step.position(step.loss(x)));
                    assert!((back - step.loss(x)).abs() < 1e-9 * (1.0 + back.abs()), "{step:?} {x} {back}");
                }
            }
        }
    }

    #[test]
    fn a_grid_keeps_all_mass_under_both_inputs() {
        for pair in PAIRS {
            let grid = Step { pair, noise: 0.8, rate: 0.1 }.discretised(0.01, 9.0);
            let mass: f64 = grid.masses.iter().sum();
            let other: f64 = grid.masses.iter().zip(grid.lowest..).map(|(m, i)| m * (-(i as f64) * 0.01).exp()).sum();
            assert!((mass - 1.0).abs() < 1e-13 && (other - 1.0).abs() < 1e-13, "{pair:?} {mass} {other}");
        }
    }

    #[test]
    fn without_sampling_it_is_the_analytic_gaussian() {
        // Ten steps of noise 2 are one of noise 2 / sqrt 10; a replaced record moves twice as far.
        for (adjacency, distance) in [(Adjacency::AddRemove, 1.0), (Adjacency::ReplaceOne, 2.0)] {
            for (noise, delta) in [(2.0, 1e-6), (0.05, 1e-100), (30.0, 0.1)] {
                let exact = analytic_gaussian::epsilon(noise / 10f64.sqrt() / distance, delta).unwrap();
                let grid = epsilon(noise, 1.0, 10, delta, adjacency).unwrap();
                assert!(grid >= exact && close(grid, exact, 1e-4), "{exact} {grid}");
            }
        }
    }

    #[test]
    fn it_is_below_the_bound_of_the_divergences() {
        let (renyi, _) = subsampled_gaussian::epsilon(0.9, 0.02, 300, 1e-8).unwrap();
        let sharp = epsilon(0.9, 0.02, 300, 1e-8, Adjacency::AddRemove).unwrap();
        assert!(sharp < renyi && sharp > 0.7 * renyi, "{sharp} {renyi}");
    }

    #[test]
    fn extreme_settings_give_a_bound_or_an_error() {
        for (noise, rate, steps, delta) in
            [(0.01, 0.5, 2, 1e-6), (1e4, 1e-6, 10, 1e-3), (1.0, 1e-9, 1_000_000, 0.5), (0.05, 1.0, 3, 1e-100)]
        {
            for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
                match epsilon(noise, rate, steps, delta, adjacency) {
                    Ok(total) => assert!(total >= 0.0 && total.is_finite()),
                    Err(error) => assert_eq!(error, DpError::Unbounded),
                }
            }
        }
    }
}
