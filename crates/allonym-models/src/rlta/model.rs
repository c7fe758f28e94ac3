//! The whole model: an encoder and an agent that has learned to change its vectors, on disk.

use super::encoder::Encoder;
use crate::error::ModelError;
use crate::ete_anon::{Agent, AgentSettings, Sizes};
use crate::model_files;
use allonym_dp::PrivacyRng;
use allonym_nn::Card;
use allonym_nn::training::Model;
use serde::{Deserialize, Serialize};
use std::path::Path;

const KIND: &str = "rlta";
const AGENT: &str = "agent.safetensors";
/// Entries of the card: the agent's settings, and what was measured.
const SETTINGS: &str = "agent";
const MEASURED: &str = "measured";

/// What attackers of an attribute found in test vectors when the model was made: shares of right answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttributeFound {
    /// The attribute.
    pub attribute: String,
    /// The share of the commonest class.
    pub commonest: f64,
    /// In vectors as they were.
    pub before: f64,
    /// In changed vectors, by an attacker that learned from vectors as they were.
    pub after: f64,
    /// In changed vectors, by one that learned from changed vectors.
    pub adaptive: f64,
}

/// What was measured when the model was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RltaMeasured {
    /// Test texts.
    pub texts: usize,
    /// The task, by its classifier; `adaptive` is by one that learned from changed vectors.
    pub task: AttributeFound,
    /// Private attributes.
    pub attributes: Vec<AttributeFound>,
}

/// An encoder with its agent.
pub struct Rlta {
    /// Reads.
    pub encoder: Encoder,
    /// Changes what was read.
    pub agent: Agent,
    /// How the agent learned.
    pub settings: AgentSettings,
    /// What it was measured to hide.
    pub measured: Option<RltaMeasured>,
}

impl Rlta {
    /// The sizes of an encoder's vectors, for an agent.
    pub fn sizes(encoder: &Encoder) -> Sizes {
        let vector = encoder.shape().vector();
        Sizes { first: vector, all: vector }
    }

    /// The vector of each text as the agent would have it. What becomes of a text depends on it, on its own random numbers and on the model alone.
    ///
    /// # Errors
    /// When agent and encoder do not fit each other.
    pub fn changed(&self, texts: &[Vec<u32>], rngs: &mut [PrivacyRng]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.agent.change(&self.encoder.encoded(texts)?, rngs)
    }

    /// Writes the model with its words and its card into a directory of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, directory: &Path, card: &Card) -> Result<(), ModelError> {
        let mut beside = self.encoder.beside()?;
        beside.files.push((AGENT, self.agent.to_bytes()?));
        let mut card = Card { kind: KIND.to_owned(), model: self.encoder.settings_for_card(), ..card.clone() };
        let entries = [
            (SETTINGS, toml::Value::try_from(&self.settings).ok()),
            (MEASURED, self.measured.as_ref().and_then(|measured| toml::Value::try_from(measured).ok())),
        ];
        for (name, entry) in entries {
            card.model.extend(entry.map(|entry| (name.to_owned(), entry)));
        }
        beside.save(directory, self.encoder.store(), card)
    }

    /// Reads a model that [`Rlta::save`] wrote.
    ///
    /// # Errors
    /// When a file is missing, cut short, of another model, or of a later version.
    pub fn open(directory: &Path) -> Result<(Self, Card), ModelError> {
        let (encoder, card) = Encoder::read(directory, KIND)?;
        let (path, bytes) = model_files::checked(directory, &card, AGENT)?;
        let settings = card.model.get(SETTINGS).cloned();
        let settings: Option<AgentSettings> = settings.and_then(|settings| settings.try_into().ok());
        let settings = settings.ok_or_else(|| ModelError::broken(&path, "belongs to an agent of an unknown kind"))?;
        let agent = Agent::of_bytes(&settings, Self::sizes(&encoder), &path, &bytes)?;
        let measured = card.model.get(MEASURED).cloned().and_then(|measured| measured.try_into().ok());
        Ok((Self { encoder, agent, settings, measured }, card))
    }
}
