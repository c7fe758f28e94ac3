//! The norm of each example's gradient, from rows alone (Goodfellow 2015; Li et al. 2022 for sequences).
//!
//! The gradient of a weight for an example with rows t is the sum of products `b_t a_t'`. Its squared norm is
//! the sum over pairs of rows of `(b_t . b_s)(a_t . a_s)`, which needs only two small square matrices. For a long sequence and a
//! small weight it is cheaper to form the gradient in a buffer that is used again; both are exact.

use super::Rows;
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::vectorise::{add_scaled, dot};
use rayon::prelude::*;

/// Adds the squared norm of each example's gradient of a weight, and of its bias if it has one.
pub(super) fn of_weight<T: Real>(
    back: &Matrix<T>,
    inputs: &Matrix<T>,
    with_bias: bool,
    rows: &Rows,
    squares: &mut [f64],
    threads: usize,
) {
    let bias = if with_bias { 1.0 } else { 0.0 };
    match rows {
        Rows::Examples(_) => {
            for (row, square) in squares.iter_mut().enumerate() {
                let of = |matrix: &Matrix<T>| dot(matrix.row(row), matrix.row(row)).wide();
                *square += of(back) * (of(inputs) + bias);
            }
        }
        Rows::Tokens(sequences) => {
            let rows = sequences.rows_of_sequences();
            let add = |(square, rows): (&mut f64, &Vec<usize>), scratch: &mut Scratch<T>| {
                *square += of_sequence(back, inputs, with_bias, rows, scratch);
            };
            if threads > 1 {
                let length = rows.len().div_ceil(4 * threads).max(1);
                squares
                    .par_iter_mut()
                    .zip(&rows)
                    .with_min_len(length)
                    .for_each_init(Scratch::default, |s, e| add(e, s));
            } else {
                let mut scratch = Scratch::default();
                squares.iter_mut().zip(&rows).for_each(|example| add(example, &mut scratch));
            }
        }
    }
}

/// Buffers that are used again for every example.
struct Scratch<T> {
    back: Vec<T>,
    inputs: Vec<T>,
    products: [Vec<T>; 2],
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self { back: Vec::new(), inputs: Vec::new(), products: [Vec::new(), Vec::new()] }
    }
}

fn collect<T: Real>(matrix: &Matrix<T>, rows: &[usize], out: &mut Vec<T>) {
    out.clear();
    rows.iter().for_each(|row| out.extend_from_slice(matrix.row(*row)));
}

fn of_sequence<T: Real>(
    back: &Matrix<T>,
    inputs: &Matrix<T>,
    with_bias: bool,
    rows: &[usize],
    scratch: &mut Scratch<T>,
) -> f64 {
    collect(back, rows, &mut scratch.back);
    collect(inputs, rows, &mut scratch.inputs);
    let back = View::of(&scratch.back, rows.len(), back.columns());
    let inputs = View::of(&scratch.inputs, rows.len(), inputs.columns());
    let [first, second] = &mut scratch.products;
    if rows.len() * (back.columns + inputs.columns) <= back.columns * inputs.columns {
        by_pairs(back, inputs, with_bias, first, second)
    } else {
        by_forming(back, inputs, with_bias, first)
    }
}

/// The squared norm by the products of all pairs of rows.
pub(crate) fn by_pairs<T: Real>(
    back: View<'_, T>,
    inputs: View<'_, T>,
    with_bias: bool,
    of_back: &mut Vec<T>,
    of_inputs: &mut Vec<T>,
) -> f64 {
    let rows = back.rows;
    for (pairs, matrix) in [(&mut *of_back, back), (&mut *of_inputs, inputs)] {
        pairs.resize(rows * rows, T::ZERO);
        multiply(ViewMut::of(pairs, rows, rows), Into::Replace, matrix, matrix.transposed(), 1);
    }
    let bias = if with_bias { 1.0 } else { 0.0 };
    let sum: f64 = of_back.iter().zip(&*of_inputs).map(|(b, a)| b.wide() * (a.wide() + bias)).sum();
    // Rounding may leave a little below zero where the true sum is zero.
    sum.max(0.0)
}

/// The squared norm of the gradient itself.
fn by_forming<T: Real>(back: View<'_, T>, inputs: View<'_, T>, with_bias: bool, buffer: &mut Vec<T>) -> f64 {
    let (outputs, width) = (back.columns, inputs.columns);
    buffer.resize(outputs * width, T::ZERO);
    multiply(ViewMut::of(buffer, outputs, width), Into::Replace, back.transposed(), inputs, 1);
    let square = |values: &[T]| values.iter().map(|value| value.wide() * value.wide()).sum::<f64>();
    let mut sum = square(buffer);
    if with_bias {
        buffer.clear();
        buffer.resize(outputs, T::ZERO);
        back.values.chunks_exact(outputs).for_each(|row| add_scaled(buffer, T::ONE, row));
        sum += square(buffer);
    }
    sum
}

/// Adds the squared norm of each example's gradient of a table: what flowed back to one vector several times adds up first.
pub(super) fn of_table<T: Real>(back: &Matrix<T>, tokens: &[u32], rows: &Rows, squares: &mut [f64]) {
    let mut sum = vec![T::ZERO; back.columns()];
    let mut of_example = |mut rows: Vec<usize>, square: &mut f64| {
        rows.sort_by_key(|row| tokens[*row]);
        for same in rows.chunk_by(|a, b| tokens[*a] == tokens[*b]) {
            sum.fill(T::ZERO);
            same.iter().for_each(|row| add_scaled(&mut sum, T::ONE, back.row(*row)));
            *square += dot(&sum, &sum).wide();
        }
    };
    match rows {
        Rows::Examples(_) => squares.iter_mut().enumerate().for_each(|(row, square)| of_example(vec![row], square)),
        Rows::Tokens(sequences) => {
            let examples = sequences.rows_of_sequences();
            squares.iter_mut().zip(examples).for_each(|(square, rows)| of_example(rows, square));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_rows_and_the_gradient_itself_give_the_same_norm() {
        let number = |i: usize| ((i * 7919 + 13) % 101) as f64 / 50.0 - 1.0;
        let back = Matrix::of(4, 3, (0..12).map(number).collect());
        let inputs = Matrix::of(4, 5, (50..70).map(number).collect());
        for with_bias in [false, true] {
            let pairs = by_pairs(back.view(), inputs.view(), with_bias, &mut Vec::new(), &mut Vec::new());
            let formed = by_forming(back.view(), inputs.view(), with_bias, &mut Vec::new());
            assert!((pairs - formed).abs() < 1e-12 * formed, "{pairs} {formed}");
        }
    }

    #[test]
    fn a_vector_that_is_used_twice_is_summed_before_the_norm() {
        let back = Matrix::of(3, 1, vec![1.0_f64, 2.0, 4.0]);
        let sequences = std::sync::Arc::new(crate::Sequences::new(&[3], 1).unwrap());
        let mut squares = [0.0];
        of_table(&back, &[7, 9, 7], &Rows::Tokens(sequences), &mut squares);
        // (1 + 4)^2 + 2^2
        assert_eq!(squares, [29.0]);
    }
}
