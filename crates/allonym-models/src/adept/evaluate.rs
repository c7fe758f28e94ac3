//! How well a model writes texts again when nothing is added to their vectors: for its owner.

use super::{Adept, Text};
use crate::error::ModelError;
use allonym_text::vocabulary::{END, UNKNOWN};
use serde::Serialize;

/// What comes back without noise. This bounds what can come back with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reconstruction {
    /// Texts.
    pub texts: usize,
    /// Those that come back as they were, token by token; a text with an unknown word cannot.
    pub exact: usize,
    /// Tokens that are in the vocabulary.
    pub tokens: usize,
    /// Those of them that stand at their place.
    pub right: usize,
    /// Texts whose latent vector was clipped.
    pub clipped: usize,
}

impl Reconstruction {
    /// The share of tokens at their place.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.tokens.max(1) as f64
    }
}

impl Adept {
    /// Texts written again from their own vectors, without noise. Nothing protects them.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn rewritten(&self, texts: &[Text]) -> Result<Vec<Text>, ModelError> {
        self.decode(&self.encoded(texts), self.settings.max_tokens)
    }

    /// Measures how texts come back without noise.
    ///
    /// # Errors
    /// When the network refuses, which it does not.
    pub fn reconstruction(&self, texts: &[Text]) -> Result<Reconstruction, ModelError> {
        let vectors = self.encoded(texts);
        let clip = self.settings.clip;
        // A vector that was scaled to the bound may be a rounding away from it.
        let clipped = vectors.iter().filter(|vector| clip.norm.of(vector) > (1.0 - 1e-5) * clip.bound).count();
        let rewritten = self.decode(&vectors, self.settings.max_tokens)?;
        let mut found = Reconstruction { texts: texts.len(), exact: 0, tokens: 0, right: 0, clipped };
        for (text, rewritten) in texts.iter().zip(&rewritten) {
            let words: Vec<u32> = text.iter().copied().take_while(|token| *token != END).collect();
            found.exact += usize::from(words == *rewritten);
            for (place, word) in words.iter().enumerate().filter(|(_, word)| **word != UNKNOWN) {
                found.tokens += 1;
                found.right += usize::from(rewritten.get(place) == Some(word));
            }
        }
        Ok(found)
    }
}
