//! The vectors of a vocabulary, and the nearest of them to given points.
//!
//! Products are computed for several points at once: a row is read once for all of them, and the compiler puts them side by
//! side into vector registers. Every point has sums of its own, added in the order of the row, so its numbers do not depend on the
//! other points, not in a single bit.

use crate::error::DpError;
use std::ops::Range;
use std::sync::Arc;

/// How many points are multiplied with a row at once.
pub const LANES: usize = 16;

/// The unit of rounding of a 32-bit float.
const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The vectors of a vocabulary, row by row.
#[derive(Clone, Debug)]
pub struct Vectors {
    dimension: usize,
    values: Arc<[f32]>,
    /// Half the squared length of each row.
    half_squares: Arc<[f64]>,
}

impl Vectors {
    /// Vectors of the given dimension.
    ///
    /// # Errors
    /// When there are fewer than two, values are missing, or one is not a number.
    pub fn new(dimension: usize, values: Vec<f32>) -> Result<Self, DpError> {
        let whole = dimension > 0 && values.len() >= 2 * dimension && values.len().is_multiple_of(dimension);
        if !whole || !values.iter().all(|value| value.is_finite()) {
            let allowed = "two or more whole rows of numbers";
            return Err(DpError::Setting { setting: "vectors", value: "another thing".into(), allowed });
        }
        let half_square = |row: &[f32]| 0.5 * row.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>();
        let half_squares = values.chunks_exact(dimension).map(half_square).collect();
        Ok(Self { dimension, values: values.into(), half_squares })
    }

    /// How many numbers a row has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension)
    }

    /// A row.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.dimension..(index + 1) * self.dimension]
    }

    /// Some of the rows, in the given order.
    pub(super) fn subset(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|row| self.row(*row)).copied().collect();
        let half_squares = rows.iter().map(|row| self.half_squares[*row]).collect();
        Self { dimension: self.dimension, values, half_squares }
    }

    /// Half the squared length of a row.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn half_square(&self, index: usize) -> f64 {
        self.half_squares[index]
    }

    /// Writes, for each of some rows, its products with up to [`LANES`] points; missing points and numbers count as zero.
    ///
    /// # Panics
    /// When there are not so many rows.
    pub fn products(&self, rows: Range<usize>, points: &[&[f32]], out: &mut Vec<[f32; LANES]>) {
        let mut side_by_side = vec![[0.0; LANES]; self.dimension];
        for (lane, point) in points.iter().take(LANES).enumerate() {
            side_by_side.iter_mut().zip(*point).for_each(|(lanes, value)| lanes[lane] = *value);
        }
        out.clear();
        let rows = self.values[rows.start * self.dimension..rows.end * self.dimension].chunks_exact(self.dimension);
        out.extend(rows.map(|row| {
            let mut sums = [0.0; LANES];
            for (value, lanes) in row.iter().zip(&side_by_side) {
                for (sum, point) in sums.iter_mut().zip(lanes) {
                    *sum += value * point;
                }
            }
            sums
        }));
    }

    /// The row nearest to a point; ties go to the first.
    pub(super) fn nearest(&self, point: &[f64]) -> u32 {
        self.nearest_of(0..self.half_squares.len(), point)
    }

    fn nearest_of(&self, rows: impl Iterator<Item = usize>, point: &[f64]) -> u32 {
        let distance = |row: &[f32]| row.iter().zip(point).map(|(a, b)| (f64::from(*a) - b).powi(2)).sum::<f64>();
        let mut best = (f64::INFINITY, 0);
        for index in rows {
            let far = distance(self.row(index));
            if far < best.0 {
                best = (far, index as u32);
            }
        }
        best.1
    }

    /// The row nearest to each point, as [`Self::nearest`] finds it.
    ///
    /// The nearest row x of a point p has the largest x p - |x|^2 / 2. Rounded numbers find the rows that may have it, and
    /// [`Self::nearest`] decides among those.
    pub(super) fn nearest_to_all(&self, points: &[Vec<f64>]) -> Vec<u32> {
        let longest = (2.0 * self.half_squares.iter().fold(0.0_f64, |a, b| a.max(*b))).sqrt();
        let halves: Vec<f32> = self.half_squares.iter().map(|half| *half as f32).collect();
        let (mut found, mut closeness) = (Vec::with_capacity(points.len()), Vec::new());
        for group in points.chunks(LANES) {
            let rounded: Vec<Vec<f32>> =
                group.iter().map(|point| point.iter().map(|value| *value as f32).collect()).collect();
            let rounded: Vec<&[f32]> = rounded.iter().map(Vec::as_slice).collect();
            self.products(0..halves.len(), &rounded, &mut closeness);
            let mut best = [f32::NEG_INFINITY; LANES];
            for (lanes, half) in closeness.iter_mut().zip(&halves) {
                for (value, best) in lanes.iter_mut().zip(&mut best) {
                    *value -= half;
                    *best = best.max(*value);
                }
            }
            for (lane, point) in group.iter().enumerate() {
                let margin = self.margin(longest, point);
                let floor = f64::from(best[lane]) - margin;
                // Points that are out of reach of a 32-bit float are searched the slow way.
                if !(floor.is_finite() && 2.0 * longest * length(point) < f64::from(f32::MAX)) {
                    found.push(self.nearest(point));
                    continue;
                }
                let near = closeness.iter().enumerate().filter(|(_, lanes)| f64::from(lanes[lane]) >= floor);
                found.push(self.nearest_of(near.map(|(index, _)| index), point));
            }
        }
        found
    }

    /// How far apart the rounded numbers of the two best rows may be although the order of the true ones is the other.
    ///
    /// A sum of n rounded products errs by at most n units of the product of the lengths; rounding the point, half the
    /// square and the difference adds less than three more. Numbers too small for a unit add next to nothing.
    fn margin(&self, longest: f64, point: &[f64]) -> f64 {
        let units = (self.dimension + 4) as f64 * ROUNDING;
        2.0 * 1.01 * units * (longest * length(point) + longest * longest) + 1e-30
    }
}

