//! One stage of a training run, in a directory of its own.

use super::basis::{Basis, Prepared};
use super::directory::chosen;
use crate::failure::Failure;
use crate::spending::Accounting;
use allonym_nn::Card;
use allonym_nn::training::{Ended, Model, Run, TrainingSettings, train};
use allonym_text::{Activity, CancelToken, Observer};

/// What is trained, and how.
pub(super) struct Stage<'a> {
    pub(super) basis: &'a Basis,
    /// The name of its directory, and what people are told.
    pub(super) name: &'a str,
    pub(super) plan: &'a TrainingSettings,
    /// Steps of the stages before it, which are paid for too.
    pub(super) earlier_steps: u64,
    pub(super) cancel: &'a CancelToken,
    /// Where the loss of the records is accounted for: nothing is trained without it.
    pub(super) accounting: &'a Accounting,
}

impl Stage<'_> {
    /// Trains a model: to the end, and then it is the state that validation chose; or until it is stopped. Returns its card, and whether it was stopped.
    pub(super) fn train<M: Model>(
        &self,
        model: &mut M,
        prepared: &Prepared<M::Example>,
        observer: &dyn Observer,
    ) -> Result<(Card, bool), Failure> {
        let directory = self.basis.out.join("training").join(self.name);
        let run = Run {
            directory: &directory,
            resume: self.basis.resume,
            earlier_steps: self.earlier_steps,
            stage: allonym_text::Stage { activity: Activity::Training, label: self.name },
            observer,
            cancel: self.cancel,
        };
        let trained = train(model, self.plan, prepared.data(&prepared.training), prepared.validation(), run);
        let outcome = trained.map_err(|error| self.accounting.told(error.into()))?;
        if outcome.ended == Ended::Stopped {
            return Ok((outcome.card, true));
        }
        Ok((self.basis.in_words(chosen(&directory, model, outcome.card)?), false))
    }
}
