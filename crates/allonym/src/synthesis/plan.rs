//! From a total price to noise, rate and steps, for each label.

use super::settings::SynthesisSettings;
use crate::failure::Failure;
use allonym_dp::accountant::noise;
use allonym_dp::accountant::privacy_loss::Adjacency;
use allonym_nn::optimiser::PrivateSettings;
use allonym_nn::training::{Schedule, TrainingSettings};
use serde::Serialize;

/// The largest batch that is planned by itself.
const LARGEST: usize = 512;
/// A batch is this part of all texts. A larger one needs more noise in proportion, and takes longer.
const PART: usize = 32;
/// The smallest: below, noise has a floor.
const LEAST: usize = 32;
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
    /// Steps.
    pub steps: u64,
    /// The noise, as a multiple of the clip; none without protection.
    pub noise: Option<f64>,
}

impl SynthesisSettings {
    /// Plans a label with so many records.
    pub(super) fn plan(&self, label: &str, records: usize) -> Result<Planned, Failure> {
        let named = if label.is_empty() { "the data" } else { "a label" };
        if self.delta * records as f64 >= 1.0 {
            return Err(Failure::new(
                format!(
                    "delta is {}, and {named} has {records} records: it must be below 1 over their number",
                    self.delta
                ),
                "publishing one record as it is would be allowed; a tenth of 1 over the records is usual",
            ));
        }
        let batch = self.batch.unwrap_or((records / PART).clamp(LEAST.min(records), LARGEST));
        if batch > records {
            return Err(Failure::new(
                format!("`batch` is {batch}, and {named} has {records} records"),
                "choose a smaller `--batch`, or leave it out",
            ));
        }
        let rate = batch as f64 / records as f64;
        let noise = match self.epsilon {
            None => None,
            Some(epsilon) => Some(noise::multiplier(epsilon, self.delta, rate, self.steps, Adjacency::AddRemove)?),
        };
        Ok(Planned { label: label.to_owned(), records, batch, rate, steps: self.steps, noise })
    }

    /// How many of the texts are of a label, of so many labels.
    pub(super) fn share(&self, place: usize, labels: usize) -> usize {
        self.count / labels + usize::from(place < self.count % labels)
    }

    /// How a plan is carried out.
    pub(super) fn training(&self, planned: &Planned) -> TrainingSettings {
        let private =
            planned.noise.map(|noise| PrivateSettings { noise, clip: self.clip, delta: self.delta, owner_only: false });
        TrainingSettings {
            rate: self.rate,
            steps: Some(planned.steps),
            batch: planned.batch,
            tokens_at_once: AT_ONCE,
            threads: self.threads(),
            // Noise from a seed protects nobody: it is for experiments, and the statement says so.
            seed: self.seed,
            checkpoint_every: 10,
            schedule: Schedule::default(),
            private,
            ..TrainingSettings::default()
        }
    }
}
