//! A linear layer over the whole vocabulary with a softmax, its loss and its gradient, a block of rows at a time.
//!
//! The logits of a whole batch (rows times vocabulary) are the largest thing in a step, so they are not there all at once. A private step
//! needs them twice: for the norms, and again when the factors are known. Those of a small batch are kept; those of a large one
//! are computed again, which takes a quarter more of this layer's time and saves a third of the step's memory.

use super::{Loss, Targets};
use crate::buffer::Buffer;
use crate::error::NnError;
use crate::gradient::{Gradients, Later, Scratch, of_rows};
use crate::inference::in_blocks;
use crate::layer::Linear;
use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::Sequences;
use crate::store::Store;
use crate::vectorise::{add_scaled, exponentiate, largest, scale};
use rayon::prelude::*;
use std::sync::Arc;

/// The size of a block of logits, in numbers.
const BLOCK: usize = 16 << 20;

/// A private step keeps so many logits until the factors are known, in numbers.
const KEEP: usize = 4 * BLOCK;

/// As many logits as stay in a processor's cache, in numbers.
const HOT: usize = 5 << 20;

/// The loss of every row without gradients.
#[derive(Debug)]
pub struct Evaluated {
    /// The sum over all rows of each row's loss times its weight.
    pub loss: f64,
    /// Rows whose best token is the one with the largest weight.
    pub hits: usize,
}

/// Computes the loss, hands over the gradients of the layer, and returns what flows back to the vectors. `weights` says how much each row
/// counts; in a private step it must not depend on other examples of the batch.
///
/// # Errors
/// When the shapes do not fit.
pub fn softmax<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Arc<Matrix<T>>,
    sequences: &Arc<Sequences>,
    targets: Arc<dyn Targets<T>>,
    weights: Vec<T>,
    gradients: &mut Gradients<T>,
) -> Result<Loss<T>, NnError> {
    let name = "softmax";
    if targets.rows() != vectors.rows() || weights.len() != vectors.rows() || sequences.rows() != vectors.rows() {
        return Err(NnError::shape(name, "number of targets", targets.rows(), vectors.rows()));
    }
    if vectors.columns() != layer.weight().columns() {
        return Err(NnError::shape(name, "width of the input", vectors.columns(), layer.weight().columns()));
    }
    let mut pass = Pass {
        layer: layer.clone(),
        vectors: vectors.clone(),
        sequences: sequences.clone(),
        targets,
        weights,
        kept: None,
        keep: KEEP,
    };
    let mut loss =
        Loss { of_examples: vec![0.0; sequences.len()], back: Matrix::zeros(vectors.rows(), vectors.columns()) };
    if gradients.is_private() {
        let mut squares = vec![0.0; sequences.len()];
        pass.run(store, gradients.threads(), &mut Task::Norms { loss: &mut loss, squares: &mut squares });
        let slots: Vec<_> = [Some(layer.weight()), layer.bias()].into_iter().flatten().collect();
        gradients.later(&slots, &squares, Box::new(pass));
    } else {
        let threads = gradients.threads();
        pass.run(store, threads, &mut Task::Plain { loss: &mut loss, gradients: gradients.summed() });
    }
    Ok(loss)
}

/// What is to be done with each block.
enum Task<'a, T: Real> {
    Plain { loss: &'a mut Loss<T>, gradients: &'a mut [T] },
    Norms { loss: &'a mut Loss<T>, squares: &'a mut [f64] },
    Sum { gradients: &'a mut [T] },
}

/// A pass over all rows, example by example, so that the rows of an example stand together in a block.
struct Pass<T: Real> {
    layer: Linear,
    vectors: Arc<Matrix<T>>,
    sequences: Arc<Sequences>,
    targets: Arc<dyn Targets<T>>,
    weights: Vec<T>,
    /// The rows of a block that holds all of them, and what flows back to their logits.
    kept: Option<(Vec<usize>, Block<T>)>,
    /// How many logits it may keep.
    keep: usize,
}

impl<T: Real> Later<T> for Pass<T> {
    fn add(mut self: Box<Self>, store: &Store<T>, factors: &[T], gradients: &mut [T], threads: usize) {
        if let Some((rows, mut block)) = self.kept.take() {
            block.scale(rows.iter().map(|row| factors[self.sequences.sequence_of_row()[*row] as usize]));
            return self.add_block(&block, rows.len(), gradients, threads);
        }
        for (weight, sequence) in self.weights.iter_mut().zip(self.sequences.sequence_of_row()) {
            let factor = factors[*sequence as usize];
            *weight = if factor == T::ZERO { T::ZERO } else { *weight * factor };
        }
        self.run(store, threads, &mut Task::Sum { gradients });
    }
}

