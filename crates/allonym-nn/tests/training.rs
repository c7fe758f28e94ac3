//! Runs: stopping, going on, diverging, validating, and what is told about private ones.

mod common;

use allonym_dp::PrivacyRng;
use allonym_nn::checkpoint::{self, Pointer};
use allonym_nn::optimiser::{OptimiserSettings, PrivateSettings};
use allonym_nn::training::{Decay, Ended, Model, Outcome, Run, Schedule, Standing, TrainingSettings, train};
use allonym_nn::{Gradients, NnError, Protection, Store};
use allonym_text::{CancelToken, Event, Observer};
use common::{Everything, Given, data, run, sequences, unobserved};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

const PRIVATE: PrivateSettings =
    PrivateSettings { noise: 1.0, clip: 0.5, delta: 1e-5, owner_only: false, beside: None };

fn settings() -> TrainingSettings {
    TrainingSettings {
        rate: 0.02,
        steps: Some(17),
        batch: 4,
        tokens_at_once: 12,
        checkpoint_every: 5,
        seed: Some(9),
        schedule: Schedule { warm_up: 3, decay: Decay::Cosine },
        ..TrainingSettings::default()
    }
}

/// Cancels a run after a step.
struct CancelAfter<'a> {
    step: u64,
    cancel: &'a CancelToken,
}

impl Observer for CancelAfter<'_> {
    fn event(&self, event: &Event<'_>) {
        if let Event::Progress(progress) = event
            && progress.done >= self.step
        {
            self.cancel.cancel();
        }
    }
}

/// Keeps the loss and the speed that every step reports.
#[derive(Default)]
struct Reported(Mutex<Vec<(Option<f64>, Option<f64>)>>);

impl Observer for Reported {
    fn event(&self, event: &Event<'_>) {
        if let Event::Progress(progress) = event {
            let details = progress.training.unwrap();
            self.0.lock().unwrap().push((details.loss, details.tokens_per_second));
        }
    }
}

/// Trains, and stops after a step.
fn run_until<M: Model>(
    stop_after: u64,
    model: &mut M,
    settings: &TrainingSettings,
    examples: &[M::Example],
    directory: &Path,
) -> Outcome {
    let cancel = CancelToken::new();
    let observer = &CancelAfter { step: stop_after, cancel: &cancel };
    let run = Run { resume: true, observer, ..unobserved(directory, &cancel) };
    train(model, settings, data(examples, Standing::Private), None, run).unwrap()
}

#[test]
fn training_makes_the_loss_smaller() {
    let directory = tempfile::tempdir().unwrap();
    let (mut model, examples) = (Everything::new(1, 0.1), sequences(60, 2));
    let batch: Vec<_> = examples.iter().collect();
    let loss = |model: &Everything| model.evaluate(&batch, 1).unwrap().iter().sum::<f64>() / 60.0;
    let before = loss(&model);
    let settings = TrainingSettings { steps: None, epochs: Some(20), clip: Some(1.0), ..settings() };
    let outcome = run(&mut model, &settings, &examples, directory.path()).unwrap();
    assert_eq!((outcome.ended, outcome.card.steps), (Ended::Finished, 300));
    assert!(loss(&model) < 0.3 * before, "{} of {before}", loss(&model));
}

#[test]
fn a_resumed_run_equals_an_uninterrupted_one_to_the_bit() {
    let examples = sequences(23, 3);
    let kinds = [
        settings(),
        TrainingSettings { optimiser: OptimiserSettings::Sgd { momentum: 0.9 }, ..settings() },
        TrainingSettings { private: Some(PRIVATE), ..settings() },
    ];
    for settings in kinds {
        let [whole, parted] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut expected = Everything::new(1, 0.3);
        let outcome = run(&mut expected, &settings, &examples, whole.path()).unwrap();
        // Stopped at a checkpoint, between two, and in another epoch; each part by a model with other parameters.
        for stop_after in [2, 5, 13] {
            let mut model = Everything::new(1, 0.3);
            if stop_after > 2 {
                model.store_mut().values_mut().fill(7.0);
            }
            let part = run_until(stop_after, &mut model, &settings, &examples, parted.path());
            assert_eq!((part.ended, part.card.steps), (Ended::Stopped, stop_after));
        }
        let mut resumed = Everything::new(5, 0.3);
        let again = run(&mut resumed, &settings, &examples, parted.path()).unwrap();
        assert!(expected.store() == resumed.store(), "{settings:?}");
        for file in ["model.safetensors", "state.safetensors"] {
            let [a, b] = [&outcome, &again].map(|outcome| fs::read(outcome.checkpoint.join(file)).unwrap());
            assert!(a == b, "{file}");
        }
        let [a, b] = [&whole, &parted].map(|run| fs::read_to_string(run.path().join("metrics.jsonl")).unwrap());
        assert_eq!(a, b);
        assert_eq!(a.lines().count(), 17);
    }
}

