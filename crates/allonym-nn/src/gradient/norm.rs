//! The norm of each example's gradient, from rows alone (Goodfellow 2015; Li et al. 2022 for sequences).
//!
//! The gradient of a weight for an example with rows t is the sum of products `b_t a_t'`. Its squared norm is
//! the sum over pairs of rows of `(b_t . b_s)(a_t . a_s)`, which needs only two small square matrices. For a long sequence and a
//! small weight it is cheaper to form the gradient in a buffer that is used again.
//!
//! Everything is computed in `f64`. In `f32` rows that nearly cancel, or numbers beyond 1e19, would hide a large gradient behind a
//! small norm, and the clip rests on this number. In `f64` neither overflow nor underflow can happen, and a bound of the rounding error is
//! added. A norm that is no number counts as infinite.

use super::Rows;
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use rayon::prelude::*;

/// More than the rounding of `f64` can do to a sum of so many products, relative to the sum of their sizes (Higham 2002, section 3.1,
/// whatever the order), with a factor of four to spare.
fn slack(additions: usize) -> f64 {
    4.0 * additions as f64 * f64::EPSILON
}

/// Adds the squared norm of each example's gradient of a weight, and of its bias if it has one.
pub(super) fn of_weight<T: Real>(
    back: &Matrix<T>,
    inputs: &Matrix<T>,
    with_bias: bool,
    rows: &Rows,
    squares: &mut [f64],
    threads: usize,
) {
    match rows {
        Rows::Examples(_) => {
            let bias = if with_bias { 1.0 } else { 0.0 };
            for (row, square) in squares.iter_mut().enumerate() {
                *square += or_infinite(length_squared(back.row(row)) * (length_squared(inputs.row(row)) + bias));
            }
        }
        Rows::Tokens(sequences) => {
            let rows = sequences.rows_of_sequences();
            let add = |(square, rows): (&mut f64, &Vec<usize>), scratch: &mut Scratch| {
                let of = |matrix: &Matrix<T>, wide: &mut Vec<f64>| {
                    wide.clear();
                    rows.iter().for_each(|row| wide.extend(matrix.row(*row).iter().map(|value| value.wide())));
                };
                of(back, &mut scratch.back);
                of(inputs, &mut scratch.inputs);
                *square += scratch.square(rows.len(), with_bias);
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

/// The squared norm of an example's gradient from rows that stand together.
pub(crate) fn of_rows<T: Real>(back: View<'_, T>, inputs: View<'_, T>, with_bias: bool, scratch: &mut Scratch) -> f64 {
    let wide = |view: View<'_, T>, out: &mut Vec<f64>| {
        out.clear();
        for row in 0..view.rows {
            let start = row * view.row_step;
            out.extend(view.values[start..start + view.columns].iter().map(|value| value.wide()));
        }
    };
    wide(back, &mut scratch.back);
    wide(inputs, &mut scratch.inputs);
    scratch.square(back.rows, with_bias)
}

/// Buffers that are used again for every example: its rows, and products of them.
#[derive(Default)]
pub(crate) struct Scratch {
    back: Vec<f64>,
    inputs: Vec<f64>,
    products: [Vec<f64>; 2],
}

impl Scratch {
    fn square(&mut self, rows: usize, with_bias: bool) -> f64 {
        let back = View::of(&self.back, rows, self.back.len() / rows);
        let inputs = View::of(&self.inputs, rows, self.inputs.len() / rows);
        let [first, second] = &mut self.products;
        if rows * (back.columns + inputs.columns) <= back.columns * inputs.columns {
            by_pairs(back, inputs, with_bias, first, second)
        } else {
            by_forming(back, inputs, with_bias, first)
        }
    }
}

fn length_squared<T: Real>(values: &[T]) -> f64 {
    values.iter().map(|value| value.wide() * value.wide()).sum()
}

/// What is no number must not look small.
fn or_infinite(square: f64) -> f64 {
    if square.is_nan() { f64::INFINITY } else { square }
}

/// The squared norm by the products of all pairs of rows.
fn by_pairs(
    back: View<'_, f64>,
    inputs: View<'_, f64>,
    with_bias: bool,
    of_back: &mut Vec<f64>,
    of_inputs: &mut Vec<f64>,
) -> f64 {
    let rows = back.rows;
    for (pairs, matrix) in [(&mut *of_back, back), (&mut *of_inputs, inputs)] {
        pairs.resize(rows * rows, 0.0);
        multiply(ViewMut::of(pairs, rows, rows), Into::Replace, matrix, matrix.transposed(), 1);
    }
    let bias = if with_bias { 1.0 } else { 0.0 };
    let sum: f64 = of_back.iter().zip(&*of_inputs).map(|(b, a)| b * (a + bias)).sum();
    // On the diagonal stand the squared lengths of rows.
    let sizes =
        (0..rows).map(|row| (of_back[row * (rows + 1)] * (of_inputs[row * (rows + 1)] + bias)).sqrt()).sum::<f64>();
    or_infinite(sum + slack(back.columns + inputs.columns + rows * rows) * sizes * sizes).max(0.0)
}

/// The squared norm of the gradient itself.
fn by_forming(back: View<'_, f64>, inputs: View<'_, f64>, with_bias: bool, buffer: &mut Vec<f64>) -> f64 {
    let (outputs, width) = (back.columns, inputs.columns);
    buffer.resize(outputs * width, 0.0);
    multiply(ViewMut::of(buffer, outputs, width), Into::Replace, back.transposed(), inputs, 1);
    let mut sum = length_squared(buffer);
    let bias = if with_bias { 1.0 } else { 0.0 };
    if with_bias {
        buffer.clear();
        buffer.resize(outputs, 0.0);
        for row in back.values.chunks_exact(outputs) {
            buffer.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sum += length_squared(buffer);
    }
    let rows = back.values.chunks_exact(outputs).zip(inputs.values.chunks_exact(width));
    let sizes = rows.map(|(b, a)| (length_squared(b) * (length_squared(a) + bias)).sqrt()).sum::<f64>();
    or_infinite(sum * (1.0 + slack(outputs * (width + 1))) + slack(back.rows) * sizes * sizes)
}

/// Adds the squared norm of each example's gradient of a table: what flowed back to one vector several times adds up first.
pub(super) fn of_table<T: Real>(back: &Matrix<T>, tokens: &[u32], rows: &Rows, squares: &mut [f64]) {
    let mut sum = vec![0.0; back.columns()];
    let mut of_example = |mut rows: Vec<usize>, square: &mut f64| {
        rows.sort_by_key(|row| tokens[*row]);
        for same in rows.chunk_by(|a, b| tokens[*a] == tokens[*b]) {
            sum.fill(0.0);
            for row in same {
                sum.iter_mut().zip(back.row(*row)).for_each(|(sum, value)| *sum += value.wide());
            }
            *square += or_infinite(length_squared(&sum));
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
            assert!((pairs - formed).abs() < 1e-10 * formed, "{pairs} {formed}");
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
