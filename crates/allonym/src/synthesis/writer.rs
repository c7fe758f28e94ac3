//! What learns from the texts of a label and then writes.

use super::plan::Planned;
use super::settings::{Method, SynthesisSettings};
use super::statement::up;
use super::unigram::Unigram;
use crate::failure::Failure;
use crate::method::{OpenModel, Trained};
use crate::spending::Accounting;
use crate::training::WITHHELD;
use allonym_dp::PrivacyRng;
use allonym_models::language_model::{LanguageModel, Text};
use allonym_models::seeded::{Seeded, SeededSettings};
use allonym_models::tuned::{Tilt, Tuned, TunedSettings};
use allonym_models::{Sampling, Written};
use allonym_nn::NnError;
use allonym_nn::Protection;
use allonym_nn::training::{Data, Ended, Examples, Model, Run, train};
use allonym_text::vocabulary::START;
use allonym_text::{CancelToken, Event, Observer, Private, Progress, Stage, Unit, Vocabulary};
use std::path::Path;
use std::sync::Arc;

/// Texts that are written between two reports of progress: whole groups for two threads.
const AT_ONCE: usize = 128;

/// What is public: the language model, or for a model from nothing the words alone.
pub(super) enum Public {
    /// With what its card says of those it was trained on, unless all of that was public.
    Language(Arc<LanguageModel>, Option<String>),
    Words(Arc<Vocabulary>),
}

/// What was learned of a label's words, once, before training.
pub(super) enum Words {
    /// Nothing.
    None,
    /// How the public model is tilted.
    Tilt(Tilt),
    /// By what chances a text begins with a seed.
    Seeds(Unigram),
}

/// A model of one label.
pub(super) enum Writer {
    Tuned(Box<Tuned>),
    Seeded(Box<Seeded>, Option<Unigram>),
}

impl Public {
    pub(super) fn open(settings: &SynthesisSettings) -> Result<Self, Failure> {
        Ok(match settings.method {
            Method::Tuned => Self::language(settings.model.as_deref())?,
            Method::Unigram => Self::language(None)?,
            Method::Lstm => {
                let all = Vocabulary::english(Vocabulary::english_size())?;
                Self::Words(Arc::new(all.truncated(settings.lstm_words)?))
            }
        })
    }

    /// The language model of a directory, or the program's own.
    fn language(directory: Option<&Path>) -> Result<Self, Failure> {
        let open = directory.map_or_else(OpenModel::bundled, |directory| OpenModel::open(directory, false))?;
        let Trained::Fluent(model) = open.model else {
            let message = format!("the model is of the kind `{}`, which cannot be tuned", open.card.kind);
            return Err(Failure::new(message, "give one that `allonym train fluent` wrote"));
        };
        let paid = match open.card.guarantee {
            Protection::Differential(paid) => Some(format!(
                "records that the language model was trained on pay for that apart: epsilon {} if one is added or removed, delta {:e} (its card)",
                up(paid.epsilon_add_remove),
                paid.delta
            )),
            Protection::Public | Protection::Unprotected => None,
        };
        Ok(Self::Language(Arc::new(model.language), paid))
    }

    /// What those pay on whom the public model was trained.
    pub(super) fn paid_before(&self) -> Option<&str> {
        match self {
            Self::Language(_, paid) => paid.as_deref(),
            Self::Words(_) => None,
        }
    }

    pub(super) fn vocabulary(&self) -> &Vocabulary {
        match self {
            Self::Language(language, _) => language.vocabulary(),
            Self::Words(words) => words,
        }
    }

