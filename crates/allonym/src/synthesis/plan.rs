//! From a total price to noise, rate and steps, for each label.

use super::settings::{Method, SynthesisSettings};
use crate::failure::Failure;
use allonym_dp::accountant::noise;
use allonym_dp::accountant::privacy_loss::{Adjacency, Releases};
use allonym_dp::guarantee::RecordLoss;
use allonym_dp::presence::Presence;
use allonym_nn::optimiser::PrivateSettings;
use allonym_nn::training::{Schedule, TrainingSettings};
use serde::Serialize;

/// The largest batch that is planned by itself.
const LARGEST: usize = 512;
/// A batch is this part of all texts. A larger one needs more noise in proportion, and takes longer.
const PART: usize = 64;
/// The smallest: below, noise has a floor.
const LEAST: usize = 32;
/// That of an LSTM, all of whose numbers are trained: each text takes ten times as long.
const OF_LSTM: usize = 64;
/// Labels have seeds of their own: more than there may be labels.
const MOST_LABELS: u64 = 64;
/// Tokens whose gradients are computed at once: the logits of these are the largest thing in memory.
const AT_ONCE: usize = 1 << 12;

/// How one label is trained.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// The label.
    pub label: String,
    /// Its records.
    pub records: usize,
    /// Texts in a step, on average.
    pub batch: usize,
    /// The chance of a record to be in a step.
    pub rate: f64,
    /// Steps; none where all is spent on words.
    pub steps: u64,
    /// The noise of a step, as a multiple of the clip; none without protection.
    pub noise: Option<f64>,
    /// The noise on the sums of words, as a multiple of what one record gives; none without protection, or where no words are counted.
    pub words_noise: Option<f64>,
}

/// Sums "without" noise have this much: so little that it does not matter.
const NEARLY_NONE: f64 = 0.01;

impl Planned {
    /// The noise on the sums of words.
    pub(super) fn noise_of_words(&self) -> f64 {
        self.words_noise.unwrap_or(NEARLY_NONE)
    }

    /// The share of its records that must have a word for the sum of that word to be twice the noise, with records of so many different words; none without protection.
    pub(super) fn lost_in_noise(&self, words: usize) -> Option<f64> {
        // A record with n words gives each of them 1 over the root of n.
        self.words_noise.map(|noise| 2.0 * noise * (words.max(1) as f64).sqrt() / self.records.max(1) as f64)
    }

    /// What a record costs when it is added or removed, and when it is exchanged; none without protection.
    pub(super) fn prices(&self, delta: f64) -> Result<Option<RecordLoss>, Failure> {
        let steps = self.noise.map(|noise| Releases { noise, rate: self.rate, count: self.steps });
        let words = self.words_noise.map(|noise| Releases { noise, rate: 1.0, count: 1 });
        let releases: Vec<Releases> = steps.into_iter().chain(words).collect();
        if releases.is_empty() {
            return Ok(None);
        }
        Ok(Some(RecordLoss::from_releases(&releases, delta)?))
    }
}

impl SynthesisSettings {
    /// Plans a label with so many records.
    pub(super) fn plan(&self, label: &str, records: usize) -> Result<Planned, Failure> {
        let named = if label.is_empty() { "the data" } else { "a label" };
        if self.epsilon.is_some() && self.delta * records as f64 >= 1.0 {
            return Err(Failure::new(
                format!(
                    "delta is {}, and {named} has {records} records: it must be below 1 over their number",
                    self.delta
                ),
                "publishing one record as it is would be allowed; a tenth of 1 over the records is usual",
            ));
        }
        let usual = match self.method {
            Method::Lstm => OF_LSTM.min(records),
            Method::Tuned | Method::Unigram => (records / PART).clamp(LEAST.min(records), LARGEST),
        };
        let batch = self.batch.unwrap_or(usual);
        if batch > records {
            return Err(Failure::new(
                format!("`batch` is {batch}, and {named} has {records} records"),
                "choose a smaller `--batch`, or leave it out",
            ));
        }
        let rate = batch as f64 / records as f64;
        let steps = if self.words() < 1.0 { self.steps() } else { 0 };
        let planned = Planned { label: label.to_owned(), records, batch, rate, steps, noise: None, words_noise: None };
        let Some(epsilon) = self.epsilon else { return Ok(planned) };
        // Gaussian noise of deviation s, and of s / sqrt(share), of which 1 / share releases cost as much.
        let words_noise = match self.words() {
            0.0 => None,
            share => {
                let whole = noise::multiplier(epsilon, self.delta, 1.0, 1, Adjacency::AddRemove)?;
                Some(Presence::new(whole / share.sqrt())?.noise())
            }
        };
        let others: Vec<Releases> =
            words_noise.into_iter().map(|noise| Releases { noise, rate: 1.0, count: 1 }).collect();
        let noise = match steps {
            0 => None,
            steps => Some(noise::multiplier_beside(&others, epsilon, self.delta, rate, steps, Adjacency::AddRemove)?),
        };
        Ok(Planned { noise, words_noise, ..planned })
    }

    /// How many of the texts are of a label, of so many labels.
    pub(super) fn share(&self, place: usize, labels: usize) -> usize {
        self.count / labels + usize::from(place < self.count % labels)
    }

    /// How a plan is carried out.
    pub(super) fn training(&self, planned: &Planned, place: usize) -> TrainingSettings {
        let private = planned.noise.map(|noise| PrivateSettings {
            noise,
            clip: self.clip(),
            delta: self.delta,
            owner_only: false,
            beside: planned.words_noise,
        });
        TrainingSettings {
            rate: self.rate(),
            steps: Some(planned.steps),
            batch: planned.batch,
            tokens_at_once: AT_ONCE,
            threads: self.threads(),
            // Noise from a seed protects nobody: it is for experiments, and the statement says so.
            // Each label has its own, or equal noise would cancel between labels.
            seed: self.seed.map(|seed| (seed.wrapping_mul(MOST_LABELS).wrapping_add(place as u64)) & i64::MAX as u64),
            checkpoint_every: 10,
            schedule: Schedule::default(),
            private,
            ..TrainingSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_in_noise_by_hand() {
        let plan = |records, words_noise| Planned {
            label: String::new(),
            records,
            batch: 1,
            rate: 1.0,
            steps: 0,
            noise: None,
            words_noise,
        };
        // A hundred words give a tenth each: a sum of 8, twice the noise, needs 80 records.
        assert_eq!(plan(400, Some(4.0)).lost_in_noise(100), Some(0.2));
        assert_eq!(plan(400, None).lost_in_noise(100), None);
    }
}
