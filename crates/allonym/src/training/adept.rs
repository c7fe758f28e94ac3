//! `train adept`: an auto-encoder with a clipped latent vector.

use super::adept_settings::AdeptTraining;
use super::directory::{begin, check_out, chosen, fingerprint, vocabulary, write_report};
use super::parts::Parts;
use crate::evaluation::load::{Loaded, Reading};
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_io::Table;
use allonym_models::Embeddings;
use allonym_models::adept::{Adept, Reconstruction, Text};
use allonym_nn::Protection;
use allonym_nn::training::{Data, Ended, Progress, Run, Standing, train};
use allonym_text::Document;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// At most so many texts are looked at to choose the best state, and as many to say how good it is.
const LOOKED_AT: usize = 2000;

/// What a training run of ADePT leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct AdeptReport {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests. A record is one example.
    pub records: [usize; 3],
    /// Steps made.
    pub steps: u64,
    /// What is promised to those whose texts were trained on; nothing before the end.
    pub guarantee: Option<Protection>,
    /// On test records, without noise; not there in private training, since it is exact.
    pub reconstruction: Option<Reconstruction>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

struct Prepared {
    /// To be trained on, chosen by, and tested with.
    texts: [Vec<Text>; 3],
    records: [usize; 3],
    fingerprint: String,
    /// For the owner's directory alone.
    hash: Option<String>,
}

/// Trains a model and writes it. `progress` is told the name of the stage.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_adept(
    settings: &AdeptTraining,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<AdeptReport, Failure> {
    let preset = settings.preset()?;
    if settings.public && settings.private.is_some() {
        let message = "the texts are declared public, and noise is asked for to protect them";
        return Err(Failure::new(message, "leave out `--public` or `--private`"));
    }
    check_out(&settings.out, settings.resume)?;
    let vocabulary = vocabulary(settings.vocabulary.as_deref(), settings.vocabulary_size, preset.vocabulary)?;
    let vectors = match &settings.embeddings {
        None => None,
        Some(path) => {
            progress("reading word vectors", None);
            Some(Arc::new(Embeddings::read(path)?.for_vocabulary(&vocabulary).0))
        }
    };
    let mut rng = PrivacyRng::reproducible(settings.seed);
    let mut model = Adept::new(settings.network(preset), Arc::new(vocabulary), vectors, &mut rng)?;
    progress("reading texts", None);
    let Prepared { texts: [training, validation, test], records, fingerprint, hash } = prepare(settings, &model)?;
    begin(&settings.out, settings, hash.as_ref(), settings.resume)?;

    let standing = if settings.public { Standing::Public } else { Standing::Private };
    let data = |examples| Data { examples, standing, fingerprint: &fingerprint };
    let plain = settings.private.is_none();
    let directory = settings.out.join("training").join("reconstruction");
    let run = Run {
        directory: &directory,
        resume: settings.resume,
        earlier_steps: 0,
        stop,
        progress: &mut |made: &Progress| progress("reconstruction", Some(made)),
    };
    let plan = settings.plan(preset, training.len());
    let validation = plain.then(|| data(validation.as_slice()));
    let outcome = train(&mut model, &plan, data(training.as_slice()), validation, run)?;
    let note = "for the owner of the texts: the figures are exact";
    let mut report = AdeptReport {
        note,
        records,
        steps: outcome.card.steps,
        guarantee: None,
        reconstruction: None,
        stopped: outcome.ended == Ended::Stopped,
    };
    if !report.stopped {
        let mut card = chosen(&directory, &mut model, outcome.card)?;
        if let Protection::Differential(promise) = &mut card.guarantee {
            promise.unit = format!("one record of the training file (its first {} tokens)", settings.max_tokens);
        }
        model.save(&settings.out.join("adept"), &card)?;
        progress("measuring reconstruction", None);
        report.reconstruction = plain.then(|| model.reconstruction(&test)).transpose()?;
        (report.steps, report.guarantee) = (card.steps, Some(card.guarantee));
    }
    write_report(&settings.out, &report)?;
    Ok(report)
}

fn prepare(settings: &AdeptTraining, model: &Adept) -> Result<Prepared, Failure> {
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
    let texts = |records: &[usize]| -> Vec<Text> {
        let document = |record: &usize| Document::read_up_to(&loaded.texts[*record], settings.max_tokens);
        records.iter().map(|record| model.text(&document(record))).collect()
    };
    let training = texts(&parts.training);
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
    let texts = [training, some(texts(&parts.validation)), some(texts(&parts.test))];
    Ok(Prepared { texts, records, fingerprint, hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(directory: &std::path::Path) -> AdeptTraining {
        let data = directory.join("texts.csv");
        let rows: Vec<String> = (0..60).map(|i| format!("the {} was good", ["food", "room", "time"][i % 3])).collect();
        std::fs::write(&data, format!("text\n{}\n", rows.join("\n"))).unwrap();
        AdeptTraining {
            data,
            out: directory.join("model"),
            vocabulary_size: Some(500),
            steps: Some(3),
            latent: Some(4),
            threads: 1,
            ..AdeptTraining::default()
        }
    }

    fn run(settings: &AdeptTraining) -> Result<AdeptReport, Failure> {
        train_adept(settings, &AtomicBool::new(false), &mut |_, _| {})
    }

    #[test]
    fn a_run_leaves_a_model_its_settings_and_a_report() {
        let directory = tempfile::tempdir().unwrap();
        let settings = settings(directory.path());
        let report = run(&settings).unwrap();
        assert_eq!((report.records, report.steps), ([42, 6, 12], 3));
        assert_eq!(report.guarantee, Some(Protection::Unprotected), "nobody declared the texts public");
        let (model, card) = Adept::open(&settings.out.join("adept")).unwrap();
        assert_eq!((model.shape().latent, card.kind.as_str()), (4, "adept"));
        let written = std::fs::read_to_string(settings.out.join("settings.toml")).unwrap();
        assert_eq!(toml::from_str::<AdeptTraining>(&written).unwrap().latent, Some(4));
        assert!(run(&settings).unwrap_err().message.contains("has a model already"));
    }

    #[test]
    fn private_training_counts_records_and_shows_no_exact_figure() {
        let directory = tempfile::tempdir().unwrap();
        let private = allonym_nn::optimiser::PrivateSettings { noise: 1.0, clip: 1.0, delta: 1e-6, owner_only: false };
        let settings = AdeptTraining { private: Some(private), batch: Some(8), ..settings(directory.path()) };
        let report = run(&settings).unwrap();
        let Some(Protection::Differential(promise)) = report.guarantee else { panic!("a price") };
        assert!(promise.unit.starts_with("one record") && promise.void.is_empty() && promise.epsilon_add_remove > 0.0);
        assert_eq!(report.reconstruction, None);
        let both = AdeptTraining { public: true, ..settings };
        assert!(run(&both).unwrap_err().message.contains("declared public"));
    }
}
