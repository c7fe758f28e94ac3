//! The size of the network.

use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Settings of the encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RltaSettings {
    /// Cells of each direction; a vector has twice as many numbers. Default 100.
    pub cells: usize,
    /// Numbers of a word vector, where vectors are trained; those of a file bring their own. Default 100.
    pub words: usize,
    /// The most tokens of a text that are read. Default 50.
    pub max_tokens: usize,
    /// Classes of the task. Default 2.
    pub classes: usize,
}

impl Default for RltaSettings {
    fn default() -> Self {
        Self { cells: 100, words: 100, max_tokens: 50, classes: 2 }
    }
}

impl RltaSettings {
    /// Numbers of a vector.
    pub fn vector(&self) -> usize {
        2 * self.cells
    }

    /// A model of this size has at least so many numbers.
    pub(super) fn least_parameters(&self) -> u64 {
        let cells = self.cells as u64;
        2 * 3 * cells * cells + 4 * cells * cells
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("cells", self.cells, 4096, "between 1 and 4096"),
            ("words", self.words, 4096, "between 1 and 4096"),
            ("max-tokens", self.max_tokens, 10_000, "between 1 and 10,000"),
            ("classes", self.classes.saturating_sub(1), 999, "between 2 and 1000"),
        ])
    }
}
