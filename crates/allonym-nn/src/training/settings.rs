//! Settings of a run, and the plan that comes of them.

use super::schedule::Schedule;
use crate::error::NnError;
use crate::optimiser::{Optimiser, OptimiserSettings, PrivateSettings};
use crate::sampling::Poisson;
use serde::{Deserialize, Serialize};

/// How a model is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrainingSettings {
    /// The learning rate. Default 0.001.
    pub rate: f64,
    /// Passes over the examples; this or `steps` is given.
    pub epochs: Option<u64>,
    /// Steps; this or `epochs` is given.
    pub steps: Option<u64>,
    /// Examples in a step; on average, in private training. Default 64.
    pub batch: usize,
    /// Tokens whose gradients are computed at a time; a larger batch is cut into parts, which changes memory and nothing else.
    /// Default 65,536.
    pub tokens_at_once: usize,
    /// The largest norm of the gradient of a plain step. Default none.
    pub clip: Option<f64>,
    /// Threads. Default 1.
    pub threads: usize,
    /// The seed of everything that is drawn. A plain run without one makes one up; a private run without one draws from a secret
    /// key, and with one is not private.
    pub seed: Option<u64>,
    /// Steps between checkpoints. Default 1000.
    pub checkpoint_every: u64,
    /// How many checkpoints stay. Default 2.
    pub keep: usize,
    /// Steps between looks at the validation data, if there is any. Default 1000.
    pub evaluate_every: u64,
    /// Stops after so many looks without a better loss. Default never.
    pub patience: Option<u64>,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Which optimiser. Default Adam.
    pub optimiser: OptimiserSettings,
    /// Private training, if wanted.
    pub private: Option<PrivateSettings>,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self {
            rate: 1e-3,
            epochs: None,
            steps: None,
            batch: 64,
            tokens_at_once: 1 << 16,
            clip: None,
            threads: 1,
            seed: None,
            checkpoint_every: 1000,
            keep: 2,
            evaluate_every: 1000,
            patience: None,
            schedule: Schedule::default(),
            optimiser: OptimiserSettings::default(),
            private: None,
        }
    }
}

/// What checked settings say about a run over so many examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Steps of the run.
    pub steps: u64,
    /// Steps in which all examples are seen once; on average, in private training.
    pub steps_per_epoch: u64,
    /// The chance of an example to be in a step of private training.
    pub sampling: Option<Poisson>,
}

fn refuse<T>(setting: &'static str, value: impl Into<String>, allowed: &'static str) -> Result<T, NnError> {
    Err(NnError::Setting { setting, value: value.into(), allowed })
}

