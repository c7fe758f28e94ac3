//! Gaussian noise on a Poisson sample, many times, by the distribution of the privacy loss itself: sharper than the
//! Rényi divergences of [`subsampled_gaussian`](super::subsampled_gaussian), and for both notions of adjacency.
//!
//! The loss of a step is continuous. It is put on a grid so that the result is never too small: a loss between two grid
//! points becomes one or the other, with the chances that keep both the probability and its counterpart under the
//! other input ("connect the dots", Doroshenko et al., 2022). Then the grid is composed by Fourier transform.

use super::discrete_loss::{self, Draws, LONGEST};
use super::special::ln_normal_tail;
use super::training_step::{Pair, TrainingStep};
use super::{check, search};
use crate::error::DpError;

/// What it means for two data sets to differ by one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjacency {
    /// One has a record more.
    AddRemove,
    /// One record of the same place differs. Its epsilon is up to about twice as large.
    ReplaceOne,
}

/// Releases of one kind: Gaussian noise on Poisson samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Releases {
    /// The standard deviation of the noise, in units of the most that a record changes: 1/100 or more, as below it outputs hardly overlap and losses are in the
    /// thousands.
    pub noise: f64,
    /// The chance of a record to be in a sample; 1 where all records are.
    pub rate: f64,
    /// How many there are.
    pub count: u64,
}

/// The epsilon at a delta of `steps` steps with `noise`, the standard deviation in units of the clipping norm, on
/// Poisson samples with `rate`.
///
/// # Errors
/// When an argument is outside its range.
pub fn epsilon(noise: f64, rate: f64, steps: u64, delta: f64, adjacency: Adjacency) -> Result<f64, DpError> {
    of_all(&[Releases { noise, rate, count: steps }], delta, adjacency)
}

/// The epsilon at a delta of releases of several kinds together. Each may be chosen by what those before it showed.
///
/// # Errors
/// When an argument is outside its range, or there are none.
pub fn of_all(kinds: &[Releases], delta: f64, adjacency: Adjacency) -> Result<f64, DpError> {
    check::count("kinds of releases", kinds.len() as u64)?;
    for Releases { noise, rate, count } in kinds.iter().copied() {
        check::accept(noise >= 0.01 && noise.is_finite(), "noise", noise, "a finite number, 0.01 or more")?;
        check::rate(rate)?;
        check::count("steps", count)?;
    }
    check::probability("delta", delta)?;
    let pairs: &[Pair] = match adjacency {
        Adjacency::AddRemove => &[Pair::Removed, Pair::Added],
        Adjacency::ReplaceOne => &[Pair::Replaced],
    };
    check::finite(pairs.iter().map(|pair| directed(*pair, kinds, delta)).fold(0.0, f64::max))
}

/// The share of epsilon that the grid may cost, and the epsilon below which it may cost as much as there.
const GRID_COST: (f64, f64) = (2e-5, 5e-3);

/// Losses of a step, with their masses.
type Nodes = Vec<(f64, f64)>;

/// The epsilon of one direction.
fn directed(pair: Pair, kinds: &[Releases], delta: f64) -> f64 {
    let draws: f64 = kinds.iter().map(|kind| kind.count as f64).sum();
    // Beyond this many deviations lies a billionth of what each step may add to delta.
    let ln_tail = (1e-9 * delta).ln() - draws.ln();
    let deviations = search::smallest(0.0, 1e3, |z| ln_normal_tail(z) <= ln_tail);
    let step = |kind: &Releases| TrainingStep { pair, noise: kind.noise, rate: kind.rate, deviations };
    let steps: Vec<(TrainingStep, Nodes, f64)> = kinds
        .iter()
        .map(|kind| (step(kind), step(kind).nodes(step(kind).first(), step(kind).last()).collect(), kind.count as f64))
        .collect();
    let points: Vec<(&[(f64, f64)], f64)> = steps.iter().map(|(_, nodes, count)| (nodes.as_slice(), *count)).collect();
    let (guess, tilt) = discrete_loss::guess(&points, delta);
    let cost = GRID_COST.0 * guess.max(GRID_COST.1);
    // A grid adds spacing^2 / 12 * tilt * (tilt + 1) to the logarithm of the moment of each draw on average, and the
    // total of that, divided by the tilt, to epsilon.
    let spacing = (12.0 * cost / (draws * (tilt + 1.0))).sqrt().min(0.1 / (tilt + 1.0));
    let spacing = spacing.max(least_spacing(&steps, tilt));
    let losses: Vec<_> = kinds.iter().map(|kind| (step(kind).discretised(spacing), kind.count)).collect();
    Draws::new(&losses, tilt).epsilon(delta)
}

