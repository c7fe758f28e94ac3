//! A training run as data.

use crate::failure::Failure;
use allonym_io::Format;
use allonym_models::er_ae::{ErAeSettings, PRESETS, Preset};
use allonym_nn::loss::RewardSettings;
use allonym_nn::optimiser::PrivateSettings;
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The settings of `allonym train er-ae`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErAeTraining {
    /// The file with the texts.
    pub data: PathBuf,
    /// The file with the word vectors.
    pub embeddings: PathBuf,
    /// The directory to write.
    pub out: PathBuf,
    /// The size of the network. Default `attention`.
    pub preset: String,
    /// Layers of the encoder and of the generator. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Cells of each layer. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Numbers of the latent vector. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latent: Option<usize>,
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
    /// The most tokens of a sentence. Default 50.
    pub max_tokens: usize,
    /// The share of previous tokens that the generator does not see while training. Default 0.
    pub word_dropout: f64,
    /// Passes for reconstruction. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Passes with the embedding reward; 0 trains AE-DP alone. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_epochs: Option<u64>,
    /// Steps for reconstruction, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Steps with the reward, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_steps: Option<u64>,
    /// Texts in a step. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The learning rate. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The embedding reward.
    pub reward: RewardSettings,
    /// Private training: noise, clip, delta.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<PrivateSettings>,
    /// Threads; 0 is one a core. Default 0.
    pub threads: usize,
    /// The seed of the split and, in plain training, of everything else. Default 1.
    pub seed: u64,
    /// Whether to go on with what is in the directory. Default false.
    pub resume: bool,
}

impl Default for ErAeTraining {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            embeddings: PathBuf::new(),
            out: PathBuf::new(),
            preset: PRESETS[0].name.to_owned(),
            layers: None,
            cells: None,
            latent: None,
            public: false,
            format: None,
            text_column: "text".into(),
            author_column: "author".into(),
            vocabulary: None,
            vocabulary_size: None,
            max_tokens: 50,
            word_dropout: 0.0,
            epochs: None,
            reward_epochs: None,
            steps: None,
            reward_steps: None,
            batch: None,
            rate: None,
            reward: RewardSettings::default(),
            private: None,
            threads: 0,
            seed: 1,
            resume: false,
        }
    }
}

impl ErAeTraining {
    pub(super) fn preset(&self) -> Result<&'static Preset, Failure> {
        Preset::find(&self.preset).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            Failure::new(format!("there is no preset `{}`", self.preset), format!("take one of {}", names.join(", ")))
        })
    }

    pub(super) fn network(&self, preset: &Preset) -> ErAeSettings {
        let usual = preset.settings(self.max_tokens);
        ErAeSettings {
            layers: self.layers.unwrap_or(usual.layers),
            cells: self.cells.unwrap_or(usual.cells),
            latent: self.latent.unwrap_or(usual.latent),
            word_dropout: self.word_dropout,
            ..usual
        }
    }

    /// Whether there is a second stage.
    pub(super) fn with_reward(&self, preset: &Preset) -> bool {
        self.reward_steps.unwrap_or_else(|| self.reward_epochs.unwrap_or(preset.reward_epochs)) > 0
    }

    /// How a stage is trained on so many examples.
    pub(super) fn stage(&self, preset: &Preset, examples: usize, reward: bool) -> TrainingSettings {
        let (epochs, steps, usual) = match reward {
            false => (self.epochs, self.steps, preset.epochs),
            true => (self.reward_epochs, self.reward_steps, preset.reward_epochs),
        };
        let batch = self.batch.unwrap_or(preset.batch);
        let per_epoch = examples.div_ceil(batch.max(1)).max(1) as u64;
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        TrainingSettings {
            rate: self.rate.unwrap_or(preset.rate),
            epochs: if steps.is_some() { None } else { Some(epochs.unwrap_or(usual)) },
            steps,
            batch,
            threads,
            // Noise from a seed that stands in a file protects nobody.
            seed: if self.private.is_some() { None } else { Some(self.seed) },
            checkpoint_every: (per_epoch / 4).clamp(50, 1000),
            evaluate_every: (per_epoch / 2).clamp(50, 1000),
            schedule: allonym_nn::training::Schedule {
                decay: allonym_nn::training::Decay::Cosine,
                ..allonym_nn::training::Schedule::default()
            },
            private: self.private,
            ..TrainingSettings::default()
        }
    }
}
