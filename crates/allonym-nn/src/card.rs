//! The card of a model: what it is, what it was trained on, and what is promised to those whose texts it saw.
//!
//! A card may be shown to anybody. It holds no loss of a private run, unless the owner asked for it (`owner-only`), and says so.

use crate::error::NnError;
use crate::training::{Standing, TrainingSettings};
use allonym_dp::ClaimedGuarantee;
use allonym_dp::guarantee::{TrainingClaim, Unit};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of cards that this program writes.
const VERSION: i64 = 1;

/// What a model is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Card {
    /// The version of the card's form.
    pub version: i64,
    /// The kind of model, by its name in the catalogue.
    pub kind: String,
    /// Steps made.
    pub steps: u64,
    /// Steps that were planned.
    pub planned_steps: u64,
    /// What stands for the training data: a hash, given by the caller.
    pub data: String,
    /// How many examples there were.
    pub examples: usize,
    /// Whether the examples are public.
    pub standing: Standing,
    /// What is promised.
    pub guarantee: Protection,
    /// Losses, where they may be told.
    pub losses: Losses,
    /// How it was trained.
    pub training: TrainingSettings,
    /// The model's own settings.
    pub model: toml::Table,
}

/// The last losses, per example.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Losses {
    /// The mean since the last checkpoint.
    pub training: Option<f64>,
    /// On validation data.
    pub validation: Option<f64>,
    /// The best on validation data.
    pub best_validation: Option<f64>,
    /// Who may see them, or why there are none.
    pub note: Option<String>,
}

/// What those are promised whose texts were trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Protection {
    /// Nothing is needed: all training data is public.
    Public,
    /// Nothing is promised: private texts were used without noise. The model may repeat them.
    Unprotected,
    /// Differential privacy of one example.
    Differential(Differential),
}

/// The price of private training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Differential {
    /// Whose privacy is counted.
    pub unit: String,
    /// The loss where one example is there or not.
    pub epsilon_add_remove: f64,
    /// The loss where one example is exchanged for another.
    pub epsilon_replace_one: f64,
    /// The probability with which the loss may be larger.
    pub delta: f64,
    /// How the loss was computed.
    pub method: String,
    /// The chance of an example to be in a step.
    pub rate: f64,
    /// How many steps are paid for: all that were planned, where validation chose among them.
    pub counted_steps: u64,
    /// What must be true for the promise to hold.
    pub assumptions: Vec<String>,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// Why the promise does not hold as it stands; empty if it does.
    pub void: Vec<String>,
}

impl Differential {
    /// The promise in the form that all guarantees have, as a claim: the card is a file, and nothing proves it.
    pub fn as_claimed(&self, method: &str) -> ClaimedGuarantee {
        let claim = TrainingClaim {
            epsilon_add_remove: self.epsilon_add_remove,
            epsilon_replace_one: self.epsilon_replace_one,
            delta: self.delta,
            accounting: &self.method,
            assumptions: &self.assumptions,
            not_protected: &self.not_protected,
            void: &self.void,
        };
        let mut claimed = ClaimedGuarantee::from_training(method, claim);
        if self.unit != Unit::Example.name() {
            claimed.push_also(format!("an example is {}", self.unit));
        }
        claimed
    }
}

impl Protection {
    /// Whether something is promised, and nothing stands against it.
    pub fn holds(&self) -> bool {
        match self {
            Self::Public => true,
            Self::Unprotected => false,
            Self::Differential(promise) => promise.void.is_empty(),
        }
    }
}

impl Card {
    /// The version of cards that are written now.
    pub const VERSION: i64 = VERSION;

    pub(crate) fn to_toml(&self) -> Result<String, NnError> {
        toml::to_string_pretty(self).map_err(|error| NnError::broken(Path::new("card.toml"), error.to_string()))
    }

    /// Reads the version first: a later form may have anything in it.
    /// Reads a card. The path is for messages.
    ///
    /// # Errors
    /// When it is no card, or one of a later version.
    pub fn from_toml(path: &Path, text: &str) -> Result<Self, NnError> {
        let foreign = |error: toml::de::Error| NnError::broken(path, format!("is not a card: {}", error.message()));
        let table: toml::Table = toml::from_str(text).map_err(foreign)?;
        let Some(found) = table.get("version").and_then(toml::Value::as_integer) else {
            return Err(NnError::broken(path, "is not a card: it has no version"));
        };
        if found > VERSION {
            return Err(NnError::LaterVersion { file: path.display().to_string(), found, known: VERSION });
        }
        toml::from_str(text).map_err(foreign)
    }
}

#[cfg(test)]
pub(crate) fn example() -> Card {
    Card {
        version: VERSION,
        kind: "test".into(),
        steps: 3,
        planned_steps: 10,
        data: "sha256:00".into(),
        examples: 100,
        standing: Standing::Private,
        guarantee: Protection::Unprotected,
        losses: Losses { training: Some(0.1), ..Losses::default() },
        training: TrainingSettings { steps: Some(10), ..TrainingSettings::default() },
        model: toml::Table::from_iter([("cells".to_owned(), toml::Value::Integer(5))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_comes_back_as_it_was_written() {
        let card = example();
        assert_eq!(Card::from_toml(Path::new("card.toml"), &card.to_toml().unwrap()).unwrap(), card);
    }

    #[test]
    fn later_and_foreign_cards_are_refused_by_name() {
        let error = |text: &str| Card::from_toml(Path::new("card.toml"), text).unwrap_err().to_string();
        assert_eq!(error("version = 2\nnew = 1"), "`card.toml` has version 2; this program reads up to 1");
        assert_eq!(error("a = 1"), "`card.toml` is not a card: it has no version");
        assert!(error("version = 1").starts_with("`card.toml` is not a card: missing field"));
        assert!(error("{").starts_with("`card.toml` is not a card"));
    }

    #[test]
    fn a_promise_is_offered_as_a_claim() {
        let mut promise = Differential {
            unit: "one record of the training file".to_owned(),
            epsilon_add_remove: 1.5,
            epsilon_replace_one: 2.5,
            delta: 1e-5,
            method: "by hand".to_owned(),
            rate: 0.1,
            counted_steps: 10,
            assumptions: vec![],
            not_protected: vec!["facts that many examples repeat".to_owned()],
            void: vec!["gradients are not clipped".to_owned()],
        };
        let claimed = promise.as_claimed("er-ae");
        let claims: Vec<(f64, f64)> = claimed.claims().iter().map(|claim| (claim.epsilon, claim.delta)).collect();
        assert_eq!((claims, claimed.holds()), (vec![(1.5, 1e-5), (2.5, 1e-5)], false));
        assert!(claimed.to_string().starts_with("claimed:\nnot protected\n  - facts that many examples repeat\n"));
        assert!(claimed.to_string().contains("  an example is one record of the training file\n"));
        promise.epsilon_add_remove = f64::INFINITY;
        assert!(promise.as_claimed("er-ae").claims().is_empty());
    }
}
