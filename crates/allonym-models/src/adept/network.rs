//! The network: encoder, clipped latent vector, decoder, and the way back through all of them.
//!
//! Encoder and decoder have word vectors of their own where these are trained: the gradient of a private step takes every table once.

use super::clip::Clip;
use super::settings::AdeptSettings;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape, word_dropout};
use allonym_nn::{Gradients, Matrix, NnError, Real, Rows, Sequences, Store, unit};
use allonym_text::vocabulary::{START, UNKNOWN};
use std::sync::Arc;

/// How much more than half open the forget gates begin.
const REMEMBERING: f64 = 1.0;

/// The layers.
#[derive(Clone, Debug)]
pub(super) struct Network<T: Real> {
    read: Embedding<T>,
    encoder: Recurrent,
    latent: Linear,
    pub(super) written: Embedding<T>,
    pub(super) decoder: Recurrent,
    pub(super) output: Linear,
    clip: Clip,
    /// The size of a number in a latent vector of the largest length: layers work with multiples of it, so that they learn alike whatever
    /// the bound, the norm and the dimension are.
    unit: T,
    word_dropout: f64,
    noise: f64,
}

/// What the encoder leaves.
pub(super) struct Encoding<T: Real> {
    tokens: Arc<Vec<u32>>,
    trace: RecurrentTrace<T>,
    ends: Arc<Matrix<T>>,
    /// The latent vectors before they are clipped.
    long: Matrix<T>,
    /// The latent vectors.
    pub(super) latent: Matrix<T>,
}

/// What a forward pass leaves.
pub(super) struct Pass<T: Real> {
    pub(super) sequences: Arc<Sequences>,
    /// What the output layer sees of each row.
    pub(super) vectors: Arc<Matrix<T>>,
    encoding: Encoding<T>,
    before: Arc<Vec<u32>>,
    decoded: RecurrentTrace<T>,
}

impl<T: Real> Pass<T> {
    /// The original token of each row.
    pub(super) fn tokens(&self) -> Vec<u32> {
        self.encoding.tokens.to_vec()
    }

    /// How many latent vectors were too long.
    #[cfg(test)]
    pub(super) fn clipped(&self, clip: Clip) -> usize {
        let (long, clip) = (&self.encoding.long, clip);
        (0..long.rows()).filter(|row| clip.norm.of(long.row(*row)) > clip.bound).count()
    }
}

impl<T: Real> Network<T> {
    pub(super) fn new(
        settings: &AdeptSettings,
        vocabulary: usize,
        vectors: Option<&Arc<Matrix<T>>>,
        store: &mut Store<T>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let AdeptSettings { layers, cells, words, latent, clip, word_dropout, noise, .. } = *settings;
        let mut embedding = |name: &str, store: &mut Store<T>| match vectors {
            Some(vectors) => Embedding::frozen(name, vectors.clone()),
            None => Embedding::trained(name, vocabulary, words, store, rng),
        };
        let (read, written) = (embedding("read", store)?, embedding("written", store)?);
        let width = read.dimension();
        let shape = |inputs| Shape { kind: Kind::Lstm, inputs, cells, layers, both_ways: false };
        Ok(Self {
            read,
            written,
            encoder: Recurrent::new("encoder", shape(width), store, rng)?.remembering(REMEMBERING, store),
            latent: Linear::new("latent", 2 * cells, latent, true, store, rng)?,
            decoder: Recurrent::new("decoder", shape(width + latent), store, rng)?.remembering(REMEMBERING, store),
            output: Linear::new("output", cells, vocabulary, true, store, rng)?,
            clip,
            unit: T::of(clip.unit(latent)),
            word_dropout,
            noise,
        })
    }

    /// The latent vectors of texts, each of which ends with the end token.
    pub(super) fn encode(
        &self,
        store: &Store<T>,
        texts: &[&[u32]],
        sequences: &Arc<Sequences>,
        threads: usize,
    ) -> Result<Encoding<T>, NnError> {
        let tokens = Arc::new(sequences.lay_out(texts));
        let mut vectors = Matrix::zeros(sequences.rows(), self.read.dimension());
        self.read.forward(store, &tokens, &mut vectors, 0)?;
        let trace = self.encoder.forward(store, Arc::new(vectors), sequences, None, None, threads)?;
        // Output and contents of the upper layer's cells after the last token, beside each other.
        let upper = &trace.last[trace.last.len() - 1];
        let joined = (0..texts.len()).flat_map(|text| upper.iter().flat_map(move |state| state.row(text))).copied();
        let ends = Arc::new(Matrix::of(texts.len(), 2 * self.encoder.cells(), joined.collect()));
        let mut long = self.latent.forward(store, &ends, threads)?;
        long.values_mut().iter_mut().for_each(|value| *value *= self.unit);
        let latent = self.clip.forward(&long);
        Ok(Encoding { tokens, trace, ends, long, latent })
    }

