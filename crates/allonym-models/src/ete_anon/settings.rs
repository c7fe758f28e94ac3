//! The size of the auto-encoder, and the presets of it.

use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Settings of an auto-encoder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AutoEncoderSettings {
    /// Layers of the encoder and of the decoder. Default 3.
    pub layers: usize,
    /// Cells of each layer. Default 300.
    pub cells: usize,
    /// Numbers of a word vector, where vectors are trained; those of a file bring their own. Default 100.
    pub words: usize,
    /// The most tokens of a sequence. Default 20.
    pub max_tokens: usize,
    /// Whether the encoder reads a sequence from its end, so that what is to be written first was read last. Default false.
    pub backwards: bool,
    /// The share of the texts of a step for which the decoder is fed with what it wrote itself, instead of with the original. Default 1, as in the paper.
    pub own_output: f64,
    /// How many words of the vocabulary a step compares each token with; 0 is all of them. Default 0.
    pub negatives: usize,
}

/// The size of the contexts that an agent changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Numbers of the first layer, which the paper's agent sees.
    pub first: usize,
    /// Numbers of all layers.
    pub all: usize,
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
    backwards: bool,
    own_output: f64,
    negatives: usize,
    /// The variance of the numbers of words that have no vector, where it is the paper's way; else each has a direction of its own.
    pub unknown: Option<f64>,
    /// Words of the vocabulary.
    pub vocabulary: usize,
    /// Sequences in a step.
    pub batch: usize,
    /// The learning rate.
    pub rate: f64,
    /// Passes over the sequences.
    pub epochs: u64,
}

/// All presets; the first is the default.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "small",
        about: "one layer of 300 cells, 8,000 words",
        layers: 1,
        cells: 300,
        backwards: true,
        own_output: 0.5,
        negatives: 1000,
        unknown: None,
        vocabulary: 8_000,
        batch: 64,
        rate: 2e-3,
        epochs: 30,
    },
    Preset {
        name: "paper",
        about: "three layers of 300 cells, 20,000 words, the decoder fed with its own output",
        layers: 3,
        cells: 300,
        backwards: false,
        own_output: 1.0,
        negatives: 2000,
        unknown: Some(0.25),
        vocabulary: 20_000,
        batch: 64,
        rate: 1e-3,
        epochs: 30,
    },
];

impl Preset {
    /// The preset of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The network's settings.
    pub fn settings(&self) -> AutoEncoderSettings {
        let Self { layers, cells, backwards, own_output, negatives, .. } = *self;
        AutoEncoderSettings { layers, cells, backwards, own_output, negatives, ..AutoEncoderSettings::default() }
    }
}

impl Default for AutoEncoderSettings {
    fn default() -> Self {
        Self { layers: 3, cells: 300, words: 100, max_tokens: 20, backwards: false, own_output: 1.0, negatives: 0 }
    }
}

impl AutoEncoderSettings {
    /// The sizes of its contexts, for an agent.
    pub fn sizes(&self) -> Sizes {
        Sizes { first: self.cells, all: self.context() }
    }

    /// Numbers of a context: those of all layers.
    pub fn context(&self) -> usize {
        self.layers * self.cells
    }

    /// A model of this size has at least so many numbers.
    pub(super) fn least_parameters(&self, ids: usize) -> u64 {
        let (layers, cells) = (self.layers as u64, self.cells as u64);
        2 * layers * 3 * cells * cells + cells * ids as u64
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
        ])?;
        if !(0.0..=1.0).contains(&self.own_output) {
            let (setting, allowed) = ("own-output", "between 0 and 1");
            return Err(ModelError::Setting { setting, value: self.own_output.to_string(), allowed });
        }
        Ok(())
    }
}
