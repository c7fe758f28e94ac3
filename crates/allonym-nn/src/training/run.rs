//! A run: what it is given, what it refuses, what it leaves.

use super::account::protection;
use super::metrics::Progress;
use super::model::{Data, Model, Standing};
use super::settings::TrainingSettings;
use super::trainer::Trainer;
use crate::card::Card;
use crate::checkpoint::disk::{Disk, Machine};
use crate::error::NnError;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Where a run is kept, and who watches it.
pub struct Run<'a> {
    /// The directory of its checkpoints and metrics.
    pub directory: &'a Path,
    /// Whether to go on from the last checkpoint in it, if there is one. Without this, a directory with checkpoints is refused.
    pub resume: bool,
    /// Steps of earlier runs that were made on the same examples by the same private settings: their price is part of this run's.
    pub earlier_steps: u64,
    /// Set from outside to stop after the step that is being made. A checkpoint is written.
    pub stop: &'a AtomicBool,
    /// Called after every step.
    pub progress: &'a mut dyn FnMut(&Progress),
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All steps were made.
    Finished,
    /// The stop flag was set.
    Stopped,
    /// The validation loss had not become better for long enough.
    NoProgress,
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub ended: Ended,
    /// Its last checkpoint.
    pub checkpoint: PathBuf,
    /// The card of the last checkpoint.
    pub card: Card,
}

/// Trains a model.
///
/// # Errors
/// When settings or data are refused, a file cannot be read or written, or the run diverges.
pub fn train<M: Model>(
    model: &mut M,
    settings: &TrainingSettings,
    training: Data<'_, M::Example>,
    validation: Option<Data<'_, M::Example>>,
    run: Run<'_>,
) -> Result<Outcome, NnError> {
    train_on(&Machine, model, settings, training, validation, run)
}

pub(super) fn train_on<M: Model>(
    disk: &dyn Disk,
    model: &mut M,
    settings: &TrainingSettings,
    training: Data<'_, M::Example>,
    validation: Option<Data<'_, M::Example>>,
    run: Run<'_>,
) -> Result<Outcome, NnError> {
    let Run { directory, resume, earlier_steps, stop, progress } = run;
    let steered = |data: &Data<'_, M::Example>| data.examples.standing() == Standing::Private;
    if settings.private.is_some() && validation.as_ref().is_some_and(steered) {
        return Err(NnError::Refused {
            what: "private training cannot be steered by private validation data: its loss is exact".into(),
            hint: "declare the validation data public if it is, or train without it and evaluate on the owner's machine",
        });
    }
    let training = training.open(settings.private.as_ref().is_some_and(|private| private.unprotected().is_none()));
    // Validation data has no noise: what is private here was refused above wherever noise protects.
    let validation = validation.map(|data| data.open(false)).filter(|data| !data.examples.is_empty());
    let plan = settings.plan(training.examples.len())?;
    if settings.patience.is_some() && validation.is_none() {
        let value = "given without validation data".into();
        return Err(NnError::Setting { setting: "patience", value, allowed: "left out" });
    }
    // A price that cannot be computed is found now, and not with the first checkpoint.
    let private = settings.private.as_ref().zip(plan.sampling);
    protection(training.standing, private, plan.steps.saturating_add(earlier_steps), settings.seed.is_some())?;
    Trainer::new(disk, model, settings, plan, training, validation, (directory, resume, earlier_steps))?
        .steps(stop, progress)
}
