//! From a text to its latent vector, and from a noised vector to a text.
//!
//! Both work in groups of a constant shape (see `groups.rs`), so that a text's neighbours do not show in its numbers.

use super::clip::Norm;
use super::{Adept, Text};
use crate::error::ModelError;
use crate::groups::{GROUP, in_groups};
use allonym_dp::DpError;
use allonym_dp::latent::{Latent, Noise};
use allonym_nn::{Matrix, NnError, Sequences};
use allonym_text::Private;
use allonym_text::vocabulary::{END, START, UNKNOWN};
use rayon::prelude::*;
use std::sync::Arc;

fn name(noise: Noise) -> &'static str {
    match noise {
        Noise::LaplaceL1 | Noise::LaplaceL2 => "Laplace",
        Noise::LaplaceRadial => "radial",
        Noise::Gaussian { .. } => "Gaussian",
    }
}

impl Adept {
    /// The mechanism for this model's vectors, at a total loss of `epsilon` for a text.
    ///
    /// # Errors
    /// When the noise is made for another norm than the model clips, or a number is refused.
    pub fn mechanism(&self, epsilon: f64, noise: Noise) -> Result<Latent, DpError> {
        let clip = self.settings.clip;
        let (needed, allowed) = match noise {
            Noise::LaplaceL1 => (Norm::L1, "radial or Gaussian: the model clips by the L2 norm"),
            _ => (Norm::L2, "Laplace: the model clips by the L1 norm"),
        };
        if clip.norm != needed {
            return Err(DpError::Setting { setting: "noise", value: name(noise).to_owned(), allowed });
        }
        Latent::new(self.settings.latent, clip.bound, epsilon, noise)
    }

    /// The latent vector of each text. What follows the public maximum of tokens is not read, and an id that is not of the vocabulary is an unknown word.
    pub fn latents(&self, texts: Vec<Private<Text>>) -> Vec<Private<Vec<f32>>> {
        Private::together(texts).map(|texts| self.encoded(&texts)).apart()
    }

    pub(super) fn encoded(&self, texts: &[Text]) -> Vec<Vec<f32>> {
        let read: Vec<Text> = texts.iter().map(|text| self.as_read(text)).collect();
        let read: Vec<&[u32]> = read.iter().map(Vec::as_slice).collect();
        match in_groups(&read, |group| self.encode_group(group)) {
            Ok(encoded) => encoded,
            Err(_) => unreachable!("all ids are of the vocabulary"),
        }
    }

    /// A text as training saw its like: within the maximum, and with its end.
    fn as_read(&self, text: &Text) -> Text {
        let tokens = text.iter().copied().take_while(|token| *token != END).take(self.settings.max_tokens);
        let known = |token| if token < self.words.vocabulary().ids() { token } else { UNKNOWN };
        tokens.map(known).chain([END]).collect()
    }

    fn encode_group(&self, group: &[&[u32]]) -> Result<Vec<Vec<f32>>, NnError> {
        let sequences = Arc::new(Sequences::new(&[group[0].len(); GROUP], 1)?);
        let latent = self.network.encode(&self.store, group, &sequences, 1)?.latent;
        Ok((0..GROUP).map(|row| latent.row(row).to_vec()).collect())
    }

    /// Writes a text of at most `max_tokens` from each noised vector: at every step the likeliest token, until that is the end. Only words are
    /// written. The result is a function of the vectors and of the model alone.
    ///
    /// # Errors
    /// When a vector has another length than the model's.
    pub fn decode(&self, noised: &[Vec<f32>], max_tokens: usize) -> Result<Vec<Vec<u32>>, ModelError> {
        let latent = self.settings.latent;
        if let Some(other) = noised.iter().find(|vector| vector.len() != latent) {
            return Err(NnError::shape("decoder", "length of a latent vector", other.len(), latent).into());
        }
        let groups: Result<Vec<Vec<Vec<u32>>>, NnError> =
            noised.par_chunks(GROUP).map(|vectors| self.decode_group(vectors, max_tokens)).collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    fn decode_group(&self, vectors: &[Vec<f32>], max_tokens: usize) -> Result<Vec<Vec<u32>>, NnError> {
        let network = &self.network;
        let mut latent = Matrix::zeros(vectors.len(), self.settings.latent);
        vectors.iter().enumerate().for_each(|(row, vector)| latent.row_mut(row).copy_from_slice(vector));
        let mut states = network.decoder.begin(vectors.len(), None)?;
        let mut before = vec![START; vectors.len()];
        let mut texts = vec![Vec::new(); vectors.len()];
        for _ in 0..max_tokens {
            let inputs = network.inputs(&self.store, &before, &latent)?;
            let outputs = network.decoder.advance(&self.store, &inputs, &mut states)?;
            let logits = network.output.forward_steadily(&self.store, &outputs)?;
            for (row, text) in texts.iter_mut().enumerate() {
                // Who has ended stays at the end.
                if before[row] != END {
                    before[row] = likeliest(logits.row(row));
                    text.extend(Some(before[row]).filter(|token| *token != END));
                }
            }
            if before.iter().all(|token| *token == END) {
                break;
            }
        }
        Ok(texts)
    }
}

/// The likeliest of the end and all words, of equals the first. Padding, the unknown word and the start are never written.
fn likeliest(logits: &[f32]) -> u32 {
    let mut best = END as usize;
    for (token, logit) in logits.iter().enumerate().skip(END as usize + 1) {
        // A number is larger than none.
        if *logit > logits[best] || logits[best].is_nan() {
            best = token;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_and_the_end_are_written() {
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, 1.0, 2.0, 0.0]), 4);
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, 2.0, 2.0, 0.0]), END, "of equals the first");
        assert_eq!(likeliest(&[9.0, 9.0, 9.0, f32::NAN, -1.0, f32::NAN]), 4);
    }
}
