//! What the tests of models share: a tiny vocabulary, a short training, a card.

use allonym_dp::PrivacyRng;
use allonym_nn::training::{Data, Model, Run, Standing, TrainingSettings, train};
use allonym_nn::{Card, Gradients, Losses, Protection};
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

/// Whichever example is left out of a private step, and however many threads share the work: the sum moves by no more than the clip. What an example changes is then its own
/// gradient alone, and where it falls does not depend on others. The model must draw nothing at random.
pub(crate) fn one_more_moves_a_private_step_by_no_more_than_the_clip<M: Model>(model: &M, examples: &[M::Example]) {
    let clip = 0.3;
    for threads in 1..=4 {
        let sum = |left_out: Option<usize>| {
            let kept = |place: &usize| Some(*place) != left_out;
            let batch: Vec<&M::Example> = (0..examples.len()).filter(kept).map(|place| &examples[place]).collect();
            let mut gradients = Gradients::private(model.store(), batch.len(), threads);
            model.losses(&batch, &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
            gradients.clipped(model.store(), clip).sum
        };
        let all = sum(None);
        for left_out in 0..examples.len() {
            let without = sum(Some(left_out));
            let moved = all.iter().zip(without.iter()).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
            assert!(moved <= clip * 1.001 && moved > 0.5 * clip, "{threads} threads, without {left_out}: {moved}");
        }
    }
}
