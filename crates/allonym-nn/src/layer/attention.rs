//! Attention over the tokens of one's own sequence: each row takes a mean of the sequence's memory, weighted by how well its
//! question fits (Luong et al. 2015, with the scale of Vaswani et al. 2017). It has no parameters of its own.

use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::Sequences;
use crate::vectorise::{dot, softmax};
use rayon::prelude::*;
use std::sync::Arc;

/// What a forward pass leaves.
#[derive(Debug)]
pub struct Attended<T: Real> {
    /// For each row, the mean of its sequence's memory.
    pub contexts: Matrix<T>,
    questions: Arc<Matrix<T>>,
    memory: Arc<Matrix<T>>,
    /// For each sequence, the weights of its rows over its rows.
    weights: Vec<Vec<T>>,
    rows: Vec<Vec<usize>>,
}

/// Answers the question of every row from the memory of its sequence; both have one row for each token.
///
/// # Panics
/// When the two have different shapes, or not a row for each token.
pub fn attend<T: Real>(questions: Arc<Matrix<T>>, memory: Arc<Matrix<T>>, sequences: &Sequences) -> Attended<T> {
    let width = memory.columns();
    assert_eq!((questions.rows(), questions.columns()), (sequences.rows(), width), "questions of another shape");
    assert_eq!(memory.rows(), sequences.rows(), "a memory of another length");
    let rows = sequences.rows_of_sequences();
    let found: Vec<(Vec<T>, Vec<T>)> = rows
        .par_iter()
        .map(|rows| {
            let count = rows.len();
            let (asked, known) = (gathered(&questions, rows), gathered(&memory, rows));
            let mut weights = product(&asked, known.as_slice(), count, width, count, Side::Transposed);
            let scale = scale(width);
            for row in weights.chunks_exact_mut(count) {
                row.iter_mut().for_each(|weight| *weight *= scale);
                softmax(row);
            }
            let contexts = product(&weights, &known, count, count, width, Side::Straight);
            (weights, contexts)
        })
        .collect();
    let mut contexts = Matrix::zeros(memory.rows(), width);
    let mut weights = Vec::with_capacity(rows.len());
    for (rows, (of_sequence, values)) in rows.iter().zip(found) {
        scatter(&mut contexts, rows, &values);
        weights.push(of_sequence);
    }
    Attended { contexts, questions, memory, weights, rows }
}

impl<T: Real> Attended<T> {
    /// The way back: what flows to the questions, and what flows to the memory.
    pub fn backward(self, to_contexts: &Matrix<T>) -> (Matrix<T>, Matrix<T>) {
        let Self { questions, memory, weights, rows, .. } = self;
        let width = memory.columns();
        let found: Vec<(Vec<T>, Vec<T>)> = rows
            .par_iter()
            .zip(&weights)
            .map(|(rows, weights)| {
                let count = rows.len();
                let (asked, known) = (gathered(&questions, rows), gathered(&memory, rows));
                let back = gathered(to_contexts, rows);
                let mut to_scores = product(&back, &known, count, width, count, Side::Transposed);
                let scale = scale(width);
                for (to_row, of_row) in to_scores.chunks_exact_mut(count).zip(weights.chunks_exact(count)) {
                    let mean = dot(to_row, of_row);
                    to_row.iter_mut().zip(of_row).for_each(|(to, weight)| *to = *weight * (*to - mean) * scale);
                }
                let to_questions = product(&to_scores, &known, count, count, width, Side::Straight);
                let mut to_memory = vec![T::ZERO; count * width];
                let by_weights = View::of(weights, count, count).transposed();
                let by_scores = View::of(&to_scores, count, count).transposed();
                let out = |to: &mut [T], into, left, right: &[T]| {
                    multiply(ViewMut::of(to, count, width), into, left, View::of(right, count, width), 1);
                };
                out(&mut to_memory, Into::Replace, by_weights, &back);
                out(&mut to_memory, Into::Add, by_scores, &asked);
                (to_questions, to_memory)
            })
            .collect();
        let mut to_questions = Matrix::zeros(memory.rows(), width);
        let mut to_memory = Matrix::zeros(memory.rows(), width);
        for (rows, (questions, memory)) in rows.iter().zip(found) {
            scatter(&mut to_questions, rows, &questions);
            scatter(&mut to_memory, rows, &memory);
        }
        (to_questions, to_memory)
    }
}

