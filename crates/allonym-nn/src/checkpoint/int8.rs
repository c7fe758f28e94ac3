//! Weights in a quarter of the space: eight bits a number, with one scale for each row.
//!
//! The largest number of a row becomes 127, so no number moves by more than half of 1/127 of it. Parameters of one row (biases) are
//! few, and stay as they are.

use super::tensors::Tensor;
use crate::store::Store;
use safetensors::tensor::Dtype;

/// The tensor that holds the scales of another.
pub(super) fn scale_name(name: &str) -> String {
    format!("{name}.scale")
}

/// All parameters of a store in eight bits.
pub(super) fn of_store(store: &Store<f32>) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for (name, slot) in store.parameters() {
        let (shape, values) = (vec![slot.rows(), slot.columns()], store.slice(slot));
        if slot.rows() == 1 {
            tensors.push(Tensor::of_f32(name, shape, values));
            continue;
        }
        let rows = values.chunks_exact(slot.columns());
        let scales: Vec<f32> = rows.clone().map(scale).collect();
        let bytes = rows.zip(&scales).flat_map(|(row, scale)| row.iter().map(|value| step(*value, *scale) as u8));
        tensors.push(Tensor { name: name.to_owned(), shape, kind: Dtype::I8, bytes: bytes.collect() });
        tensors.push(Tensor::of_f32(scale_name(name), vec![slot.rows()], &scales));
    }
    tensors
}

fn scale(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |largest: f32, value| largest.max(value.abs())) / 127.0
}

fn step(value: f32, scale: f32) -> i8 {
    // A row of zeros has no scale, and a cast of no number is zero.
    (value / scale).round().clamp(-127.0, 127.0) as i8
}

/// Adds the numbers of rows in eight bits.
pub(super) fn restore(bytes: &[u8], scales: &[f32], into: &mut Vec<f32>) {
    let columns = bytes.len() / scales.len().max(1);
    for (row, scale) in bytes.chunks_exact(columns.max(1)).zip(scales) {
        into.extend(row.iter().map(|byte| f32::from(*byte as i8) * scale));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_dp::PrivacyRng;

    #[test]
    fn no_number_moves_by_more_than_half_a_step_of_its_row() {
        let mut store = Store::<f32>::new();
        let slot = store.add("w", 20, 30, 3.0, &mut PrivacyRng::reproducible(1)).unwrap();
        store.values_mut()[..30].fill(0.0);
        store.values_mut()[30..60].iter_mut().for_each(|value| *value *= 1e-30);
        let tensors = of_store(&store);
        let scales: Vec<f32> = store.slice(slot).chunks(30).map(scale).collect();
        let mut back = Vec::new();
        restore(&tensors[0].bytes, &scales, &mut back);
        for (place, (value, back)) in store.values().iter().zip(&back).enumerate() {
            let half = 0.5 * scales[place / 30];
            assert!((value - back).abs() <= half * 1.000_01, "{place}: {value} {back}");
        }
    }

    #[test]
    fn the_largest_number_of_a_row_stays_what_it_was() {
        let row = [0.1_f32, -2.54, 1.0];
        let scale = scale(&row);
        assert_eq!((step(row[1], scale), step(row[0], scale), step(0.0, 0.0)), (-127, 5, 0));
    }
}
