//! Beginnings that neither stretch nor shrink a state.
//!
//! A state that goes through the same matrix at every step fades or bursts with the length of the text, unless the matrix begins orthogonal
//! (Saxe, McClelland and Ganguli 2014).

use super::recurrent::Recurrent;
use crate::real::Real;
use crate::store::{Store, unit};
use allonym_dp::PrivacyRng;

impl Recurrent {
    /// The same with an orthogonal matrix from state to state in every gate.
    #[must_use]
    pub fn orthogonal<T: Real>(self, store: &mut Store<T>, rng: &mut PrivacyRng) -> Self {
        if store.awaits_file() {
            return self;
        }
        for direction in self.layers().iter().flatten() {
            let (cells, start) = (direction.cells, direction.of_state.range().start);
            for gate in 0..self.kind().gates() {
                let start = start + gate * cells * cells;
                let matrix = drawn(cells, rng);
                let values = &mut store.values_mut()[start..start + cells * cells];
                values.iter_mut().zip(matrix.iter().flatten()).for_each(|(value, drawn)| *value = T::of(*drawn));
            }
        }
        self
    }
}

/// Rows at right angles to each other, each of length 1, in random directions.
fn drawn(size: usize, rng: &mut PrivacyRng) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
    while rows.len() < size {
        // Sums of uniform numbers are near enough to normal ones for no direction to be preferred.
        let mut row: Vec<f64> = (0..size).map(|_| (0..6).map(|_| unit(rng.bits())).sum::<f64>() - 3.0).collect();
        // Twice, since once leaves rounding errors where little of the row is left.
        for _ in 0..2 {
            for earlier in &rows {
                let shared = dot(&row, earlier);
                row.iter_mut().zip(earlier).for_each(|(value, earlier)| *value -= shared * earlier);
            }
        }
        let length = dot(&row, &row).sqrt();
        if length > 1e-6 {
            row.iter_mut().for_each(|value| *value /= length);
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_length_1_and_stand_at_right_angles() {
        let rows = drawn(33, &mut PrivacyRng::reproducible(5));
        for (place, row) in rows.iter().enumerate() {
            for (other, column) in rows.iter().enumerate() {
                let product: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                let expected = if place == other { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < 1e-12, "{place} {other}: {product}");
            }
        }
    }
}
