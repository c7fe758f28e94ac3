//! A trained model that was read from its directory, of whatever kind.

use super::vocabulary::Words;
use crate::failure::Failure;
use allonym_dp::Guarantee;
use allonym_models::adept::Adept;
use allonym_models::er_ae::ErAe;
use allonym_models::ete_anon::EteAnon;
use allonym_models::fluent::FluentModel;
use allonym_models::rlta::Rlta;
use allonym_nn::{Card, Protection, checkpoint};
use allonym_text::Vocabulary;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings of methods that may have a model.
pub(super) const SETTINGS: &[&str] = &["model", "allow-private-model"];

/// Which model is used.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct ModelSettings {
    /// A model's directory. Default: the one that comes with the program, where the method has one.
    pub(super) model: Option<PathBuf>,
    /// Whether a model may be used that was trained on private texts without protection.
    pub(super) allow_private_model: bool,
}

impl ModelSettings {
    /// Opens the model of a directory.
    pub(super) fn open(&self, directory: &Path, words: &Words) -> Result<OpenModel, Failure> {
        let opened = OpenModel::open(directory, self.allow_private_model)?;
        let what = || format!("the vocabulary of the model {}", directory.display());
        words.check_origin(&opened.vocabulary(), what, "use another model")?;
        Ok(opened)
    }

    /// Opens the model that a method cannot do without.
    pub(super) fn open_needed(
        &self,
        words: &Words,
        method: &str,
        kinds: &str,
        train: &str,
    ) -> Result<OpenModel, Failure> {
        if words.vocabulary.is_some() || words.vocabulary_size.is_some() {
            let hint = "leave out `--vocabulary` and `--vocabulary-size`";
            return Err(Failure::new("a model has a vocabulary of its own", hint));
        }
        match &self.model {
            Some(directory) => self.open(directory, words),
            None => Err(needs_model(method, kinds, train)),
        }
    }
}

/// A method has no model, or one of a kind that it cannot use.
pub(super) fn needs_model(method: &str, kinds: &str, train: &str) -> Failure {
    let message = format!("`{method}` needs a model of kind {kinds}");
    Failure::new(message, format!("train one with `allonym train {train}`, and name it with `--model`"))
}

/// The cost of having been trained on: epsilon and delta of the model's card.
pub(super) fn training_cost(card: &Card) -> (f64, f64) {
    match &card.guarantee {
        Protection::Differential(promise) => (promise.epsilon_replace_one, promise.delta),
        Protection::Public | Protection::Unprotected => (0.0, 0.0),
    }
}

/// Models that a directory written by `train` holds, the most finished one first.
const WITHIN: [&str; 6] = ["er-ae", "ae-dp", "adept", "fluent", "ete-anon", "rlta"];

/// A model.
pub(crate) enum Trained {
    ErAe(Box<ErAe>),
    Adept(Box<Adept>),
    Fluent(Box<FluentModel>),
    EteAnon(Box<EteAnon>),
    Rlta(Box<Rlta>),
}

/// A model with its card.
pub(crate) struct OpenModel {
    pub(crate) model: Trained,
    pub(crate) card: Card,
}

impl OpenModel {
    /// The model that comes with the program.
    pub(crate) fn bundled() -> Result<Self, Failure> {
        let (model, card) = crate::bundled::bundled_model()?;
        Ok(Self { model: Trained::Fluent(Box::new(model)), card })
    }

    /// Reads the model of a directory, or of a directory that `train` wrote.
    pub(crate) fn open(directory: &Path, allow_private: bool) -> Result<Self, Failure> {
        let directory = inside(directory)?;
        let (model, card) = match checkpoint::load_card(&directory)?.kind.as_str() {
            "er-ae" => {
                let (model, card) = ErAe::open(&directory)?;
                (Trained::ErAe(Box::new(model)), card)
            }
            "adept" => {
                let (model, card) = Adept::open(&directory)?;
                (Trained::Adept(Box::new(model)), card)
            }
            "fluent" => {
                let (model, card) = FluentModel::open(&directory)?;
                (Trained::Fluent(Box::new(model)), card)
            }
            "ete-anon" => {
                let (model, card) = EteAnon::open(&directory)?;
                (Trained::EteAnon(Box::new(model)), card)
            }
            "rlta" => {
                let (model, card) = Rlta::open(&directory)?;
                (Trained::Rlta(Box::new(model)), card)
            }
            kind => {
                let message = format!("unsupported model kind `{kind}` in {}", directory.display());
                return Err(Failure::new(message, "use the program that wrote it, or a later one"));
            }
        };
        if !card.guarantee.holds() && !allow_private {
            return Err(Failure::refusal(
                format!(
                    "the model {} was trained on private texts without protection, and may repeat them",
                    directory.display()
                ),
                "use one that was trained on public texts or with noise, or accept it with `--allow-private-model`",
            ));
        }
        Ok(Self { model, card })
    }

    /// The words that it knows.
    pub(crate) fn vocabulary(&self) -> Arc<Vocabulary> {
        match &self.model {
            Trained::ErAe(model) => model.vocabulary().clone(),
            Trained::Adept(model) => model.vocabulary().clone(),
            Trained::Fluent(model) => model.language.vocabulary().clone(),
            Trained::EteAnon(model) => model.auto_encoder.vocabulary().clone(),
            Trained::Rlta(model) => model.encoder.vocabulary().clone(),
        }
    }
}

/// Adds to a guarantee what depends on the texts that a model was trained on.
pub(crate) fn state(card: &Card, guarantee: &mut Guarantee) {
    let kind = kind(card);
    match &card.guarantee {
        Protection::Public => {
            guarantee.push_assumption(format!("the model ({kind}) was trained on public texts (its card says so)"));
        }
        Protection::Differential(promise) if promise.void.is_empty() => {
            guarantee.push_assumption(format!(
                "a text that the model ({kind}) was trained on pays for that besides: epsilon {:.4} where one is replaced, delta {:e}",
                // Never less than it is.
                (promise.epsilon_replace_one * 1e4).ceil() / 1e4,
                promise.delta
            ));
        }
        Protection::Unprotected | Protection::Differential(_) => {
            guarantee.push_void(format!("the model ({kind}) was trained on private texts without protection"));
            guarantee.push_not_protected("the texts that the model was trained on: it may repeat them");
        }
    }
}

/// What people call the model: without its second stage, an ER-AE is an AE-DP.
fn kind(card: &Card) -> &str {
    let rewarded = card.model.get("network").is_some_and(|network| network.get("reward").is_some());
    if card.kind == "er-ae" && !rewarded { "ae-dp" } else { &card.kind }
}

/// The directory that has the card.
fn inside(directory: &Path) -> Result<PathBuf, Failure> {
    if !directory.is_dir() {
        let message = format!("there is no model at {}", directory.display());
        return Err(Failure::new(message, "give the directory that `allonym train` wrote"));
    }
    if !directory.join("er-ae").join("card.toml").is_file() && directory.join("training").join("reward").is_dir() {
        return Err(Failure::new(
            format!("the second stage of {} is not finished, so there is no ER-AE in it", directory.display()),
            format!("finish it with `--resume`, or name what there is: {}", directory.join("ae-dp").display()),
        ));
    }
    let mut places = std::iter::once(directory.to_owned()).chain(WITHIN.map(|name| directory.join(name)));
    places.find(|place| place.join("card.toml").is_file()).ok_or_else(|| {
        let message = format!("{} has no model: there is no card.toml in it", directory.display());
        Failure::new(message, "give the directory that `allonym train` wrote, or let training finish")
    })
}
