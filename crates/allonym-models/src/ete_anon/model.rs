//! The whole model: an auto-encoder and an agent that has learned to change its contexts, on disk.

use super::agent::{Agent, AgentSettings};
use super::auto_encoder::{AutoEncoder, Text};
use super::files::read;
use crate::error::ModelError;
use crate::model_files;
use allonym_dp::PrivacyRng;
use allonym_nn::Card;
use allonym_nn::training::Model;
use allonym_text::Document;
use allonym_text::vocabulary::END;
use serde::{Deserialize, Serialize};
use std::path::Path;

const KIND: &str = "ete-anon";
const AGENT: &str = "agent.safetensors";
/// The entry of the card that has the agent's settings.
const SETTINGS: &str = "agent";
/// The one that has the usual length of a context.
const LENGTH: &str = "usual-length";
/// The one that has what was measured.
const MEASURED: &str = "measured";

/// What the agent learned to do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Aim {
    /// How much sentiment counted, from 0 to 1; the author counted for the rest.
    pub alpha: f64,
    /// How much it counted that a text still says what it said.
    pub content: f64,
    /// How many attackers learned from what it wrote, to be hidden from as well.
    pub rounds: usize,
}

/// What classifiers that learned from originals found in test sequences when the model was made: shares of right answers, of authors and of sentiments.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Measured {
    /// Authors to choose from.
    pub authors: usize,
    /// What the agent learned to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// Test sequences.
    pub sequences: usize,
    /// What always naming the commonest finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commonest: Option<[f64; 2]>,
    /// In originals.
    pub originals: [f64; 2],
    /// In what the auto-encoder alone writes.
    pub unchanged: [f64; 2],
    /// In what the agent has written.
    pub changed: [f64; 2],
}

/// An auto-encoder with its agent.
pub struct EteAnon {
    /// Reads and writes.
    pub auto_encoder: AutoEncoder,
    /// Changes what was read.
    pub agent: Agent,
    /// How the agent learned.
    pub settings: AgentSettings,
    /// The median length of a context among the texts that the agent learned from.
    pub usual_length: f64,
    /// What it was measured to hide.
    pub measured: Option<Measured>,
}

impl EteAnon {
    /// A document in pieces that the auto-encoder can read, each with its end.
    pub fn pieces(&self, document: &Document) -> Vec<Text> {
        let ids: Vec<u32> = document.tokens().map(|token| self.auto_encoder.vocabulary().id(token.text)).collect();
        let most = self.auto_encoder.shape().max_tokens;
        ids.chunks(most).map(|piece| piece.iter().copied().chain([END]).collect()).collect()
    }

    /// Writes each text as the agent would have it written. What becomes of a text depends on it, on its own random numbers and on the model alone.
    ///
    /// # Errors
    /// When agent and auto-encoder do not fit each other.
    pub fn rewritten(&self, texts: &[Text], rngs: &mut [PrivacyRng]) -> Result<Vec<Text>, ModelError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let contexts = self.agent.change(&self.auto_encoder.contexts(texts)?, rngs)?;
        self.auto_encoder.decode(&contexts)
    }

    /// Writes the model with its words and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let mut beside = self.auto_encoder.beside()?;
        beside.files.push((AGENT, self.agent.to_bytes()?));
        let mut card = Card { kind: KIND.to_owned(), model: self.auto_encoder.settings_for_card(), ..card.clone() };
        if let Ok(settings) = toml::Value::try_from(&self.settings) {
            card.model.insert(SETTINGS.to_owned(), settings);
        }
        card.model.insert(LENGTH.to_owned(), toml::Value::Float(self.usual_length));
        if let Some(measured) = self.measured.and_then(|measured| toml::Value::try_from(measured).ok()) {
            card.model.insert(MEASURED.to_owned(), measured);
        }
        beside.save(directory, self.auto_encoder.store(), card)
    }

    /// Reads a model that [`EteAnon::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let (auto_encoder, card) = read(directory, KIND)?;
        let (path, bytes) = model_files::checked(directory, &card, AGENT)?;
        let settings = card.model.get(SETTINGS).cloned();
        let settings: Option<AgentSettings> = settings.and_then(|settings| settings.try_into().ok());
        let settings = settings.ok_or_else(|| ModelError::broken(&path, "belongs to an agent of an unknown kind"))?;
        let agent = Agent::of_bytes(&settings, auto_encoder.shape().sizes(), &path, &bytes)?;
        let usual_length = card.model.get(LENGTH).and_then(toml::Value::as_float).filter(|length| *length > 0.0);
        let usual_length =
            usual_length.ok_or_else(|| ModelError::broken(&path, "belongs to a card without `usual-length`"))?;
        let measured = card.model.get(MEASURED).cloned().and_then(|measured| measured.try_into().ok());
        Ok((Self { auto_encoder, agent, settings, usual_length, measured }, card))
    }
}
