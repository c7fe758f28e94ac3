//! A layer that learns from many small batches, with one pass over its weights for each.
//!
//! A batch of 32 rows is soon multiplied with a large layer, but the layer must be read for the product, its gradients must be written and read again, and the optimiser
//! reads and writes everything once more. Where the next batch is known, all of it is done while a few rows of weights are at hand: the gradient of the batch
//! before, which never leaves the registers, a step of RMSprop, and the product with the next batch. Examples whose slope is zero, as half of them are behind a rectifier, are left
//! out of the sums, and units that no example speaks for are left where they are.

use crate::matrix::{Matrix, View};
use crate::optimiser::RmsPropRows;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::vectorise::vectorised;

pub use crate::vectorise::{add_scaled, dot};

/// Sums side by side in one register.
const LANES: usize = 8;
/// Registers that hold a part of a gradient.
const COLUMNS: usize = 13;
/// Units whose weights are moved and read again while they are at hand.
const TILE: usize = 120;

/// The inputs of a batch.
#[derive(Clone, Debug)]
pub struct Examples<T: Real> {
    inputs: usize,
    /// An example in each row: its inputs, filled up with zeros to whole parts of a gradient.
    rows: Matrix<T>,
}

impl<T: Real> Examples<T> {
    /// Lays out rows of so many inputs.
    ///
    /// # Panics
    /// When a row has another length.
    pub fn of<'a>(rows: impl ExactSizeIterator<Item = &'a [T]>, inputs: usize) -> Self {
        let part = COLUMNS * LANES;
        let mut filled = Matrix::zeros(rows.len(), inputs.div_ceil(part) * part);
        for (place, row) in rows.enumerate() {
            assert_eq!(row.len(), inputs, "inputs of an example");
            filled.row_mut(place)[..inputs].copy_from_slice(row);
        }
        Self { inputs, rows: filled }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.rows.rows()
    }
}

/// Some units of a layer: a row of weights and a bias each, and what the optimiser remembers of them.
#[derive(Debug)]
pub struct Units<'a, T: Real> {
    /// Unit by unit.
    pub weights: &'a mut [T],
    /// One for each unit.
    pub biases: &'a mut [T],
    /// Of the weights.
    pub of_weights: RmsPropRows<'a, T>,
    /// Of the biases.
    pub of_biases: RmsPropRows<'a, T>,
}

impl<T: Real> Units<'_, T> {
    /// Moves the units by a batch, given the slope of each example's loss at each unit (example by example), and returns what the moved units say of another batch before any
    /// activation (example by example). Either batch may be missing.
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn pass(&mut self, moved: Option<(&Examples<T>, &[T])>, next: Option<&Examples<T>>) -> Vec<T> {
        let units = self.biases.len();
        let inputs = self.weights.len() / units.max(1);
        for examples in moved.iter().map(|(examples, _)| *examples).chain(next) {
            assert_eq!(examples.inputs, inputs, "inputs of an example");
        }
        assert!(moved.is_none_or(|(examples, slopes)| slopes.len() == examples.count() * units), "slopes");
        let mut out = Matrix::zeros(next.map_or(0, Examples::count), units);
        let mut active = Vec::new();
        for first in (0..units).step_by(TILE) {
            let tile = first..(first + TILE).min(units);
            if let Some((examples, slopes)) = moved {
                self.move_tile(tile.clone(), examples, slopes, &mut active);
            }
            if let Some(next) = next {
                for row in 0..next.count() {
                    out.row_mut(row)[tile.clone()].copy_from_slice(&self.biases[tile.clone()]);
                }
                let weights = View::of(&self.weights[tile.start * inputs..tile.end * inputs], tile.len(), inputs);
                let out = out.view_mut().columns(tile);
                multiply(out, Into::Add, next.rows.view().columns(0..inputs), weights.transposed(), 1);
            }
        }
        out.into_values()
    }

    fn move_tile(
        &mut self,
        tile: std::ops::Range<usize>,
        examples: &Examples<T>,
        slopes: &[T],
        active: &mut Vec<(u32, T)>,
    ) {
        let (units, inputs) = (self.biases.len(), examples.inputs);
        active.clear();
        active.resize(tile.len() * examples.count(), (0, T::ZERO));
        let mut moves = Vec::with_capacity(tile.len());
        let mut end = 0;
        for unit in tile {
            let start = end;
            // Every example is written, and the next one over it if it does not count: half of them do, and no processor could guess which.
            for example in 0..examples.count() {
                let slope = slopes[example * units + unit];
                active[end] = (example as u32, slope);
                end += usize::from(slope != T::ZERO);
            }
            if end == start {
                continue;
            }
            let sum: T = active[start..end].iter().map(|(_, slope)| *slope).sum();
            self.of_biases.step(unit, &mut self.biases[unit..=unit], &[sum]);
            moves.push((unit, start..end, self.of_weights.factors(unit)));
        }
        // Part by part, so that this part of all examples stays in the nearest cache.
        for first in (0..inputs).step_by(COLUMNS * LANES) {
            let width = (COLUMNS * LANES).min(inputs - first);
            for (unit, range, factors) in &moves {
                let place = unit * inputs + first..unit * inputs + first + width;
                let (weights, squares) = (&mut self.weights[place.clone()], &mut self.of_weights.squares()[place]);
                descend(
                    weights,
                    squares,
                    &examples.rows.values()[first..],
                    examples.rows.columns(),
                    &active[range.clone()],
                    *factors,
                );
            }
        }
    }
}