#[test]
fn a_plain_run_without_a_seed_can_be_resumed_to_the_bit_too() {
    let (examples, directory) = (sequences(23, 3), tempfile::tempdir().unwrap());
    let settings = TrainingSettings { seed: None, ..settings() };
    let mut model = Everything::new(1, 0.3);
    let first = run_until(5, &mut model, &settings, &examples, directory.path());
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("step-000005")).unwrap();
    for file in ["model.safetensors", "state.safetensors", "card.toml"] {
        fs::copy(first.checkpoint.join(file), copy.path().join("step-000005").join(file)).unwrap();
    }
    let ends = [directory.path(), copy.path()].map(|directory| {
        let mut model = Everything::new(1, 0.3);
        run(&mut model, &settings, &examples, directory).unwrap();
        model.store().values().to_vec()
    });
    assert!(ends[0] == ends[1]);
}

#[test]
fn a_private_run_without_a_seed_never_repeats_its_noise() {
    let examples = sequences(23, 3);
    let optimiser = OptimiserSettings::Sgd { momentum: 0.0 };
    let settings = TrainingSettings { seed: None, private: Some(PRIVATE), steps: Some(1), optimiser, ..settings() };
    let ends = [(); 2].map(|()| {
        let directory = tempfile::tempdir().unwrap();
        let mut model = Everything::new(1, 0.0);
        let outcome = run(&mut model, &settings, &examples, directory.path()).unwrap();
        assert!(outcome.card.guarantee.holds());
        let state = fs::read(outcome.checkpoint.join("state.safetensors")).unwrap();
        assert!(String::from_utf8_lossy(&state).contains(r#"\"seed\":null"#));
        model.store().values().to_vec()
    });
    let same = ends[0].iter().zip(&ends[1]).filter(|(a, b)| a == b).count();
    assert!(same < ends[0].len() / 50, "{same} of {}", ends[0].len());
}

#[test]
fn a_gradient_that_is_no_number_counts_nothing_in_a_private_run_and_stops_nothing() {
    let ends = [0.0_f32, f32::NAN, f32::INFINITY].map(|bad| {
        let directory = tempfile::tempdir().unwrap();
        let mut examples = vec![vec![0.5_f32, 1.0]; 8];
        examples[3] = vec![bad; 2];
        let settings = TrainingSettings { private: Some(PRIVATE), batch: 8, tokens_at_once: 5, ..settings() };
        let mut model = Given::new(2);
        run(&mut model, &settings, &examples, directory.path()).unwrap();
        model.store().values().to_vec()
    });
    // As an example whose gradient is zero.
    assert!(ends[0] == ends[1] && ends[0] == ends[2], "{ends:?}");
}

#[test]
fn the_size_of_the_parts_of_a_batch_changes_nothing_but_rounding() {
    let examples = sequences(23, 3);
    let ends = [1, 12, 10_000].map(|tokens_at_once| {
        let directory = tempfile::tempdir().unwrap();
        let mut model = Everything::new(1, 0.0);
        run(&mut model, &TrainingSettings { tokens_at_once, ..settings() }, &examples, directory.path()).unwrap();
        model.store().values().to_vec()
    });
    for other in &ends[1..] {
        assert!(ends[0].iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4));
    }
}

#[test]
fn a_directory_with_a_run_is_not_overwritten_and_another_run_is_not_resumed() {
    let (examples, directory) = (sequences(23, 3), tempfile::tempdir().unwrap());
    run(&mut Everything::new(1, 0.0), &settings(), &examples, directory.path()).unwrap();
    let cancel = CancelToken::new();
    let again = unobserved(directory.path(), &cancel);
    let private = data(&examples, Standing::Private);
    let error = train(&mut Everything::new(1, 0.0), &settings(), private, None, again).unwrap_err();
    assert!(error.to_string().contains("has a checkpoint already; resume it, or choose another"), "{error}");
    let changed = |settings: &TrainingSettings, examples: &[Vec<u32>]| {
        run(&mut Everything::new(1, 0.0), settings, examples, directory.path()).unwrap_err().to_string()
    };
    let other = TrainingSettings { private: Some(PRIVATE), ..settings() };
    assert!(changed(&other, &examples).contains("cannot be resumed: the settings of training changed"));
    assert!(changed(&settings(), &examples[1..]).contains("cannot be resumed: the data changed"));
    let more = TrainingSettings { threads: 2, ..settings() };
    assert!(run(&mut Everything::new(1, 0.0), &more, &examples, directory.path()).is_ok());
}

#[test]
fn a_loss_that_is_no_number_stops_with_the_step_and_the_last_good_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let mut examples = vec![vec![0.5_f32, 1.0]; 8];
    examples[3][0] = f32::NAN;
    let settings = TrainingSettings { batch: 1, checkpoint_every: 1, ..settings() };
    let error = run(&mut Given::new(2), &settings, &examples, directory.path()).unwrap_err();
    let NnError::Diverged { step, checkpoint, .. } = &error else { panic!("{error}") };
    assert!((1..=8).contains(step));
    let latest = checkpoint::find(directory.path(), Pointer::Latest).unwrap();
    assert_eq!(checkpoint.clone(), latest.as_ref().map(|path| path.display().to_string()));
    // What is on the disk is good: it can be loaded, and has the steps before.
    if let Some(latest) = latest {
        checkpoint::load(&latest, Given::new(2).store_mut()).unwrap();
        assert_eq!(checkpoint::load_card(&latest).unwrap().steps, step - 1);
    }
}

