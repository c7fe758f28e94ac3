//! The network: encoder, latent vector, generator, and the way back through all of them.

use super::settings::ErAeSettings;
use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Attended, Embedding, Kind, Linear, Recurrent, RecurrentTrace, Shape, attend, word_dropout};
use allonym_nn::{Gradients, Matrix, NnError, Rows, Sequences, Store};
use allonym_text::vocabulary::{START, UNKNOWN};
use std::sync::Arc;

/// How much more than half open the gates begin that keep what is known.
const REMEMBERING: f64 = 1.0;

/// The layers.
#[derive(Clone, Debug)]
pub(super) struct Network {
    embedding: Embedding<f32>,
    encoder: Recurrent,
    latent: Linear,
    /// From E(x) to the state that the generator begins with.
    beginning: Linear,
    generator: Recurrent,
    attention: Option<Attention>,
    pub(super) output: Linear,
    word_dropout: f64,
}

#[derive(Clone, Debug)]
struct Attention {
    question: Linear,
    answer: Linear,
}

/// What a forward pass leaves.
pub(super) struct Pass {
    pub(super) sequences: Arc<Sequences>,
    /// The original token of each row.
    pub(super) tokens: Vec<u32>,
    /// What the output layer sees of each row.
    pub(super) vectors: Arc<Matrix<f32>>,
    encoded: RecurrentTrace<f32>,
    ends: Arc<Matrix<f32>>,
    latent: Arc<Matrix<f32>>,
    beginning: Matrix<f32>,
    generated: RecurrentTrace<f32>,
    attended: Option<(Attended<f32>, Arc<Matrix<f32>>)>,
}

impl Network {
    pub(super) fn new(
        settings: &ErAeSettings,
        vectors: Arc<Matrix<f32>>,
        store: &mut Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, NnError> {
        let ErAeSettings { layers, cells, latent, attention, word_dropout, .. } = *settings;
        let (vocabulary, width) = (vectors.rows(), vectors.columns());
        let shape = |inputs, both_ways| Shape { kind: Kind::Gru, inputs, cells, layers, both_ways };
        Ok(Self {
            embedding: Embedding::frozen("embedding", vectors)?,
            encoder: Recurrent::new("encoder", shape(width, true), store, rng)?
                .orthogonal(store, rng)
                .remembering(REMEMBERING, store),
            latent: Linear::new("latent", 2 * cells, latent, false, store, rng)?,
            beginning: Linear::new("beginning", latent, layers * cells, true, store, rng)?,
            generator: Recurrent::new("generator", shape(width + latent, false), store, rng)?
                .orthogonal(store, rng)
                .remembering(REMEMBERING, store),
            attention: attention
                .then(|| {
                    Ok::<_, NnError>(Attention {
                        question: Linear::new("attention.question", cells, 2 * cells, false, store, rng)?,
                        answer: Linear::new("attention.answer", 2 * cells, cells, false, store, rng)?,
                    })
                })
                .transpose()?,
            output: Linear::new("output", cells, vocabulary, true, store, rng)?,
            word_dropout,
        })
    }

    /// Runs over texts, each of which ends with the end token. With `training`, words are dropped.
    pub(super) fn forward(
        &self,
        store: &Store<f32>,
        texts: &[&[u32]],
        training: Option<&mut PrivacyRng>,
        threads: usize,
    ) -> Result<Pass, NnError> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let (rows, width) = (sequences.rows(), self.embedding.dimension());
        let tokens = sequences.lay_out(texts);
        let before: Vec<Vec<u32>> = texts.iter().map(|text| [&[START], &text[..text.len() - 1]].concat()).collect();
        let mut before = sequences.lay_out(&before);
        if let Some(rng) = training {
            word_dropout(&mut before, self.word_dropout, UNKNOWN, rng)?;
        }

        let mut vectors = Matrix::zeros(rows, width);
        self.embedding.forward(store, &tokens, &mut vectors, 0)?;
        let encoded = self.encoder.forward(store, Arc::new(vectors), &sequences, None, None, threads)?;
        let ends = self.ends(&encoded, texts.len());
        let latent = Arc::new(self.latent.forward(store, &ends, threads)?);
        let mut beginning = self.beginning.forward(store, &latent, threads)?;
        beginning.values_mut().iter_mut().for_each(|value| *value = value.tanh());
        let mut inputs = Matrix::zeros(rows, width + latent.columns());
        self.embedding.forward(store, &before, &mut inputs, 0)?;
        for (row, sequence) in sequences.sequence_of_row().iter().enumerate() {
            inputs.row_mut(row)[width..].copy_from_slice(latent.row(*sequence as usize));
        }
        let cells = self.generator.cells();
        let layers = beginning.columns() / cells;
        let initial: Vec<_> =
            (0..layers).map(|layer| vec![beginning.of_columns(layer * cells..(layer + 1) * cells)]).collect();
        let generated = self.generator.forward(store, Arc::new(inputs), &sequences, Some(&initial), None, threads)?;
        let (vectors, attended) = match &self.attention {
            None => (generated.outputs.clone(), None),
            Some(attention) => {
                let questions = attention.question.forward(store, &generated.outputs, threads)?;
                let mut attended = attend(Arc::new(questions), encoded.outputs.clone(), &sequences);
                let contexts = Arc::new(std::mem::take(&mut attended.contexts));
                let mut vectors = attention.answer.forward(store, &contexts, threads)?;
                add(&mut vectors, &generated.outputs);
                (Arc::new(vectors), Some((attended, contexts)))
            }
        };
        Ok(Pass { sequences, tokens, vectors, encoded, ends, latent, beginning, generated, attended })
    }

