//! Word-level metric privacy by noise, for whole texts over a vocabulary.
//!
//! Every token of a text is replaced by the word nearest to its vector with noise on it: a word, a name, a mark. Nothing passes as it
//! is. A token that the vocabulary lacks has the mean of all words' vectors in place of its own. The mean lies among the words:
//! it is no farther from any word than some other word is, so the largest distance of two words bounds what tells *any* two
//! tokens apart.
//!
//! The number of tokens is not hidden, nor is the order, and words that are far apart are told apart well: that is what metric
//! privacy means. See [`VectorNoise`] for the proof.

use super::spread::{Spread, mean, median};
use super::words_of;
use crate::error::ModelError;
use allonym_dp::vector_noise::{Norm, VectorNoise, Vectors};
use allonym_dp::{PrivacyRng, Released};
use allonym_nn::Matrix;
use allonym_text::vocabulary::{SPECIAL, TokenId, UNKNOWN};
use allonym_text::{Document, Private, Vocabulary};
use std::collections::HashSet;

/// Noise on the vectors of a text's words, and the nearest words.
#[derive(Clone, Debug)]
pub struct WordNoise {
    vocabulary: Vocabulary,
    noise: VectorNoise,
    /// What stands for every token that the vocabulary lacks.
    unknown: Vec<f32>,
}

impl WordNoise {
    /// Noise with this loss per unit of distance in the norm, on vectors as they are: one row for every id of the vocabulary,
    /// special tokens first (see [`Embeddings::for_vocabulary`](crate::Embeddings::for_vocabulary)).
    ///
    /// # Errors
    /// When there is not one row of numbers for every id, epsilon is not a positive number or lambda is outside [0, 1).
    pub fn new(vocabulary: &Vocabulary, vectors: &Matrix<f32>, epsilon: f64, norm: Norm) -> Result<Self, ModelError> {
        let words = Vectors::new(vectors.columns(), words_of(vocabulary, vectors)?.to_vec())?;
        let unknown = mean(&words).into_iter().map(|value| value as f32).collect();
        Ok(Self { vocabulary: vocabulary.clone(), noise: VectorNoise::new(words, epsilon, norm)?, unknown })
    }

    /// Draws a word for each token of a text. Between texts of equally many tokens the odds differ by at most e to the power of
    /// epsilon times the sum of their tokens' distances; the number of tokens is part of the release.
    pub fn release(&self, document: Private<&Document>, rng: &mut PrivacyRng) -> Released<Vec<TokenId>> {
        let text = document.map(|document| document.tokens().map(|token| self.vector(token.text)).collect::<Vec<_>>());
        self.draw(text.as_ref().map(Vec::as_slice), rng)
    }

    fn draw(&self, text: Private<&[&[f32]]>, rng: &mut PrivacyRng) -> Released<Vec<TokenId>> {
        let words = |rows: Vec<u32>| rows.into_iter().map(|row| TokenId::new(row + SPECIAL.len() as u32)).collect();
        self.noise.draw_all(text, rng).map(words)
    }

    fn vector(&self, token: &str) -> &[f32] {
        match self.vocabulary.id(token) {
            UNKNOWN => &self.unknown,
            id => self.noise.vectors().row(id as usize - SPECIAL.len()),
        }
    }

    /// The mechanism that draws.
    pub fn mechanism(&self) -> &VectorNoise {
        &self.noise
    }

    /// The loss per unit of distance.
    pub fn epsilon(&self) -> f64 {
        self.noise.epsilon()
    }

    /// How far apart the words are, in the norm in which epsilon is meant. Takes a moment for a large vocabulary.
    ///
    /// # Errors
    /// When the vectors are so far apart that a 32-bit float cannot say how far.
    pub fn spread(&self) -> Result<Spread, ModelError> {
        Ok(Spread::of(&self.noise.vectors_in_norm()?)?)
    }

    /// Draws for some words of the vocabulary, evenly spread over it, to see what becomes of them. No text is involved.
    pub fn deniability(&self, words: usize, draws: usize, rng: &mut PrivacyRng) -> Deniability {
        let all = self.vocabulary.words();
        let words = words.min(all);
        let fate = |row: usize| {
            let vector = self.noise.vectors().row(row);
            let drawn = self.noise.draw_all(Private::new(&vec![vector; draws]), rng).into_value();
            let unchanged = drawn.iter().filter(|word| **word as usize == row).count();
            let different = drawn.iter().collect::<HashSet<_>>().len();
            Fate { id: (row + SPECIAL.len()) as u32, unchanged, different }
        };
        Deniability { draws, fates: (0..words).map(|i| i * all / words).map(fate).collect() }
    }
}

/// What becomes of a word when it is drawn again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The word's id.
    pub id: u32,
    /// How often it stayed itself (N_w).
    pub unchanged: usize,
    /// How many different words were drawn (S_w).
    pub different: usize,
}

/// How plausibly a writer can deny a word: figures of Feyisetan et al. 2020 for a sample of words, estimated by draws. They
/// describe the usual word; they are no guarantee.
#[derive(Clone, Debug, PartialEq)]
pub struct Deniability {
    /// Draws for each word.
    pub draws: usize,
    /// The words of the sample.
    pub fates: Vec<Fate>,
}

impl Deniability {
    /// How often the usual word stays itself, as a part of all draws (N_w).
    pub fn median_unchanged(&self) -> f64 {
        let draws = self.draws.max(1) as f64;
        median(&mut self.fates.iter().map(|fate| fate.unchanged as f64 / draws).collect::<Vec<_>>())
    }

    /// How many different words the usual word becomes in all draws (S_w).
    pub fn median_different(&self) -> f64 {
        median(&mut self.fates.iter().map(|fate| fate.different as f64).collect::<Vec<_>>())
    }
}
