//! What the tests of models share: a tiny vocabulary, a short training, a card.

use allonym_nn::training::{Data, Model, Run, Standing, TrainingSettings, train};
use allonym_nn::{Card, Losses, Protection};
use allonym_text::Vocabulary;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Twenty-six words.
pub(crate) fn vocabulary() -> Arc<Vocabulary> {
    let words: Vec<String> = (b'a'..=b'z').map(|letter| format!("w{}x", letter as char)).collect();
    Arc::new(Vocabulary::parse(&format!("allonym-vocabulary 1 public\n{}\n", words.join("\n"))).unwrap())
}

/// Trains for some steps of twenty examples.
pub(crate) fn train_for<M: Model>(model: &mut M, examples: &[M::Example], steps: u64, rate: f64) {
    let settings =
        TrainingSettings { steps: Some(steps), batch: 20, rate, seed: Some(1), ..TrainingSettings::default() };
    let data = Data { examples, standing: Standing::Public, fingerprint: "test" };
    let directory = tempfile::tempdir().unwrap();
    let run = Run {
        directory: directory.path(),
        resume: false,
        earlier_steps: 0,
        stop: &AtomicBool::new(false),
        progress: &mut |_| {},
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
