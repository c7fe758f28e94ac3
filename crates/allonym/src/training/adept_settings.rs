//! A training run of ADePT as data.

use crate::failure::Failure;
use allonym_io::Format;
use allonym_models::adept::{AdeptSettings, Clip, PRESETS, Preset};
use allonym_nn::optimiser::PrivateSettings;
use allonym_nn::training::{Decay, Schedule, TrainingSettings};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The settings of `allonym train adept`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdeptTraining {
    /// The file with the texts.
    pub data: PathBuf,
    /// The directory to write.
    pub out: PathBuf,
    /// The size of the network. Default `small`.
    pub preset: String,
    /// A file with word vectors. Default: vectors are trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
    /// Whether the texts may be shown to anybody. Default false.
    pub public: bool,
    /// The format of the file, where its name does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The column that holds the text. Default `text`.
    pub text_column: String,
    /// The column that names the author, for the split. Default `author`.
    pub author_column: String,
    /// A public vocabulary file. Default: the English list of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<PathBuf>,
    /// How many of its words. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary_size: Option<usize>,
    /// The most tokens of a text. Default 50.
    pub max_tokens: usize,
    /// Cells of encoder and decoder. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Numbers of the latent vector. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latent: Option<usize>,
    /// The share of previous tokens that the decoder does not see while training. Default 0.3.
    pub word_dropout: f64,
    /// Noise on the latent vector while training, as a part of the bound. It protects nobody. Default 0.
    pub noise: f64,
    /// Passes over the texts. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Steps, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Texts in a step. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The learning rate. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Threads; 0 is one a core. Default 0.
    pub threads: usize,
    /// The seed of the split and, in plain training, of everything else. Default 1.
    pub seed: u64,
    /// Whether to go on with what is in the directory. Default false.
    pub resume: bool,
    /// The bound of the latent vector. Default 1, by the L2 norm.
    pub clip: Clip,
    /// Private training: noise, clip, delta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<PrivateSettings>,
}

impl Default for AdeptTraining {
    fn default() -> Self {
        let AdeptSettings { clip, word_dropout, noise, max_tokens, .. } = AdeptSettings::default();
        Self {
            data: PathBuf::new(),
            out: PathBuf::new(),
            preset: PRESETS[0].name.to_owned(),
            embeddings: None,
            public: false,
            format: None,
            text_column: "text".into(),
            author_column: "author".into(),
            vocabulary: None,
            vocabulary_size: None,
            max_tokens,
            cells: None,
            latent: None,
            word_dropout,
            noise,
            epochs: None,
            steps: None,
            batch: None,
            rate: None,
            threads: 0,
            seed: 1,
            resume: false,
            clip,
            private: None,
        }
    }
}

impl AdeptTraining {
    pub(super) fn preset(&self) -> Result<&'static Preset, Failure> {
        Preset::find(&self.preset).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            Failure::new(format!("there is no preset `{}`", self.preset), format!("take one of {}", names.join(", ")))
        })
    }

    pub(super) fn network(&self, preset: &Preset) -> AdeptSettings {
        let usual = preset.settings(self.max_tokens);
        let Self { clip, word_dropout, noise, .. } = *self;
        let (cells, latent) = (self.cells.unwrap_or(usual.cells), self.latent.unwrap_or(usual.latent));
        AdeptSettings { cells, latent, clip, word_dropout, noise, ..usual }
    }

    /// How it is trained on so many examples.
    pub(super) fn plan(&self, preset: &Preset, examples: usize) -> TrainingSettings {
        let batch = self.batch.unwrap_or(preset.batch);
        let per_epoch = examples.div_ceil(batch.max(1)).max(1) as u64;
        TrainingSettings {
            rate: self.rate.unwrap_or(preset.rate),
            epochs: if self.steps.is_some() { None } else { Some(self.epochs.unwrap_or(preset.epochs)) },
            steps: self.steps,
            batch,
            threads: match self.threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            },
            // Noise from a seed that stands in a file protects nobody.
            seed: if self.private.is_some() { None } else { Some(self.seed) },
            checkpoint_every: per_epoch.clamp(50, 1000),
            evaluate_every: per_epoch.clamp(50, 1000),
            schedule: Schedule { decay: Decay::Cosine, ..Schedule::default() },
            // Long products of gates may make a gradient explode; private training clips by itself.
            clip: if self.private.is_some() { None } else { Some(1.0) },
            private: self.private,
            ..TrainingSettings::default()
        }
    }
}