impl<T: Real> Pass<T> {
    fn run(&mut self, store: &Store<T>, threads: usize, task: &mut Task<'_, T>) {
        let vocabulary = self.layer.weight().rows();
        let keep = matches!(task, Task::Norms { .. }) && self.sequences.rows() * vocabulary <= self.keep;
        let most = if keep { usize::MAX } else { (BLOCK / vocabulary).max(1) };
        let of_examples = self.sequences.rows_of_sequences();
        let (mut rows, mut examples) = (Vec::new(), Vec::new());
        let mut block = Block::default();
        for (example, of_example) in of_examples.iter().enumerate() {
            // A single example may be larger than a block; it is then one by itself.
            if !rows.is_empty() && rows.len() + of_example.len() > most {
                self.block(store, threads, &rows, &examples, &mut block, task);
                rows.clear();
                examples.clear();
            }
            let start = rows.len();
            rows.extend_from_slice(of_example);
            examples.push((example, start..rows.len()));
        }
        self.block(store, threads, &rows, &examples, &mut block, task);
        if keep {
            self.kept = Some((rows, block));
        }
    }

    fn block(
        &self,
        store: &Store<T>,
        threads: usize,
        rows: &[usize],
        examples: &[(usize, std::ops::Range<usize>)],
        block: &mut Block<T>,
        task: &mut Task<'_, T>,
    ) {
        let (weight, width) = (store.view(self.layer.weight()), self.vectors.columns());
        let (count, vocabulary) = (rows.len(), weight.rows);
        block.vectors.clear();
        for row in rows {
            // The vector of a row that does not count may be no number, which times zero would be none either.
            match self.weights[*row] == T::ZERO {
                true => block.vectors.extend(std::iter::repeat_n(T::ZERO, width)),
                false => block.vectors.extend_from_slice(self.vectors.row(*row)),
            }
        }
        let vectors = View::of(&block.vectors, count, width);
        if block.logits.len() < count * vocabulary {
            block.logits = Buffer::zeros(count * vocabulary);
        }
        let logits = &mut block.logits[..count * vocabulary];
        let bias = self.layer.bias().map(|bias| store.slice(bias));
        let of_row = |place: usize, logits: &mut [T], found: &mut Vec<(u32, T)>| {
            let row = rows[place];
            if let Some(bias) = bias {
                add_scaled(logits, T::ONE, bias);
            }
            found.clear();
            self.targets.of_row(row, logits, found);
            turn(logits, found, self.weights[row])
        };
        // Logits become what flows back to them while they are still in the processor's cache.
        let mut losses = Vec::with_capacity(count);
        let hot = (HOT / vocabulary).max(1);
        for (place, logits) in (0..count).step_by(hot).zip(logits.chunks_mut(hot * vocabulary)) {
            let of_part = logits.len() / vocabulary;
            let vectors = vectors.rows(place..place + of_part);
            multiply(ViewMut::of(logits, of_part, vocabulary), Into::Replace, vectors, weight.transposed(), threads);
            let each =
                |found: &mut Vec<(u32, T)>, (offset, logits): (usize, &mut [T])| of_row(place + offset, logits, found);
            if threads > 1 {
                let each_row = logits.par_chunks_exact_mut(vocabulary).enumerate().map_init(Vec::new, each);
                losses.par_extend(each_row);
            } else {
                let mut found = Vec::new();
                losses.extend(logits.chunks_exact_mut(vocabulary).enumerate().map(|row| each(&mut found, row)));
            }
        }
        let back = View::of(logits, count, vocabulary);

        if let Task::Plain { loss, .. } | Task::Norms { loss, .. } = task {
            block.to_vectors.resize(count * width, T::ZERO);
            let to_vectors = &mut block.to_vectors[..count * width];
            multiply(ViewMut::of(to_vectors, count, width), Into::Replace, back, weight, threads);
            for (row, values) in rows.iter().zip(to_vectors.chunks_exact(width)) {
                loss.back.row_mut(*row).copy_from_slice(values);
            }
            for (example, places) in examples {
                loss.of_examples[*example] += losses[places.clone()].iter().sum::<f64>();
            }
        }
        match task {
            Task::Norms { squares, .. } => {
                let with_bias = self.layer.bias().is_some();
                let square = |scratch: &mut Scratch, (example, places): &(usize, std::ops::Range<usize>)| {
                    let (back, vectors) = (back.rows(places.clone()), vectors.rows(places.clone()));
                    (*example, of_rows(back, vectors, with_bias, scratch))
                };
                let found: Vec<(usize, f64)> = if threads > 1 {
                    examples.par_iter().map_init(Default::default, square).collect()
                } else {
                    let mut scratch = Scratch::default();
                    examples.iter().map(|example| square(&mut scratch, example)).collect()
                };
                found.into_iter().for_each(|(example, square)| squares[example] += square);
            }
            Task::Plain { gradients, .. } | Task::Sum { gradients } => self.add_block(block, count, gradients, threads),
        }
    }

