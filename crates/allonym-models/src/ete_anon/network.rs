//! The network: an encoder whose last states are the decoder's first, and the way back through both.

use super::settings::AutoEncoderSettings;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape};
use allonym_nn::{Gradients, Matrix, NnError, Real, Rows, Sequences, Store};
use allonym_text::vocabulary::END;
use std::sync::Arc;

/// How much more than half open the gates begin that keep what is known.
const REMEMBERING: f64 = 1.0;

/// The layers.
#[derive(Clone, Debug)]
pub(super) struct Network<T: Real> {
    read: Embedding<T>,
    encoder: Recurrent,
    pub(super) written: Embedding<T>,
    pub(super) decoder: Recurrent,
    pub(super) output: Linear,
    backwards: bool,
}

/// What the encoder leaves.
pub(super) struct Encoding<T: Real> {
    tokens: Arc<Vec<u32>>,
    trace: RecurrentTrace<T>,
}

impl<T: Real> Encoding<T> {
    /// The state of each layer after the last token.
    pub(super) fn context(&self) -> &[Vec<Matrix<T>>] {
        &self.trace.last
    }
}

/// What a forward pass leaves.
pub(super) struct Pass<T: Real> {
    pub(super) sequences: Arc<Sequences>,
    /// What the output layer sees of each row.
    pub(super) vectors: Arc<Matrix<T>>,
    /// The original token of each row.
    pub(super) targets: Vec<u32>,
    encoding: Encoding<T>,
    before: Arc<Vec<u32>>,
    decoded: RecurrentTrace<T>,
}

impl<T: Real> Network<T> {
    pub(super) fn new(
        settings: &AutoEncoderSettings,
        vocabulary: usize,
        vectors: Option<&Arc<Matrix<T>>>,
        store: &mut Store<T>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let AutoEncoderSettings { layers, cells, words, backwards, .. } = *settings;
        // Each end has a table of its own where vectors are trained: the gradient of a private step takes every table once.
        let mut embedding = |name: &str, store: &mut Store<T>| match vectors {
            Some(vectors) => Embedding::frozen(name, vectors.clone()),
            None => Embedding::trained(name, vocabulary, words, store, rng),
        };
        let (read, written) = (embedding("read", store)?, embedding("written", store)?);
        let shape = Shape { kind: Kind::Gru, inputs: read.dimension(), cells, layers, both_ways: false };
        Ok(Self {
            read,
            written,
            encoder: Recurrent::new("encoder", shape, store, rng)?.remembering(REMEMBERING, store),
            decoder: Recurrent::new("decoder", shape, store, rng)?.remembering(REMEMBERING, store),
            output: Linear::new("output", cells, vocabulary, true, store, rng)?,
            backwards,
        })
    }

    /// What the encoder holds after each text.
    pub(super) fn encode(
        &self,
        store: &Store<T>,
        texts: &[&[u32]],
        sequences: &Arc<Sequences>,
        threads: usize,
    ) -> Result<Encoding<T>, NnError> {
        let tokens = if self.backwards {
            let turned: Vec<Vec<u32>> = texts.iter().map(|text| turned(text)).collect();
            sequences.lay_out(&turned)
        } else {
            sequences.lay_out(texts)
        };
        let mut vectors = Matrix::zeros(sequences.rows(), self.read.dimension());
        self.read.forward(store, &tokens, &mut vectors, 0)?;
        let trace = self.encoder.forward(store, Arc::new(vectors), sequences, None, None, threads)?;
        Ok(Encoding { tokens: Arc::new(tokens), trace })
    }

    /// Runs over texts; `before` has, for each, what the decoder is fed with at every step, which begins with the start.
    pub(super) fn forward(
        &self,
        store: &Store<T>,
        texts: &[&[u32]],
        before: &[Vec<u32>],
        encoding: Encoding<T>,
        sequences: Arc<Sequences>,
        threads: usize,
    ) -> Result<Pass<T>, NnError> {
        let before = sequences.lay_out(before);
        let mut inputs = Matrix::zeros(sequences.rows(), self.written.dimension());
        self.written.forward(store, &before, &mut inputs, 0)?;
        let initial = Some(encoding.context());
        let decoded = self.decoder.forward(store, Arc::new(inputs), &sequences, initial, None, threads)?;
        let (vectors, targets) = (decoded.outputs.clone(), sequences.lay_out(texts));
        Ok(Pass { sequences, vectors, targets, encoding, before: Arc::new(before), decoded })
    }

    /// The way back from the vectors that the output layer saw.
    pub(super) fn backward(&self, store: &Store<T>, pass: Pass<T>, back: Matrix<T>, gradients: &mut Gradients<T>) {
        let Pass { sequences, vectors, encoding, before, decoded, .. } = pass;
        drop(vectors);
        let rows = Rows::Tokens(sequences);
        let back = self.decoder.backward(store, decoded, Some(back), None, gradients);
        self.written.backward(&before, back.inputs, &rows, gradients);
        let Encoding { tokens, trace } = encoding;
        let to_vectors = self.encoder.backward(store, trace, None, Some(&back.initial), gradients).inputs;
        self.read.backward(&tokens, to_vectors, &rows, gradients);
    }
}

/// A text from its last word to its first; the end stays at its place.
fn turned(text: &[u32]) -> Vec<u32> {
    let words = text.strip_suffix(&[END]).unwrap_or(text);
    words.iter().rev().copied().chain(text[words.len()..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_text_still_ends() {
        assert_eq!(turned(&[7, 8, 9, END]), [9, 8, 7, END]);
        assert_eq!(turned(&[END]), [END]);
        assert_eq!(turned(&[7, 8]), [8, 7]);
    }
}
