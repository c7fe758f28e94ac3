//! A training run of ETE-Anon as data.

use super::super::basis::{Basis, Duration, no_preset};
use crate::failure::Failure;
use allonym_models::ete_anon::{AutoEncoderSettings, PRESETS, Preset};
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The settings of `allonym train ete-anon`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EteAnonTraining {
    /// What all models are told.
    pub basis: Basis,
    /// The size of the auto-encoder. Default `small`.
    pub preset: String,
    /// A file with word vectors. Default: vectors are trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
    /// Passes over the sequences. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Steps, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
}

impl Default for EteAnonTraining {
    fn default() -> Self {
        let max_tokens = AutoEncoderSettings::default().max_tokens;
        Self {
            basis: Basis { max_tokens, ..Basis::default() },
            preset: PRESETS[0].name.to_owned(),
            embeddings: None,
            epochs: None,
            steps: None,
        }
    }
}

impl EteAnonTraining {
    pub(super) fn preset(&self) -> Result<&'static Preset, Failure> {
        Preset::find(&self.preset).ok_or_else(|| no_preset(&self.preset, PRESETS.iter().map(|preset| preset.name)))
    }

    pub(super) fn network(&self, preset: &Preset) -> AutoEncoderSettings {
        AutoEncoderSettings { max_tokens: self.basis.max_tokens, ..preset.settings() }
    }

    /// How the auto-encoder is trained on so many sequences.
    pub(super) fn plan(&self, preset: &Preset, sequences: usize) -> TrainingSettings {
        let duration = Duration { epochs: self.epochs, steps: self.steps, usual: preset.epochs };
        TrainingSettings {
            // Long products of gates may make a gradient explode; private training clips by itself.
            clip: if self.basis.private.is_some() { None } else { Some(1.0) },
            ..self.basis.stage((preset.batch, preset.rate), &duration, sequences)
        }
    }
}
