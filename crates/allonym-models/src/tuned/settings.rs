//! What a tuned model is made of.

use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TunedSettings {
    /// How many numbers stand between `down` and `up`. Default 8.
    pub rank: usize,
    /// The seed of what is public: the first numbers of `down`. Default 1.
    pub seed: u64,
}

impl Default for TunedSettings {
    fn default() -> Self {
        Self { rank: 8, seed: 1 }
    }
}

impl TunedSettings {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[("rank", self.rank, 1 << 12, "from 1 to 4096")])
    }
}
