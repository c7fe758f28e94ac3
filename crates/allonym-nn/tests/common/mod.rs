//! Small models for tests of training.
#![allow(dead_code, unreachable_pub, reason = "each test uses some of them")]

use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, Shape};
use allonym_nn::loss::{Tokens, softmax};
use allonym_nn::training::{Data, Examples, Model, Outcome, Run, Standing, TrainingSettings, train};
use allonym_nn::{Gradients, Matrix, NnError, Rows, Sequences, Store};
use allonym_text::{Activity, CancelToken, Private, Silent, Stage};
use std::path::Path;
use std::sync::Arc;

pub const VOCABULARY: usize = 11;

/// A model with every layer: trained vectors, a GRU of two layers that reads both ways, an LSTM, a linear layer, a softmax with a
/// bias. It learns to tell the token two after each one.
pub struct Everything {
    store: Store<f32>,
    embedding: Embedding<f32>,
    gru: Recurrent,
    lstm: Recurrent,
    linear: Linear,
    out: Linear,
}

impl Everything {
    pub fn new(seed: u64, dropout: f64) -> Self {
        let mut rng = PrivacyRng::reproducible(seed);
        let (mut store, rng) = (Store::new(), &mut rng);
        let shape = |kind, inputs, layers, both_ways| Shape { kind, inputs, cells: 4, layers, both_ways };
        let embedding = Embedding::trained("embedding", VOCABULARY, 5, &mut store, rng).unwrap();
        let gru = Recurrent::new("gru", shape(Kind::Gru, 5, 2, true), &mut store, rng).unwrap();
        let gru = gru.with_dropout(dropout).unwrap();
        let lstm = Recurrent::new("lstm", shape(Kind::Lstm, 8, 1, false), &mut store, rng).unwrap();
        let linear = Linear::new("linear", 4, 6, true, &mut store, rng).unwrap();
        let out = Linear::new("out", 6, VOCABULARY, true, &mut store, rng).unwrap();
        Self { store, embedding, gru, lstm, linear, out }
    }

    fn run(
        &self,
        batch: &[&Vec<u32>],
        gradients: &mut Gradients<f32>,
        mut rng: Option<&mut PrivacyRng>,
    ) -> Result<Vec<f64>, NnError> {
        let (store, threads) = (&self.store, gradients.threads());
        let lengths: Vec<usize> = batch.iter().map(|example| example.len()).collect();
        let sequences = Arc::new(Sequences::new(&lengths, threads)?);
        let rows = Rows::Tokens(sequences.clone());
        let tokens = Arc::new(sequences.lay_out(batch));
        let mut vectors = Matrix::zeros(tokens.len(), 5);
        self.embedding.forward(store, &tokens, &mut vectors, 0)?;
        let gru = self.gru.forward(store, Arc::new(vectors), &sequences, None, rng.as_deref_mut(), threads)?;
        let lstm = self.lstm.forward(store, gru.outputs.clone(), &sequences, None, rng, threads)?;
        let hidden = lstm.outputs.clone();
        let linear = Arc::new(self.linear.forward(store, &hidden, threads)?);
        let wanted = tokens.iter().map(|token| (token + 2) % VOCABULARY as u32).collect();
        let targets = Arc::new(Tokens::new(wanted, VOCABULARY)?);
        let weights = vec![1.0; tokens.len()];
        let loss = softmax(&self.out, store, &linear, &sequences, targets, weights, gradients)?;
        let back = self.linear.backward(store, &hidden, loss.back, &rows, gradients);
        let back = self.lstm.backward(store, lstm, Some(back), None, gradients);
        let back = self.gru.backward(store, gru, Some(back.inputs), None, gradients);
        self.embedding.backward(&tokens, back.inputs, &rows, gradients);
        Ok(loss.of_examples)
    }
}

impl Model for Everything {
    type Example = Vec<u32>;

    fn kind(&self) -> &'static str {
        "everything"
    }

    fn settings(&self) -> toml::Table {
        toml::Table::from_iter([("cells".to_owned(), toml::Value::Integer(4))])
    }

    fn store(&self) -> &Store<f32> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        &mut self.store
    }

    fn length(example: &Vec<u32>) -> usize {
        example.len()
    }

    fn losses(
        &self,
        batch: &[&Vec<u32>],
        gradients: &mut Gradients<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        self.run(batch, gradients, Some(rng))
    }

    fn evaluate(&self, batch: &[&Vec<u32>], threads: usize) -> Result<Vec<f64>, NnError> {
        self.run(batch, &mut Gradients::plain(&self.store, threads), None)
    }
}

/// A model whose examples say what their gradients are: one number for every parameter. The loss is the first number.
pub struct Given {
    store: Store<f32>,
}

impl Given {
    pub fn new(parameters: usize) -> Self {
        let mut store = Store::new();
        store.add("given", 1, parameters, 0.0, &mut PrivacyRng::reproducible(0)).unwrap();
        Self { store }
    }
}

impl Model for Given {
    type Example = Vec<f32>;

    fn kind(&self) -> &'static str {
        "given"
    }

    fn settings(&self) -> toml::Table {
        toml::Table::new()
    }

    fn store(&self) -> &Store<f32> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        &mut self.store
    }

    fn length(_: &Vec<f32>) -> usize {
        1
    }

    fn losses(
        &self,
        batch: &[&Vec<f32>],
        gradients: &mut Gradients<f32>,
        _: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        let (_, slot) = self.store.parameters().next().unwrap();
        let inputs = Matrix::of(batch.len(), slot.columns(), batch.iter().flat_map(|e| e.iter().copied()).collect());
        let back = Matrix::of(batch.len(), 1, vec![1.0; batch.len()]);
        gradients.weight(slot, None, Arc::new(back), &Arc::new(inputs), &Rows::Examples(batch.len()));
        self.evaluate(batch, 1)
    }

    fn evaluate(&self, batch: &[&Vec<f32>], _: usize) -> Result<Vec<f64>, NnError> {
        // The distance of the first parameter from the first number.
        Ok(batch.iter().map(|e| f64::from(e[0]) + f64::from(self.store.values()[0]).abs()).collect())
    }
}

/// Sequences of one to nine tokens.
pub fn sequences(count: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = PrivacyRng::reproducible(seed);
    let mut token = |_| rng.below(VOCABULARY as u64) as u32;
    (0..count).map(|i| (0..1 + (i * 7) % 9).map(&mut token).collect()).collect()
}

pub fn data<E>(examples: &[E], standing: Standing) -> Data<'_, E> {
    let examples = match standing {
        Standing::Public => Examples::Public(examples),
        Standing::Private => Examples::Private(Private::new(examples)),
    };
    Data { examples, fingerprint: "hmac:test" }
}

/// A new run that nobody observes.
pub fn unobserved<'a>(directory: &'a Path, cancel: &'a CancelToken) -> Run<'a> {
    let stage = Stage { activity: Activity::Training, label: "test" };
    Run { directory, resume: false, earlier_steps: 0, stage, observer: &Silent, cancel }
}

/// Trains on private examples, without an audience.
pub fn run<M: Model>(
    model: &mut M,
    settings: &TrainingSettings,
    examples: &[M::Example],
    directory: &Path,
) -> Result<Outcome, NnError> {
    let cancel = CancelToken::new();
    let run = Run { resume: true, ..unobserved(directory, &cancel) };
    train(model, settings, data(examples, Standing::Private), None, run)
}
