//! Private steps: what is kept until all norms are known, and the sum of clipped gradients.

use super::{Gradients, Later, Rows, add_table, add_weight};
use crate::buffer::Buffer;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::store::{Slot, Store};
use std::sync::Arc;

/// The factor of an example and the products with it are rounded to `f32`. The clip leaves so much room: a thousand times the
/// rounding of one number. The rounding of *sums* over many examples is another matter, see [`Gradients::clipped`].
const ROOM: f64 = 1e-4;

/// What the parameters of a layer will be added from.
pub(super) enum Kept<T: Real> {
    Weight { weight: Slot, bias: Option<Slot>, back: Arc<Matrix<T>>, inputs: Arc<Matrix<T>>, rows: Rows },
    Table { table: Slot, back: Arc<Matrix<T>>, tokens: Arc<Vec<u32>>, rows: Rows },
    Later(Box<dyn Later<T>>),
}

/// What a private step has so far.
pub(super) struct Keeper<T: Real> {
    pub(super) squares: Vec<f64>,
    pub(super) kept: Vec<Kept<T>>,
    claimed: Vec<bool>,
}

impl<T: Real> Keeper<T> {
    pub(super) fn new(examples: usize, parameters: usize) -> Self {
        Self { squares: vec![0.0; examples], kept: Vec::new(), claimed: vec![false; parameters] }
    }

    /// Norms of two parts of one parameter's gradient do not add up, so each parameter comes once.
    pub(super) fn claim(&mut self, slot: Slot) {
        assert!(!self.claimed[slot.index], "a parameter is used twice in a private step");
        self.claimed[slot.index] = true;
    }
}

/// The sum of the gradients of all examples, each scaled down to the clip.
#[derive(Debug)]
pub struct Clipped<T: Real> {
    /// The sum.
    pub sum: Buffer<T>,
    /// The norm of each example's gradient before it was clipped. Private: it must not leave.
    pub norms: Vec<f64>,
}

impl<T: Real> Gradients<T> {
    /// The sum of the gradients of a private step, each scaled so that its norm over *all* parameters is at most `clip`. An example whose
    /// gradient is not finite counts nothing.
    ///
    /// The norms are sound whatever the numbers are. The sum itself is made of `f32` additions over all examples, in an order that is
    /// the same with and without one of them, but whose rounding is not: for examples that are chosen to that end, and batches of thousands, an example
    /// can move the sum by a few percent more than the clip (Casacuberta et al. 2022). This is not charged for.
    ///
    /// # Panics
    /// In a plain step, when the clip is not above 0, and when a parameter of the store was not handed over: it would have escaped the clip.
    pub fn clipped(self, store: &Store<T>, clip: f64) -> Clipped<T> {
        assert!(clip > 0.0, "a clip is above 0");
        let Self { mut values, keeper, threads } = self;
        let Some(keeper) = keeper else { panic!("a plain step has no examples") };
        if let Some(missing) = keeper.claimed.iter().position(|claimed| !claimed) {
            let name = store.parameters().nth(missing).map_or("", |(name, _)| name);
            panic!("the gradient of `{name}` is missing from a private step");
        }
        let norms: Vec<f64> = keeper.squares.iter().map(|square| square.sqrt()).collect();
        let factors: Vec<T> = norms.iter().map(|norm| T::of(factor(*norm, clip))).collect();
        for kept in keeper.kept {
            match kept {
                Kept::Weight { weight, bias, back, inputs, rows } => {
                    let back = scaled(back, &rows, &factors);
                    add_weight(weight, bias, &back, &without_dropped(inputs, &rows, &factors), &mut values, threads);
                }
                Kept::Table { table, back, tokens, rows } => {
                    add_table(table, &scaled(back, &rows, &factors), &tokens, &mut values);
                }
                Kept::Later(later) => later.add(store, &factors, &mut values, threads),
            }
        }
        Clipped { sum: values, norms }
    }
}

/// What an example's gradient is multiplied with.
fn factor(norm: f64, clip: f64) -> f64 {
    if !norm.is_finite() {
        return 0.0;
    }
    let factor = if norm * (1.0 + ROOM) <= clip { 1.0 } else { clip / (norm * (1.0 + ROOM)) };
    // Below, `f32` would round it to something of another size.
    if factor < f64::from(f32::MIN_POSITIVE) { 0.0 } else { factor }
}

/// The inputs, with zeros for examples that count nothing: zero times infinity would be no number.
fn without_dropped<T: Real>(inputs: Arc<Matrix<T>>, rows: &Rows, factors: &[T]) -> Arc<Matrix<T>> {
    if factors.iter().all(|factor| *factor != T::ZERO) {
        return inputs;
    }
    let mut cleaned = Arc::unwrap_or_clone(inputs);
    for row in 0..cleaned.rows() {
        if factors[rows.example(row)] == T::ZERO {
            cleaned.row_mut(row).fill(T::ZERO);
        }
    }
    Arc::new(cleaned)
}

fn scaled<T: Real>(back: Arc<Matrix<T>>, rows: &Rows, factors: &[T]) -> Matrix<T> {
    let mut back = Arc::unwrap_or_clone(back);
    for row in 0..back.rows() {
        let factor = factors[rows.example(row)];
        let values = back.row_mut(row);
        if factor == T::ZERO {
            // Zero times infinity would be no number.
            values.fill(T::ZERO);
        } else if factor != T::ONE {
            values.iter_mut().for_each(|value| *value *= factor);
        }
    }
    back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_gradient_is_left_alone_a_large_one_is_cut_and_a_broken_one_is_dropped() {
        assert_eq!(factor(0.5, 1.0), 1.0);
        assert_eq!(factor(0.0, 1.0), 1.0);
        assert!((factor(4.0, 1.0) * 4.0 - 1.0).abs() < 2e-4 && factor(4.0, 1.0) * 4.0 < 1.0);
        assert_eq!(factor(1e300, f64::INFINITY), 1.0);
        assert_eq!((factor(f64::NAN, 1.0), factor(f64::INFINITY, 1.0)), (0.0, 0.0));
    }
}
