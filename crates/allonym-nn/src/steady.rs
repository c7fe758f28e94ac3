//! Products whose every row is computed the same way, whatever stands beside it.
//!
//! A kernel for large matrices chooses how to sum by their shape, so the last bits of a row depend on how many other rows there are. For texts that are
//! written side by side this would let one text's length touch another's numbers. Here each number is one dot product in one order: eight sums side by
//! side, then a tree, then what is left over. Products and sums are fused, so the order is all that there is: every machine computes the same bits.
//!
//! Weights lie row by row (outputs x inputs), so they are read where they are; there is nothing to pack, which for one row would be most of the work.

use crate::real::Real;
use crate::vectorise::vectorised;

/// Sums side by side.
const LANES: usize = 8;
/// Rows and outputs that are computed together: as many sums as fit into registers.
const ROWS: usize = 4;
const OUTPUTS: usize = 3;

vectorised! {
    /// Adds to every row of `out` the weights times the same row of `left`, whose rows have `inner` numbers.
    fn add_products<T>(out: &mut [T], left: &[T], weights: &[T], inner: usize) {
        let outputs = weights.len() / inner;
        let mut first = 0;
        while first < outputs {
            let count = OUTPUTS.min(outputs - first);
            let weights = &weights[first * inner..(first + count) * inner];
            for (left, out) in left.chunks(ROWS * inner).zip(out.chunks_mut(ROWS * outputs)) {
                let place = Place { inner, outputs, first };
                match (left.len() / inner, count) {
                    (ROWS, OUTPUTS) => tile::<T, ROWS, OUTPUTS>(out, left, weights, place),
                    (rows, OUTPUTS) => for row in 0..rows {
                        tile::<T, 1, OUTPUTS>(&mut out[row * outputs..], &left[row * inner..], weights, place);
                    },
                    (rows, count) => for row in 0..rows {
                        for place in (0..count).map(|more| Place { first: first + more, ..place }) {
                            let weights = &weights[(place.first - first) * inner..];
                            tile::<T, 1, 1>(&mut out[row * outputs..], &left[row * inner..], weights, place);
                        }
                    },
                }
            }
            first += count;
        }
    }
}

#[derive(Clone, Copy)]
struct Place {
    inner: usize,
    outputs: usize,
    first: usize,
}

#[inline(always)]
fn tile<T: Real, const R: usize, const C: usize>(out: &mut [T], left: &[T], weights: &[T], place: Place) {
    let Place { inner, outputs, first } = place;
    let rows: [&[T]; R] = std::array::from_fn(|row| &left[row * inner..(row + 1) * inner]);
    let columns: [&[T]; C] = std::array::from_fn(|column| &weights[column * inner..(column + 1) * inner]);
    let mut sums = [[[T::ZERO; LANES]; C]; R];
    let whole = inner - inner % LANES;
    let mut start = 0;
    while start < whole {
        let b: [[T; LANES]; C] = std::array::from_fn(|column| lanes(columns[column], start));
        for row in 0..R {
            let a: [T; LANES] = lanes(rows[row], start);
            for column in 0..C {
                for lane in 0..LANES {
                    sums[row][column][lane] = a[lane].fused(b[column][lane], sums[row][column][lane]);
                }
            }
        }
        start += LANES;
    }
    for row in 0..R {
        for column in 0..C {
            let s = sums[row][column];
            let mut sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
            for place in whole..inner {
                sum = rows[row][place].fused(columns[column][place], sum);
            }
            out[row * outputs + first + column] += sum;
        }
    }
}

#[inline(always)]
fn lanes<T: Real>(values: &[T], start: usize) -> [T; LANES] {
    let mut lanes = [T::ZERO; LANES];
    lanes.copy_from_slice(&values[start..start + LANES]);
    lanes
}

/// Adds `left` times the transposed `weights` to `out`, all row by row.
///
/// # Panics
/// When the sizes do not fit.
pub(crate) fn add_steadily<T: Real>(out: &mut [T], left: &[T], weights: &[T], inner: usize) {
    assert!(inner > 0 && left.len().is_multiple_of(inner) && weights.len().is_multiple_of(inner), "whole rows");
    assert_eq!(out.len(), (left.len() / inner) * (weights.len() / inner), "as many rows and outputs");
    add_products(out, left, weights, inner);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::product::{Into, multiply};

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 + seed * 31) % 1013) as f32 / 506.5 - 1.0).collect()
    }

    #[test]
    fn a_product_by_hand() {
        // (1 2) (3 4; 5 6; 7 8)^T = (11 17 23), and 1 was there.
        let mut out = [1.0_f32; 3];
        add_steadily(&mut out, &[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 2);
        assert_eq!(out, [12.0, 18.0, 24.0]);
    }

    #[test]
    fn it_is_the_product_of_any_shape() {
        for (rows, outputs, inner) in [(1, 1, 1), (3, 5, 7), (4, 3, 8), (9, 10, 33), (32, 100, 64), (5, 2, 16)] {
            let (left, weights) = (numbers(rows * inner, 1), numbers(outputs * inner, 2));
            let mut out = numbers(rows * outputs, 3);
            let mut expected = Matrix::of(rows, outputs, out.clone());
            add_steadily(&mut out, &left, &weights, inner);
            let (left, weights) = (Matrix::of(rows, inner, left), Matrix::of(outputs, inner, weights));
            multiply(expected.view_mut(), Into::Add, left.view(), weights.view().transposed(), 1);
            for (a, b) in out.iter().zip(expected.values()) {
                assert!((a - b).abs() < 1e-4, "{rows} x {outputs} x {inner}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_row_has_the_same_bits_whatever_stands_beside_it() {
        let (inner, outputs) = (37, 50);
        let (left, weights) = (numbers(33 * inner, 1), numbers(outputs * inner, 2));
        let product = |rows: std::ops::Range<usize>| {
            let mut out = vec![0.0_f32; rows.len() * outputs];
            add_steadily(&mut out, &left[rows.start * inner..rows.end * inner], &weights, inner);
            out
        };
        let together = product(0..33);
        for row in 0..33 {
            for count in 1..=33 - row {
                let part = product(row..row + count);
                assert_eq!(part, together[row * outputs..(row + count) * outputs], "{row} {count}");
            }
        }
    }
}
