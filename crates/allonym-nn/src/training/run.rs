//! A run: steps until the end, the stop flag, or no more progress.

use super::account::protection;
use super::metrics::{Clock, Metrics, Progress};
use super::model::{Data, Model, Standing};
use super::settings::{Plan, TrainingSettings};
use super::step::{self, Step};
use crate::card::{Card, Losses};
use crate::checkpoint::disk::{Disk, Machine};
use crate::checkpoint::{self, Contents, Pointer};
use crate::error::NnError;
use crate::optimiser::{Optimiser, PrivateStep};
use crate::sampling::Epochs;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a run is kept, and who watches it.
pub struct Run<'a> {
    /// The directory of its checkpoints and metrics.
    pub directory: &'a Path,
    /// Whether to go on from the last checkpoint in it, if there is one. Without this, a directory with checkpoints is refused.
    pub resume: bool,
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
    let plan = settings.plan(training.examples.len())?;
    let validation = validation.filter(|data| !data.examples.is_empty());
    if settings.private.is_some() && validation.is_some_and(|data| data.standing == Standing::Private) {
        return Err(NnError::Refused {
            what: "private training cannot be steered by private validation data: its loss is exact".into(),
            hint: "declare the validation data public if it is, or train without it and evaluate on the owner's machine",
        });
    }
    if settings.patience.is_some() && validation.is_none() {
        let value = "given without validation data".into();
        return Err(NnError::Setting { setting: "patience", value, allowed: "left out" });
    }
    let mut trainer = Trainer::new(disk, model, settings, plan, training, validation, &run)?;
    trainer.steps(run)
}

/// Where a run is, to the bit. Losses are kept as the bits of floats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    step: u64,
    /// The seed of a plain run, also where it was made up. A private run writes down none.
    seed: Option<u64>,
    /// The sum and number of the losses since the last checkpoint; none in a private run.
    losses: (u64, u64),
    validation: Option<u64>,
    best: Option<u64>,
    /// Looks at the validation data since the best.
    waited: u64,
}

