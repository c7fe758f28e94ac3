//! A training run of a fluent model as data.

use super::basis::{Basis, Duration};
use allonym_models::language_model::LanguageModelSettings;
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Words of the vocabulary, texts of a step, learning rate, passes over the texts.
const VOCABULARY: usize = 10_000;
const BATCH: usize = 32;
const RATE: f64 = 2e-3;
const EPOCHS: u64 = 2;

/// The settings of `allonym train fluent`, as written into the model's directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FluentTraining {
    /// What all models are told. `max-tokens` is the length of the parts that texts are cut into.
    pub basis: Basis,
    /// The file with the word vectors that say which words are near.
    pub embeddings: PathBuf,
    /// Layers. Default 1.
    pub layers: usize,
    /// Cells of each layer. Default 384.
    pub cells: usize,
    /// Numbers of a word's vector. Default 128.
    pub words: usize,
    /// The share of inputs and outputs that is dropped while training. Default 0.1.
    pub dropout: f64,
    /// Tokens that every target is compared with in a step; 0 is the whole vocabulary. Default 2000.
    pub negatives: usize,
    /// Passes over the texts. Default 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Steps, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
}

impl Default for FluentTraining {
    fn default() -> Self {
        let usual = LanguageModelSettings::default();
        Self {
            basis: Basis { max_tokens: usual.max_tokens, ..Basis::default() },
            embeddings: PathBuf::new(),
            layers: usual.layers,
            cells: usual.cells,
            words: usual.words,
            dropout: usual.dropout,
            negatives: usual.negatives.unwrap_or(0),
            epochs: None,
            steps: None,
        }
    }
}

impl FluentTraining {
    pub(super) const VOCABULARY: usize = VOCABULARY;

    pub(super) fn network(&self) -> LanguageModelSettings {
        LanguageModelSettings {
            layers: self.layers,
            cells: self.cells,
            words: self.words,
            max_tokens: self.basis.max_tokens,
            dropout: self.dropout,
            negatives: Some(self.negatives).filter(|count| *count > 0),
        }
    }

    pub(super) fn plan(&self, examples: usize) -> TrainingSettings {
        let duration = Duration { epochs: self.epochs, steps: self.steps, usual: EPOCHS };
        // A recurrent network over long texts now and then has a gradient that would throw it back.
        let clip = if self.basis.private.is_some() { None } else { Some(1.0) };
        TrainingSettings { clip, ..self.basis.stage((BATCH, RATE), &duration, examples) }
    }
}