#[test]
fn the_best_on_validation_data_is_kept_and_a_run_without_progress_ends() {
    let directory = tempfile::tempdir().unwrap();
    // The first parameter moves by 1 a step away from 0, where the loss is least.
    let examples = vec![vec![1.0_f32, 1.0]; 4];
    let settings = TrainingSettings {
        rate: 1.0,
        steps: Some(50),
        evaluate_every: 2,
        patience: Some(3),
        optimiser: OptimiserSettings::Sgd { momentum: 0.0 },
        schedule: Schedule::default(),
        ..settings()
    };
    let cancel = CancelToken::new();
    let place = unobserved(directory.path(), &cancel);
    let private = data(&examples, Standing::Private);
    let outcome = train(&mut Given::new(2), &settings, private.clone(), Some(private), place).unwrap();
    // Best at the first look, step 2; then three looks without a better one.
    assert_eq!((outcome.ended, outcome.card.steps), (Ended::NoProgress, 8));
    let best = checkpoint::find(directory.path(), Pointer::Best).unwrap().unwrap();
    assert!(best.ends_with("step-000002"));
    // 1 + |-2|, and at the end 1 + |-8|.
    assert_eq!((outcome.card.losses.best_validation, outcome.card.losses.validation), (Some(3.0), Some(9.0)));
}

#[test]
fn private_training_refuses_private_validation_data_and_takes_public() {
    let (examples, directory) = (sequences(23, 3), tempfile::tempdir().unwrap());
    let settings = TrainingSettings { private: Some(PRIVATE), evaluate_every: 5, ..settings() };
    let with = |standing| {
        let cancel = CancelToken::new();
        let place = unobserved(directory.path(), &cancel);
        let private = data(&examples, Standing::Private);
        train(&mut Everything::new(1, 0.0), &settings, private, Some(data(&examples[..3], standing)), place)
    };
    let error = with(Standing::Private).unwrap_err().to_string();
    assert!(error.contains("private validation data") && error.contains("declare the validation data public"));
    let card = with(Standing::Public).unwrap().card;
    assert!(card.losses.validation.is_some());
    // The best checkpoint was chosen among all: it costs as much as the last.
    let best = checkpoint::find(directory.path(), Pointer::Best).unwrap().unwrap();
    assert_eq!(checkpoint::load_card(&best).unwrap().guarantee, card.guarantee);
}

#[test]
fn nothing_exact_is_told_about_a_private_run_unless_its_owner_asks() {
    let examples = sequences(23, 3);
    for owner_only in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let private = PrivateSettings { owner_only, ..PRIVATE };
        let settings = TrainingSettings { private: Some(private), seed: None, ..settings() };
        let (cancel, reported) = (CancelToken::new(), Reported::default());
        let place = Run { observer: &reported, ..unobserved(directory.path(), &cancel) };
        let model = &mut Everything::new(1, 0.0);
        let outcome = train(model, &settings, data(&examples, Standing::Private), None, place).unwrap();
        let told = reported.0.into_inner().unwrap();
        // An empty batch has no loss, whoever asks.
        assert_eq!(told.iter().any(|(loss, _)| loss.is_some()), owner_only);
        assert!(told.iter().all(|(_, speed)| speed.is_some() == owner_only));
        let metrics = fs::read_to_string(directory.path().join("metrics.jsonl")).unwrap();
        assert_eq!(metrics.contains("loss"), owner_only);
        assert_eq!(outcome.card.losses.training.is_some(), owner_only);
        let note = outcome.card.losses.note.unwrap();
        assert!(note.contains(if owner_only { "owner of the examples only" } else { "private and not recorded" }));
    }
}

