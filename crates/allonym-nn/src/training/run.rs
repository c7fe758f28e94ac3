//! A run: what it is given, what it refuses, what it leaves.

use super::account::protection;
use super::model::{Data, Model, Standing};
use super::settings::TrainingSettings;
use super::trainer::Trainer;
use crate::card::Card;
use crate::checkpoint::disk::{Disk, Machine};
use crate::error::NnError;
use allonym_text::{CancelToken, Observer, Stage};
use std::path::{Path, PathBuf};

/// Where a run is kept, and who watches it.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The directory of its checkpoints and metrics.
    pub directory: &'a Path,
    /// Whether to go on from the last checkpoint in it, if there is one. Without this, a directory with checkpoints is refused.
    pub resume: bool,
    /// Steps of earlier runs that were made on the same examples by the same private settings: their price is part of this run's.
    pub earlier_steps: u64,
    /// The stage that events name.
    pub stage: Stage<'a>,
    /// Receives an event after every step.
    pub observer: &'a dyn Observer,
    /// Stops the run. The step in progress is discarded, and a checkpoint is written.
    pub cancel: &'a CancelToken,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All steps were made.
    Finished,
    /// It was cancelled.
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
    protection(training.standing, private, plan.steps.saturating_add(run.earlier_steps), settings.seed.is_some())?;
    Trainer::new(disk, model, settings, plan, training, validation, &run)?.steps(&run)
}
