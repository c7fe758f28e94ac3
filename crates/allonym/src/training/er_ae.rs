//! `train er-ae`: reconstruction, then reconstruction and embedding reward.

use super::directory::{begin, check_out, chosen, fingerprint, vocabulary, write_report};
use super::parts::Parts;
use super::settings::ErAeTraining;
use crate::evaluation::load::{Loaded, Reading};
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_io::Table;
use allonym_models::er_ae::{ErAe, Reconstruction, Text};
use allonym_models::{Embeddings, Filled};
use allonym_nn::training::{Data, Ended, Progress, Run, Standing, train};
use allonym_nn::{Card, Protection};
use allonym_text::Document;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// At most so many examples are looked at to choose the best state, and as many to say how good it is.
const LOOKED_AT: usize = 2000;

/// What a training run leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests.
    pub records: [usize; 3],
    /// Sentences trained on; in private training one part of each record.
    pub examples: usize,
    /// Words of the vocabulary with a vector of the file, with that of another word, and with one made for them.
    pub vectors: [usize; 3],
    /// The stages, in their order.
    pub stages: Vec<StageReport>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

/// What a stage leaves.
#[derive(Clone, Debug, Serialize)]
pub struct StageReport {
    /// `ae-dp` or `er-ae`.
    pub model: &'static str,
    /// Steps made.
    pub steps: u64,
    /// What is promised to those whose texts were trained on.
    pub guarantee: Protection,
    /// On test records; not there in private training, since it is exact.
    pub reconstruction: Option<Reconstruction>,
}

struct Prepared {
    training: Vec<Text>,
    validation: Vec<Text>,
    test: Vec<Text>,
    records: [usize; 3],
    fingerprint: String,
    /// For the owner's directory alone.
    hash: Option<String>,
}

/// Trains a model and writes it. `progress` is told the name of the stage.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_er_ae(
    settings: &ErAeTraining,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<Report, Failure> {
    let preset = settings.preset()?;
    if settings.public && settings.private.is_some() {
        let message = "the texts are declared public, and noise is asked for to protect them";
        return Err(Failure::new(message, "leave out `--public` or `--private`"));
    }
    // What is wrong with a later stage is found now, and not after hours.
    settings.reward.check()?;
    check_out(&settings.out, settings.resume)?;
    let vocabulary = vocabulary(settings.vocabulary.as_deref(), settings.vocabulary_size, preset.vocabulary)?;
    let vocabulary = Arc::new(vocabulary);
    progress("reading word vectors", None);
    let (vectors, filled) = Embeddings::read(&settings.embeddings)?.for_vocabulary(&vocabulary);
    let mut rng = PrivacyRng::reproducible(settings.seed);
    let mut model = ErAe::new(settings.network(preset), vocabulary, Arc::new(vectors), &mut rng)?;
    progress("reading texts", None);
    let prepared = prepare(settings, &model)?;
    for reward in [false, true].into_iter().filter(|reward| !reward || settings.with_reward(preset)) {
        settings.stage(preset, prepared.training.len(), reward).plan(prepared.training.len())?;
    }
    begin(&settings.out, settings, prepared.hash.as_ref(), settings.resume)?;

    let Filled { found, alike, made } = filled;
    let mut report = Report {
        note: "for the owner of the texts: the figures are exact",
        records: prepared.records,
        examples: prepared.training.len(),
        vectors: [found, alike, made],
        stages: Vec::new(),
        stopped: false,
    };
    let mut earlier_steps = 0;
    for (name, stage, reward) in [("ae-dp", "reconstruction", false), ("er-ae", "reward", true)] {
        if reward {
            if !settings.with_reward(preset) {
                break;
            }
            model = model.with_reward(settings.reward);
        }
        let training = settings.stage(preset, prepared.training.len(), reward);
        let standing = if settings.public { Standing::Public } else { Standing::Private };
        let data = |examples| Data { examples, standing, fingerprint: &prepared.fingerprint };
        let validation = settings.private.is_none().then(|| data(prepared.validation.as_slice()));
        let directory = settings.out.join("training").join(stage);
        let run = Run {
            directory: &directory,
            resume: settings.resume,
            earlier_steps,
            stop,
            progress: &mut |made: &Progress| progress(stage, Some(made)),
        };
        let outcome = train(&mut model, &training, data(prepared.training.as_slice()), validation, run)?;
        if outcome.ended == Ended::Stopped {
            report.stopped = true;
            break;
        }
        let card = chosen(&directory, &mut model, outcome.card)?;
        earlier_steps += card.planned_steps;
        let card = in_words(card, settings);
        model.save(&settings.out.join(name), &card)?;
        progress("measuring reconstruction", None);
        let measured = settings.private.is_none();
        let reconstruction = measured.then(|| model.reconstruction(&prepared.test, training.threads)).transpose()?;
        report.stages.push(StageReport { model: name, steps: card.steps, guarantee: card.guarantee, reconstruction });
    }
    write_report(&settings.out, &report)?;
    Ok(report)
}

/// What an example is, in words of the file.
fn in_words(mut card: Card, settings: &ErAeTraining) -> Card {
    if let Protection::Differential(promise) = &mut card.guarantee {
        promise.unit = format!("one record of the training file (its first {} tokens)", settings.max_tokens);
    }
    card
}

fn prepare(settings: &ErAeTraining, model: &ErAe) -> Result<Prepared, Failure> {
    let reading = Reading {
        format: settings.format,
        table: Table::default(),
        text_column: settings.text_column.clone(),
        // No record is looked up by its id here.
        id_column: settings.author_column.clone(),
        author_column: settings.author_column.clone(),
        label_column: "label".to_owned(),
    };
    let loaded = Loaded::read(&settings.data, &reading, &[], &[])?;
    let parts = match settings.private {
        None => Parts::of(loaded.texts.len(), loaded.column(&settings.author_column), settings.seed),
        Some(_) => Parts::whole(loaded.texts.len()),
    };
    let document = |record: &usize| Document::read(&loaded.texts[*record]);
    let sentences = |records: &[usize]| -> Vec<Text> {
        records.iter().flat_map(|record| model.examples(&document(record))).collect()
    };
    let training = match settings.private {
        None => sentences(&parts.training),
        // What is protected is a record, so a record is one example, whatever it holds.
        Some(_) => parts.training.iter().map(|record| model.pieces(&document(record)).swap_remove(0)).collect(),
    };
    if training.is_empty() {
        return Err(Failure::new("there is nothing to train on", "give a file with at least a few texts"));
    }
    let some = |mut texts: Vec<Text>| {
        PrivacyRng::reproducible(settings.seed).shuffle(&mut texts);
        texts.truncate(LOOKED_AT);
        texts
    };
    let hash = loaded.source.sha256.clone();
    let fingerprint = fingerprint(settings.public, hash.as_ref());
    let records = [parts.training.len(), parts.validation.len(), parts.test.len()];
    let (validation, test) = (some(sentences(&parts.validation)), some(sentences(&parts.test)));
    Ok(Prepared { training, validation, test, records, fingerprint, hash })
}
