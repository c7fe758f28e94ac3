//! One step of training with Gaussian noise on a Poisson sample: its output in the one direction that matters, the
//! privacy loss of an output, and that loss on a grid.

use super::discrete_loss::DiscreteLoss;
use super::special::normal_tail;

/// Which data set the output came from, and which it is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pair {
    /// With the record, compared with without.
    Removed,
    /// Without the record, compared with with. The noise is mirrored, so that the loss grows with it.
    Added,
    /// With the record, compared with its opposite: gradients of norm 1 in opposite directions.
    Replaced,
}

/// One step of training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrainingStep {
    pub(crate) pair: Pair,
    /// The standard deviation of the noise; the record moves the output by 1.
    pub(crate) noise: f64,
    /// The chance of the record to be in the batch.
    pub(crate) rate: f64,
    /// How far out the noise is looked at, in standard deviations.
    pub(crate) deviations: f64,
}

impl TrainingStep {
    /// The place of the output below which next to nothing lies.
    pub(crate) fn first(self) -> f64 {
        -self.deviations * self.noise
    }

    /// The place of the output above which next to nothing lies.
    pub(crate) fn last(self) -> f64 {
        let shift = if matches!(self.pair, Pair::Added) { 0.0 } else { 1.0 };
        shift + self.deviations * self.noise
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
    pub(crate) fn loss(self, x: f64) -> f64 {
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
    pub(crate) fn nodes(self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
        // Over a width h a normal density with four nodes errs by (h z)^8 / 2e9 of it, z deviations out: below 1e-11
        // here. The loss bends over the square of the noise.
        let narrow = (0.5 * self.noise / self.deviations).min(0.1 * self.noise * self.noise);
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

    /// The loss on a grid. Outputs below the first place are raised to the lowest grid point, those above the last to
    /// infinity.
    pub(crate) fn discretised(self, step: f64) -> DiscreteLoss {
        let (first, last) = (self.first(), self.last());
        let lowest = (self.loss(first) / step).floor() as i64;
        let highest = (self.loss(last) / step).floor() as i64 + 1;
        let mut masses = vec![0.0; (highest - lowest + 1) as usize];
        let mut from = first;
        for index in lowest..highest {
            // Between these places the split below is smooth, and its integral exact.
            let end = self.position((index + 1) as f64 * step).max(from).min(last);
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
        let tail = normal_tail(self.deviations);
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

    const PAIRS: [Pair; 3] = [Pair::Removed, Pair::Added, Pair::Replaced];

    #[test]
    fn positions_undo_losses() {
        for pair in PAIRS {
            for (noise, rate) in [(0.5, 0.01), (1.0, 1.0), (10.0, 0.3), (0.02, 0.5), (0.05, 1.0)] {
                let step = TrainingStep { pair, noise, rate, deviations: 9.0 };
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
            let grid = TrainingStep { pair, noise: 0.8, rate: 0.1, deviations: 9.0 }.discretised(0.01);
            let mass: f64 = grid.masses.iter().sum();
            let other: f64 = grid.masses.iter().zip(grid.lowest..).map(|(m, i)| m * (-(i as f64) * 0.01).exp()).sum();
            assert!((mass - 1.0).abs() < 1e-13 && (other - 1.0).abs() < 1e-13, "{pair:?} {mass} {other}");
        }
    }
}
