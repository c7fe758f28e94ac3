//! Every gradient against finite differences, in `f64`; and the norm of each example's gradient against a batch of one.

use allonym_dp::PrivacyRng;
use allonym_nn::layer::{Embedding, Kind, Linear, Recurrent, Shape};
use allonym_nn::loss::{EmbeddingReward, Negatives, RewardSettings, Sample, Targets, Tokens, sampled_softmax, softmax};
use allonym_nn::{Gradients, Matrix, Real, Rows, Sequences, Store};
use std::sync::Arc;

const VOCABULARY: usize = 11;
const WIDTH: usize = 3;
const CELLS: usize = 4;

/// A small auto-encoder with every layer: embedding, recurrent encoder, linear latent, recurrent generator that begins with the
/// latent vector and sees it at every step, softmax.
struct Net<T: Real> {
    store: Store<T>,
    embedding: Embedding<T>,
    encoder: Recurrent,
    latent: Linear,
    generator: Recurrent,
    output: Linear,
    kind: Kind,
}

enum Loss<'a> {
    CrossEntropy,
    Reward,
    Sampled(&'a Negatives),
}

fn net<T: Real>(kind: Kind, both_ways: bool, layers: usize) -> Net<T> {
    let mut store = Store::new();
    let rng = &mut PrivacyRng::reproducible(11);
    let embedding = Embedding::trained("embedding", VOCABULARY, WIDTH, &mut store, rng).unwrap();
    let shape = Shape { kind, inputs: WIDTH, cells: CELLS, layers, both_ways };
    let encoder = Recurrent::new("encoder", shape, &mut store, rng).unwrap();
    let ends = encoder.directions() * CELLS * kind.states();
    let latent = Linear::new("latent", ends, CELLS, false, &mut store, rng).unwrap();
    let shape = Shape { kind, inputs: CELLS, cells: CELLS, layers: 1, both_ways: false };
    let generator = Recurrent::new("generator", shape, &mut store, rng).unwrap();
    let output = Linear::new("output", CELLS, VOCABULARY, true, &mut store, rng).unwrap();
    Net { store, embedding, encoder, latent, generator, output, kind }
}

impl<T: Real> Net<T> {
    /// The losses of all texts; gradients are handed over.
    fn run(&self, texts: &[Vec<u32>], loss: &Loss<'_>, shards: usize, gradients: &mut Gradients<T>) -> Vec<f64> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let sequences = Arc::new(Sequences::new(&lengths, shards).unwrap());
        let rows = Rows::Tokens(sequences.clone());
        let store = &self.store;
        let tokens = Arc::new(sequences.lay_out(texts));
        let mut vectors = Matrix::zeros(sequences.rows(), WIDTH);
        self.embedding.forward(store, &tokens, &mut vectors, 0).unwrap();
        let encoded = self.encoder.forward(store, Arc::new(vectors), &sequences, None, None, 1).unwrap();

        let ends: Vec<&Matrix<T>> = encoded.last.iter().flatten().collect();
        let joined = (0..texts.len()).flat_map(|text| ends.iter().flat_map(move |end| end.row(text).iter().copied()));
        let joined = Arc::new(Matrix::of(texts.len(), ends.len() * CELLS, joined.collect()));
        let latent = self.latent.forward(store, &joined, 1).unwrap();

        let initial = vec![vec![latent.clone(); self.kind.states()]];
        let seen = Arc::new(sequences.spread(&latent));
        let generated = self.generator.forward(store, seen, &sequences, Some(&initial), None, 1).unwrap();
        // Rows count differently, to see that weights are taken into account.
        let weights: Vec<T> = tokens.iter().map(|token| T::of(0.5 + f64::from(*token % 3))).collect();
        let result = match loss {
            Loss::Sampled(negatives) => {
                let sample = Sample { targets: &tokens, negatives, weights: &weights };
                sampled_softmax(&self.output, store, &generated.outputs, &sequences, &sample, gradients)
            }
            _ => {
                let targets: Arc<dyn Targets<T>> = match loss {
                    Loss::Reward => {
                        let number = |i: usize| T::of(((i * 37) % 17) as f64 - 8.0);
                        let vectors = Matrix::of(VOCABULARY, 2, (0..2 * VOCABULARY).map(number).collect());
                        let unit = EmbeddingReward::unit_vectors(vectors);
                        let settings = RewardSettings { candidates: 3, ..RewardSettings::default() };
                        let rng = &mut PrivacyRng::reproducible(5);
                        Arc::new(EmbeddingReward::new(settings, tokens.to_vec(), unit, rng).unwrap())
                    }
                    _ => Arc::new(Tokens::new(tokens.to_vec(), VOCABULARY).unwrap()),
                };
                softmax(&self.output, store, &generated.outputs, &sequences, targets, weights, gradients)
            }
        }
        .unwrap();

        let losses = result.of_examples.clone();
        let back = self.generator.backward(store, generated, Some(result.back), None, gradients);
        let mut to_latent = sequences.gather(&back.inputs);
        for state in &back.initial[0] {
            let sum = to_latent.values_mut().iter_mut().zip(state.values());
            sum.for_each(|(sum, value)| *sum += *value);
        }
        let to_ends = self.latent.backward(store, &joined, to_latent, &Rows::Examples(texts.len()), gradients);
        let count = self.kind.states();
        let end = |place: usize| {
            let values =
                (0..texts.len()).flat_map(|t| to_ends.row(t)[place * CELLS..(place + 1) * CELLS].iter().copied());
            Matrix::of(texts.len(), CELLS, values.collect())
        };
        let to_last: Vec<Vec<Matrix<T>>> =
            (0..self.encoder.directions()).map(|d| (0..count).map(|s| end(d * count + s)).collect()).collect();
        let back = self.encoder.backward(store, encoded, None, Some(&to_last), gradients);
        self.embedding.backward(&tokens, back.inputs, &rows, gradients);
        losses
    }

