//! How large an encoder-decoder is.

use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Its settings. The paper gives the dropout and no size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SeededSettings {
    /// Cells of the encoder, and of the decoder. Default 64.
    pub cells: usize,
    /// Numbers of a word's vector. Default 64.
    pub words: usize,
    /// The share of the decoder's outputs that is dropped while training. Default 0.2.
    pub dropout: f64,
    /// The seed of what the numbers begin with, which is public. Default 1.
    pub seed: u64,
}

impl Default for SeededSettings {
    fn default() -> Self {
        Self { cells: 64, words: 64, dropout: 0.2, seed: 1 }
    }
}

impl SeededSettings {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("cells", self.cells, 4096, "between 1 and 4096"),
            ("words", self.words, 4096, "between 1 and 4096"),
        ])
    }
}