vectorised! {
    /// Adds up a part of a unit's gradient, and moves that part of its weights.
    fn descend<T>(
        weights: &mut [T],
        squares: &mut [T],
        states: &[T],
        stride: usize,
        active: &[(u32, T)],
        factors: crate::optimiser::Factors<T>,
    ) {
        let mut sums = [[T::ZERO; LANES]; COLUMNS];
        for (example, slope) in active {
            let states = &states[*example as usize * stride..][..COLUMNS * LANES];
            for column in 0..COLUMNS {
                for lane in 0..LANES {
                    sums[column][lane] = slope.fused(states[column * LANES + lane], sums[column][lane]);
                }
            }
        }
        factors.descend(weights, squares, sums.as_flattened());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimiser::{RmsProp, RmsPropSettings};

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * 7919 + seed * 31) % 1013) as f64 / 506.5 - 1.0).collect()
    }

    /// The same as one layer, one product, one gradient and one optimiser after the other.
    fn plainly(
        weights: &mut [f64],
        biases: &mut [f64],
        optimisers: &mut [RmsProp<f64>; 2],
        moved: (&Matrix<f64>, &Matrix<f64>),
        next: &Matrix<f64>,
    ) -> Matrix<f64> {
        let (states, slopes) = moved;
        let mut gradients = Matrix::zeros(biases.len(), states.columns());
        multiply(gradients.view_mut(), Into::Replace, slopes.view().transposed(), states.view(), 1);
        let of_biases: Vec<f64> =
            (0..biases.len()).map(|unit| (0..slopes.rows()).map(|row| slopes.row(row)[unit]).sum()).collect();
        optimisers[0].step(weights, gradients.values(), 0.01, 1);
        optimisers[1].step(biases, &of_biases, 0.01, 1);
        let layer = Matrix::of(biases.len(), next.columns(), weights.to_vec());
        let mut out = Matrix::zeros(next.rows(), biases.len());
        multiply(out.view_mut(), Into::Replace, next.view(), layer.view().transposed(), 1);
        for row in 0..next.rows() {
            out.row_mut(row).iter_mut().zip(&*biases).for_each(|(out, bias)| *out += bias);
        }
        out
    }

    #[test]
    fn a_pass_is_what_a_gradient_a_step_and_a_product_are() {
        for (units, inputs, count) in [(1, 1, 1), (7, 5, 3), (64, 110, 32), (33, 300, 40)] {
            let settings = RmsPropSettings::default();
            let optimiser = |columns| RmsProp::new(units, columns, settings).unwrap();
            let (mut weights, mut biases) = (numbers(units * inputs, 1), numbers(units, 2));
            let mut own = [optimiser(inputs), optimiser(1)];
            let (mut other_weights, mut other_biases, mut theirs) = (weights.clone(), biases.clone(), own.clone());
            for step in 0..4 {
                let batch = |seed| Matrix::of(count, inputs, numbers(count * inputs, seed + 7 * step));
                let (before, after) = (batch(3), batch(4));
                // Units that nobody speaks for, now and then.
                let silent = |place: usize| (place % units + step).is_multiple_of(3);
                let mut slopes = numbers(count * units, 5 + step);
                slopes.iter_mut().enumerate().filter(|(place, _)| silent(*place)).for_each(|(_, slope)| *slope = 0.0);
                let examples = |of: &Matrix<f64>| {
                    Examples::of((0..count).map(|row| of.row(row)).collect::<Vec<_>>().into_iter(), inputs)
                };
                own.iter_mut().for_each(RmsProp::begin);
                let [of_weights, of_biases] = own.each_mut();
                let mut layer = Units {
                    weights: &mut weights,
                    biases: &mut biases,
                    of_weights: of_weights.parts(0.01, units).remove(0),
                    of_biases: of_biases.parts(0.01, units).remove(0),
                };
                let said = layer.pass(Some((&examples(&before), &slopes)), Some(&examples(&after)));
                let slopes = Matrix::of(count, units, slopes);
                let expected = plainly(&mut other_weights, &mut other_biases, &mut theirs, (&before, &slopes), &after);
                let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
                assert!(near(&said, expected.values()), "{units} {inputs} {count}, step {step}");
                assert!(near(&weights, &other_weights) && near(&biases, &other_biases), "step {step}");
            }
        }
    }

    #[test]
    fn either_batch_may_be_missing() {
        let (mut weights, mut biases) = (vec![1.0_f32, 2.0], vec![0.5]);
        let (mut of_weights, mut of_biases) = (
            RmsProp::new(1, 2, RmsPropSettings::default()).unwrap(),
            RmsProp::new(1, 1, RmsPropSettings::default()).unwrap(),
        );
        of_weights.begin();
        of_biases.begin();
        let examples = Examples::of([[3.0, 4.0].as_slice()].into_iter(), 2);
        let mut units = Units {
            weights: &mut weights,
            biases: &mut biases,
            of_weights: of_weights.parts(0.1, 1).remove(0),
            of_biases: of_biases.parts(0.1, 1).remove(0),
        };
        // 1 * 3 + 2 * 4 + 0.5
        assert_eq!(units.pass(None, Some(&examples)), [11.5]);
        assert!(units.pass(Some((&examples, &[1.0])), None).is_empty());
        assert!(weights[0] < 1.0 && weights[1] < 2.0 && biases[0] < 0.5);
    }
}
