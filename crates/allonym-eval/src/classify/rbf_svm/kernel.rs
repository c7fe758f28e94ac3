//! How alike two rows are: e to the minus gamma times their squared distance. And rows of such numbers, kept while there is room.

use crate::features::{Row, Sparse};
use std::rc::Rc;

/// Sums that run side by side.
const LANES: usize = 16;

/// Rows that others are compared with.
#[derive(Clone, Debug)]
pub(super) struct Points {
    rows: Sparse,
    squares: Vec<f64>,
    /// The rows with their zeros, when there are few.
    dense: Option<Vec<f32>>,
}

impl Points {
    pub(super) fn new(rows: Sparse) -> Self {
        let squares = (0..rows.rows()).map(|row| square(rows.row(row))).collect();
        let width = rows.width();
        let dense = (rows.entries() * 2 > rows.rows() * width).then(|| {
            let mut dense = vec![0.0; rows.rows() * width];
            for (row, numbers) in dense.chunks_exact_mut(width).enumerate() {
                rows.row(row).iter().for_each(|(column, value)| numbers[column] = value);
            }
            dense
        });
        Self { rows, squares, dense }
    }

    pub(super) fn rows(&self) -> &Sparse {
        &self.rows
    }

    /// The kernel of a row with the points at some places. `scratch` has a zero for every column, and has it again afterwards.
    pub(super) fn kernel(
        &self,
        gamma: f64,
        row: Row<'_>,
        places: impl Iterator<Item = usize>,
        scratch: &mut [f32],
    ) -> Vec<f32> {
        row.iter().for_each(|(column, value)| scratch[column] = value);
        let own = square(row);
        let width = self.rows.width();
        let kernel = places.map(|place| {
            let product = match &self.dense {
                Some(dense) => dense_product(&dense[place * width..][..width], scratch),
                None => {
                    let point = self.rows.row(place);
                    let products = point.iter().map(|(column, value)| value * scratch[column]);
                    products.map(f64::from).sum::<f64>()
                }
            };
            (-gamma * (own + self.squares[place] - 2.0 * product).max(0.0)).exp() as f32
        });
        let kernel = kernel.collect();
        row.columns.iter().for_each(|column| scratch[*column as usize] = 0.0);
        kernel
    }
}

fn square(row: Row<'_>) -> f64 {
    row.values.iter().map(|value| f64::from(*value).powi(2)).sum()
}

fn dense_product(a: &[f32], b: &[f32]) -> f64 {
    let mut sums = [0.0_f32; LANES];
    let (mut a, mut b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (a, b) in (&mut a).zip(&mut b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    sums.iter().map(|sum| f64::from(*sum)).sum::<f64>() + f64::from(rest)
}

/// Rows of the kernel; the one that was not used for longest makes room.
pub(super) struct Cache<Compute> {
    compute: Compute,
    rows: Vec<Option<(u64, Rc<[f32]>)>>,
    held: Vec<usize>,
    most: usize,
    clock: u64,
}

impl<Compute: FnMut(usize) -> Vec<f32>> Cache<Compute> {
    /// For so many rows of as many numbers, of which so many bytes are kept, but no fewer than two rows.
    pub(super) fn new(size: usize, bytes: usize, compute: Compute) -> Self {
        let most = (bytes / (size * size_of::<f32>()).max(1)).max(2);
        Self { compute, rows: vec![None; size], held: Vec::new(), most, clock: 0 }
    }

    pub(super) fn row(&mut self, place: usize) -> Rc<[f32]> {
        self.clock += 1;
        if let Some((used, row)) = &mut self.rows[place] {
            *used = self.clock;
            return Rc::clone(row);
        }
        if self.held.len() == self.most {
            let used = |held: &usize| self.rows[*held].as_ref().map(|(used, _)| *used);
            let oldest = (0..self.held.len()).min_by_key(|at| used(&self.held[*at])).unwrap_or(0);
            self.rows[self.held.swap_remove(oldest)] = None;
        }
        let row: Rc<[f32]> = (self.compute)(place).into();
        self.rows[place] = Some((self.clock, Rc::clone(&row)));
        self.held.push(place);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_by_hand_with_and_without_zeros() {
        for width in [2, 40] {
            let mut rows = Sparse::new(width);
            rows.push([(0, 1.0), (1, 2.0)]);
            rows.push([(0, 3.0), (1, 2.0)]);
            rows.push([]);
            let points = Points::new(rows);
            assert_eq!(points.dense.is_some(), width == 2);
            let mut scratch = vec![0.0; width];
            let found = points.kernel(0.5, points.rows().row(0), 0..3, &mut scratch);
            // Squared distances 0, 4 and 5.
            let expected = [1.0, (-2.0_f32).exp(), (-2.5_f32).exp()];
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6), "{found:?}");
            assert!(scratch.iter().all(|number| *number == 0.0));
        }
    }

    #[test]
    fn the_row_that_was_not_used_for_longest_makes_room() {
        let mut computed = Vec::new();
        let mut cache = Cache::new(4, 32, |place| {
            computed.push(place);
            vec![place as f32; 4]
        });
        for place in [0, 1, 0, 2, 0, 1] {
            assert_eq!(cache.row(place)[0], place as f32);
        }
        assert_eq!(cache.held.len(), 2);
        assert_eq!(computed, [0, 1, 2, 1]);
    }
}
