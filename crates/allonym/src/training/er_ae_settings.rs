//! A training run of ER-AE as data.

use super::basis::{Basis, Duration, no_preset};
use crate::failure::Failure;
use allonym_models::er_ae::{ErAeSettings, PRESETS, Preset};
use allonym_nn::loss::RewardSettings;
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The settings of `allonym train er-ae`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErAeTraining {
    /// What all models are told.
    pub basis: Basis,
    /// The file with the word vectors.
    pub embeddings: PathBuf,
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
    /// The embedding reward.
    pub reward: RewardSettings,
}

impl Default for ErAeTraining {
    fn default() -> Self {
        Self {
            basis: Basis::default(),
            embeddings: PathBuf::new(),
            preset: PRESETS[0].name.to_owned(),
            layers: None,
            cells: None,
            latent: None,
            word_dropout: 0.0,
            epochs: None,
            reward_epochs: None,
            steps: None,
            reward_steps: None,
            reward: RewardSettings::default(),
        }
    }
}

impl ErAeTraining {
    pub(super) fn preset(&self) -> Result<&'static Preset, Failure> {
        Preset::find(&self.preset).ok_or_else(|| no_preset(&self.preset, PRESETS.iter().map(|preset| preset.name)))
    }

    pub(super) fn network(&self, preset: &Preset) -> ErAeSettings {
        let usual = preset.settings(self.basis.max_tokens);
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
        let duration = match reward {
            false => Duration { epochs: self.epochs, steps: self.steps, usual: preset.epochs },
            true => Duration { epochs: self.reward_epochs, steps: self.reward_steps, usual: preset.reward_epochs },
        };
        self.basis.stage((preset.batch, preset.rate), &duration, examples)
    }
}
