//! The size of the network, and the presets of it.

use super::clip::Clip;
use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Settings of an ADePT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdeptSettings {
    /// Layers of the encoder and of the decoder. Default 1.
    pub layers: usize,
    /// Cells of each layer. Default 128.
    pub cells: usize,
    /// Numbers of a word vector, where vectors are trained; those of a file bring their own. Default 64.
    pub words: usize,
    /// Numbers of the latent vector. At the same loss, noise grows with it. Default 32.
    pub latent: usize,
    /// The bound of the latent vector.
    pub clip: Clip,
    /// The most tokens of a text; what comes after is as if it had not been written. Public. Default 50.
    pub max_tokens: usize,
    /// The share of previous tokens that the decoder does not see while it is trained, so that it must look at the latent vector. Default 0.3.
    pub word_dropout: f64,
    /// The standard deviation of what is added to each number of the latent vector while training, as a part of the bound. It
    /// protects nobody: it teaches the decoder to live with the noise of a release. Default 0.
    pub noise: f64,
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
    words: usize,
    latent: usize,
    /// Words of the vocabulary.
    pub vocabulary: usize,
    /// Texts in a step.
    pub batch: usize,
    /// The learning rate.
    pub rate: f64,
    /// Passes over the texts.
    pub epochs: u64,
}

/// All presets; the first is the default. The kind of network is the paper's. Its sizes are not at hand, so these are ours: the latent vector is
/// small because noise grows with its dimension.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "small",
        about: "128 cells, 32 latent numbers, 10,000 words: minutes for short texts",
        layers: 1,
        cells: 128,
        words: 64,
        latent: 32,
        vocabulary: 10_000,
        batch: 16,
        rate: 3e-3,
        epochs: 20,
    },
    Preset {
        name: "paper",
        about: "the paper's kind of network at a larger size, which is ours: 512 cells, 64 latent numbers, 20,000 words",
        layers: 1,
        cells: 512,
        words: 128,
        latent: 64,
        vocabulary: 20_000,
        batch: 64,
        rate: 1e-3,
        epochs: 20,
    },
];

impl Preset {
    /// The preset of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The network's settings, for texts of so many tokens.
    pub fn settings(&self, max_tokens: usize) -> AdeptSettings {
        let Self { layers, cells, words, latent, .. } = *self;
        AdeptSettings { layers, cells, words, latent, max_tokens, ..AdeptSettings::default() }
    }
}

impl Default for AdeptSettings {
    fn default() -> Self {
        Self {
            layers: 1,
            cells: 128,
            words: 64,
            latent: 32,
            clip: Clip::default(),
            max_tokens: 50,
            word_dropout: 0.3,
            noise: 0.0,
        }
    }
}

impl AdeptSettings {
    /// A model of this size has at least so many numbers.
    pub(super) fn least_parameters(&self, ids: u32) -> u64 {
        let (layers, cells) = (self.layers as u64, self.cells as u64);
        2 * layers * 4 * cells * cells + cells * u64::from(ids)
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
            ("latent", self.latent, 4096, "between 1 and 4096"),
            ("max-tokens", self.max_tokens, 1000, "between 1 and 1000"),
        ])?;
        let bound = self.clip.bound;
        // Within what 32 bits hold with all digits, squares too.
        let numbers = [
            ("clip", bound, (1e-6..=1e6).contains(&bound), "between 0.000001 and 1000000"),
            ("word-dropout", self.word_dropout, (0.0..1.0).contains(&self.word_dropout), "at least 0 and below 1"),
            ("noise", self.noise, (0.0..=1e3).contains(&self.noise), "between 0 and 1000"),
        ];
        for (setting, value, fits, allowed) in numbers {
            if !fits {
                return Err(ModelError::Setting { setting, value: value.to_string(), allowed });
            }
        }
        Ok(())
    }
}
