//! What classifiers find in vectors: the task, and private attributes.

use super::data::{Item, Known};
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_eval::classify::{Logistic, LogisticSettings};
use allonym_eval::features::Sparse;
use allonym_eval::measure::Interval;
use allonym_models::ete_anon::Agent;
use allonym_models::rlta::{Encoder, VectorJudge};
use allonym_nn::Matrix;
use serde::Serialize;

/// How often a classifier is right.
#[derive(Clone, Debug, Serialize)]
pub struct OfVectors {
    /// The share of the commonest class.
    pub commonest: f64,
    /// One that learned from vectors as they were.
    pub fixed: Interval,
    /// One that learned from vectors that were changed in the same way.
    pub adaptive: Interval,
}

/// What is found in vectors that were changed in some way: first of the task, then of each attribute.
#[derive(Clone, Debug, Serialize)]
pub struct RltaRow {
    /// How they were changed.
    pub system: &'static str,
    /// Of the task, and of attributes.
    pub found: Vec<OfVectors>,
}

/// Vectors and their classes.
pub(super) struct Bench<'a> {
    known: &'a Known,
    task: VectorJudge,
    /// Of vectors as they are, for each attribute.
    pub(super) judges: Vec<VectorJudge>,
    /// To learn from, and to test with.
    pub(super) vectors: [Vec<Vec<f32>>; 2],
}

impl<'a> Bench<'a> {
    pub(super) fn new(encoder: &Encoder, known: &'a Known) -> Result<Self, Failure> {
        let encoded =
            |items: &[Item]| encoder.encoded(&items.iter().map(|item| item.example.text.clone()).collect::<Vec<_>>());
        let vectors = [encoded(&known.parts[0])?, encoded(&known.parts[2])?];
        let judges = (0..known.attributes.len())
            .map(|place| learned(&vectors[0], &of(&known.parts[0], place + 1)))
            .collect::<Result<_, Failure>>()?;
        Ok(Self { known, task: encoder.judge(), judges, vectors })
    }

    /// Vectors as they were, changed at random with what the agent may do, and changed by the agent.
    pub(super) fn rows(&self, agent: &Agent, seed: u64) -> Result<Vec<RltaRow>, Failure> {
        let rngs = |part: u64, count: usize| -> Vec<PrivacyRng> {
            (0..count as u64).map(|text| PrivacyRng::reproducible(seed ^ (2 * text + part) << 8)).collect()
        };
        let [first, second] = &self.vectors;
        let at_random = |vectors: &[Vec<f32>], part| agent.change_at_random(vectors, &mut rngs(part, vectors.len()));
        let by_agent = |vectors: &[Vec<f32>], part| agent.change(vectors, &mut rngs(part, vectors.len()));
        let random = [at_random(first, 0), at_random(second, 1)];
        let changed = [by_agent(first, 0)?, by_agent(second, 1)?];
        [("as they were", &self.vectors), ("changed at random", &random), ("changed by the agent", &changed)]
            .into_iter()
            .map(|(system, vectors)| self.row(system, vectors))
            .collect()
    }

    fn row(&self, system: &'static str, [training, test]: &[Vec<Vec<f32>>; 2]) -> Result<RltaRow, Failure> {
        let judges = [&self.task].into_iter().chain(&self.judges);
        let found = judges.enumerate().map(|(place, judge)| {
            let truths = of(&self.known.parts[2], place);
            let mut counts = vec![0_usize; judge.classes()];
            truths.iter().for_each(|class| counts[*class as usize] += 1);
            let adaptive = learned(training, &of(&self.known.parts[0], place))?;
            Ok(OfVectors {
                commonest: counts.iter().copied().max().unwrap_or(0) as f64 / truths.len().max(1) as f64,
                fixed: right(judge, test, &truths)?,
                adaptive: right(&adaptive, test, &truths)?,
            })
        });
        Ok(RltaRow { system, found: found.collect::<Result<_, Failure>>()? })
    }
}

/// The classes of the task, or of an attribute from 1 on.
fn of(items: &[Item], place: usize) -> Vec<u32> {
    items.iter().map(|item| if place == 0 { item.example.label } else { item.attributes[place - 1] }).collect()
}

/// A classifier of vectors.
fn learned(vectors: &[Vec<f32>], classes: &[u32]) -> Result<VectorJudge, Failure> {
    let width = vectors.first().map_or(0, Vec::len);
    let mut rows = Sparse::new(width);
    vectors.iter().for_each(|vector| rows.push((0..).zip(vector.iter().copied())));
    let machine = Logistic::fit(LogisticSettings::default(), &rows, classes, "classes")?.linear;
    let weights = (0..machine.classes()).flat_map(|class| (0..width).map(move |column| (class, column)));
    let weights = weights.map(|(class, column)| machine.weight(class, column)).collect();
    let offsets = (0..machine.classes()).map(|class| machine.offset(class)).collect();
    Ok(VectorJudge::new(Matrix::of(machine.classes(), width, weights), offsets))
}

fn right(judge: &VectorJudge, vectors: &[Vec<f32>], truths: &[u32]) -> Result<Interval, Failure> {
    let hits = vectors.iter().zip(truths).filter(|(vector, truth)| judge.lead(vector, **truth) > 0.0).count();
    Interval::of_share(hits, vectors.len())
        .ok_or_else(|| Failure::new("there is no record to test with", "give more records"))
}
