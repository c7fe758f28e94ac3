//! The loop itself: steps until the end, cancellation, or no more progress.

use super::account::protection;
use super::metrics::{Clock, Metrics};
use super::model::{Model, Opened};
use super::resume::{Place, restore};
use super::run::{Ended, Outcome, Run};
use super::settings::{Plan, TrainingSettings};
use super::step::{self, Step};
use crate::card::{Card, Losses};
use crate::checkpoint::disk::Disk;
use crate::checkpoint::{self, Contents, Pointer};
use crate::error::NnError;
use crate::optimiser::{Optimiser, PrivateStep};
use crate::sampling::Epochs;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_text::{CancelToken, Event, Progress, TrainingDetails, Unit};
use std::path::PathBuf;

/// A run that goes on.
pub(super) struct Trainer<'a, M: Model> {
    disk: &'a dyn Disk,
    model: &'a mut M,
    settings: &'a TrainingSettings,
    plan: Plan,
    training: Opened<'a, M::Example>,
    validation: Option<Opened<'a, M::Example>>,
    directory: PathBuf,
    earlier_steps: u64,
    optimiser: Optimiser,
    entropy: Entropy,
    private: Option<PrivateStep>,
    epochs: Epochs,
    order: Option<(u64, Vec<Vec<usize>>)>,
    place: Place,
    saved: Option<(PathBuf, Card)>,
    metrics: Metrics,
}

impl<'a, M: Model> Trainer<'a, M> {
    pub(super) fn new(
        disk: &'a dyn Disk,
        model: &'a mut M,
        settings: &'a TrainingSettings,
        plan: Plan,
        training: Opened<'a, M::Example>,
        validation: Option<Opened<'a, M::Example>>,
        run: &Run<'_>,
    ) -> Result<Self, NnError> {
        let &Run { directory, resume, earlier_steps, .. } = run;
        let parameters = model.store().values().len();
        let mut optimiser = Optimiser::new(settings.optimiser, parameters)?;
        let found = checkpoint::find(directory, Pointer::Latest)?;
        let (place, saved) = match found {
            Some(path) if resume => {
                let (place, card) = restore(&path, model, &mut optimiser, settings, &training)?;
                (place, Some((path, card)))
            }
            Some(path) => {
                return Err(NnError::Refused {
                    what: format!("`{}` has a checkpoint already", path.display()),
                    hint: "resume it, or choose another directory",
                });
            }
            None => (Place::default(), None),
        };
        let key = |place: &Place| Entropy::of_seed(settings.seed.or(place.seed));
        let mut place = place;
        let private = match settings.private {
            Some(private) => Some(PrivateStep::new(private, settings.batch as f64, key(&place)?, place.step)?),
            None => {
                // Nothing of a plain run is secret; with its seed it can be resumed to the bit.
                place.seed = Some(settings.seed.or(place.seed).map_or_else(new_seed, Ok)?);
                None
            }
        };
        let entropy = key(&place)?;
        let epochs = Epochs::new(training.examples.iter().map(M::length).collect(), settings.batch)?;
        std::fs::create_dir_all(directory).map_err(NnError::file(directory))?;
        let metrics = Metrics::open(directory, place.step)?;
        Ok(Self {
            disk,
            model,
            settings,
            plan,
            training,
            validation,
            directory: directory.to_owned(),
            earlier_steps,
            optimiser,
            entropy,
            private,
            epochs,
            order: None,
            place,
            saved,
            metrics,
        })
    }

    pub(super) fn steps(mut self, run: &Run<'_>) -> Result<Outcome, NnError> {
        let ended = match self.until_the_end(run) {
            Ok(ended) => ended,
            Err(NnError::Cancelled(_)) => Ended::Stopped,
            Err(error) => return Err(error),
        };
        let (checkpoint, card) = match self.saved.take() {
            Some((path, card)) if card.steps == self.place.step && !self.place.validation_due => (path, card),
            _ => self.save()?,
        };
        Ok(Outcome { ended, checkpoint, card })
    }

    fn until_the_end(&mut self, run: &Run<'_>) -> Result<Ended, NnError> {
        let mut clock = Clock::start();
        if self.place.validation_due {
            let (_, best) = self.validate(run.cancel)?;
            self.keep(best)?;
        }
        while self.place.step < self.plan.steps {
            run.cancel.check()?;
            if self.settings.patience.is_some_and(|patience| self.place.waited >= patience) {
                return Ok(Ended::NoProgress);
            }
            let rate = self.settings.rate * self.settings.schedule.factor(self.place.step, self.plan.steps);
            let step = self.step(rate, run.cancel)?;
            let looked = self.validate(run.cancel);
            let (validation, best) = *looked.as_ref().unwrap_or(&(None, false));
            let (speed, left) = clock.tick(step.tokens, self.plan.steps - self.place.step);
            let details = TrainingDetails {
                epoch: self.place.step.div_ceil(self.plan.steps_per_epoch),
                rate,
                loss: step.loss.filter(|_| self.may_tell()),
                validation,
                tokens_per_second: self.may_tell().then_some(speed),
                left,
            };
            self.metrics.write(self.place.step, &details)?;
            run.observer.event(&Event::Progress(Progress {
                stage: run.stage,
                done: self.place.step,
                total: Some(self.plan.steps),
                unit: Unit::Steps,
                records: None,
                training: Some(details),
            }));
            looked?;
            self.keep(best)?;
        }
        Ok(Ended::Finished)
    }

