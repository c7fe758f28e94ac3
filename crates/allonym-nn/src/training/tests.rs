//! A run whose disk fills up.

use super::run::train_on;
use super::*;
use crate::checkpoint::disk::{Disk, Full, Machine};
use crate::{Gradients, Matrix, NnError, Rows, Store};
use allonym_dp::PrivacyRng;
use allonym_text::{Activity, CancelToken, Private, Silent, Stage};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

/// One weight, pulled towards each example.
struct Pull(Store<f32>);

impl Pull {
    fn new() -> Self {
        let mut store = Store::new();
        store.add("pull", 1, 1, 0.0, &mut PrivacyRng::reproducible(0)).unwrap();
        Self(store)
    }
}

impl Model for Pull {
    type Example = f32;

    fn kind(&self) -> &'static str {
        "pull"
    }

    fn settings(&self) -> toml::Table {
        toml::Table::new()
    }

    fn store(&self) -> &Store<f32> {
        &self.0
    }

    fn store_mut(&mut self) -> &mut Store<f32> {
        &mut self.0
    }

    fn length(_: &f32) -> usize {
        1
    }

    fn losses(&self, batch: &[&f32], gradients: &mut Gradients<f32>, _: &mut PrivacyRng) -> Result<Vec<f64>, NnError> {
        let (_, slot) = self.0.parameters().next().unwrap();
        let back = Matrix::of(batch.len(), 1, batch.iter().map(|to| self.0.values()[0] - **to).collect());
        let ones = Arc::new(Matrix::of(batch.len(), 1, vec![1.0; batch.len()]));
        gradients.weight(slot, None, Arc::new(back), &ones, &Rows::Examples(batch.len()));
        self.evaluate(batch, 1)
    }

    fn evaluate(&self, batch: &[&f32], _: usize) -> Result<Vec<f64>, NnError> {
        Ok(batch.iter().map(|to| 0.5 * f64::from(self.0.values()[0] - **to).powi(2)).collect())
    }
}

fn run(disk: &dyn Disk, model: &mut Pull, directory: &Path) -> Result<Outcome, NnError> {
    let settings = TrainingSettings {
        steps: Some(9),
        batch: 2,
        checkpoint_every: 2,
        seed: Some(1),
        ..TrainingSettings::default()
    };
    let examples = [1.0, 2.0, 3.0, 4.0, 5.0];
    let data = Data { examples: Examples::Private(Private::new(&examples)), fingerprint: "five" };
    let run = Run {
        directory,
        resume: true,
        earlier_steps: 0,
        stage: Stage { activity: Activity::Training, label: "test" },
        observer: &Silent,
        cancel: &CancelToken::new(),
    };
    train_on(disk, model, &settings, data, None, run)
}

#[test]
fn a_run_whose_disk_fills_up_goes_on_from_its_last_checkpoint_when_there_is_room() {
    let whole = tempfile::tempdir().unwrap();
    let mut expected = Pull::new();
    let all = Full { left: Cell::new(usize::MAX) };
    run(&all, &mut expected, whole.path()).unwrap();
    let needed = usize::MAX - all.left.get();
    for room in (0..needed).step_by(needed / 11) {
        let directory = tempfile::tempdir().unwrap();
        let error = run(&Full { left: Cell::new(room) }, &mut Pull::new(), directory.path()).unwrap_err();
        assert!(matches!(error, NnError::File { .. }), "{error}");
        let mut model = Pull::new();
        run(&Machine, &mut model, directory.path()).unwrap();
        assert_eq!(model.0, expected.0, "{room} bytes of {needed}");
    }
}
