//! `train ete-anon`: an auto-encoder of short sequences, and the agent that changes its context.

mod settings;

pub use settings::EteAnonTraining;

use super::directory::{begin, write_report};
use super::parts::Shares;
use super::stage::Stage;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::Embeddings;
use allonym_models::ete_anon::{AutoEncoder, Reconstruction};
use allonym_nn::Protection;
use allonym_nn::training::Progress;
use allonym_text::Document;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a training run of ETE-Anon leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct EteAnonReport {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests. Each has its first and its last words as two sequences.
    pub records: [usize; 3],
    /// Steps of the auto-encoder.
    pub steps: u64,
    /// What is promised to those whose texts were trained on; nothing before the end.
    pub guarantee: Option<Protection>,
    /// On test records, when nothing is changed; not there in private training, since it is exact.
    pub reconstruction: Option<Reconstruction>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

/// Trains a model and writes it. `progress` is told the name of the stage.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_ete_anon(
    settings: &EteAnonTraining,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, Option<&Progress>),
) -> Result<EteAnonReport, Failure> {
    let (preset, basis) = (settings.preset()?, &settings.basis);
    basis.check()?;
    let vocabulary = basis.words(preset.vocabulary)?;
    let vectors = match &settings.embeddings {
        None => None,
        Some(path) => {
            progress("reading word vectors", None);
            Some(Arc::new(Embeddings::read(path)?.for_vocabulary(&vocabulary).0))
        }
    };
    let mut rng = PrivacyRng::reproducible(basis.seed);
    let mut model = AutoEncoder::new(settings.network(preset), Arc::new(vocabulary), vectors, &mut rng)?;
    progress("reading texts", None);
    let prepared = basis.prepare(Shares::USUAL, |text| {
        let mut sequences = model.sequences(&Document::read(text));
        // The price of private training is that of one example of a record.
        sequences.truncate(if basis.private.is_some() { 1 } else { 2 });
        sequences
    })?;
    let plan = settings.plan(preset, prepared.training.len());
    basis.tell_price(std::slice::from_ref(&plan), prepared.training.len(), progress)?;
    let _lock = begin(&basis.out, settings, prepared.hash.as_ref(), basis.resume)?;

    let stage = Stage { basis, name: "auto-encoder", plan: &plan, earlier_steps: 0, stop };
    let (card, stopped) = stage.train(&mut model, &prepared, progress)?;
    let note = "for the owner of the texts: the figures are exact";
    let mut report = EteAnonReport {
        note,
        records: prepared.records,
        steps: card.steps,
        guarantee: None,
        reconstruction: None,
        stopped,
    };
    if !stopped {
        model.save(&basis.out.join("auto-encoder"), &card)?;
        progress("measuring reconstruction", None);
        let plain = basis.private.is_none();
        report.reconstruction = plain.then(|| model.reconstruction(&prepared.test)).transpose()?;
        report.guarantee = Some(card.guarantee);
    }
    write_report(&basis.out, &report)?;
    Ok(report)
}