    fn gradient(&self, texts: &[Vec<u32>], loss: &Loss<'_>, shards: usize) -> Vec<T> {
        let mut gradients = Gradients::plain(&self.store, 1);
        self.run(texts, loss, shards, &mut gradients);
        gradients.into_values().into_values()
    }

    fn total(&self, texts: &[Vec<u32>], loss: &Loss<'_>) -> f64 {
        self.run(texts, loss, 1, &mut Gradients::plain(&self.store, 1)).iter().sum()
    }
}

fn texts() -> Vec<Vec<u32>> {
    vec![vec![3, 1, 4, 1], vec![5], vec![9, 2, 6, 5, 3, 5], vec![8, 9], vec![7, 7, 7, 10, 0]]
}

#[track_caller]
fn agrees_with_differences(mut net: Net<f64>, loss: &Loss<'_>) {
    let texts = texts();
    let gradient = net.gradient(&texts, loss, 1);
    let step = 1e-5;
    for (place, found) in gradient.iter().enumerate() {
        let value = net.store.values()[place];
        let mut at = |shift: f64| {
            net.store.values_mut()[place] = value + shift;
            net.total(&texts, loss)
        };
        let slope = (at(step) - at(-step)) / (2.0 * step);
        net.store.values_mut()[place] = value;
        let error = (slope - found).abs();
        let name = net.store.name_at(place);
        assert!(error < 1e-7 * (1.0 + slope.abs()), "{name} at {place}: {found} for {slope}");
    }
}

#[test]
fn gru_in_both_directions() {
    agrees_with_differences(net(Kind::Gru, true, 2), &Loss::CrossEntropy);
}

#[test]
fn gru_in_one_direction() {
    agrees_with_differences(net(Kind::Gru, false, 3), &Loss::CrossEntropy);
}

#[test]
fn lstm_in_both_directions() {
    agrees_with_differences(net(Kind::Lstm, true, 2), &Loss::CrossEntropy);
}

#[test]
fn lstm_in_one_direction() {
    agrees_with_differences(net(Kind::Lstm, false, 1), &Loss::CrossEntropy);
}

#[test]
fn the_embedding_reward() {
    agrees_with_differences(net(Kind::Gru, false, 1), &Loss::Reward);
}

#[test]
fn sampled_softmax_against_its_own_sample() {
    let negatives = Negatives::draw(6, VOCABULARY, &mut PrivacyRng::reproducible(2)).unwrap();
    agrees_with_differences(net(Kind::Gru, false, 1), &Loss::Sampled(&negatives));
}

#[test]
fn shards_and_the_company_in_a_batch_do_not_change_a_gradient() {
    let net = net::<f64>(Kind::Lstm, true, 2);
    let one = net.gradient(&texts(), &Loss::CrossEntropy, 1);
    for shards in [2, 3, 5] {
        let several = net.gradient(&texts(), &Loss::CrossEntropy, shards);
        assert!(one.iter().zip(&several).all(|(a, b)| (a - b).abs() < 1e-12));
    }
    let mut alone = vec![0.0; one.len()];
    for text in texts() {
        let of_text = net.gradient(&[text], &Loss::CrossEntropy, 1);
        alone.iter_mut().zip(of_text).for_each(|(sum, value)| *sum += value);
    }
    assert!(one.iter().zip(&alone).all(|(a, b)| (a - b).abs() < 1e-12), "padding costs nothing in the result");
}

