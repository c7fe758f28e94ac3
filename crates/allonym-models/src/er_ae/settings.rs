//! The size of the network, and the presets of it.

use crate::error::{ModelError, check_sizes};
use allonym_nn::loss::RewardSettings;
use serde::{Deserialize, Serialize};

/// Settings of an ER-AE. The dimension of the word vectors is that of their file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ErAeSettings {
    /// Layers of the encoder and of the generator.
    pub layers: usize,
    /// Cells of each layer, in each direction.
    pub cells: usize,
    /// Numbers of the latent vector.
    pub latent: usize,
    /// Whether the generator also looks back at the encoded tokens. The papers' does not; the guarantee allows it.
    pub attention: bool,
    /// The most tokens that are encoded together; longer texts are taken sentence by sentence, or cut.
    pub max_tokens: usize,
    /// The share of previous tokens that the generator does not see while it is trained.
    pub word_dropout: f64,
    /// The embedding reward of the second stage; without it the model is AE-DP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<RewardSettings>,
}

/// A named size of the network, with what it is usually trained by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    layers: usize,
    cells: usize,
    latent: usize,
    attention: bool,
    /// Words of the vocabulary.
    pub vocabulary: usize,
    /// Texts in a step.
    pub batch: usize,
    /// The learning rate.
    pub rate: f64,
    /// Passes over the texts for reconstruction.
    pub epochs: u64,
    /// Passes over the texts with the embedding reward.
    pub reward_epochs: u64,
}

/// All presets; the first is the default.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "attention",
        about: "256 cells and 10,000 words; the generator looks back at the original tokens, and learns in one pass: an hour on a laptop",
        layers: 1,
        cells: 256,
        latent: 256,
        attention: true,
        vocabulary: 10_000,
        batch: 64,
        rate: 1e-3,
        epochs: 1,
        reward_epochs: 1,
    },
    Preset {
        name: "small",
        about: "the papers' network with a layer of 256 cells and 10,000 words: some hours on a laptop",
        layers: 1,
        cells: 256,
        latent: 512,
        attention: false,
        vocabulary: 10_000,
        batch: 64,
        rate: 2e-3,
        epochs: 8,
        reward_epochs: 2,
    },
    Preset {
        name: "paper",
        about: "2 layers of 512 cells and 20,000 words, as in the papers: about a day on 2 cores",
        layers: 2,
        cells: 512,
        latent: 512,
        attention: false,
        vocabulary: 20_000,
        batch: 128,
        rate: 1e-3,
        epochs: 10,
        reward_epochs: 3,
    },
];

impl Preset {
    /// The preset of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The network's settings, for texts of so many tokens.
    pub fn settings(&self, max_tokens: usize) -> ErAeSettings {
        ErAeSettings {
            layers: self.layers,
            cells: self.cells,
            latent: self.latent,
            attention: self.attention,
            max_tokens,
            ..ErAeSettings::default()
        }
    }
}

impl Default for ErAeSettings {
    fn default() -> Self {
        Self { layers: 2, cells: 256, latent: 512, attention: false, max_tokens: 50, word_dropout: 0.0, reward: None }
    }
}

impl ErAeSettings {
    /// How many numbers a model of this size has, for so many ids and vectors of this length.
    pub(super) fn parameters(&self, ids: usize, width: usize) -> u64 {
        let [ids, width, cells, latent] = [ids, width, self.cells, self.latent].map(|size| size as u64);
        let gru = |inputs: u64| 3 * cells * (inputs + cells + 2);
        let more = self.layers as u64 - 1;
        let encoder = 2 * (gru(width) + more * gru(2 * cells));
        let generator = gru(width + latent) + more * gru(cells);
        let attention = if self.attention { 4 * cells * cells } else { 0 };
        encoder
            + 2 * cells * latent
            + (latent + 1) * self.layers as u64 * cells
            + generator
            + attention
            + (cells + 1) * ids
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("layers", self.layers, 8, "between 1 and 8"),
            ("cells", self.cells, 4096, "between 1 and 4096"),
            ("latent", self.latent, 8192, "between 1 and 8192"),
            ("max-tokens", self.max_tokens, 1000, "between 1 and 1000"),
        ])?;
        if let Some(reward) = &self.reward {
            reward.check()?;
        }
        if !(0.0..1.0).contains(&self.word_dropout) {
            let (value, allowed) = (self.word_dropout.to_string(), "at least 0 and below 1");
            return Err(ModelError::Setting { setting: "word-dropout", value, allowed });
        }
        Ok(())
    }
}
