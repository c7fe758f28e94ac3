//! A training run of ADePT as data.

use super::basis::{Basis, Duration, no_preset};
use crate::failure::Failure;
use allonym_models::adept::{AdeptSettings, Clip, PRESETS, Preset};
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The settings of `allonym train adept`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdeptTraining {
    /// What all models are told.
    pub basis: Basis,
    /// The size of the network. Default `small`.
    pub preset: String,
    /// A file with word vectors. Default: vectors are trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
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
    /// The bound of the latent vector. Default 1, by the L2 norm.
    pub clip: Clip,
}

impl Default for AdeptTraining {
    fn default() -> Self {
        let AdeptSettings { clip, word_dropout, noise, .. } = AdeptSettings::default();
        Self {
            basis: Basis::default(),
            preset: PRESETS[0].name.to_owned(),
            embeddings: None,
            cells: None,
            latent: None,
            word_dropout,
            noise,
            epochs: None,
            steps: None,
            clip,
        }
    }
}

impl AdeptTraining {
    pub(super) fn preset(&self) -> Result<&'static Preset, Failure> {
        Preset::find(&self.preset).ok_or_else(|| no_preset(&self.preset, PRESETS.iter().map(|preset| preset.name)))
    }

    pub(super) fn network(&self, preset: &Preset) -> AdeptSettings {
        let usual = preset.settings(self.basis.max_tokens);
        let Self { clip, word_dropout, noise, .. } = *self;
        let (cells, latent) = (self.cells.unwrap_or(usual.cells), self.latent.unwrap_or(usual.latent));
        AdeptSettings { cells, latent, clip, word_dropout, noise, ..usual }
    }

    /// How it is trained on so many examples.
    pub(super) fn plan(&self, preset: &Preset, examples: usize) -> TrainingSettings {
        let duration = Duration { epochs: self.epochs, steps: self.steps, usual: preset.epochs };
        TrainingSettings {
            // Long products of gates may make a gradient explode; private training clips by itself.
            clip: if self.basis.private.is_some() { None } else { Some(1.0) },
            ..self.basis.stage((preset.batch, preset.rate), &duration, examples)
        }
    }
}
