//! The network of ER-AE, for measuring: bidirectional encoder, latent vector, generator that sees it at every step.

use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, Shape, States};
use allonym_nn::loss::{Tokens, softmax};
use allonym_nn::{Gradients, Matrix, Rows, Sequences, Store};
use std::sync::Arc;

#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) name: &'static str,
    pub(crate) cells: usize,
    pub(crate) vocabulary: usize,
    pub(crate) width: usize,
}

pub(crate) const SIZES: [Size; 2] = [
    Size { name: "full", cells: 512, vocabulary: 20_000, width: 768 },
    Size { name: "small", cells: 256, vocabulary: 10_000, width: 100 },
];

pub(crate) struct ErAe {
    pub(crate) store: Store<f32>,
    size: Size,
    embedding: Embedding<f32>,
    encoder: Recurrent,
    latent: Linear,
    generator: Recurrent,
    output: Linear,
}

impl ErAe {
    pub(crate) fn new(size: Size) -> Self {
        let Size { cells, vocabulary, width, .. } = size;
        let (mut store, rng) = (Store::new(), &mut PrivacyRng::reproducible(1));
        let uniform = |rng: &mut PrivacyRng| (rng.bits() >> 40) as f32 / (1 << 24) as f32 - 0.5;
        let vectors = (0..vocabulary * width).map(|_| uniform(rng)).collect();
        let vectors = Arc::new(Matrix::of(vocabulary, width, vectors));
        let embedding = Embedding::frozen("embedding", vectors).unwrap();
        let shape = Shape { kind: Kind::Gru, inputs: width, cells, layers: 2, both_ways: true };
        let encoder = Recurrent::new("encoder", shape, &mut store, rng).unwrap();
        let latent = Linear::new("latent", 2 * cells, cells, false, &mut store, rng).unwrap();
        let shape = Shape { kind: Kind::Gru, inputs: width + cells, cells, layers: 2, both_ways: false };
        let generator = Recurrent::new("generator", shape, &mut store, rng).unwrap();
        let output = Linear::new("output", cells, vocabulary, true, &mut store, rng).unwrap();
        Self { store, size, embedding, encoder, latent, generator, output }
    }

    /// Multiplications and additions of a token in a training step: forward, and twice as many back.
    pub(crate) fn operations(&self) -> f64 {
        let Size { cells, vocabulary, width, .. } = self.size;
        let gru = |inputs: usize| (3 * cells * (inputs + cells)) as f64;
        let encoder = 2.0 * (gru(width) + gru(2 * cells));
        let generator = gru(width + cells) + gru(cells);
        6.0 * (encoder + generator + (cells * vocabulary) as f64)
    }

    /// Loss and gradients of a batch.
    pub(crate) fn step(&self, texts: &[Vec<u32>], private: bool, threads: usize) -> (f64, Gradients<f32>) {
        let store = &self.store;
        let Size { cells, width, vocabulary, .. } = self.size;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads).unwrap());
        let rows = sequences.rows();
        let tokens = sequences.lay_out(texts);
        let before: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| std::iter::once(1).chain(text[..text.len() - 1].iter().copied()).collect())
            .collect();
        let before = sequences.lay_out(&before);
        let mut gradients = match private {
            true => Gradients::private(store, texts.len(), threads),
            false => Gradients::plain(store, threads),
        };

        let mut vectors = Matrix::zeros(rows, width);
        self.embedding.forward(store, &tokens, &mut vectors, 0).unwrap();
        let encoded = self.encoder.forward(store, Arc::new(vectors), &sequences, None, None, threads).unwrap();
        let joined = self.ends(&encoded.last, texts.len());
        let latent = self.latent.forward(store, &joined, threads).unwrap();
        let mut inputs = Matrix::zeros(rows, width + cells);
        self.embedding.forward(store, &before, &mut inputs, 0).unwrap();
        for (row, sequence) in sequences.sequence_of_row().iter().enumerate() {
            inputs.row_mut(row)[width..].copy_from_slice(latent.row(*sequence as usize));
        }
        let generated = self.generator.forward(store, Arc::new(inputs), &sequences, None, None, threads).unwrap();

        let targets = Arc::new(Tokens::new(tokens, vocabulary).unwrap());
        let weights = vec![1.0 / rows as f32; rows];
        let outputs = generated.outputs.clone();
        let loss = softmax(&self.output, store, &outputs, &sequences, targets, weights, &mut gradients).unwrap();
        drop(outputs);
        let total = loss.total();
        let back = self.generator.backward(store, generated, Some(loss.back), None, &mut gradients);
        let to_latent: Vec<f32> = (0..rows).flat_map(|row| back.inputs.row(row)[width..].to_vec()).collect();
        let to_latent = sequences.gather(&Matrix::of(rows, cells, to_latent));
        let to_ends = self.latent.backward(store, &joined, to_latent, &Rows::Examples(texts.len()), &mut gradients);
        let end = |side: usize| {
            let values = (0..texts.len()).flat_map(|t| to_ends.row(t)[side * cells..(side + 1) * cells].to_vec());
            vec![Matrix::of(texts.len(), cells, values.collect())]
        };
        let zero = || vec![Matrix::zeros(texts.len(), cells)];
        let to_last = [zero(), zero(), end(0), end(1)];
        self.encoder.backward(store, encoded, None, Some(&to_last), &mut gradients);
        (total, gradients)
    }

    /// The last states of the upper layer, both directions.
    fn ends(&self, last: &[Vec<Matrix<f32>>], texts: usize) -> Arc<Matrix<f32>> {
        let joined = (0..texts).flat_map(|text| [last[2][0].row(text), last[3][0].row(text)].concat()).collect();
        Arc::new(Matrix::of(texts, 2 * self.size.cells, joined))
    }

    /// Encodes texts for generating.
    pub(crate) fn encode(&self, texts: &[Vec<u32>], threads: usize) -> (Matrix<f32>, States<f32>) {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads).unwrap());
        let mut vectors = Matrix::zeros(sequences.rows(), self.size.width);
        self.embedding.forward(&self.store, &sequences.lay_out(texts), &mut vectors, 0).unwrap();
        let encoded = self.encoder.forward(&self.store, Arc::new(vectors), &sequences, None, None, threads).unwrap();
        let latent = self.latent.forward(&self.store, &self.ends(&encoded.last, texts.len()), threads).unwrap();
        (latent, self.generator.begin(texts.len(), None).unwrap())
    }

    /// One step of generating: the logits of the next token of every text.
    pub(crate) fn next(
        &self,
        before: &[u32],
        latent: &Matrix<f32>,
        states: &mut States<f32>,
        threads: usize,
    ) -> Matrix<f32> {
        let width = self.size.width;
        let mut inputs = Matrix::zeros(before.len(), width + self.size.cells);
        self.embedding.forward(&self.store, before, &mut inputs, 0).unwrap();
        for row in 0..before.len() {
            inputs.row_mut(row)[width..].copy_from_slice(latent.row(row));
        }
        let outputs = self.generator.advance(&self.store, &inputs, states).unwrap();
        self.output.forward(&self.store, &outputs, threads).unwrap()
    }
}