    /// Runs over texts with the decoder fed by their own tokens. With `training`, words are dropped and noise is added.
    pub(super) fn forward(
        &self,
        store: &Store<T>,
        texts: &[&[u32]],
        mut training: Option<&mut PrivacyRng>,
        threads: usize,
    ) -> Result<Pass<T>, NnError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let mut encoding = self.encode(store, texts, &sequences, threads)?;
        let before: Vec<Vec<u32>> = texts.iter().map(|text| [&[START], &text[..text.len() - 1]].concat()).collect();
        let mut before = sequences.lay_out(&before);
        if let Some(rng) = &mut training {
            word_dropout(&mut before, self.word_dropout, UNKNOWN, rng)?;
            self.disturb(&mut encoding.latent, rng);
        }
        let inputs = self.inputs(store, &before, &sequences.spread(&encoding.latent))?;
        let decoded = self.decoder.forward(store, Arc::new(inputs), &sequences, None, None, threads)?;
        let (vectors, before) = (decoded.outputs.clone(), Arc::new(before));
        Ok(Pass { sequences, vectors, encoding, before, decoded })
    }

    /// What the decoder sees: for each row the vector of the token before, and a latent vector.
    pub(super) fn inputs(&self, store: &Store<T>, before: &[u32], latent: &Matrix<T>) -> Result<Matrix<T>, NnError> {
        let width = self.written.dimension();
        let mut inputs = Matrix::zeros(before.len(), width + latent.columns());
        self.written.forward(store, before, &mut inputs, 0)?;
        for row in 0..before.len() {
            let seen = inputs.row_mut(row)[width..].iter_mut().zip(latent.row(row));
            seen.for_each(|(seen, value)| *seen = *value / self.unit);
        }
        Ok(inputs)
    }

    fn disturb(&self, latent: &mut Matrix<T>, rng: &mut PrivacyRng) {
        if self.noise == 0.0 {
            return;
        }
        let deviation = self.noise * self.clip.bound;
        // Twelve uniform numbers make a normal one, near enough for teaching.
        for value in latent.values_mut() {
            let normal = (0..12).map(|_| unit(rng.bits())).sum::<f64>() - 6.0;
            *value += T::of(deviation * normal);
        }
    }

    /// The way back from the vectors that the output layer saw.
    pub(super) fn backward(&self, store: &Store<T>, pass: Pass<T>, back: Matrix<T>, gradients: &mut Gradients<T>) {
        let Pass { sequences, vectors, encoding, before, decoded } = pass;
        drop(vectors);
        let (rows, texts) = (Rows::Tokens(sequences.clone()), sequences.len());
        let to_inputs = self.decoder.backward(store, decoded, Some(back), None, gradients).inputs;
        let width = self.written.dimension();
        self.written.backward(&before, to_inputs.of_columns(0..width), &rows, gradients);
        let to_latent = sequences.gather(&to_inputs.of_columns(width..to_inputs.columns()));
        drop(to_inputs);
        // The unit comes in before clipping and goes out after it: the two factors are each other's inverse, and clipping is linear in what flows back.
        let Encoding { tokens, trace, ends, long, latent: _ } = encoding;
        // Noise is added after clipping, and does not change what flows back.
        let to_long = self.clip.backward(&long, to_latent);
        let to_ends = self.latent.backward(store, &ends, to_long, &Rows::Examples(texts), gradients);
        let cells = self.encoder.cells();
        let mut to_last = vec![vec![Matrix::zeros(texts, cells); 2]; self.encoder.directions()];
        if let Some(upper) = to_last.last_mut() {
            *upper = vec![to_ends.of_columns(0..cells), to_ends.of_columns(cells..2 * cells)];
        }
        let to_vectors = self.encoder.backward(store, trace, None, Some(&to_last), gradients).inputs;
        self.read.backward(&tokens, to_vectors, &rows, gradients);
    }
}