fn length(point: &[f64]) -> f64 {
    point.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::PrivacyRng;

    /// Rows and points of small numbers, many of them at equal distances.
    fn coarse(count: usize, dimension: usize, rng: &mut PrivacyRng) -> Vec<f32> {
        (0..count * dimension).map(|_| (rng.bits() % 9) as f32 - 4.0).collect()
    }

    #[test]
    fn products_by_hand() {
        let vectors = Vectors::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let mut out = Vec::new();
        vectors.products(1..3, &[&[1.0, 1.0], &[0.0, -1.0], &[2.0]], &mut out);
        assert_eq!(
            out.iter().map(|lanes| lanes[..4].to_vec()).collect::<Vec<_>>(),
            [[7.0, -4.0, 6.0, 0.0], [11.0, -6.0, 10.0, 0.0]]
        );
        assert_eq!(vectors.half_square(1), 12.5); // (9 + 16) / 2
    }

    #[test]
    fn the_fast_search_finds_what_the_slow_one_finds_even_among_ties() {
        let mut rng = PrivacyRng::reproducible(3);
        for dimension in [1, 2, 3, 17, 100] {
            let vectors = Vectors::new(dimension, coarse(300, dimension, &mut rng)).unwrap();
            let points: Vec<Vec<f64>> = coarse(100, dimension, &mut rng)
                .chunks_exact(dimension)
                .map(|point| point.iter().map(|value| f64::from(*value) / 2.0).collect())
                .collect();
            let slow: Vec<u32> = points.iter().map(|point| vectors.nearest(point)).collect();
            assert_eq!(vectors.nearest_to_all(&points), slow);
        }
    }

    #[test]
    fn differences_below_the_rounding_of_a_32_bit_float_are_seen() {
        // 1000 and the next float, and points a millionth off the middle.
        let next = 1000.0_f32.next_up();
        let vectors = Vectors::new(1, vec![next, 1000.0]).unwrap();
        let middle = f64::midpoint(f64::from(next), 1000.0);
        assert_eq!(vectors.nearest_to_all(&[vec![middle + 1e-6], vec![middle - 1e-6]]), [0, 1]);
    }

    #[test]
    fn points_beyond_every_32_bit_float_are_harmless() {
        let vectors = Vectors::new(2, vec![-1.0, 0.0, 1.0, 0.0]).unwrap();
        let points =
            [vec![1e39, 0.0], vec![-1e39, 1e39], vec![1e38, 3e38], vec![f64::INFINITY, 0.0], vec![0.0, f64::NAN]];
        let slow: Vec<u32> = points.iter().map(|point| vectors.nearest(point)).collect();
        assert_eq!(vectors.nearest_to_all(&points), slow);
    }
}
