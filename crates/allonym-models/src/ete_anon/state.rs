//! Everything that an agent knows while it learns, as one file: it goes on from there as if nothing had happened.

use crate::error::ModelError;
use allonym_nn::{Matrix, checkpoint};
use std::collections::BTreeMap;
use std::path::Path;

/// Matrices by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    held: BTreeMap<String, Matrix<f32>>,
}

/// Numbers of 16 bits that a count is written as: each is exact in 32 bits with a point.
const PARTS: u32 = 4;

impl State {
    /// Numbers in so many columns; none at all are left out.
    pub(super) fn put(&mut self, name: &str, columns: usize, numbers: Vec<f32>) {
        if !numbers.is_empty() {
            self.held.insert(name.to_owned(), Matrix::of(numbers.len() / columns, columns, numbers));
        }
    }

    pub(super) fn put_counts(&mut self, name: &str, counts: &[u64]) {
        let parts = |count: &u64| {
            let count = *count;
            (0..PARTS).map(move |part| f32::from((count >> (16 * part)) as u16))
        };
        self.put(name, PARTS as usize, counts.iter().flat_map(parts).collect());
    }

    /// Numbers that must be as many as expected.
    pub(super) fn take(&mut self, name: &str, expected: usize) -> Result<Vec<f32>, ModelError> {
        let found = self.held.remove(name).map(Matrix::into_values).unwrap_or_default();
        match found.len() == expected {
            true => Ok(found),
            false => Err(ModelError::Setting {
                setting: "state of the agent",
                value: format!("{name} of {} numbers", found.len()),
                allowed: "that of an agent of this size",
            }),
        }
    }

    /// Rows of so many numbers, however many there are.
    pub(super) fn take_rows(&mut self, name: &str, columns: usize) -> Result<Vec<Vec<f32>>, ModelError> {
        let rows = self.held.get(name).map_or(0, Matrix::rows);
        Ok(self.take(name, rows * columns)?.chunks_exact(columns).map(<[f32]>::to_vec).collect())
    }

    pub(super) fn take_counts(&mut self, name: &str, expected: usize) -> Result<Vec<u64>, ModelError> {
        let parts = self.take(name, expected * PARTS as usize)?;
        let count = |parts: &[f32]| parts.iter().rev().fold(0, |count, part| count << 16 | u64::from(*part as u16));
        Ok(parts.chunks_exact(PARTS as usize).map(count).collect())
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let held: Vec<(&str, &Matrix<f32>)> = self.held.iter().map(|(name, matrix)| (name.as_str(), matrix)).collect();
        Ok(checkpoint::matrices_file(&held)?)
    }

    pub(super) fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Self, ModelError> {
        Ok(Self { held: checkpoint::read_matrices(path, bytes)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_counts_come_back() {
        let mut state = State::default();
        state.put("numbers", 2, vec![1.0, -2.0, 3.0, 4.5]);
        state.put_counts("counts", &[0, 1, u64::MAX, 123_456_789_012]);
        state.put("nothing", 7, Vec::new());
        let bytes = state.to_bytes().unwrap();
        let mut read = State::of_bytes(Path::new("state"), &bytes).unwrap();
        assert_eq!(read, state);
        assert_eq!(read.take_counts("counts", 4).unwrap(), [0, 1, u64::MAX, 123_456_789_012]);
        assert_eq!(read.take_rows("numbers", 2).unwrap(), [[1.0, -2.0], [3.0, 4.5]]);
        assert!(read.take_rows("nothing", 7).unwrap().is_empty());
        assert!(read.take("numbers", 4).is_err(), "it was taken");
    }
}