/// The spacing below which a grid, of one draw or of all, would have more points than are transformed.
fn least_spacing(steps: &[(TrainingStep, Nodes, f64)], tilt: f64) -> f64 {
    let (mut variance, mut range, mut largest) = (0.0, 0.0_f64, 0.0_f64);
    for (step, nodes, draws) in steps {
        let (low, high) = (step.loss(step.first()), step.loss(step.last()));
        let moment = discrete_loss::ln_moment(nodes, tilt);
        let mean = |f: &dyn Fn(f64) -> f64| -> f64 {
            nodes.iter().map(|(loss, mass)| (mass.ln() + tilt * loss - moment).exp() * f(*loss)).sum()
        };
        let centre = mean(&|loss| loss);
        variance += draws * mean(&|loss| (loss - centre).powi(2));
        range = range.max(high - low);
        largest = largest.max(low.abs()).max(high.abs());
    }
    // Twenty deviations hold a nearly normal sum.
    let widest = (20.0 * variance.sqrt()).max(range);
    // Indices must be integers, even for losses that hardly differ.
    (2.0 * widest / LONGEST as f64).max(1e-9 * largest).max(1e-290)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{analytic_gaussian, close, subsampled_gaussian};

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

    /// Without sampling, Gaussian releases of any noise are one release: 1 / noise^2 = 1/4 + 3/9 + 2/16.
    #[test]
    fn releases_of_several_kinds_add_up_as_gaussians_do() {
        let kinds = [(2.0, 1), (3.0, 3), (4.0, 2)].map(|(noise, count)| Releases { noise, rate: 1.0, count });
        let noise = (0.25_f64 + 1.0 / 3.0 + 0.125).sqrt().recip();
        for (adjacency, distance) in [(Adjacency::AddRemove, 1.0), (Adjacency::ReplaceOne, 2.0)] {
            let exact = analytic_gaussian::epsilon(noise / distance, 1e-5).unwrap();
            let grid = of_all(&kinds, 1e-5, adjacency).unwrap();
            assert!(grid >= exact && close(grid, exact, 1e-4), "{exact} {grid}");
        }
    }

    #[test]
    fn one_release_of_all_records_beside_training_costs_more_than_either_and_less_than_the_sum() {
        let training = Releases { noise: 2.0, rate: 0.03, count: 100 };
        let all = Releases { noise: 5.0, rate: 1.0, count: 1 };
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            let price = |kinds: &[Releases], delta| of_all(kinds, delta, adjacency).unwrap();
            let (both, halves) = (price(&[training, all], 1e-5), price(&[training], 5e-6) + price(&[all], 5e-6));
            assert!(both > price(&[training], 1e-5).max(price(&[all], 1e-5)) && both < halves, "{both} {halves}");
            assert_eq!(both, price(&[all, training], 1e-5), "in any order");
        }
        // By dp-accounting 0.6.0, on a grid of 1e-4: 0.97733.
        let both = of_all(&[training, all], 1e-5, Adjacency::AddRemove).unwrap();
        assert!((both - 0.9773).abs() < 1e-3, "{both}");
        assert!(of_all(&[], 1e-5, Adjacency::AddRemove).is_err());
    }

    #[test]
    fn it_is_below_the_bound_of_the_divergences() {
        let (renyi, _) = subsampled_gaussian::epsilon(0.9, 0.02, 300, 1e-8).unwrap();
        let sharp = epsilon(0.9, 0.02, 300, 1e-8, Adjacency::AddRemove).unwrap();
        assert!(sharp < renyi && sharp > 0.7 * renyi, "{sharp} {renyi}");
    }

    #[test]
    fn tiny_losses_are_not_drowned_by_rounding() {
        // Twelve millionths of the records in a batch: a step loses less than a float of order 1 can show. A replaced
        // record moves twice as far, so it costs more, and less than twice as much again.
        let total = |adjacency| epsilon(2.27, 1.2e-5, 8000, 3.5e-10, adjacency).unwrap();
        let (removed, replaced) = (total(Adjacency::AddRemove), total(Adjacency::ReplaceOne));
        assert!(removed < replaced && replaced < 2.1 * removed && removed < 0.003, "{removed} {replaced}");
    }

    #[test]
    fn extreme_settings_give_a_bound_or_an_error() {
        for (noise, rate, steps, delta) in [
            (0.01, 0.5, 2, 1e-6),
            (1e4, 1e-6, 10, 1e-3),
            (1.0, 1e-9, 1_000_000, 0.5),
            (1e200, 0.5, 3, 1e-6),
            (1.0, 1e-300, 3, 1e-6),
        ] {
            for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
                match epsilon(noise, rate, steps, delta, adjacency) {
                    Ok(total) => assert!(total >= 0.0 && total.is_finite()),
                    Err(error) => assert_eq!(error, DpError::Unbounded),
                }
            }
        }
    }
}