    /// A model of a label that has learned no more than this.
    pub(super) fn writer(&self, settings: &SynthesisSettings, words: Words) -> Result<Writer, Failure> {
        let shape = TunedSettings { rank: settings.rank, ..TunedSettings::default() };
        Ok(match (self, words) {
            (Self::Language(language, _), Words::Tilt(tilt)) => {
                Writer::Tuned(Box::new(Tuned::tilted(shape, language, tilt)?))
            }
            (Self::Language(language, _), _) => Writer::Tuned(Box::new(Tuned::new(shape, language.clone())?)),
            (Self::Words(vocabulary), words) => {
                let seed = settings.seed.unwrap_or(SeededSettings::default().seed);
                let shape =
                    SeededSettings { cells: settings.cells, words: settings.cells, seed, ..SeededSettings::default() };
                let seeds = match words {
                    Words::Seeds(seeds) => Some(seeds),
                    _ => None,
                };
                Writer::Seeded(Box::new(Seeded::new(shape, vocabulary.clone())?), seeds)
            }
        })
    }
}

impl Writer {
    /// Numbers that training changes.
    pub(super) fn numbers(&self) -> usize {
        match self {
            Self::Tuned(model) => model.trained(),
            Self::Seeded(model, _) => model.trained(),
        }
    }

    /// Trains as planned on the texts of the label at a place; says whether it was stopped.
    pub(super) fn train(
        &mut self,
        settings: &SynthesisSettings,
        plan: &Planned,
        texts: (usize, &Private<Vec<Text>>),
        (directory, accounting): (&Path, &Accounting),
        (stage, observer): (Stage<'_>, &dyn Observer),
        cancel: &CancelToken,
    ) -> Result<bool, Failure> {
        let run = Run { directory, resume: settings.resume, earlier_steps: 0, stage, observer, cancel };
        match self {
            Self::Tuned(model) => trained(&mut **model, settings, plan, texts, accounting, run),
            Self::Seeded(model, _) => trained(&mut **model, settings, plan, texts, accounting, run),
        }
    }

    /// Writes texts; none if it was stopped.
    pub(super) fn write(
        &self,
        count: usize,
        sampling: Sampling,
        stream: impl Fn(u64) -> PrivacyRng + Sync,
        (stage, observer): (Stage<'_>, &dyn Observer),
        cancel: &CancelToken,
    ) -> Result<Option<Vec<Written>>, Failure> {
        let each = match self {
            Self::Tuned(model) => model.drafts(),
            Self::Seeded(..) => 1,
        };
        let mut written = Vec::with_capacity(count);
        while written.len() < count {
            let (first, more) = ((written.len() * each) as u64, AT_ONCE.min(count - written.len()));
            match self.write_some(more, sampling, |text| stream(first + text), cancel) {
                Err(NnError::Cancelled(_)) => return Ok(None),
                some => written.extend(some?),
            }
            observer.event(&Event::Progress(Progress {
                stage,
                done: written.len() as u64,
                total: Some(count as u64),
                unit: Unit::Texts,
                records: None,
                training: None,
            }));
        }
        Ok(Some(written))
    }

    fn write_some(
        &self,
        count: usize,
        sampling: Sampling,
        stream: impl Fn(u64) -> PrivacyRng + Sync,
        cancel: &CancelToken,
    ) -> Result<Vec<Written>, NnError> {
        match self {
            Self::Tuned(model) => model.write(count, sampling, stream, cancel),
            Self::Seeded(model, seeds) => {
                let begin = |text| {
                    let mut rng = stream(text);
                    let seed = seeds.as_ref().and_then(|seeds| seeds.write(1, &mut rng).first().copied());
                    (seed.unwrap_or(START), rng)
                };
                model.write(count, sampling, begin, cancel)
            }
        }
    }
}

/// Trains a model on the texts of the label at a place; says whether it was stopped.
pub(super) fn trained<M: Model<Example = Text>>(
    model: &mut M,
    settings: &SynthesisSettings,
    plan: &Planned,
    (place, texts): (usize, &Private<Vec<Text>>),
    _accounting: &Accounting,
    run: Run<'_>,
) -> Result<bool, Failure> {
    let examples = Examples::Private(texts.as_ref().map(Vec::as_slice));
    let data = Data { examples, fingerprint: WITHHELD };
    Ok(train(model, &settings.training(plan, place), data, None, run)?.ended == Ended::Stopped)
}
