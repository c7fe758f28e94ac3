//! Forward, backward and one step of Adam as PyTorch computes them (`fixtures/make_torch.py`).

use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, Shape};
use allonym_nn::loss::{Tokens, huber, softmax};
use allonym_nn::optimiser::{Adam, AdamSettings};
use allonym_nn::{Gradients, Matrix, Real, Rows, Sequences, Store};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Deserialize)]
struct Fixture {
    texts: Vec<Vec<u32>>,
    rate: f64,
    cases: Vec<Case>,
    huber: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Case {
    kind: Kind,
    layers: usize,
    both_ways: bool,
    parameters: HashMap<String, Vec<f64>>,
    logits: Vec<Vec<f64>>,
    last: Vec<Vec<f64>>,
    losses: Vec<f64>,
    gradients: HashMap<String, Vec<f64>>,
    after_adam: HashMap<String, Vec<f64>>,
}

fn fixture() -> Fixture {
    serde_json::from_str(include_str!("fixtures/torch.json")).unwrap()
}

/// Numbers agree relative to the largest of their kind.
#[track_caller]
fn close<T: Real>(found: &[T], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(1e-3, |size: f64, value| size.max(value.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.wide() - expected).abs() < tolerance * size, "{what}: {found:?} for {expected}");
    }
}

fn check<T: Real>(case: &Case, texts: &[Vec<u32>], rate: f64, tolerance: f64) {
    let (vocabulary, width, cells) = (7, 3, 4);
    let (mut store, rng) = (Store::<T>::new(), &mut PrivacyRng::reproducible(1));
    let embedding = Embedding::trained("embedding", vocabulary, width, &mut store, rng).unwrap();
    let shape = Shape { kind: case.kind, inputs: width, cells, layers: case.layers, both_ways: case.both_ways };
    let recurrent = Recurrent::new("recurrent", shape, &mut store, rng).unwrap();
    let output = Linear::new("output", recurrent.outputs(), vocabulary, true, &mut store, rng).unwrap();
    let slots: Vec<_> = store.parameters().map(|(name, slot)| (name.to_owned(), slot)).collect();
    assert_eq!(slots.len(), case.parameters.len());
    for (name, slot) in &slots {
        let values: Vec<T> = case.parameters[name].iter().map(|value| T::of(*value)).collect();
        store.values_mut()[slot.range()].copy_from_slice(&values);
    }

    let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
    let sequences = Arc::new(Sequences::new(&lengths, 2).unwrap());
    let rows = Rows::Tokens(sequences.clone());
    let tokens = Arc::new(sequences.lay_out(texts));
    let mut vectors = Matrix::zeros(sequences.rows(), width);
    embedding.forward(&store, &tokens, &mut vectors, 0).unwrap();
    let trace = recurrent.forward(&store, Arc::new(vectors), &sequences, None, None, 1).unwrap();
    let logits = output.forward(&store, &trace.outputs, 1).unwrap();
    for (text, rows) in sequences.rows_of_sequences().iter().enumerate() {
        let of_text: Vec<T> = rows.iter().flat_map(|row| logits.row(*row).to_vec()).collect();
        close(&of_text, &case.logits[text], tolerance, "logits");
    }
    for (found, expected) in trace.last.iter().zip(&case.last) {
        close(found[0].values(), expected, tolerance, "last states");
    }

    let mut gradients = Gradients::plain(&store, 1);
    let targets = Arc::new(Tokens::new(tokens.to_vec(), vocabulary).unwrap());
    let weights = vec![T::ONE; sequences.rows()];
    let loss = softmax(&output, &store, &trace.outputs, &sequences, targets, weights, &mut gradients).unwrap();
    let of_examples: Vec<f64> = loss.of_examples.clone();
    close(&of_examples, &case.losses, tolerance, "losses");
    // The loss of the fixture has the squares of the last states in it.
    let double =
        |state: &Matrix<T>| Matrix::of(state.rows(), state.columns(), state.values().iter().map(|v| *v + *v).collect());
    let to_last: Vec<Vec<Matrix<T>>> = trace
        .last
        .iter()
        .map(|state| {
            let mut to = vec![double(&state[0])];
            to.extend(state[1..].iter().map(|cell| Matrix::zeros(cell.rows(), cell.columns())));
            to
        })
        .collect();
    let back = recurrent.backward(&store, trace, Some(loss.back), Some(&to_last), &mut gradients);
    embedding.backward(&tokens, back.inputs, &rows, &mut gradients);
    let gradients = gradients.into_values();
    for (name, slot) in &slots {
        close(&gradients[slot.range()], &case.gradients[name], tolerance, name);
    }

    let mut adam = Adam::new(gradients.len(), AdamSettings::default()).unwrap();
    adam.step(store.values_mut(), &gradients, rate, 1);
    for (name, slot) in &slots {
        close(&store.values()[slot.range()], &case.after_adam[name], tolerance, name);
    }
}

#[test]
fn a_training_step_is_that_of_pytorch() {
    let fixture = fixture();
    for case in &fixture.cases {
        check::<f64>(case, &fixture.texts, fixture.rate, 1e-10);
        check::<f32>(case, &fixture.texts, fixture.rate, 1e-5);
    }
}

#[test]
fn the_huber_loss_is_that_of_pytorch() {
    for [error, width, expected] in fixture().huber {
        assert!((huber(error, width).0 - expected).abs() < 1e-12);
    }
}
