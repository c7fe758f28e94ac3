//! A sentence vector that needs no trained network: the mean of its words' vectors, rare words counting more.
//!
//! The vector of a word is made of its pieces of three and four characters, each of which has random signs that depend on it alone. Words with
//! a common stem are near each other, words with a common meaning are not: this sees what was said with the same words, no more. Where vectors of words
//! are at hand they can be given instead.

use crate::error::EvalError;
use crate::features::{hash_of, to_unit_length};
use crate::utility::tokens;
use allonym_nn::encoder::SentenceEncoder;
use allonym_nn::{Matrix, NnError};
use rayon::prelude::*;
use std::collections::HashMap;

/// Numbers of a vector, when they are made up.
const DIMENSION: usize = 256;

/// How strongly frequent words are weakened (Arora et al. 2017).
const SMOOTHING: f64 = 1e-3;

/// Averages of word vectors.
#[derive(Clone, Debug)]
pub struct Averaged {
    dimension: usize,
    vectors: Option<HashMap<String, Vec<f32>>>,
    shares: HashMap<String, f64>,
}

impl Averaged {
    /// Vectors that are made up. How frequent words are is counted from some texts.
    pub fn new(texts: &[&str]) -> Self {
        Self { dimension: DIMENSION, vectors: None, shares: shares(texts) }
    }

    /// Given vectors, all of the same length; words without one do not count.
    ///
    /// # Errors
    /// When there are none, or they differ in length.
    pub fn with_vectors(vectors: HashMap<String, Vec<f32>>, texts: &[&str]) -> Result<Self, EvalError> {
        let dimension = vectors.values().next().map_or(0, Vec::len);
        if dimension == 0 {
            return Err(EvalError::Width { found: 0, expected: 1 });
        }
        if let Some(other) = vectors.values().find(|vector| vector.len() != dimension) {
            return Err(EvalError::Width { found: other.len(), expected: dimension });
        }
        Ok(Self { dimension, vectors: Some(vectors), shares: shares(texts) })
    }

    fn of_text(&self, text: &str, out: &mut [f32]) {
        for word in tokens(text) {
            let share = self.shares.get(&word).copied().unwrap_or(0.0);
            let weight = (SMOOTHING / (SMOOTHING + share)) as f32;
            match &self.vectors {
                Some(vectors) => {
                    if let Some(vector) = vectors.get(&word) {
                        out.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
                    }
                }
                None => add_pieces(&word, weight, out),
            }
        }
        to_unit_length(out);
    }
}

/// Adds the signs of the word's pieces, of the whole word among them.
fn add_pieces(word: &str, weight: f32, out: &mut [f32]) {
    let bounded: Vec<char> = std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
    let mut pieces: Vec<String> = vec![bounded.iter().collect()];
    for length in [3, 4] {
        pieces.extend(bounded.windows(length).filter(|p| p.len() < bounded.len()).map(|p| p.iter().collect()));
    }
    let each = weight / (pieces.len() as f32).sqrt();
    for piece in pieces {
        let mut state = hash_of(&piece);
        for signs in out.chunks_mut(64) {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(29) ^ 0x1405_7b7e_f767_814f;
            for (bit, sum) in signs.iter_mut().enumerate() {
                *sum += if state >> bit & 1 == 1 { each } else { -each };
            }
        }
    }
}

fn shares(texts: &[&str]) -> HashMap<String, f64> {
    let mut counts: HashMap<String, f64> = HashMap::new();
    let mut all = 0.0;
    for words in texts.par_iter().map(|text| tokens(text)).collect::<Vec<_>>() {
        for word in words {
            *counts.entry(word).or_default() += 1.0;
            all += 1.0;
        }
    }
    counts.values_mut().for_each(|count| *count /= all);
    counts
}

impl SentenceEncoder for Averaged {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn encode(&self, texts: &[&str], _threads: usize) -> Result<Matrix<f32>, NnError> {
        let mut out = Matrix::zeros(texts.len(), self.dimension);
        let rows = out.values_mut().par_chunks_mut(self.dimension);
        rows.zip(texts).for_each(|(row, text)| self.of_text(text, row));
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::similarities;

    #[test]
    fn a_text_is_like_itself_less_like_its_kin_and_unlike_others() {
        let texts = ["the service was friendly", "the friendliest services", "a red tractor in fields"];
        let encoder = Averaged::new(&texts);
        let found = similarities(
            &encoder,
            &[texts[0], texts[0], texts[0], "", "a"],
            &[texts[0], texts[1], texts[2], "a", ""],
            |_| Ok(()),
        );
        let found = found.unwrap();
        let of = |place: usize| found[place].unwrap();
        assert!((of(0) - 1.0).abs() < 1e-5 && of(1) > 0.2 && of(2).abs() < 0.2, "{found:?}");
        assert_eq!((found[3], found[4]), (None, Some(0.0)), "nothing was said; what was said is lost");
    }

    #[test]
    fn given_vectors_by_hand() {
        let vectors = HashMap::from([("up".to_owned(), vec![1.0, 0.0]), ("right".to_owned(), vec![0.0, 1.0])]);
        let encoder = Averaged::with_vectors(vectors, &[]).unwrap();
        let rows = encoder.encode(&["up", "up right nowhere"], 1).unwrap();
        assert_eq!(rows.row(0), [1.0, 0.0]);
        assert!(rows.row(1).iter().all(|value| (value - std::f32::consts::FRAC_1_SQRT_2).abs() < 1e-6));
        assert!(Averaged::with_vectors(HashMap::new(), &[]).is_err());
    }
}
