//! Words in place of words: proposals and noise from word vectors alone, without a trained model.
//!
//! [`Lexical`] scores every word of the vocabulary by its similarity to the original one: with the mechanism `syntf` this is SynTF
//! (Weggenmann and Kerschbaum 2018), with `metric` the truncated exponential draw of Carvalho et al. 2021. [`WordNoise`] puts
//! noise on the original's vector and releases the nearest word (Feyisetan et al. 2020; Xu et al. 2020).
//!
//! The vectors must be public. Word order stays what it was, and so does the number of words where the length is public.

mod noise;
mod propose;
mod scores;
mod spread;
mod terms;

pub use noise::{Deniability, Fate, WordNoise};
pub use propose::LexicalProposal;
pub use spread::Spread;
pub use terms::term_frequencies;

use crate::embeddings::Embeddings;
use crate::error::ModelError;
use allonym_dp::mechanism::Reads;
use allonym_dp::vector_noise::Vectors;
use allonym_nn::Matrix;
use allonym_text::Vocabulary;
use allonym_text::vocabulary::SPECIAL;
use std::sync::{Arc, OnceLock};

/// Bytes of scores that are kept for the first words of the vocabulary: with 20,000 words, for 838 of them.
const KEPT_BYTES: usize = 64 << 20;

/// Similarities of words, as scores of one kind.
#[derive(Debug)]
pub struct Lexical {
    vocabulary: Vocabulary,
    /// Words of a file, in which a word that the vocabulary lacks may have a vector.
    embeddings: Option<Arc<Embeddings>>,
    /// The vectors of the words at unit length, without the special tokens.
    units: Vectors,
    reads: Reads,
    /// The scores for the first words. Lists of words begin with the frequent ones, so most tokens of a text are among them.
    /// What is kept depends on the vectors alone, and only when on the texts.
    kept: Box<[OnceLock<Arc<[f32]>>]>,
    /// The scores after the last token.
    end: Arc<[f32]>,
}

impl Lexical {
    /// Similarities by the vectors of a file. A word that is in the file but not in the vocabulary has its own.
    ///
    /// # Errors
    /// When the vectors have no numbers.
    pub fn from_embeddings(
        vocabulary: &Vocabulary,
        embeddings: Arc<Embeddings>,
        reads: Reads,
    ) -> Result<Self, ModelError> {
        let (vectors, _) = embeddings.for_vocabulary(vocabulary);
        Ok(Self { embeddings: Some(embeddings), ..Self::from_vectors(vocabulary, &vectors, reads)? })
    }

    /// Similarities by vectors that a model carries: one row for every id of the vocabulary, special tokens first.
    ///
    /// # Errors
    /// When there is not one row for every id, or a number is none.
    pub fn from_vectors(vocabulary: &Vocabulary, vectors: &Matrix<f32>, reads: Reads) -> Result<Self, ModelError> {
        let rows = words_of(vocabulary, vectors)?;
        let units = Vectors::new(vectors.columns(), rows.chunks_exact(vectors.columns()).flat_map(unit).collect())?;
        let kept = (KEPT_BYTES / (size_of::<f32>() * (vocabulary.words() + 1))).min(vocabulary.words());
        let kept = std::iter::repeat_with(OnceLock::new).take(kept).collect();
        let end = scores::at_the_end(reads, vocabulary.words()).into();
        Ok(Self { vocabulary: vocabulary.clone(), embeddings: None, units, reads, kept, end })
    }

    /// What the scores are for.
    pub fn reads(&self) -> Reads {
        self.reads
    }
}

/// The rows of a vocabulary's words, without the special tokens.
fn words_of<'a>(vocabulary: &Vocabulary, vectors: &'a Matrix<f32>) -> Result<&'a [f32], ModelError> {
    if vectors.columns() == 0 || vectors.rows() != vocabulary.ids() as usize {
        return Err(ModelError::Setting {
            setting: "vectors",
            value: format!("{} rows of {}", vectors.rows(), vectors.columns()),
            allowed: "one row of numbers for every word of the vocabulary and every special token",
        });
    }
    Ok(&vectors.values()[SPECIAL.len() * vectors.columns()..])
}

/// A vector at length one. One without a length stays so, and is like no other.
pub(crate) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
    vector.iter().map(|value| (f64::from(*value) * scale) as f32).collect()
}

#[cfg(test)]
mod tests;
