//! Multi-head attention (Vaswani et al., 2017) within each sentence of a packed batch.
//!
//! A row holds query, key and value of a token side by side; the factor 1 / sqrt(width of a head) is already in the query.
//! Sentences never meet, so there is no padding and no mask.

use crate::matrix::{Matrix, View, ViewMut};
use crate::product::{Into, multiply};
use crate::vectorise::softmax;
use std::ops::Range;

/// Writes what every token gathers from its sentence.
///
/// # Panics
/// When `joint` is not three times as wide as `out`, or the heads do not divide the width.
pub(crate) fn attend(out: &mut Matrix<f32>, joint: &Matrix<f32>, sentences: &[Range<usize>], heads: usize) {
    let width = out.columns();
    assert!(joint.columns() == 3 * width && width.is_multiple_of(heads), "query, key and value of {heads} heads");
    let longest = sentences.iter().map(Range::len).max().unwrap_or(0);
    let mut scores = vec![0.0; longest * longest];
    for sentence in sentences.iter().filter(|sentence| !sentence.is_empty()) {
        let (tokens, rows) = (sentence.len(), joint.view().rows(sentence.clone()));
        let scores = &mut scores[..tokens * tokens];
        let gathered = &mut out.values_mut()[sentence.start * width..sentence.end * width];
        for head in 0..heads {
            let part = |which: usize| {
                let start = which * width + head * (width / heads);
                rows.columns(start..start + width / heads)
            };
            multiply(ViewMut::of(scores, tokens, tokens), Into::Replace, part(0), part(1).transposed(), 1);
            scores.chunks_exact_mut(tokens).for_each(softmax);
            let columns = head * (width / heads)..(head + 1) * (width / heads);
            let gathered = ViewMut::of(gathered, tokens, width).columns(columns);
            multiply(gathered, Into::Replace, View::of(scores, tokens, tokens), part(2), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_exponentials_over_their_sum() {
        let mut row: Vec<f64> = (0..11).map(|i| f64::from(i * 7 % 11).ln() + 1000.0).collect();
        softmax(&mut row);
        // e^(ln k) = k, and 0 + 1 + ... + 10 = 55.
        assert!(row.iter().enumerate().all(|(i, weight)| (weight - (i * 7 % 11) as f64 / 55.0).abs() < 1e-12));
    }

    #[test]
    fn one_head_by_hand() {
        // Two tokens of one dimension. Queries 1 and 0, keys ln 3 and 0, values 4 and 8. The first token weighs its sentence
        // with 3/4 and 1/4: 3 + 2 = 5. The second with 1/2 and 1/2: 6.
        let joint = Matrix::of(2, 3, vec![1.0, 3.0_f32.ln(), 4.0, 0.0, 0.0, 8.0]);
        let mut out = Matrix::zeros(2, 1);
        attend(&mut out, &joint, std::slice::from_ref(&(0..2)), 1);
        assert!((out.row(0)[0] - 5.0).abs() < 1e-5 && (out.row(1)[0] - 6.0).abs() < 1e-5);
    }

    #[test]
    fn heads_and_sentences_do_not_meet() {
        // Two heads: the second has the query, key and value of the test above, the first only zeros and the values 1 and 3,
        // whose mean is 2. A sentence of one token keeps its value, whatever its scores.
        let token = |query: f32, key: f32, values: [f32; 2]| [0.0, query, 0.0, key, values[0], values[1]];
        let rows = [token(9.0, 9.0, [7.0, 7.5]), token(1.0, 3.0_f32.ln(), [1.0, 4.0]), token(0.0, 0.0, [3.0, 8.0])];
        let mut out = Matrix::zeros(3, 2);
        attend(&mut out, &Matrix::of(3, 6, rows.concat()), &[0..1, 1..3], 2);
        let expected = [7.0, 7.5, 2.0, 5.0, 2.0, 6.0];
        assert!(out.values().iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-5));
    }
}
