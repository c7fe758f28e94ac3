//! `train fluent`: a language model of public text, and near words.

use super::directory::write_report;
use super::fluent_settings::FluentTraining;
use super::parts::Shares;
use super::stage::Stage;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::Embeddings;
use allonym_models::fluent::{FluentModel, Near};
use allonym_models::language_model::LanguageModel;
use allonym_nn::Protection;
use allonym_text::{Activity, CancelToken, Document, Observer};
use serde::Serialize;
use std::sync::Arc;

/// What a training run of a fluent model leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct FluentReport {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests.
    pub records: [usize; 3],
    /// Parts of texts trained on.
    pub examples: usize,
    /// Steps made.
    pub steps: u64,
    /// What is promised to those whose texts were trained on; nothing before the end.
    pub guarantee: Option<Protection>,
    /// Perplexity on test records, as the model is written: unknown words are one word. Not there in private training, since it is exact.
    pub perplexity: Option<f64>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

/// Trains a model and writes it. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_fluent(
    settings: &FluentTraining,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<FluentReport, Failure> {
    let basis = &settings.basis;
    basis.check()?;
    let vocabulary = Arc::new(basis.words(FluentTraining::VOCABULARY)?);
    observer.begin(Activity::Reading, "reading word vectors");
    let near = Near::of(&vocabulary, &Embeddings::read(&settings.embeddings)?)?;
    let mut rng = PrivacyRng::reproducible(basis.seed);
    let mut model = LanguageModel::new(settings.network(), vocabulary, &mut rng)?;
    observer.begin(Activity::Reading, "reading texts");
    let prepared = basis.prepare(Shares::FEW, |text| {
        let mut parts = model.examples(&Document::read(text));
        if basis.private.is_some() {
            // What is protected is a record, so a record is one example, whatever it holds.
            parts.truncate(1);
        }
        parts
    })?;
    let plan = settings.plan(prepared.training.len());
    plan.plan(prepared.training.len())?;
    let cost = basis.report_cost(std::slice::from_ref(&plan), prepared.training.len(), observer)?;
    let (_lock, accounting) = basis.begin("fluent", cost, settings, prepared.hash.as_ref(), observer)?;
    let stage = Stage { basis, name: "language", plan: &plan, earlier_steps: 0, cancel, accounting: &accounting };
    let (card, stopped) = stage.train(&mut model, &prepared, observer)?;
    let mut report = FluentReport {
        note: "for the owner of the texts: the figures are exact",
        records: prepared.records,
        examples: prepared.training.len(),
        steps: card.steps,
        guarantee: None,
        perplexity: None,
        stopped,
    };
    if !stopped {
        let written = basis.out.join("fluent");
        FluentModel { language: model, near }.save(&written, &card)?;
        if basis.private.is_none() && !prepared.test.is_empty() {
            observer.begin(Activity::Measuring, "measuring perplexity");
            let (model, _) = FluentModel::open(&written)?;
            let tokens: usize = prepared.test.for_owner().iter().map(|text| text.len() - 1).sum();
            let nats = model.language.surprisal(prepared.test.for_owner(), plan.threads)?;
            report.perplexity = Some((nats / tokens as f64).exp());
        }
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

    #[test]
    fn a_run_leaves_a_model_that_expects_what_it_read() {
        let directory = tempfile::tempdir().unwrap();
        let (data, vectors) = (directory.path().join("texts.csv"), directory.path().join("vectors.txt"));
        let rows: Vec<String> = (0..300).map(|i| format!("the {} was good", ["food", "room", "time"][i % 3])).collect();
        std::fs::write(&data, format!("text\n{}\n", rows.join("\n"))).unwrap();
        std::fs::write(&vectors, "good 1 0\ngreat 0.9 0.1\nfood 0 1\n").unwrap();
        let basis = Basis {
            data,
            out: directory.path().join("model"),
            public: true,
            vocabulary_size: Some(2000),
            threads: 1,
            max_tokens: 16,
            rate: Some(0.02),
            ..Basis::default()
        };
        let settings = FluentTraining {
            basis,
            embeddings: vectors,
            cells: 16,
            words: 8,
            negatives: 200,
            steps: Some(120),
            ..FluentTraining::default()
        };
        let report = train_fluent(&settings, &Silent, &CancelToken::new()).unwrap();
        assert_eq!((report.records, &report.guarantee), ([294, 3, 3], &Some(Protection::Public)));
        // Of five tokens one is one of three: three to the fifth root is 1.25.
        assert!(report.perplexity.unwrap() < 3.0, "{report:?}");
        let (model, _) = FluentModel::open(&settings.basis.out.join("fluent")).unwrap();
        let vocabulary = model.language.vocabulary();
        let near: Vec<u32> = model.near.of_word(vocabulary.id("good")).map(|(word, _)| word).collect();
        assert_eq!(near, [vocabulary.id("great")]);
    }
}
