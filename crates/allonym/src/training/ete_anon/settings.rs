//! A training run of ETE-Anon as data.

use super::super::basis::{Basis, Duration, no_preset};
use crate::failure::Failure;
use allonym_models::ete_anon::{AgentSettings, AutoEncoderSettings, PRESETS, Preset};
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
    /// A directory with an auto-encoder that was trained before, to be used as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_encoder: Option<PathBuf>,
    /// A file with word vectors. Default: vectors are trained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<PathBuf>,
    /// Passes over the sequences. Default: the preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u64>,
    /// Steps, instead of passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The column that holds the sentiment. Default `label`.
    pub label_column: String,
    /// Its two values: negative, positive. Records with another one do not teach the agent. Default `neg`, `pos`.
    pub labels: [String; 2],
    /// How many authors are attacked: those with most records. Default 50.
    pub authors: usize,
    /// How much sentiment counts in the reward, from 0 to 1; the author counts for the rest. Default 0.5.
    pub alpha: f64,
    /// How much it counts in the reward that a text still says what it said. Default 0.5 for `converged`; 0, the paper's reward, for `paper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<f64>,
    /// Whether the agent learns from both sentiments equally often, however many texts have them. Default false: texts are taken as they are.
    pub evenly: bool,
    /// How often, while the agent learns, an attacker learns from what it writes, and is hidden from as well. Default 2 for `converged`; for `paper` never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// The agent, and how it learns. None trains the auto-encoder alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentSettings>,
}

/// How much what is said counts for the agent that converges, and how many attackers it meets, where nobody says otherwise: chosen on authors who are in no table.
const CONTENT: f64 = 0.5;
const ROUNDS: usize = 2;

/// More would only take time.
const MOST_ROUNDS: usize = 100;

impl Default for EteAnonTraining {
    fn default() -> Self {
        let max_tokens = AutoEncoderSettings::default().max_tokens;
        Self {
            basis: Basis { max_tokens, ..Basis::default() },
            preset: PRESETS[0].name.to_owned(),
            auto_encoder: None,
            embeddings: None,
            epochs: None,
            steps: None,
            label_column: "label".into(),
            labels: ["neg".into(), "pos".into()],
            authors: 50,
            alpha: 0.5,
            content: None,
            evenly: false,
            rounds: None,
            agent: AgentSettings::find(AgentSettings::PRESETS[0].0),
        }
    }
}

impl EteAnonTraining {
    /// Refuses what cannot be before anything is read.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.basis.check()?;
        if !(0.0..=1.0).contains(&self.alpha) {
            let message = format!("`alpha` is {}; it must be from 0 to 1", self.alpha);
            return Err(Failure::new(message, "1 keeps sentiment alone, 0 hides the author alone"));
        }
        if self.content.is_some_and(|content| !(0.0..=100.0).contains(&content)) {
            let message = format!("`content` is {}; it must be from 0 to 100", self.content.unwrap_or_default());
            return Err(Failure::new(message, "0 is the paper's reward; 1 counts what is said as much as all of that"));
        }
        let rounds = self.rounds.unwrap_or_default();
        if rounds > MOST_ROUNDS {
            let message = format!("`rounds` is {rounds}; it must be from 0 to {MOST_ROUNDS}");
            return Err(Failure::new(message, "a few are enough"));
        }
        if rounds > 0 && matches!(self.agent, Some(AgentSettings::Paper(_))) {
            let message = "`rounds` means nothing for the paper's agent: its reward knows one attacker";
            return Err(Failure::new(message, "leave it out, or take `--agent converged`"));
        }
        if self.authors < 2 {
            let message = format!("`authors` is {}: an attacker needs two to choose from", self.authors);
            return Err(Failure::new(message, "50 are usual"));
        }
        if self.labels[0] == self.labels[1] {
            return Err(Failure::new("both labels are the same", "give them as `--labels neg,pos`"));
        }
        if self.basis.private.is_some() && self.agent.is_some() {
            return Err(Failure::refusal(
                "an agent learns from exact texts: noise on the auto-encoder's gradients would protect nobody",
                "train the auto-encoder alone with `--agent none`, and then an agent on public texts with `--auto-encoder`",
            ));
        }
        if let Some(agent) = &self.agent {
            agent.check()?;
        }
        Ok(())
    }

    /// How much it counts that a text still says what it said.
    pub(crate) fn content(&self) -> f64 {
        let usual = if self.converges() { CONTENT } else { 0.0 };
        self.content.unwrap_or(usual)
    }

    /// How many attackers learn meanwhile.
    pub(crate) fn rounds(&self) -> usize {
        let usual = if self.converges() { ROUNDS } else { 0 };
        self.rounds.unwrap_or(usual)
    }

    fn converges(&self) -> bool {
        matches!(self.agent, Some(AgentSettings::Converged(_)))
    }

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
