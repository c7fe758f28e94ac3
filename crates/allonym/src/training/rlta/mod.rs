//! `train rlta`: an encoder that a task teaches, and the agent that changes its vectors until private attributes do not show.

mod data;
mod measure;
mod settings;
use allonym_text::{Activity, CancelToken, Observer};

pub use measure::{OfVectors, RltaRow};
pub use settings::RltaTraining;

use super::basis::Prepared;
use super::directory::write_report;
use super::ete_anon::Learned;
use super::ete_anon::agent::learn_in;
use super::stage::Stage;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_ledger::Cost;
use allonym_models::Embeddings;
use allonym_models::rlta::{Encoder, Labelled, Rlta, RltaMeasured, VectorWorld};
use allonym_nn::Protection;
use allonym_text::Private;
use data::{Item, Known};
use measure::Bench;
use serde::Serialize;
use std::sync::Arc;

/// What a training run of RLTA leaves, for its owner.
#[derive(Clone, Debug, Serialize)]
pub struct RltaReport {
    /// Who may see this file.
    pub note: &'static str,
    /// Records trained on, chosen by, and left for tests.
    pub records: [usize; 3],
    /// Records without one of the two labels, or without an attribute.
    pub left_out: usize,
    /// Steps of the encoder.
    pub steps: u64,
    /// What is promised to those whose texts were trained on; nothing before the end.
    pub guarantee: Option<Protection>,
    /// Attributes that are to be hidden, and the classes of each.
    pub attributes: Vec<(String, Vec<String>)>,
    /// What the agent learned.
    pub learned: Option<Learned>,
    /// What classifiers find in vectors: as they were, changed at random, and changed by the agent.
    pub rows: Vec<RltaRow>,
    /// Whether it was stopped before its end, and can be resumed.
    pub stopped: bool,
}

/// Trains a model and writes it. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or the run diverges.
pub fn train_rlta(
    settings: &RltaTraining,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<RltaReport, Failure> {
    settings.check()?;
    let basis = &settings.basis;
    let vocabulary = Arc::new(basis.words(RltaTraining::WORDS)?);
    let vectors = match &settings.embeddings {
        None => None,
        Some(path) => {
            observer.begin(Activity::Reading, "reading word vectors");
            Some(Arc::new(Embeddings::read(path)?.for_vocabulary(&vocabulary).0))
        }
    };
    let rng = &mut PrivacyRng::reproducible(basis.seed);
    let mut encoder = Encoder::new(settings.network(), vocabulary, vectors, rng)?;
    observer.begin(Activity::Reading, "reading texts");
    let known = Known::read(settings, &encoder)?;
    let (_lock, accounting) = basis.begin("rlta", Cost::Unbounded, settings, known.hash.as_ref(), observer)?;
    let records = known.parts.each_ref().map(Vec::len);
    let examples =
        known.parts.each_ref().map(|items| Private::new(items.iter().map(|item| item.example.clone()).collect()));
    let prepared: Prepared<Labelled> = Prepared::new(basis, examples, records, known.hash.clone())?;
    let plan = settings.plan(prepared.training.len());
    let stage = Stage { basis, name: "encoder", plan: &plan, earlier_steps: 0, cancel, accounting: &accounting };
    let (card, stopped) = stage.train(&mut encoder, &prepared, observer)?;
    let mut report = RltaReport {
        note: "for the owner of the texts: the figures are exact",
        records,
        left_out: known.left_out,
        steps: card.steps,
        guarantee: None,
        attributes: known.attributes.iter().map(|found| (found.name.clone(), found.classes.clone())).collect(),
        learned: None,
        rows: Vec::new(),
        stopped,
    };
    if !stopped {
        encoder.save(&basis.out.join("encoder"), &card)?;
        observer.begin(Activity::Training, "teaching the classifiers");
        let bench = Bench::new(&encoder, &known)?;
        let of = |items: &[Item], attribute: usize| items.iter().map(|item| item.attributes[attribute]).collect();
        let attributes = bench.judges.iter().enumerate();
        let attributes = attributes.map(|(place, judge)| (judge.clone(), of(&known.parts[0], place))).collect();
        let task = known.parts[0].iter().map(|item| item.example.label).collect();
        let world = VectorWorld::new(settings.alpha, bench.vectors[0].clone(), (encoder.judge(), task), attributes)?;
        let sizes = Rlta::sizes(&encoder);
        let (learner, learned, stopped) = learn_in(&world, sizes, basis, &settings.agent, observer, cancel)?;
        (report.learned, report.stopped) = (Some(learned), stopped);
        if !stopped {
            observer.begin(Activity::Measuring, "measuring");
            let agent = learner.agent();
            report.rows = bench.rows(&agent, basis.seed)?;
            let measured = measured(&report.rows, &known, bench.vectors[1].len());
            let model = Rlta { encoder, agent, settings: settings.agent.clone(), measured };
            model.save(&basis.out.join("rlta"), &card)?;
            report.guarantee = Some(card.guarantee);
        }
    }
    write_report(&basis.out, &report)?;
    Ok(report)
}

/// What stands on the card.
fn measured(rows: &[RltaRow], known: &Known, texts: usize) -> Option<RltaMeasured> {
    let (before, after) = (rows.first()?, rows.last()?);
    let mut found = before.found.iter().zip(&after.found).enumerate().map(|(place, (before, after))| {
        allonym_models::rlta::AttributeFound {
            attribute: match place {
                0 => "task".to_owned(),
                _ => known.attributes[place - 1].name.clone(),
            },
            commonest: before.commonest,
            before: before.fixed.value,
            after: after.fixed.value,
            adaptive: after.adaptive.value,
        }
    });
    Some(RltaMeasured { texts, task: found.next()?, attributes: found.collect() })
}
