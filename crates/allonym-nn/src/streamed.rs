//! A layer that learns from many small batches, with one pass over its weights for each.
//!
//! A batch of 32 rows is soon multiplied with a large layer, but the layer must be read for the product, its gradients must be written and read again, and the optimiser
//! reads and writes everything once more. Where the next batch is known, all of it is done while a few rows of weights are at hand: the gradient of the batch
//! before, which never leaves the registers, a step of RMSprop, and the product with the next batch. Examples whose slope is zero, as half of them are behind a rectifier, are left
//! out of the sums, and units that no example speaks for are left where they are.

use crate::optimiser::RmsPropRows;
use crate::real::Real;
use crate::vectorise::vectorised;

pub use crate::vectorise::{add_scaled, dot};

/// Sums side by side in one register.
const LANES: usize = 8;
/// Examples of a product: four registers for each of three units.
const EXAMPLES: usize = 32;
const UNITS: usize = 3;
/// Registers that hold a part of a gradient.
const COLUMNS: usize = 13;
/// Units whose weights are moved and read again while they are at hand.
const TILE: usize = 30;

/// The inputs of a batch, laid out for both directions.
#[derive(Clone, Debug)]
pub struct Examples<T> {
    count: usize,
    inputs: usize,
    /// Numbers from one example to the next: the inputs, filled up with zeros.
    stride: usize,
    by_example: Vec<T>,
    /// Groups of examples, filled up with zeros: input by input the numbers of all of a group.
    by_input: Vec<T>,
}

impl<T: Real> Examples<T> {
    /// Lays out rows of so many inputs.
    ///
    /// # Panics
    /// When a row has another length.
    pub fn of<'a>(rows: impl ExactSizeIterator<Item = &'a [T]>, inputs: usize) -> Self {
        let (count, part) = (rows.len(), COLUMNS * LANES);
        let stride = inputs.div_ceil(part) * part;
        let mut by_example = vec![T::ZERO; count * stride];
        let mut by_input = vec![T::ZERO; count.div_ceil(EXAMPLES) * EXAMPLES * inputs];
        for (place, row) in rows.enumerate() {
            assert_eq!(row.len(), inputs, "inputs of an example");
            by_example[place * stride..][..inputs].copy_from_slice(row);
            let group = &mut by_input[place / EXAMPLES * EXAMPLES * inputs..];
            for (input, value) in row.iter().enumerate() {
                group[input * EXAMPLES + place % EXAMPLES] = *value;
            }
        }
        Self { count, inputs, stride, by_example, by_input }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
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
        assert!(moved.is_none_or(|(examples, slopes)| slopes.len() == examples.count * units), "slopes");
        let mut out = vec![T::ZERO; next.map_or(0, |next| next.count * units)];
        let mut active = Vec::new();
        for first in (0..units).step_by(TILE) {
            let tile = first..(first + TILE).min(units);
            if let Some((examples, slopes)) = moved {
                self.move_tile(tile.clone(), examples, slopes, &mut active);
            }
            if let Some(next) = next {
                let weights = &self.weights[tile.start * inputs..tile.end * inputs];
                for (group, states) in next.by_input.chunks_exact(EXAMPLES * inputs).enumerate() {
                    let count = EXAMPLES.min(next.count - group * EXAMPLES);
                    let out = &mut out[group * EXAMPLES * units + tile.start..];
                    products(out, weights, &self.biases[tile.clone()], states, [inputs, units, count]);
                }
            }
        }
        out
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
        let mut moves = Vec::with_capacity(tile.len());
        for unit in tile {
            let start = active.len();
            let of = |example: usize| (example as u32, slopes[example * units + unit]);
            active.extend((0..examples.count).map(of).filter(|(_, slope)| *slope != T::ZERO));
            if active.len() == start {
                continue;
            }
            let sum: T = active[start..].iter().map(|(_, slope)| *slope).sum();
            self.of_biases.step(unit, &mut self.biases[unit..=unit], &[sum]);
            moves.push((unit, start..active.len(), self.of_weights.factors(unit)));
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
                    &examples.by_example[first..],
                    examples.stride,
                    &active[range.clone()],
                    *factors,
                );
            }
        }
    }
}

vectorised! {
    /// What units say of a group of examples: `sizes` are the inputs of a unit, the numbers from one example to the next in `out`, and the examples that count.
    fn products<T>(out: &mut [T], weights: &[T], biases: &[T], states: &[T], sizes: [usize; 3]) {
        let inputs = sizes[0];
        let whole = biases.len() - biases.len() % UNITS;
        let mut unit = 0;
        while unit < whole {
            tile::<T, UNITS>(&mut out[unit..], &weights[unit * inputs..], &biases[unit..], states, sizes);
            unit += UNITS;
        }
        while unit < biases.len() {
            tile::<T, 1>(&mut out[unit..], &weights[unit * inputs..], &biases[unit..], states, sizes);
            unit += 1;
        }
    }
}

#[inline(always)]
fn tile<T: Real, const U: usize>(out: &mut [T], weights: &[T], biases: &[T], states: &[T], sizes: [usize; 3]) {
    let [inputs, stride, count] = sizes;
    let rows: [&[T]; U] = std::array::from_fn(|unit| &weights[unit * inputs..(unit + 1) * inputs]);
    let mut sums: [[[T; LANES]; EXAMPLES / LANES]; U] =
        std::array::from_fn(|unit| [[biases[unit]; LANES]; EXAMPLES / LANES]);
    for (input, states) in states.chunks_exact(EXAMPLES).enumerate().take(inputs) {
        let factors: [T; U] = std::array::from_fn(|unit| rows[unit][input]);
        for part in 0..EXAMPLES / LANES {
            let state: [T; LANES] = std::array::from_fn(|lane| states[part * LANES + lane]);
            for unit in 0..U {
                for lane in 0..LANES {
                    sums[unit][part][lane] = factors[unit].fused(state[lane], sums[unit][part][lane]);
                }
            }
        }
    }
    for example in 0..count {
        for unit in 0..U {
            out[example * stride + unit] = sums[unit][example / LANES][example % LANES];
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
    use crate::matrix::Matrix;
    use crate::optimiser::{RmsProp, RmsPropSettings};
    use crate::product::{Into, multiply};

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