struct Trainer<'a, M: Model> {
    disk: &'a dyn Disk,
    model: &'a mut M,
    settings: &'a TrainingSettings,
    plan: Plan,
    training: Data<'a, M::Example>,
    validation: Option<Data<'a, M::Example>>,
    directory: PathBuf,
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
    fn new(
        disk: &'a dyn Disk,
        model: &'a mut M,
        settings: &'a TrainingSettings,
        plan: Plan,
        training: Data<'a, M::Example>,
        validation: Option<Data<'a, M::Example>>,
        run: &Run<'_>,
    ) -> Result<Self, NnError> {
        let parameters = model.store().values().len();
        let mut optimiser = Optimiser::new(settings.optimiser, parameters)?;
        let found = checkpoint::find(run.directory, Pointer::Latest)?;
        let (place, saved) = match found {
            Some(path) if run.resume => {
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
        let key = |place: &Place| match settings.seed.or(place.seed) {
            Some(seed) => Ok(Entropy::reproducible(seed)),
            None => Entropy::from_os(),
        };
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
        std::fs::create_dir_all(run.directory).map_err(NnError::file(run.directory))?;
        let metrics = Metrics::open(run.directory, place.step)?;
        let directory = run.directory.to_owned();
        Ok(Self {
            disk,
            model,
            settings,
            plan,
            training,
            validation,
            directory,
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

    fn steps(&mut self, run: Run<'_>) -> Result<Outcome, NnError> {
        let mut clock = Clock::start();
        let mut ended = Ended::Finished;
        while self.place.step < self.plan.steps {
            if run.stop.load(Ordering::Relaxed) {
                ended = Ended::Stopped;
                break;
            }
            if self.settings.patience.is_some_and(|patience| self.place.waited >= patience) {
                ended = Ended::NoProgress;
                break;
            }
            let rate = self.settings.rate * self.settings.schedule.factor(self.place.step, self.plan.steps);
            let step = self.step(rate)?;
            let validation = self.validate()?;
            let (speed, left) = clock.tick(step.tokens, self.plan.steps - self.place.step);
            let progress = Progress {
                step: self.place.step,
                steps: self.plan.steps,
                epoch: self.place.step.div_ceil(self.plan.steps_per_epoch),
                rate,
                loss: step.loss.filter(|_| self.may_tell()),
                validation,
                tokens_per_second: self.may_tell().then_some(speed),
                left,
            };
            self.metrics.write(&progress)?;
            (run.progress)(&progress);
            if self.place.step.is_multiple_of(self.settings.checkpoint_every) {
                self.save()?;
            }
        }
        if self.saved.as_ref().is_none_or(|(_, card)| card.steps != self.place.step) {
            self.save()?;
        }
        let Some((checkpoint, card)) = self.saved.clone() else { unreachable!("a checkpoint was written above") };
        Ok(Outcome { ended, checkpoint, card })
    }

    /// Whether exact numbers about the training examples may be told.
    fn may_tell(&self) -> bool {
        self.settings.private.is_none_or(|private| private.owner_only)
    }

    fn step(&mut self, rate: f64) -> Result<Step, NnError> {
        let number = self.place.step;
        let batch = self.batch(number);
        let mut rng: PrivacyRng = self.entropy.stream(Purpose::Training, number);
        let (examples, private) = (self.training.examples, self.private.as_mut());
        let step = step::compute(&*self.model, self.settings, examples, &batch, private, &mut rng)?;
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

    /// Looks at the validation data, if it is time.
    fn validate(&mut self) -> Result<Option<f64>, NnError> {
        let Some(data) = self.validation else { return Ok(None) };
        let (step, last) = (self.place.step, self.place.step == self.plan.steps);
        if !step.is_multiple_of(self.settings.evaluate_every) && !last {
            return Ok(None);
        }
        let loss = step::evaluate(&*self.model, self.settings, data.examples)?;
        self.place.validation = Some(loss.to_bits());
        if self.place.best.is_none_or(|best| loss < f64::from_bits(best)) {
            (self.place.best, self.place.waited) = (Some(loss.to_bits()), 0);
            self.save()?;
            checkpoint::point(self.disk, &self.directory, Pointer::Best, step)?;
        } else {
            self.place.waited += 1;
        }
        Ok(Some(loss))
    }

    fn save(&mut self) -> Result<(), NnError> {
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
        self.saved = Some((path, card));
        Ok(())
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
        Ok(Card {
            version: Card::VERSION,
            kind: self.model.kind().to_owned(),
            steps: self.place.step,
            planned_steps: self.plan.steps,
            data: self.training.fingerprint.to_owned(),
            examples: self.training.examples.len(),
            standing: self.training.standing,
            guarantee: protection(self.training.standing, private, self.place.step, self.settings.seed.is_some())?,
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

fn restore<M: Model>(
    path: &Path,
    model: &mut M,
    optimiser: &mut Optimiser,
    settings: &TrainingSettings,
    training: &Data<'_, M::Example>,
) -> Result<(Place, Card), NnError> {
    let card = checkpoint::load_card(path)?;
    let same = [
        ("the kind of model", card.kind == model.kind()),
        ("the model's settings", card.model == model.settings()),
        ("the data", card.data == training.fingerprint && card.examples == training.examples.len()),
        ("whether the data is public", card.standing == training.standing),
        ("the settings of training", settings.continues(&card.training)),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(NnError::Refused {
            what: format!("`{}` cannot be resumed: {what} changed", path.display()),
            hint: "start in another directory",
        });
    }
    let names: Vec<&str> = optimiser.memory().iter().map(|(name, _)| *name).collect();
    let state = checkpoint::load_state(path, &names, model.store().values().len())?;
    let place: Place =
        serde_json::from_str(&state.run).map_err(|_| NnError::broken(path, "does not say where its run was"))?;
    if place.step != card.steps {
        return Err(NnError::broken(path, "has a card and a state of different steps"));
    }
    checkpoint::load(path, model.store_mut())?;
    optimiser.restore(place.step, &state.memory);
    Ok((place, card))
}
