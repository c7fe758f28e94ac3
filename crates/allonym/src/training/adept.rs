//! `train adept`: an auto-encoder with a clipped latent vector.

use super::adept_settings::AdeptTraining;
use super::directory::write_report;
use super::parts::Shares;
use super::stage::Stage;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::Embeddings;
use allonym_models::adept::{Adept, Reconstruction};
use allonym_nn::Protection;
use allonym_text::{Activity, CancelToken, Document, Observer};
use serde::Serialize;
use std::sync::Arc;

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

/// Trains a model and writes it. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_adept(
    settings: &AdeptTraining,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<AdeptReport, Failure> {
    let (preset, basis) = (settings.preset()?, &settings.basis);
    basis.check()?;
    let vocabulary = basis.words(preset.vocabulary)?;
    let vectors = match &settings.embeddings {
        None => None,
        Some(path) => {
            observer.begin(Activity::Reading, "reading word vectors");
            Some(Arc::new(Embeddings::read(path)?.for_vocabulary(&vocabulary).0))
        }
    };
    let mut rng = PrivacyRng::reproducible(basis.seed);
    let mut model = Adept::new(settings.network(preset), Arc::new(vocabulary), vectors, &mut rng)?;
    observer.begin(Activity::Reading, "reading texts");
    let prepared =
        basis.prepare(Shares::USUAL, |text| vec![model.text(&Document::read_up_to(text, basis.max_tokens))])?;
    let plan = settings.plan(preset, prepared.training.len());
    let cost = basis.report_cost(std::slice::from_ref(&plan), prepared.training.len(), observer)?;
    let (_lock, accounting) = basis.begin("adept", cost, settings, prepared.hash.as_ref(), observer)?;

    let stage = Stage { basis, name: "reconstruction", plan: &plan, earlier_steps: 0, cancel, accounting: &accounting };
    let (card, stopped) = stage.train(&mut model, &prepared, observer)?;
    let note = "for the owner of the texts: the figures are exact";
    let mut report = AdeptReport {
        note,
        records: prepared.records,
        steps: card.steps,
        guarantee: None,
        reconstruction: None,
        stopped,
    };
    if !stopped {
        model.save(&basis.out.join("adept"), &card)?;
        observer.begin(Activity::Measuring, "measuring reconstruction");
        let plain = basis.private.is_none();
        report.reconstruction = plain.then(|| model.reconstruction(prepared.test.for_owner())).transpose()?;
        report.guarantee = Some(card.guarantee);
    }
    write_report(&basis.out, &report)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Basis;
    use allonym_text::Silent;

    fn settings(directory: &std::path::Path) -> AdeptTraining {
        let data = directory.join("texts.csv");
        let rows: Vec<String> = (0..60).map(|i| format!("the {} was good", ["food", "room", "time"][i % 3])).collect();
        std::fs::write(&data, format!("text\n{}\n", rows.join("\n"))).unwrap();
        let out = directory.join("model");
        let basis = Basis { data, out, vocabulary_size: Some(500), threads: 1, ..Basis::default() };
        AdeptTraining { basis, steps: Some(3), latent: Some(4), ..AdeptTraining::default() }
    }

    fn run(settings: &AdeptTraining) -> Result<AdeptReport, Failure> {
        train_adept(settings, &Silent, &CancelToken::new())
    }

    #[test]
    fn a_run_leaves_a_model_its_settings_and_a_report() {
        let directory = tempfile::tempdir().unwrap();
        let settings = settings(directory.path());
        let report = run(&settings).unwrap();
        assert_eq!((report.records, report.steps), ([42, 6, 12], 3));
        assert_eq!(report.guarantee, Some(Protection::Unprotected), "nobody declared the texts public");
        let (model, card) = Adept::open(&settings.basis.out.join("adept")).unwrap();
        assert_eq!((model.shape().latent, card.kind.as_str()), (4, "adept"));
        let written = std::fs::read_to_string(settings.basis.out.join("settings.toml")).unwrap();
        assert_eq!(toml::from_str::<AdeptTraining>(&written).unwrap().latent, Some(4));
        assert!(run(&settings).unwrap_err().message.contains("has a model already"));
    }

    #[test]
    fn private_training_counts_records_and_shows_no_exact_figure() {
        let directory = tempfile::tempdir().unwrap();
        let private = allonym_nn::optimiser::PrivateSettings {
            noise: 1.0,
            clip: 1.0,
            delta: 1e-6,
            owner_only: false,
            beside: None,
        };
        let mut settings = settings(directory.path());
        (settings.basis.private, settings.basis.batch) = (Some(private), Some(8));
        let report = run(&settings).unwrap();
        let Some(Protection::Differential(promise)) = report.guarantee else { panic!("a price") };
        assert!(promise.unit.starts_with("one record") && promise.void.is_empty() && promise.epsilon_add_remove > 0.0);
        assert_eq!(report.reconstruction, None);
        settings.basis.public = true;
        assert!(run(&settings).unwrap_err().message.contains("declared public"));
    }
}
