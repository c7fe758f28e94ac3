//! The product of two matrices: shapes are checked here, the engine computes.

use crate::engine;
use crate::matrix::{View, ViewMut};
use crate::real::Real;

/// What becomes of the numbers that stand in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    /// They are replaced.
    Replace,
    /// The product is added to them.
    Add,
}

/// Writes the product of two matrices, on up to `threads` threads.
///
/// # Panics
/// When the shapes do not fit.
pub fn multiply<T: Real>(out: ViewMut<'_, T>, into: Into, left: View<'_, T>, right: View<'_, T>, threads: usize) {
    assert!(
        left.rows == out.rows && right.columns == out.columns && right.rows == left.columns,
        "a product of {} x {} and {} x {} into {} x {}",
        left.rows,
        left.columns,
        right.rows,
        right.columns,
        out.rows,
        out.columns,
    );
    if out.rows > 0 && out.columns > 0 {
        T::product(engine::current(), out, into, left, right, threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    #[test]
    fn a_product_by_hand() {
        // (1 2; 3 4) (5 6; 7 8) = (19 22; 43 50)
        let (a, b) = (Matrix::of(2, 2, vec![1.0, 2.0, 3.0, 4.0]), Matrix::of(2, 2, vec![5.0, 6.0, 7.0, 8.0]));
        let mut c = Matrix::of(2, 2, vec![1.0_f32; 4]);
        multiply(c.view_mut(), Into::Add, a.view(), b.view(), 1);
        assert_eq!(c.values(), [20.0, 23.0, 44.0, 51.0]);
        // (1 3; 2 4) (5 7; 6 8) = (23 31; 34 46)
        multiply(c.view_mut(), Into::Replace, a.view().transposed(), b.view().transposed(), 2);
        assert_eq!(c.values(), [23.0, 31.0, 34.0, 46.0]);
    }

    #[test]
    fn parts_are_multiplied_in_their_place() {
        let a = Matrix::of(3, 2, vec![1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let mut c = Matrix::zeros(2, 3);
        let (left, right) = (a.view().rows(1..3).columns(1..2), a.view().rows(0..1).columns(0..1));
        multiply(c.view_mut().columns(2..3), Into::Replace, left, right, 1);
        assert_eq!(c.values(), [0.0, 0.0, 4.0, 0.0, 0.0, 6.0]);
    }

    #[test]
    fn infinities_in_the_output_are_replaced_not_multiplied() {
        let one = Matrix::of(1, 1, vec![2.0_f32]);
        let mut c = Matrix::of(1, 1, vec![f32::NAN]);
        multiply(c.view_mut(), Into::Replace, one.view(), one.view(), 1);
        assert_eq!(c.values(), [4.0]);
    }

    #[test]
    #[should_panic(expected = "a product of 2 x 3 and 2 x 3")]
    fn shapes_that_do_not_fit_are_found() {
        let a = Matrix::<f32>::zeros(2, 3);
        let mut c = Matrix::zeros(2, 3);
        multiply(c.view_mut(), Into::Replace, a.view(), a.view(), 1);
    }
}
