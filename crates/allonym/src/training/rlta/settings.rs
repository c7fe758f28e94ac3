//! What a training run of RLTA is told.

use super::super::basis::{Basis, Duration};
use crate::failure::Failure;
use allonym_models::ete_anon::AgentSettings;
use allonym_models::rlta::RltaSettings;
use allonym_nn::training::TrainingSettings;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of a training run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RltaTraining {
    /// What all models have.
    pub basis: Basis,
    /// Word vectors. Default: trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
    /// Cells of each direction. Default 100.
    pub cells: usize,
    /// Passes of the encoder over the texts. Default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Steps, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The column of the task. Default `label`.
    pub label_column: String,
    /// Its two values: negative, positive. Records with another one are left out. Default `neg`, `pos`.
    pub labels: [String; 2],
    /// The columns that are to be hidden. Default `gender`, `age`.
    pub attributes: Vec<String>,
    /// How much the task counts in the reward, from 0 to 1; attributes count for the rest. Default 0.5.
    pub alpha: f64,
    /// The agent, and how it learns.
    pub agent: AgentSettings,
}

impl Default for RltaTraining {
    fn default() -> Self {
        let shape = RltaSettings::default();
        Self {
            basis: Basis { max_tokens: shape.max_tokens, ..Basis::default() },
            embeddings: None,
            cells: shape.cells,
            epochs: None,
            steps: None,
            label_column: "label".into(),
            labels: ["neg".into(), "pos".into()],
            attributes: vec!["gender".into(), "age".into()],
            alpha: 0.5,
            agent: AgentSettings::usual(),
        }
    }
}

impl RltaTraining {
    /// Words of the vocabulary.
    pub(super) const WORDS: usize = 10_000;
    /// Texts in a step, the learning rate, and passes.
    const USUAL: (usize, f64, u64) = (64, 2e-3, 4);

    pub(super) fn network(&self) -> RltaSettings {
        let usual = RltaSettings::default();
        RltaSettings { cells: self.cells, max_tokens: self.basis.max_tokens, ..usual }
    }

    /// Refuses what cannot be before anything is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.basis.check()?;
        if !(0.0..=1.0).contains(&self.alpha) {
            let message = format!("`alpha` is {}; it must be from 0 to 1", self.alpha);
            return Err(Failure::new(message, "1 keeps the task alone, 0 hides the attributes alone"));
        }
        if self.labels[0] == self.labels[1] {
            return Err(Failure::new("both labels are the same", "give them as `--labels neg,pos`"));
        }
        if self.attributes.is_empty() {
            return Err(Failure::new("there is no attribute to hide", "for example `--attributes gender,age`"));
        }
        // Classes are shown and stand on the card.
        if let Some(name) = self.attributes.iter().find(|name| **name == self.basis.text_column) {
            return Err(Failure::refusal(
                format!("`{name}` is the text itself, and no attribute of its author"),
                "name other columns with `--attributes`",
            ));
        }
        let mut seen = std::collections::BTreeSet::new();
        if let Some(name) = self.attributes.iter().find(|name| !seen.insert(*name)) {
            return Err(Failure::new(format!("`{name}` is named twice"), "name each of `--attributes` once"));
        }
        if let Some(name) = self.attributes.iter().find(|name| **name == self.basis.author_column) {
            return Err(Failure::new(
                format!("`{name}` names the author, and is no attribute with a few values"),
                "name other columns with `--attributes`",
            ));
        }
        if let Some(name) = self.attributes.iter().find(|name| **name == self.label_column) {
            return Err(Failure::new(
                format!("`{name}` is to be kept as the label and hidden as an attribute"),
                "name other columns with `--attributes`",
            ));
        }
        if self.basis.private.is_some() {
            return Err(Failure::refusal(
                "an agent learns from exact vectors: noise on the encoder's gradients would protect nobody",
                "train on public texts",
            ));
        }
        self.network().check()?;
        Ok(self.agent.check()?)
    }

    /// How the encoder is trained on so many texts.
    pub(super) fn plan(&self, texts: usize) -> TrainingSettings {
        let (batch, rate, usual) = Self::USUAL;
        let duration = Duration { epochs: self.epochs, steps: self.steps, usual };
        TrainingSettings { clip: Some(1.0), ..self.basis.stage((batch, rate), &duration, texts) }
    }
}