    /// Adds the gradients of the rows of a block.
    fn add_block(&self, block: &Block<T>, rows: usize, gradients: &mut [T], threads: usize) {
        let (slot, width) = (self.layer.weight(), self.vectors.columns());
        let logits = &block.logits[..rows * slot.rows()];
        let (back, vectors) = (View::of(logits, rows, slot.rows()), View::of(&block.vectors, rows, width));
        multiply(slot.of_mut(gradients), Into::Add, back.transposed(), vectors, threads);
        if let Some(bias) = self.layer.bias() {
            let sum = &mut gradients[bias.range()];
            logits.chunks_exact(slot.rows()).for_each(|row| add_scaled(sum, T::ONE, row));
        }
    }
}

/// Buffers that are used again for every block.
#[derive(Default)]
struct Block<T: Real> {
    vectors: Vec<T>,
    logits: Buffer<T>,
    to_vectors: Vec<T>,
}

impl<T: Real> Block<T> {
    /// Multiplies each row of the logits with its factor.
    fn scale(&mut self, factors: impl ExactSizeIterator<Item = T>) {
        let count = factors.len();
        let (width, vocabulary) = (self.vectors.len() / count, self.logits.len() / count);
        let rows = self.vectors.chunks_exact_mut(width).zip(self.logits.chunks_exact_mut(vocabulary));
        for (factor, (vector, logits)) in factors.zip(rows) {
            if factor == T::ZERO {
                // Zero times infinity would be no number.
                vector.fill(T::ZERO);
                logits.fill(T::ZERO);
            } else if factor != T::ONE {
                scale(logits, factor);
            }
        }
    }
}

/// Turns the logits of a row into what flows back to them, and returns the row's loss, both times the weight of the row.
fn turn<T: Real>(logits: &mut [T], found: &[(u32, T)], weight: T) -> f64 {
    if weight == T::ZERO {
        // A row that does not count, also where its logits are no numbers.
        logits.fill(T::ZERO);
        return 0.0;
    }
    let largest = largest(logits);
    let wanted: f64 = found.iter().map(|(token, w)| w.wide() * (logits[*token as usize] - largest).wide()).sum();
    let total: T = found.iter().map(|(_, w)| *w).sum();
    let sum = exponentiate(logits, largest);
    scale(logits, total * weight / sum);
    for (token, w) in found {
        logits[*token as usize] -= *w * weight;
    }
    weight.wide() * (total.wide() * sum.wide().ln() - wanted)
}

impl Evaluated {
    /// The loss of all rows, and how often the best token is the wanted one; for validation.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn of<T: Real>(
        layer: &Linear,
        store: &Store<T>,
        vectors: &Matrix<T>,
        targets: &dyn Targets<T>,
        threads: usize,
    ) -> Result<Self, NnError> {
        if targets.rows() != vectors.rows() {
            return Err(NnError::shape("softmax", "number of targets", targets.rows(), vectors.rows()));
        }
        let (mut evaluated, mut found) = (Self { loss: 0.0, hits: 0 }, Vec::new());
        in_blocks(layer, store, vectors, threads, |first, mut logits| {
            for row in 0..logits.rows() {
                let logits = logits.row_mut(row);
                found.clear();
                targets.of_row(first + row, logits, &mut found);
                let best = largest(logits);
                let wanted = found.iter().max_by(|a, b| a.1.wide().total_cmp(&b.1.wide()));
                evaluated.hits += usize::from(wanted.is_some_and(|(token, _)| logits[*token as usize] == best));
                evaluated.loss += turn(logits, &found, T::ONE);
            }
        })?;
        Ok(evaluated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Tokens;
    use allonym_dp::PrivacyRng;

    /// The sum of two examples, the first of which counts half, by a pass that may keep so many logits.
    fn sum_of(keep: usize) -> Vec<f64> {
        let (mut store, mut rng) = (Store::<f64>::default(), PrivacyRng::reproducible(5));
        let layer = Linear::new("out", 3, 7, true, &mut store, &mut rng).unwrap();
        let sequences = Arc::new(Sequences::new(&[2, 3], 1).unwrap());
        let vectors = Arc::new(Matrix::of(5, 3, (0..15).map(|i| f64::from(i) / 7.0 - 1.0).collect()));
        let targets = Arc::new(Tokens::new(vec![1, 6, 0, 3, 3], 7).unwrap());
        let weights = vec![1.0; 5];
        let mut pass = Pass { layer, vectors, sequences, targets, weights, kept: None, keep };
        let mut loss = Loss { of_examples: vec![0.0; 2], back: Matrix::zeros(5, 3) };
        let mut squares = vec![0.0; 2];
        pass.run(&store, 1, &mut Task::Norms { loss: &mut loss, squares: &mut squares });
        assert_eq!(pass.kept.is_some(), keep > 0);
        let mut gradients = vec![0.0; store.values().len()];
        Box::new(pass).add(&store, &[0.5, 1.0], &mut gradients, 1);
        gradients
    }

    #[test]
    fn logits_that_are_kept_and_logits_that_are_computed_again_give_the_same_sum() {
        let (kept, again) = (sum_of(KEEP), sum_of(0));
        assert!(kept.iter().any(|value| *value != 0.0));
        assert!(kept.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14), "{kept:?} {again:?}");
    }
}