#[test]
fn a_card_tells_what_is_promised() {
    let examples = sequences(23, 3);
    let promised = |settings: &TrainingSettings| {
        let directory = tempfile::tempdir().unwrap();
        let outcome = run(&mut Everything::new(1, 0.0), settings, &examples, directory.path()).unwrap();
        assert_eq!(outcome.card, checkpoint::load_card(&outcome.checkpoint).unwrap());
        outcome.card.guarantee
    };
    assert_eq!(promised(&settings()), Protection::Unprotected);
    let private = TrainingSettings { private: Some(PRIVATE), seed: None, ..settings() };
    let Protection::Differential(promise) = promised(&private) else { panic!("no promise") };
    assert!(promise.epsilon_add_remove > 0.0 && promise.epsilon_replace_one > promise.epsilon_add_remove);
    assert!(promise.void.is_empty() && promise.rate >= 4.0 / 23.0);
    let seeded = promised(&TrainingSettings { private: Some(PRIVATE), ..settings() });
    assert!(!seeded.holds());
}

#[test]
fn a_price_that_cannot_be_computed_is_refused_before_any_step() {
    let directory = tempfile::tempdir().unwrap();
    let private = PrivateSettings { noise: 0.001, ..PRIVATE };
    let settings = TrainingSettings { private: Some(private), ..settings() };
    let error = run(&mut Everything::new(1, 0.0), &settings, &sequences(23, 3), directory.path()).unwrap_err();
    assert!(error.to_string().contains("`noise` is 0.001"), "{error}");
    assert!(!directory.path().join("metrics.jsonl").exists());
}

#[test]
fn an_example_that_does_not_fit_is_an_error_that_names_the_layer() {
    let directory = tempfile::tempdir().unwrap();
    let error = run(&mut Everything::new(1, 0.0), &settings(), &vec![vec![99]; 9], directory.path()).unwrap_err();
    assert_eq!(error.to_string(), "layer `embedding`: token 99 is outside the vocabulary of 11");
}

/// A model that cancels the run while it computes the losses or the validation of a step.
struct CancelWithin<'a> {
    inner: Everything,
    cancel: &'a CancelToken,
    in_losses: bool,
    /// Calls that are left before it cancels.
    calls: std::cell::Cell<usize>,
}

impl CancelWithin<'_> {
    fn count(&self, counts: bool) {
        if counts {
            self.calls.set(self.calls.get().saturating_sub(1));
            if self.calls.get() == 0 {
                self.cancel.cancel();
            }
        }
    }
}

impl Model for CancelWithin<'_> {
    type Example = <Everything as Model>::Example;

    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn settings(&self) -> toml::Table {
        self.inner.settings()
    }

    fn store(&self) -> &Store<f32> {
        self.inner.store()
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        self.inner.store_mut()
    }

    fn length(example: &Self::Example) -> usize {
        Everything::length(example)
    }

    fn losses(
        &self,
        batch: &[&Self::Example],
        gradients: &mut Gradients<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Vec<f64>, NnError> {
        self.count(self.in_losses);
        self.inner.losses(batch, gradients, rng)
    }

    fn evaluate(&self, batch: &[&Self::Example], threads: usize) -> Result<Vec<f64>, NnError> {
        self.count(!self.in_losses);
        self.inner.evaluate(batch, threads)
    }
}

#[test]
fn a_step_or_a_validation_that_is_cancelled_halfway_is_made_again() {
    let examples = sequences(23, 3);
    let (public, whole) = (data(&examples, Standing::Public), tempfile::tempdir().unwrap());
    let settings = TrainingSettings { evaluate_every: 5, ..settings() };
    let train_in = |model: &mut Everything, directory: &Path| {
        let cancel = CancelToken::new();
        let run = Run { resume: true, ..unobserved(directory, &cancel) };
        train(model, &settings, public.clone(), Some(public.clone()), run).unwrap()
    };
    let mut expected = Everything::new(1, 0.3);
    let outcome = train_in(&mut expected, whole.path());
    // A step has several parts of at most 12 tokens, and so has the validation: each is cancelled after one of them.
    for (in_losses, calls) in [(true, 1), (true, 9), (false, 1), (false, 12)] {
        let (directory, cancel) = (tempfile::tempdir().unwrap(), CancelToken::new());
        let calls = std::cell::Cell::new(calls);
        let mut model = CancelWithin { inner: Everything::new(1, 0.3), cancel: &cancel, in_losses, calls };
        let run = unobserved(directory.path(), &cancel);
        let part = train(&mut model, &settings, public.clone(), Some(public.clone()), run).unwrap();
        assert_eq!(part.ended, Ended::Stopped);
        let mut resumed = Everything::new(5, 0.3);
        let again = train_in(&mut resumed, directory.path());
        assert!(expected.store() == resumed.store(), "in losses: {in_losses}");
        assert_eq!(again.card.losses.best_validation, outcome.card.losses.best_validation);
        let best = |directory: &Path| checkpoint::find(directory, Pointer::Best).unwrap().unwrap();
        assert_eq!(best(directory.path()).file_name(), best(whole.path()).file_name());
    }
}
