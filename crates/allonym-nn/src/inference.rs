//! What a mechanism needs from an output layer: the best tokens, or all probabilities.
//!
//! A mechanism that looks at the best few tokens needs no softmax: the order of logits is that of probabilities. Rows are computed
//! a block at a time, so that the logits of a whole batch are never there at once.

use crate::error::NnError;
use crate::layer::Linear;
use crate::loss::top;
use crate::matrix::Matrix;
use crate::real::Real;
use crate::store::Store;
use crate::vectorise::softmax;
use rayon::prelude::*;

/// The size of a block of logits, in numbers.
const BLOCK: usize = 4 << 20;

/// A token and its logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<T> {
    /// The token.
    pub token: u32,
    /// Its logit.
    pub logit: T,
}

/// The `count` best tokens of every row, best first.
///
/// # Errors
/// When the rows have another width than the layer's inputs.
pub fn candidates<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    count: usize,
    threads: usize,
) -> Result<Vec<Vec<Candidate<T>>>, NnError> {
    let mut found = Vec::with_capacity(vectors.rows());
    in_blocks(layer, store, vectors, threads, |_, logits| {
        let best = |row: usize| {
            let (logits, mut places) = (logits.row(row), Vec::with_capacity(count));
            top(logits, count, &mut places);
            places.into_iter().map(|token| Candidate { token, logit: logits[token as usize] }).collect()
        };
        found.par_extend(
            (0..logits.rows()).into_par_iter().with_min_len(logits.rows().div_ceil(threads).max(1)).map(best),
        );
    })?;
    Ok(found)
}

/// The probabilities of all tokens, row by row.
///
/// # Errors
/// When the rows have another width than the layer's inputs.
pub fn probabilities<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    threads: usize,
) -> Result<Matrix<T>, NnError> {
    let mut logits = layer.forward(store, vectors, threads)?;
    (0..logits.rows()).for_each(|row| softmax(logits.row_mut(row)));
    Ok(logits)
}

/// Calls with the first row and the logits of every block of rows.
pub(crate) fn in_blocks<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    threads: usize,
    mut each: impl FnMut(usize, Matrix<T>),
) -> Result<(), NnError> {
    let (rows, width) = (vectors.rows(), vectors.columns());
    let most = (BLOCK / layer.weight().rows()).max(1);
    for start in (0..rows).step_by(most) {
        let end = (start + most).min(rows);
        let part = Matrix::of(end - start, width, vectors.values()[start * width..end * width].to_vec());
        each(start, layer.forward(store, &part, threads)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_dp::PrivacyRng;

    #[test]
    fn candidates_are_the_tokens_with_the_largest_probabilities() {
        let (mut store, rng) = (Store::<f64>::new(), &mut PrivacyRng::reproducible(9));
        let layer = Linear::new("output", 5, 300, true, &mut store, rng).unwrap();
        let vectors = Matrix::of(40, 5, (0..200).map(|i| ((i * 17) % 23) as f64 / 11.0 - 1.0).collect());
        let all = probabilities(&layer, &store, &vectors, 1).unwrap();
        let found = candidates(&layer, &store, &vectors, 7, 2).unwrap();
        for (row, found) in found.iter().enumerate() {
            let row = all.row(row);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let mut order: Vec<u32> = (0..300).collect();
            order.sort_by(|a, b| row[*b as usize].total_cmp(&row[*a as usize]));
            assert_eq!(found.iter().map(|candidate| candidate.token).collect::<Vec<_>>(), order[..7]);
        }
    }

    #[test]
    fn a_vector_of_another_width_is_refused() {
        let (mut store, rng) = (Store::<f32>::new(), &mut PrivacyRng::reproducible(9));
        let layer = Linear::new("output", 5, 30, true, &mut store, rng).unwrap();
        let error = candidates(&layer, &store, &Matrix::zeros(1, 4), 3, 1).unwrap_err();
        assert_eq!(error.to_string(), "layer `output`: width of the input is 4; it must be 5");
    }
}