fn scale<T: Real>(width: usize) -> T {
    T::of(1.0 / (width as f64).sqrt())
}

#[derive(Clone, Copy)]
enum Side {
    Straight,
    Transposed,
}

fn product<T: Real>(left: &[T], right: &[T], rows: usize, inner: usize, columns: usize, side: Side) -> Vec<T> {
    let mut out = vec![T::ZERO; rows * columns];
    let right = match side {
        Side::Straight => View::of(right, inner, columns),
        Side::Transposed => View::of(right, columns, inner).transposed(),
    };
    multiply(ViewMut::of(&mut out, rows, columns), Into::Replace, View::of(left, rows, inner), right, 1);
    out
}

fn gathered<T: Real>(matrix: &Matrix<T>, rows: &[usize]) -> Vec<T> {
    rows.iter().flat_map(|row| matrix.row(*row)).copied().collect()
}

fn scatter<T: Real>(matrix: &mut Matrix<T>, rows: &[usize], values: &[T]) {
    for (row, values) in rows.iter().zip(values.chunks_exact(matrix.columns())) {
        matrix.row_mut(*row).copy_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(i: usize) -> f64 {
        ((i * 37 + 11) % 29) as f64 / 14.0 - 1.0
    }

    #[test]
    fn a_question_is_answered_from_its_own_sequence() {
        // Two sequences; the second has one token, so its answer is that token whatever was asked.
        let sequences = Sequences::new(&[2, 1], 1).unwrap();
        let memory = Arc::new(Matrix::of(3, 1, sequences.lay_out(&[vec![1.0, 3.0], vec![7.0]])));
        let questions = Arc::new(Matrix::of(3, 1, sequences.lay_out(&[vec![0.0, 1.0], vec![5.0]])));
        let attended = attend(questions, memory, &sequences);
        let rows = sequences.rows_of_sequences();
        let at = |sequence: usize, step: usize| -> f64 { attended.contexts.row(rows[sequence][step])[0] };
        // A question of zero takes the plain mean; one of 1 weighs by e^1 and e^3.
        let weighed = (1_f64.exp() + 3.0 * 3_f64.exp()) / (1_f64.exp() + 3_f64.exp());
        assert!((at(0, 0) - 2.0).abs() < 1e-12 && (at(0, 1) - weighed).abs() < 1e-12 && at(1, 0) == 7.0);
    }

    #[test]
    fn the_way_back_is_the_gradient() {
        let sequences = Sequences::new(&[3, 1, 2], 2).unwrap();
        let (rows, width) = (sequences.rows(), 4);
        let mut inputs: Vec<f64> = (0..2 * rows * width).map(number).collect();
        let weights: Vec<f64> = (0..rows * width).map(|i| number(i + 100)).collect();
        let matrix = |values: &[f64]| Arc::new(Matrix::of(rows, width, values.to_vec()));
        let run = |inputs: &[f64]| attend(matrix(&inputs[..rows * width]), matrix(&inputs[rows * width..]), &sequences);
        let total = |inputs: &[f64]| dot(run(inputs).contexts.values(), &weights);
        let (to_questions, to_memory) = run(&inputs).backward(&Matrix::of(rows, width, weights.clone()));
        let found = [to_questions.values(), to_memory.values()].concat();
        for (place, found) in found.iter().enumerate() {
            let before = inputs[place];
            inputs[place] = before + 1e-5;
            let above = total(&inputs);
            inputs[place] = before - 1e-5;
            let below = total(&inputs);
            inputs[place] = before;
            assert!((found - (above - below) / 2e-5).abs() < 1e-8, "{place}: {found}");
        }
    }
}
