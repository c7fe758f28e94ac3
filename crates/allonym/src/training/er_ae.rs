//! `train er-ae`: reconstruction, then reconstruction and embedding reward.

use super::directory::write_report;
use super::er_ae_settings::ErAeTraining;
use super::parts::Shares;
use super::stage::Stage;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::er_ae::{ErAe, Reconstruction};
use allonym_models::{Embeddings, Filled};
use allonym_nn::Protection;
use allonym_text::{Activity, CancelToken, Document, Observer};
use serde::Serialize;
use std::sync::Arc;

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

/// Trains a model and writes it. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_er_ae(settings: &ErAeTraining, observer: &dyn Observer, cancel: &CancelToken) -> Result<Report, Failure> {
    let (preset, basis) = (settings.preset()?, &settings.basis);
    basis.check()?;
    // What is wrong with a later stage is found now, and not after hours.
    settings.reward.check()?;
    let vocabulary = Arc::new(basis.words(preset.vocabulary)?);
    observer.begin(Activity::Reading, "reading word vectors");
    let (vectors, filled) = Embeddings::read(&settings.embeddings)?.for_vocabulary(&vocabulary);
    let mut rng = PrivacyRng::reproducible(basis.seed);
    let mut model = ErAe::new(settings.network(preset), vocabulary, Arc::new(vectors), &mut rng)?;
    observer.begin(Activity::Reading, "reading texts");
    let prepared = basis.prepare(Shares::USUAL, |text| match basis.private {
        None => model.examples(&Document::read(text)),
        // What is protected is a record, so a record is one example, whatever it holds.
        Some(_) => vec![model.pieces(&Document::read(text)).swap_remove(0)],
    })?;
    let stages = [false, true].into_iter().filter(|reward| !reward || settings.with_reward(preset));
    let plans: Vec<_> = stages.map(|reward| settings.stage(preset, prepared.training.len(), reward)).collect();
    plans.iter().try_for_each(|plan| plan.plan(prepared.training.len()).map(|_| ()))?;
    let cost = basis.report_cost(&plans, prepared.training.len(), observer)?;
    let (_lock, accounting) = basis.begin("er-ae", cost, settings, prepared.hash.as_ref(), observer)?;

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
        let plan = settings.stage(preset, prepared.training.len(), reward);
        let stage = Stage { basis, name: stage, plan: &plan, earlier_steps, cancel, accounting: &accounting };
        let (card, stopped) = stage.train(&mut model, &prepared, observer)?;
        if stopped {
            report.stopped = true;
            break;
        }
        earlier_steps += card.planned_steps;
        model.save(&basis.out.join(name), &card)?;
        observer.begin(Activity::Measuring, "measuring reconstruction");
        let measured = basis.private.is_none();
        let reconstruction =
            measured.then(|| model.reconstruction(prepared.test.for_owner(), plan.threads)).transpose()?;
        report.stages.push(StageReport { model: name, steps: card.steps, guarantee: card.guarantee, reconstruction });
    }
    write_report(&basis.out, &report)?;
    Ok(report)
}
