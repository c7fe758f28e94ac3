//! Sequences of different lengths without padding.
//!
//! The tokens of a batch are the rows of a matrix. Rows of the same step stand together, longest sequence first, so that a
//! recurrent layer works on the first rows of each step and never on padding, and every other layer just works on
//! rows. The sequences are dealt to as many *shards* as there are threads; the rows of a shard are contiguous, so that
//! threads sweep over time each on its own, without waiting for each other at every step.

use crate::error::NnError;
use crate::matrix::Matrix;
use crate::real::Real;
use std::ops::Range;

/// How the rows of a batch belong to sequences and steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequences {
    shards: Vec<Shard>,
    lengths: Vec<usize>,
    /// The sequence of each row, and the row of each sequence's first step is in `shards`.
    sequence_of_row: Vec<u32>,
}

/// Some sequences, which one thread sweeps over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The rows of the batch that belong to it.
    pub rows: Range<usize>,
    /// Its sequences, longest first.
    pub sequences: Vec<usize>,
    /// For each step, its first row within the shard; and the end.
    pub steps: Vec<usize>,
}

impl Shard {
    /// How many steps its longest sequence has.
    pub fn len(&self) -> usize {
        self.steps.len() - 1
    }

    /// Whether it has no steps, which does not happen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a step, within the shard.
    pub fn step(&self, step: usize) -> Range<usize> {
        self.steps[step]..self.steps[step + 1]
    }
}

impl Sequences {
    /// Lays out sequences of the given lengths in up to `shards` parts of equal work.
    ///
    /// # Errors
    /// When there are none or one of them is empty.
    pub fn new(lengths: &[usize], shards: usize) -> Result<Self, NnError> {
        if lengths.is_empty() {
            return Err(NnError::EmptyBatch);
        }
        if let Some(index) = lengths.iter().position(|length| *length == 0) {
            return Err(NnError::EmptySequence { index });
        }
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|sequence| std::cmp::Reverse(lengths[*sequence]));
        let count = shards.clamp(1, lengths.len());
        let mut dealt = vec![Vec::new(); count];
        for (place, sequence) in order.into_iter().enumerate() {
            // To and fro, so that no shard always gets the longer one.
            let (round, turn) = (place / count, place % count);
            dealt[if round % 2 == 0 { turn } else { count - 1 - turn }].push(sequence);
        }
        let mut sequence_of_row = Vec::new();
        let shards = dealt
            .into_iter()
            .map(|sequences| {
                let start = sequence_of_row.len();
                let mut steps = vec![0];
                for step in 0..lengths[sequences[0]] {
                    let active = sequences.iter().take_while(|sequence| lengths[**sequence] > step);
                    sequence_of_row.extend(active.map(|sequence| *sequence as u32));
                    steps.push(sequence_of_row.len() - start);
                }
                Shard { rows: start..sequence_of_row.len(), sequences, steps }
            })
            .collect();
        Ok(Self { shards, lengths: lengths.to_vec(), sequence_of_row })
    }

    /// How many rows there are: the tokens of all sequences.
    pub fn rows(&self) -> usize {
        self.sequence_of_row.len()
    }

    /// How many sequences there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are none, which does not happen.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The length of a sequence.
    pub fn length(&self, sequence: usize) -> usize {
        self.lengths[sequence]
    }

    /// The parts.
    pub fn shards(&self) -> &[Shard] {
        &self.shards
    }

    /// The sequence of each row.
    pub fn sequence_of_row(&self) -> &[u32] {
        &self.sequence_of_row
    }

    /// The rows of each sequence, in the order of its steps.
    pub fn rows_of_sequences(&self) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = self.lengths.iter().map(|length| Vec::with_capacity(*length)).collect();
        for (row, sequence) in self.sequence_of_row.iter().enumerate() {
            rows[*sequence as usize].push(row);
        }
        rows
    }

    /// Something for each token, given sequence by sequence, in the order of the rows.
    ///
    /// # Panics
    /// When the lengths are not those of the layout.
    pub fn lay_out<V: Copy + Default>(&self, sequences: &[impl AsRef<[V]>]) -> Vec<V> {
        let mut laid = vec![V::default(); self.rows()];
        for (rows, values) in self.rows_of_sequences().iter().zip(sequences) {
            assert_eq!(rows.len(), values.as_ref().len(), "a sequence of another length");
            for (row, value) in rows.iter().zip(values.as_ref()) {
                laid[*row] = *value;
            }
        }
        laid
    }

    /// For each row, the row of a matrix with one row for each sequence.
    pub fn spread<T: Real>(&self, of_sequences: &Matrix<T>) -> Matrix<T> {
        let mut rows = Matrix::zeros(self.rows(), of_sequences.columns());
        for (row, sequence) in self.sequence_of_row.iter().enumerate() {
            rows.row_mut(row).copy_from_slice(of_sequences.row(*sequence as usize));
        }
        rows
    }

    /// The reverse of [`Sequences::spread`] for gradients: the rows of each sequence added up.
    pub fn gather<T: Real>(&self, of_rows: &Matrix<T>) -> Matrix<T> {
        let mut sums = Matrix::zeros(self.len(), of_rows.columns());
        for (row, sequence) in self.sequence_of_row.iter().enumerate() {
            crate::vectorise::add_scaled(sums.row_mut(*sequence as usize), T::ONE, of_rows.row(row));
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_step_stand_together_longest_first() {
        let sequences = Sequences::new(&[2, 3, 1], 1).unwrap();
        // Step 0: sequences 1, 0, 2; step 1: 1, 0; step 2: 1.
        assert_eq!(sequences.sequence_of_row(), [1, 0, 2, 1, 0, 1]);
        assert_eq!(sequences.shards()[0].steps, [0, 3, 5, 6]);
        assert_eq!(sequences.rows_of_sequences(), [vec![1, 4], vec![0, 3, 5], vec![2]]);
    }

    #[test]
    fn shards_are_contiguous_and_hold_every_sequence_once() {
        let lengths = [5, 1, 4, 2, 3, 5, 9];
        for count in 1..10 {
            let sequences = Sequences::new(&lengths, count).unwrap();
            let mut all: Vec<usize> = sequences.shards().iter().flat_map(|shard| shard.sequences.clone()).collect();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
            assert_eq!(sequences.rows(), 29);
            assert_eq!(sequences.shards().last().unwrap().rows.end, 29);
        }
        let two = Sequences::new(&lengths, 2).unwrap();
        // 9 + 4 + 3 + 1 and 5 + 5 + 2: dealt to and fro.
        assert_eq!(two.shards()[0].rows.len(), 9 + 4 + 3);
    }

    #[test]
    fn tokens_are_laid_out_and_sums_come_back() {
        let sequences = Sequences::new(&[1, 2], 1).unwrap();
        assert_eq!(sequences.lay_out(&[vec![7_u32], vec![8, 9]]), [8, 7, 9]);
        let latent = Matrix::of(2, 1, vec![10.0_f64, 20.0]);
        let spread = sequences.spread(&latent);
        assert_eq!(spread.values(), [20.0, 10.0, 20.0]);
        assert_eq!(sequences.gather(&spread).values(), [10.0, 40.0]);
    }

    #[test]
    fn empty_sequences_and_batches_are_refused() {
        assert!(matches!(Sequences::new(&[], 1), Err(NnError::EmptyBatch)));
        assert!(matches!(Sequences::new(&[1, 0], 1), Err(NnError::EmptySequence { index: 1 })));
    }
}
