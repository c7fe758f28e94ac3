//! A release with a guarantee: the contexts of a text's pieces, as one vector, get the noise of the privacy core; the agent and the decoder see nothing else.
//!
//! How many pieces there are is a matter of the public maximum of tokens and not of the text, so the number of them says nothing. What is done to a vector that
//! was noised costs nothing more: the agent may change it and the decoder write from it.

use super::auto_encoder::Text;
use super::model::EteAnon;
use crate::error::ModelError;
use allonym_dp::latent::{Latent, Noise};
use allonym_dp::{DpError, PrivacyRng};
use allonym_text::vocabulary::END;
use allonym_text::{Document, Private};

impl EteAnon {
    /// How many pieces stand for a text of at most so many tokens.
    pub fn pieces_for(&self, max_tokens: usize) -> usize {
        max_tokens.div_ceil(self.auto_encoder.shape().max_tokens).max(1)
    }

    /// A document in so many pieces: the last ones are empty where it is short, and what follows them is not read.
    pub fn padded_pieces(&self, document: &Document, pieces: usize) -> Vec<Text> {
        let mut found = self.pieces(document);
        found.resize(pieces, vec![END]);
        found
    }

    /// The mechanism for texts of so many pieces, at a total loss of `epsilon` for a text. A piece's context is clipped at what is usual among the texts that the
    /// model learned from.
    ///
    /// # Errors
    /// When a number is refused.
    pub fn mechanism(&self, pieces: usize, epsilon: f64, noise: Noise) -> Result<Latent, DpError> {
        let dimension = pieces * self.auto_encoder.shape().context();
        Latent::new(dimension, self.usual_length * (pieces as f64).sqrt(), epsilon, noise)
    }

    /// The contexts of each text's pieces, one after the other.
    pub fn latents(&self, texts: Vec<Private<Vec<Text>>>) -> Vec<Private<Vec<f32>>> {
        let all = Private::together(texts).map(|texts| {
            let sizes: Vec<usize> = texts.iter().map(Vec::len).collect();
            let Ok(contexts) = self.auto_encoder.contexts(&texts.concat()) else {
                unreachable!("ids outside of the vocabulary are read as unknown words")
            };
            let mut contexts = contexts.into_iter();
            sizes.iter().map(|pieces| contexts.by_ref().take(*pieces).flatten().collect()).collect()
        });
        all.apart()
    }

    /// Writes texts from noised vectors, after the agent changed them: a function of the vectors, of the random numbers and of the model alone.
    ///
    /// # Errors
    /// When a vector is not one of whole contexts.
    pub fn written_from(&self, noised: &[Vec<f32>], rngs: &mut [PrivacyRng]) -> Result<Vec<Text>, ModelError> {
        let size = self.auto_encoder.shape().context();
        let pieces: Vec<usize> = noised.iter().map(|vector| vector.len() / size).collect();
        // A decoder that begins where no encoder could have left it writes nothing of use.
        let within = |value: &f32| value.clamp(-1.0, 1.0);
        let contexts: Vec<Vec<f32>> = noised
            .iter()
            .flat_map(|vector| vector.chunks(size))
            .map(|piece| piece.iter().map(within).collect())
            .collect();
        let owners = pieces.iter().enumerate().flat_map(|(text, count)| std::iter::repeat_n(text, *count));
        let mut of_pieces: Vec<PrivacyRng> = owners.map(|text| PrivacyRng::reproducible(rngs[text].bits())).collect();
        let mut written = self.auto_encoder.decode(&self.agent.change(&contexts, &mut of_pieces)?)?.into_iter();
        Ok(pieces.iter().map(|count| written.by_ref().take(*count).flatten().collect()).collect())
    }
}