/// The norm of each example's gradient, and the sum of clipped gradients, from a private step.
fn private<T: Real>(net: &Net<T>, clip: f64, shards: usize) -> (Vec<f64>, Vec<T>) {
    let texts = texts();
    let mut gradients = Gradients::private(&net.store, texts.len(), shards);
    net.run(&texts, &Loss::Reward, shards, &mut gradients);
    let clipped = gradients.clipped(&net.store, clip);
    (clipped.norms, clipped.sum.into_values())
}

fn norm<T: Real>(values: &[T]) -> f64 {
    values.iter().map(|value| value.wide() * value.wide()).sum::<f64>().sqrt()
}

#[track_caller]
fn norms_are_those_of_batches_of_one<T: Real>(kind: Kind, tolerance: f64) {
    let net = net::<T>(kind, true, 2);
    for shards in [1, 2] {
        let (norms, sum) = private(&net, 0.7, shards);
        let mut expected = vec![0.0; sum.len()];
        for (text, found) in texts().into_iter().zip(&norms) {
            // The random candidates of the reward belong to rows, so a batch of one draws others: cross-entropy is compared below.
            assert!(found.is_finite() && *found > 0.0, "{text:?}");
        }
        let texts = texts();
        let mut gradients = Gradients::private(&net.store, texts.len(), shards);
        net.run(&texts, &Loss::CrossEntropy, shards, &mut gradients);
        let clipped = gradients.clipped(&net.store, 0.7);
        for (text, found) in texts.iter().zip(&clipped.norms) {
            let alone = net.gradient(std::slice::from_ref(text), &Loss::CrossEntropy, 1);
            let size = norm(&alone);
            assert!((found - size).abs() < tolerance * size, "{found} for {size}");
            let factor = (0.7 / size / (1.0 + 1e-4)).min(1.0);
            expected.iter_mut().zip(&alone).for_each(|(sum, value)| *sum += factor * value.wide());
        }
        let size = norm(&clipped.sum);
        let error: f64 = expected.iter().zip(&clipped.sum).map(|(a, b)| (a - b.wide()).powi(2)).sum();
        assert!(error.sqrt() < tolerance * size, "the sum of clipped gradients is off by {}", error.sqrt());
    }
}

#[test]
fn per_example_norms_of_gru_layers() {
    norms_are_those_of_batches_of_one::<f64>(Kind::Gru, 1e-12);
    norms_are_those_of_batches_of_one::<f32>(Kind::Gru, 1e-5);
}

#[test]
fn per_example_norms_of_lstm_layers() {
    norms_are_those_of_batches_of_one::<f64>(Kind::Lstm, 1e-12);
    norms_are_those_of_batches_of_one::<f32>(Kind::Lstm, 1e-5);
}

#[test]
fn a_step_whose_examples_are_all_left_alone_is_the_plain_step() {
    let net = net::<f64>(Kind::Gru, true, 2);
    let (_, sum) = private(&net, f64::INFINITY, 1);
    let plain = net.gradient(&texts(), &Loss::Reward, 1);
    assert!(sum.iter().zip(&plain).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn no_example_moves_a_clipped_sum_by_more_than_the_clip() {
    let net = net::<f32>(Kind::Gru, true, 2);
    let run = |texts: &[Vec<u32>]| {
        let mut gradients = Gradients::private(&net.store, texts.len(), 1);
        net.run(texts, &Loss::CrossEntropy, 1, &mut gradients);
        gradients.clipped(&net.store, 0.01).sum
    };
    let (with, without) = (run(&texts()), run(&texts()[1..]));
    let moved: f64 = with.iter().zip(&without).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    assert!(moved.sqrt() <= 0.01 && moved.sqrt() > 0.0099, "{}", moved.sqrt());
}

#[test]
#[should_panic(expected = "the gradient of `embedding` is missing")]
fn a_parameter_that_would_escape_the_clip_is_found() {
    let net = net::<f32>(Kind::Gru, false, 1);
    let mut gradients = Gradients::private(&net.store, 1, 1);
    let rows = Rows::Examples(1);
    for (name, slot) in net.store.parameters() {
        if name.contains("bias") || name == "embedding" {
            continue;
        }
        let bias = name.replace("weight", "bias");
        let bias = net.store.parameters().find(|(name, _)| **name == bias).map(|(_, slot)| slot);
        let (back, inputs) = (Matrix::zeros(1, slot.rows()), Arc::new(Matrix::zeros(1, slot.columns())));
        gradients.weight(slot, bias, Arc::new(back), &inputs, &rows);
    }
    gradients.clipped(&net.store, 1.0);
}