impl TrainingSettings {
    /// Checks all settings for a run over so many examples.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn plan(&self, examples: usize) -> Result<Plan, NnError> {
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return refuse("rate", self.rate.to_string(), "above 0");
        }
        if let Some(clip) = self.clip.filter(|clip| clip.is_nan() || *clip <= 0.0) {
            return refuse("clip", clip.to_string(), "above 0");
        }
        for (setting, value) in [
            ("examples", examples as u64),
            ("batch", self.batch as u64),
            ("tokens-at-once", self.tokens_at_once as u64),
            ("threads", self.threads as u64),
            ("checkpoint-every", self.checkpoint_every),
            ("keep", self.keep as u64),
            ("evaluate-every", self.evaluate_every),
            ("patience", self.patience.unwrap_or(1)),
        ] {
            if value == 0 {
                return refuse(setting, "0", "1 or more");
            }
        }
        if let Some(seed) = self.seed.filter(|seed| *seed > i64::MAX as u64) {
            return refuse("seed", seed.to_string(), "below 2^63, or a card could not hold it");
        }
        Optimiser::new(self.optimiser, 0)?;
        let sampling = match &self.private {
            None => None,
            Some(private) => {
                private.check()?;
                // With more, publishing one example as it is would be allowed.
                if private.delta * examples as f64 >= 1.0 {
                    return refuse("delta", private.delta.to_string(), "below 1 / number of examples");
                }
                if self.clip.is_some() {
                    return refuse("clip", "given", "that of `private`, in private training");
                }
                Some(Poisson::new(examples, self.batch)?)
            }
        };
        let steps_per_epoch = examples.div_ceil(self.batch) as u64;
        let steps = match (self.epochs, self.steps) {
            (Some(epochs), None) if epochs > 0 => epochs.saturating_mul(steps_per_epoch),
            (None, Some(steps)) if steps > 0 => steps,
            (Some(_), Some(_)) => return refuse("steps", "given beside `epochs`", "one of the two"),
            _ => return refuse("steps", "0", "1 or more, or `epochs` instead"),
        };
        if steps >= 1 << 32 {
            return refuse("steps", steps.to_string(), "below 2^32");
        }
        Ok(Plan { steps, steps_per_epoch, sampling })
    }

    /// Whether a run with the other settings may be gone on with: everything is equal that decides about the result.
    pub(super) fn continues(&self, other: &Self) -> bool {
        let mut other = other.clone();
        other.threads = self.threads;
        other.tokens_at_once = self.tokens_at_once;
        other.checkpoint_every = self.checkpoint_every;
        other.keep = self.keep;
        *self == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIVATE: PrivateSettings =
        PrivateSettings { noise: 1.0, clip: 1.0, delta: 1e-6, owner_only: false, beside: None };

    fn settings() -> TrainingSettings {
        TrainingSettings { epochs: Some(3), batch: 10, ..TrainingSettings::default() }
    }

    #[test]
    fn epochs_are_counted_in_whole_steps() {
        let plan = settings().plan(101).unwrap();
        assert_eq!((plan.steps, plan.steps_per_epoch, plan.sampling), (33, 11, None));
        let private = TrainingSettings { private: Some(PRIVATE), ..settings() }.plan(101).unwrap();
        assert!((private.sampling.unwrap().rate() - 10.0 / 101.0).abs() < 1e-15);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let bad = [
            TrainingSettings { rate: 0.0, ..settings() },
            TrainingSettings { rate: f64::NAN, ..settings() },
            TrainingSettings { batch: 0, ..settings() },
            TrainingSettings { threads: 0, ..settings() },
            TrainingSettings { epochs: None, ..settings() },
            TrainingSettings { epochs: Some(0), ..settings() },
            TrainingSettings { steps: Some(1), ..settings() },
            TrainingSettings { clip: Some(f64::NAN), ..settings() },
            TrainingSettings { seed: Some(u64::MAX), ..settings() },
            TrainingSettings { checkpoint_every: 0, ..settings() },
            TrainingSettings { private: Some(PRIVATE), batch: 102, ..settings() },
            TrainingSettings { private: Some(PRIVATE), clip: Some(1.0), ..settings() },
            TrainingSettings { private: Some(PrivateSettings { delta: 0.0, ..PRIVATE }), ..settings() },
            TrainingSettings { private: Some(PrivateSettings { delta: 0.01, ..PRIVATE }), ..settings() },
        ];
        for bad in bad {
            assert!(matches!(bad.plan(101), Err(NnError::Setting { .. })), "{bad:?}");
        }
        assert!(settings().plan(0).is_err());
    }

    #[test]
    fn settings_are_read_by_name_and_unknown_names_are_refused() {
        let text = "epochs = 2\n[schedule]\nwarm-up = 5\ndecay = \"cosine\"\n[private]\nnoise = 1.0\nclip = 1.0\ndelta = 1e-6\n";
        let read: TrainingSettings = toml::from_str(text).unwrap();
        assert_eq!((read.schedule.warm_up, read.private), (5, Some(PRIVATE)));
        assert!(toml::from_str::<TrainingSettings>("epoch = 2").is_err());
        let error = toml::from_str::<TrainingSettings>("[private]\nnoise = 1.0\nclip = 1.0").unwrap_err();
        assert!(error.message().contains("delta"));
    }
}
