//! The matrix product: the one place where nearly all of the time goes, on the `gemm` crate.

use crate::matrix::{View, ViewMut};
use crate::real::Real;
use gemm::Parallelism;

/// Below so many multiplications, waking other threads costs more than it saves.
const WORTH_SHARING: usize = 1 << 18;

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
#[allow(clippy::needless_pass_by_value, reason = "a view that may be written is given away for the product")]
pub fn multiply<T: Real>(out: ViewMut<'_, T>, into: Into, left: View<'_, T>, right: View<'_, T>, threads: usize) {
    let (rows, columns, inner) = (out.rows, out.columns, left.columns);
    assert!(
        left.rows == rows && right.columns == columns && right.rows == inner,
        "a product of {} x {} and {} x {} into {rows} x {columns}",
        left.rows,
        left.columns,
        right.rows,
        right.columns,
    );
    check(left.values.len(), left.rows, left.columns, left.row_step, left.column_step);
    check(right.values.len(), right.rows, right.columns, right.row_step, right.column_step);
    check(out.values.len(), rows, columns, out.row_step, 1);
    if rows == 0 || columns == 0 {
        return;
    }
    let shared = threads > 1 && rows * columns * inner >= WORTH_SHARING;
    let parallelism = if shared { Parallelism::Rayon(threads) } else { Parallelism::None };
    let read = into == Into::Add;
    let (keep, step) = (if read { T::ONE } else { T::ZERO }, |step: usize| step as isize);
    // SAFETY: `check` made sure that the last element of each matrix lies inside its slice, `out` is borrowed for writing
    // and so overlaps neither of the others, and `T` is `f32` or `f64`, which `gemm` knows by their types.
    #[allow(unsafe_code, reason = "the product takes pointers")]
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.values.as_mut_ptr(),
            1,
            step(out.row_step),
            read,
            left.values.as_ptr(),
            step(left.column_step),
            step(left.row_step),
            right.values.as_ptr(),
            step(right.column_step),
            step(right.row_step),
            keep,
            T::ONE,
            false,
            false,
            false,
            parallelism,
        );
    }
}

/// Makes sure that a matrix lies inside its numbers.
fn check(len: usize, rows: usize, columns: usize, row_step: usize, column_step: usize) {
    if rows > 0 && columns > 0 {
        assert!((rows - 1) * row_step + (columns - 1) * column_step < len, "a view beyond its numbers");
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