    /// The way back from the vectors that the output layer saw.
    pub(super) fn backward(
        &self,
        store: &Store<f32>,
        pass: Pass,
        mut back: Matrix<f32>,
        gradients: &mut Gradients<f32>,
    ) {
        let Pass { sequences, encoded, ends, latent, beginning, generated, attended, vectors, .. } = pass;
        drop(vectors);
        let texts = sequences.len();
        let rows = Rows::Tokens(Arc::clone(&sequences));
        let mut to_encoded = None;
        if let (Some(attention), Some((attended, contexts))) = (&self.attention, attended) {
            let to_contexts = attention.answer.backward(store, &contexts, back.clone(), &rows, gradients);
            let (to_questions, to_memory) = attended.backward(&to_contexts);
            let asked = &generated.outputs;
            add(&mut back, &attention.question.backward(store, asked, to_questions, &rows, gradients));
            to_encoded = Some(to_memory);
        }
        let to_generator = self.generator.backward(store, generated, Some(back), None, gradients);
        let (to_inputs, mut to_beginning) = (to_generator.inputs, beside(&to_generator.initial));
        to_beginning.values_mut().iter_mut().zip(beginning.values()).for_each(|(back, out)| *back *= 1.0 - out * out);
        let width = self.embedding.dimension();
        let mut to_latent = sequences.gather(&to_inputs.of_columns(width..to_inputs.columns()));
        drop(to_inputs);
        let of_texts = Rows::Examples(texts);
        add(&mut to_latent, &self.beginning.backward(store, &latent, to_beginning, &of_texts, gradients));
        let to_ends = self.latent.backward(store, &ends, to_latent, &of_texts, gradients);
        let cells = self.encoder.cells();
        let mut to_last = vec![vec![Matrix::zeros(texts, cells)]; self.encoder.directions()];
        let upper = to_last.len() - 2;
        to_last[upper] = vec![to_ends.of_columns(0..cells)];
        to_last[upper + 1] = vec![to_ends.of_columns(cells..2 * cells)];
        self.encoder.backward(store, encoded, to_encoded, Some(&to_last), gradients);
    }

    /// The last states of the upper layer, both directions beside each other.
    fn ends(&self, encoded: &RecurrentTrace<f32>, texts: usize) -> Arc<Matrix<f32>> {
        let upper = encoded.last.len() - 2;
        let of = |side: usize, text: usize| encoded.last[upper + side][0].row(text);
        let joined = (0..texts).flat_map(|text| of(0, text).iter().chain(of(1, text))).copied().collect();
        Arc::new(Matrix::of(texts, 2 * self.encoder.cells(), joined))
    }
}

/// The states of all layers, beside each other.
fn beside(states: &[Vec<Matrix<f32>>]) -> Matrix<f32> {
    let parts: Vec<&Matrix<f32>> = states.iter().flatten().collect();
    let rows = parts.first().map_or(0, |part| part.rows());
    let values: Vec<f32> =
        (0..rows).flat_map(|row| parts.iter().flat_map(move |part| part.row(row))).copied().collect();
    Matrix::of(rows, parts.iter().map(|part| part.columns()).sum(), values)
}

fn add(sum: &mut Matrix<f32>, more: &Matrix<f32>) {
    sum.values_mut().iter_mut().zip(more.values()).for_each(|(sum, more)| *sum += more);
}
