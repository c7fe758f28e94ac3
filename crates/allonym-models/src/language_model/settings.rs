//! The size of a language model.

use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Settings of a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LanguageModelSettings {
    /// Layers.
    pub layers: usize,
    /// Cells of each layer.
    pub cells: usize,
    /// Numbers of a word's vector.
    pub words: usize,
    /// The most tokens of an example; a longer text is several.
    pub max_tokens: usize,
    /// The share of a layer's inputs and outputs that is dropped while training.
    pub dropout: f64,
    /// Tokens that every target is compared with in a plain step; without it, the whole vocabulary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negatives: Option<usize>,
}

impl Default for LanguageModelSettings {
    fn default() -> Self {
        Self { layers: 1, cells: 384, words: 128, max_tokens: 64, dropout: 0.1, negatives: Some(2000) }
    }
}

impl LanguageModelSettings {
    /// How many numbers a model of this size has, for so many ids.
    pub(super) fn parameters(&self, ids: usize) -> u64 {
        let [ids, cells, words] = [ids, self.cells, self.words].map(|size| size as u64);
        let gru = |inputs: u64| 3 * cells * (inputs + cells + 2);
        ids * words + gru(words) + (self.layers as u64 - 1) * gru(cells) + (cells + 1) * ids
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("layers", self.layers, 8, "between 1 and 8"),
            ("cells", self.cells, 4096, "between 1 and 4096"),
            ("words", self.words, 4096, "between 1 and 4096"),
            ("max-tokens", self.max_tokens, 1000, "between 1 and 1000"),
            ("negatives", self.negatives.unwrap_or(1), 1_000_000, "between 1 and 1000000"),
        ])?;
        if !(0.0..1.0).contains(&self.dropout) {
            let (value, allowed) = (self.dropout.to_string(), "at least 0 and below 1");
            return Err(ModelError::Setting { setting: "dropout", value, allowed });
        }
        Ok(())
    }
}
