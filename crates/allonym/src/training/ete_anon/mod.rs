//! `train ete-anon`: an auto-encoder of short sequences, and the agent that changes its context.
use allonym_text::{Activity, CancelToken, Observer};

pub(crate) mod agent;
mod attackers;
pub(crate) mod auto_encoder;
pub(crate) mod data;
pub(crate) mod judges;
pub(crate) mod measure;
mod settings;

pub use agent::Learned;
pub use measure::{Found, FoundIn, Right};
pub use settings::EteAnonTraining;

use super::directory::write_report;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_ledger::Cost;
use allonym_models::ete_anon::{Aim, AutoEncoder, EteAnon, Measured, Reconstruction, Text};
use allonym_nn::Protection;
use data::Known;
use judges::Classifiers;
use measure::{found_in, in_words};
use serde::Serialize;

/// What a training run of ETE-Anon leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct EteAnonReport {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests, where the auto-encoder was trained here. Each has its first and its last words as two sequences.
    pub records: Option<[usize; 3]>,
    /// Steps of the auto-encoder.
    pub steps: u64,
    /// What is promised to those whose texts were trained on; nothing before the end.
    pub guarantee: Option<Protection>,
    /// On test records, when nothing is changed; not there in private training, since it is exact.
    pub reconstruction: Option<Reconstruction>,
    /// Authors that were attacked, sequences that the agent learned from, sequences that it was tested with, and records that were left out.
    pub attacked: Option<[usize; 4]>,
    /// The share of test sequences that always naming the commonest finds: author, sentiment.
    pub commonest: Option<[f64; 2]>,
    /// What the agent learned.
    pub learned: Option<Learned>,
    /// What classifiers that learned from originals find in test sequences: as they were, as the auto-encoder alone writes them, and as the agent has them written.
    pub found: Option<[FoundIn; 3]>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

/// Trains a model and writes it. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_ete_anon(
    settings: &EteAnonTraining,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<EteAnonReport, Failure> {
    settings.check()?;
    let basis = &settings.basis;
    let ready = auto_encoder::Ready::prepare(settings, observer)?;
    // Everything that could be refused is, before the auto-encoder takes its hours.
    let known = settings.agent.as_ref().map(|_| Known::read(settings, ready.model())).transpose()?;
    // An agent learns from the texts as they are.
    let cost = if settings.agent.is_some() { Cost::Unbounded } else { ready.cost() };
    let (_lock, accounting) = basis.begin("ete-anon", cost, settings, ready.hash(), observer)?;
    let trained = ready.train(settings, &accounting, observer, cancel)?;
    let mut report = EteAnonReport {
        note: "for the owner of the texts: the figures are exact",
        records: trained.records,
        steps: trained.card.steps,
        guarantee: None,
        reconstruction: trained.reconstruction,
        attacked: None,
        commonest: None,
        learned: None,
        found: None,
        stopped: trained.stopped,
    };
    if let (false, Some(agent), Some(known)) = (trained.stopped, &settings.agent, &known) {
        report.attacked = Some([known.authors.len(), known.training.len(), known.test.len(), known.left_out]);
        report.commonest = Some(known.commonest());
        observer.begin(Activity::Training, "teaching the two classifiers");
        let classifiers = Classifiers::learn(&known.training, basis.seed)?;
        let (learner, learned, stopped) =
            agent::learn(settings, agent, &trained.model, known, &classifiers, observer, cancel)?;
        (report.learned, report.stopped) = (Some(learned), stopped);
        if !stopped {
            let usual_length = usual_length(&trained.model, known)?;
            let mut model = EteAnon {
                auto_encoder: trained.model,
                agent: learner.agent(),
                settings: agent.clone(),
                usual_length,
                measured: None,
            };
            observer.begin(Activity::Measuring, "measuring");
            let found = measured(&model, known, &classifiers, basis.seed)?;
            let [originals, unchanged, changed] = [0, 1, 2]
                .map(|place| [&found[place].all.author, &found[place].all.sentiment].map(|of| of.accuracy.value));
            let (authors, sequences) = (known.authors.len(), known.test.len());
            let aim = Some(Aim { alpha: settings.alpha, content: settings.content(), rounds: settings.rounds() });
            model.measured =
                Some(Measured { aim, authors, sequences, commonest: report.commonest, originals, unchanged, changed });
            model.save(&basis.out.join("ete-anon"), &trained.card)?;
            report.found = Some(found);
        }
    }
    if !report.stopped {
        report.guarantee = Some(trained.card.guarantee);
    }
    write_report(&basis.out, &report)?;
    Ok(report)
}

/// Sequences from which the usual length of a context is taken.
const USUAL: usize = 2000;

/// The median length of a context.
fn usual_length(auto_encoder: &AutoEncoder, known: &Known) -> Result<f64, Failure> {
    let texts: Vec<Text> = known.training.iter().take(USUAL).map(|sequence| sequence.ids.clone()).collect();
    let length = |context: &Vec<f32>| context.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    let mut lengths: Vec<f64> = auto_encoder.contexts(&texts)?.iter().map(length).collect();
    lengths.sort_by(f64::total_cmp);
    Ok(lengths[lengths.len() / 2].max(1e-3))
}

/// What classifiers that learned from originals find in test sequences: as they were, written again, and changed by the agent.
fn measured(model: &EteAnon, known: &Known, classifiers: &Classifiers, seed: u64) -> Result<[FoundIn; 3], Failure> {
    let texts: Vec<Text> = known.test.iter().map(|sequence| sequence.ids.clone()).collect();
    let originals: Vec<String> = known.test.iter().map(|sequence| sequence.words.clone()).collect();
    let words = |texts: Vec<Text>| -> Vec<String> {
        texts.iter().map(|text| in_words(text, model.auto_encoder.vocabulary())).collect()
    };
    let unchanged = words(model.auto_encoder.decode(&model.auto_encoder.contexts(&texts)?)?);
    let mut rngs: Vec<PrivacyRng> =
        (0..texts.len() as u64).map(|text| PrivacyRng::reproducible(seed ^ text << 8)).collect();
    let changed = words(model.rewritten(&texts, &mut rngs)?);
    Ok([
        found_in(&originals, known, classifiers)?,
        found_in(&unchanged, known, classifiers)?,
        found_in(&changed, known, classifiers)?,
    ])
}
