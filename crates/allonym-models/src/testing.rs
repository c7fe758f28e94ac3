//! What the tests of models share: a tiny vocabulary, a short training, a card.

use allonym_dp::PrivacyRng;
use allonym_nn::training::{Data, Examples, Model, Run, Standing, TrainingSettings, train};
use allonym_nn::{Card, Gradients, Losses, Protection};
use allonym_text::{Activity, CancelToken, Silent, Stage, Vocabulary};
use std::sync::Arc;

/// Twenty-six words.
pub(crate) fn vocabulary() -> Arc<Vocabulary> {
    let words: Vec<String> = (b'a'..=b'z').map(|letter| format!("w{}x", letter as char)).collect();
    Arc::new(Vocabulary::parse(&format!("allonym-vocabulary 1 public\n{}\n", words.join("\n"))).unwrap())
}

/// Trains for some steps of twenty examples.
pub(crate) fn train_for<M: Model>(model: &mut M, examples: &[M::Example], steps: u64, rate: f64) {
    let settings =
        TrainingSettings { steps: Some(steps), batch: 20, rate, seed: Some(1), ..TrainingSettings::default() };
    let data = Data { examples: Examples::Public(examples), fingerprint: "test" };
    let directory = tempfile::tempdir().unwrap();
    let run = Run {
        directory: directory.path(),
        resume: false,
        earlier_steps: 0,
        stage: Stage { activity: Activity::Training, label: "test" },
        observer: &Silent,
        cancel: &CancelToken::new(),
    };
    train(model, &settings, data, None, run).unwrap();
}

/// The card of a model that was trained on public texts.
pub(crate) fn card() -> Card {
    Card {
        version: Card::VERSION,
        kind: String::new(),
        steps: 1,
        planned_steps: 1,
        data: "none".into(),
        examples: 1,
        standing: Standing::Public,
        guarantee: Protection::Public,
        losses: Losses::default(),
        training: TrainingSettings::default(),
        model: toml::Table::new(),
    }
}

/// At some places, the gradient of the sum of the losses is what small steps of the parameter say. The model must draw nothing at random.
pub(crate) fn gradients_are_those_of_the_loss<M: Model>(
    model: &mut M,
    examples: &[M::Example],
    places: &[usize],
    (threads, tolerance): (usize, f64),
) {
    let batch: Vec<&M::Example> = examples.iter().collect();
    let losses = |model: &M, gradients: &mut Gradients<f32>| {
        model.losses(&batch, gradients, &mut PrivacyRng::reproducible(1)).unwrap().iter().sum::<f64>()
    };
    let mut gradients = Gradients::plain(model.store(), threads);
    losses(model, &mut gradients);
    let gradients = gradients.into_values();
    for place in places {
        let (before, step) = (model.store().values()[*place], 1e-2_f32);
        let mut at = |value: f32| {
            model.store_mut().values_mut()[*place] = value;
            losses(model, &mut Gradients::plain(model.store(), threads))
        };
        let slope = (at(before + step) - at(before - step)) / (2.0 * f64::from(step));
        at(before);
        assert!(
            (slope - f64::from(gradients[*place])).abs() < tolerance * (1.0 + slope.abs()),
            "{threads} threads, {place}: {slope} {}",
            gradients[*place]
        );
    }
}

/// The norm of an example in a private step is that of its own gradient, whoever else is in the batch.
pub(crate) fn an_example_is_clipped_by_its_own_gradient<M: Model>(model: &M, examples: &[M::Example], threads: usize) {
    let alone = |example: &M::Example| {
        let mut gradients = Gradients::plain(model.store(), 1);
        model.losses(&[example], &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
        gradients.into_values().iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
    };
    let batch: Vec<&M::Example> = examples.iter().collect();
    let mut gradients = Gradients::private(model.store(), batch.len(), threads);
    model.losses(&batch, &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
    let clipped = gradients.clipped(model.store(), 1e9);
    for (norm, example) in clipped.norms.iter().zip(examples) {
        assert!((norm - alone(example)).abs() < 1e-3 * norm, "{norm} {}", alone(example));
    }
}

/// Whichever example is left out of a private step, and however many threads share the work: what it added is its own clipped gradient, as it is without any others, number by
/// number. So one example moves the sum by no more than the clip. The model must draw nothing at random.
pub(crate) fn an_example_adds_its_own_clipped_gradient<M: Model>(model: &M, examples: &[M::Example]) {
    let clip = 0.3;
    let sum = |kept: &dyn Fn(usize) -> bool, threads: usize| {
        let batch: Vec<&M::Example> =
            (0..examples.len()).filter(|place| kept(*place)).map(|place| &examples[place]).collect();
        let mut gradients = Gradients::private(model.store(), batch.len(), threads);
        model.losses(&batch, &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
        gradients.clipped(model.store(), clip).sum
    };
    for threads in 1..=4 {
        let all = sum(&|_| true, threads);
        for example in 0..examples.len() {
            let (without, alone) = (sum(&|place| place != example, threads), sum(&|place| place == example, 1));
            let norm = alone.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
            assert!((norm - clip).abs() < 1e-3 * clip, "clipped: {norm}");
            for (place, ((all, without), alone)) in all.iter().zip(without.iter()).zip(alone.iter()).enumerate() {
                let name = model.store().name_at(place);
                assert!(
                    (all - without - alone).abs() < 2e-6,
                    "{threads} threads, {example}, {name}: {all} {without} {alone}"
                );
            }
        }
    }
}