    /// Saves the state, if it is the best so far or if it is time.
    fn keep(&mut self, best: bool) -> Result<(), NnError> {
        if best || self.place.step.is_multiple_of(self.settings.checkpoint_every) {
            self.saved = Some(self.save()?);
        }
        if best {
            checkpoint::point(self.disk, &self.directory, Pointer::Best, self.place.step)?;
        }
        Ok(())
    }

    /// Whether exact numbers about the training examples may be told.
    fn may_tell(&self) -> bool {
        self.settings.private.is_none_or(|private| private.owner_only)
    }

    fn step(&mut self, rate: f64, cancel: &CancelToken) -> Result<Step, NnError> {
        let number = self.place.step;
        let batch = self.batch(number);
        let mut rng: PrivacyRng = self.entropy.stream(Purpose::Training, number);
        let (examples, private) = (self.training.examples, self.private.as_mut());
        let step = step::compute(&*self.model, self.settings, examples, &batch, private, (&mut rng, cancel))?;
        let diverged = |what| NnError::Diverged {
            what,
            step: number + 1,
            checkpoint: self.saved.as_ref().map(|(path, _)| path.display().to_string()),
        };
        // Whether a private run stops must not depend on an exact loss.
        if self.private.is_none() && step.loss.is_none_or(|loss| !loss.is_finite()) {
            return Err(diverged("the loss"));
        }
        if !step.norm.is_finite() {
            return Err(diverged("the gradient"));
        }
        self.optimiser.step(self.model.store_mut().values_mut(), &step.gradients, rate, self.settings.threads);
        self.place.step += 1;
        if self.may_tell() {
            let (sum, count) = self.place.losses;
            let loss = step.loss.filter(|loss| loss.is_finite());
            self.place.losses =
                ((f64::from_bits(sum) + loss.unwrap_or(0.0)).to_bits(), count + u64::from(loss.is_some()));
        }
        Ok(step)
    }

    fn batch(&mut self, number: u64) -> Vec<usize> {
        if let Some(sampling) = self.plan.sampling {
            return sampling.draw(&self.entropy, number);
        }
        let (epoch, place) = (number / self.plan.steps_per_epoch, (number % self.plan.steps_per_epoch) as usize);
        if self.order.as_ref().is_none_or(|(of, _)| *of != epoch) {
            self.order = Some((epoch, self.epochs.order(&self.entropy, epoch)));
        }
        self.order.as_ref().map(|(_, batches)| batches[place].clone()).unwrap_or_default()
    }

    /// Evaluates the validation data, if it is time; also returns whether the loss is the best so far.
    fn validate(&mut self, cancel: &CancelToken) -> Result<(Option<f64>, bool), NnError> {
        let Some(data) = self.validation else { return Ok((None, false)) };
        let (step, last) = (self.place.step, self.place.step == self.plan.steps);
        if !step.is_multiple_of(self.settings.evaluate_every) && !last {
            return Ok((None, false));
        }
        self.place.validation_due = true;
        let loss = step::evaluate(&*self.model, self.settings, data.examples, cancel)?;
        self.place.validation_due = false;
        self.place.validation = Some(loss.to_bits());
        let best = self.place.best.is_none_or(|best| loss < f64::from_bits(best));
        if best {
            (self.place.best, self.place.waited) = (Some(loss.to_bits()), 0);
        } else {
            self.place.waited += 1;
        }
        Ok((Some(loss), best))
    }

    fn save(&mut self) -> Result<(PathBuf, Card), NnError> {
        self.metrics.flush()?;
        if let Some(place) = self.model.store().values().iter().position(|value| !value.is_finite()) {
            let what = format!("parameter `{}`", self.model.store().name_at(place));
            return Err(NnError::NotFinite { what, place: format!("step {}", self.place.step) });
        }
        let card = self.card()?;
        self.place.losses = (0, 0);
        let run = serde_json::to_string(&self.place).unwrap_or_default();
        let contents = Contents { store: self.model.store(), memory: self.optimiser.memory(), run, card: &card };
        let path = checkpoint::save(self.disk, &self.directory, self.place.step, contents)?;
        checkpoint::prune(&self.directory, self.settings.keep);
        Ok((path, card))
    }

    fn card(&self) -> Result<Card, NnError> {
        let (sum, count) = self.place.losses;
        let training = (count > 0).then(|| f64::from_bits(sum) / count as f64);
        let note = match self.settings.private {
            None => None,
            Some(private) if private.owner_only => Some("exact, and for the owner of the examples only"),
            Some(_) => Some("the training loss is exact, so it is private and not recorded"),
        };
        let private = self.settings.private.as_ref().zip(self.plan.sampling);
        // Where validation chooses the checkpoint or the end, all steps that could have been made had a say.
        let counted = if self.validation.is_some() { self.plan.steps } else { self.place.step } + self.earlier_steps;
        Ok(Card {
            version: Card::VERSION,
            kind: self.model.kind().to_owned(),
            steps: self.place.step,
            planned_steps: self.plan.steps,
            data: self.training.fingerprint.to_owned(),
            examples: self.training.examples.len(),
            standing: self.training.standing,
            guarantee: protection(self.training.standing, private, counted, self.settings.seed.is_some())?,
            losses: Losses {
                training,
                validation: self.place.validation.map(f64::from_bits),
                best_validation: self.place.best.map(f64::from_bits),
                note: note.map(str::to_owned),
            },
            training: self.settings.clone(),
            model: self.model.settings(),
        })
    }
}

/// A seed that a card can hold.
fn new_seed() -> Result<u64, NnError> {
    Ok(PrivacyRng::from_os()?.bits() >> 1)
}
