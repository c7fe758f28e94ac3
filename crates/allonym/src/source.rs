//! Where the proposals for a text come from: its own words, or a trained model.

use crate::failure::Failure;
use crate::proposer::Verbatim;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Guarantee, Proposer, Terms};
use allonym_models::er_ae::{Encoded, ErAe};
use allonym_nn::{Card, Protection, checkpoint};
use allonym_text::{Document, Private, Vocabulary};
use rayon::prelude::*;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Models that a directory written by `train` holds, the most finished one first.
const WITHIN: [&str; 2] = ["er-ae", "ae-dp"];

/// What proposes.
pub(crate) enum Source {
    /// The text's own words.
    Verbatim,
    /// A trained auto-encoder, and its card.
    ErAe(Box<ErAe>, Box<Card>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text on its way to its proposal.
pub(crate) enum Ready {
    Words(Document),
    Encoded(Encoded),
}

impl Source {
    /// Reads the model of a directory, or of a directory that `train` wrote.
    pub(crate) fn open(directory: &Path, allow_private: bool) -> Result<Self, Failure> {
        let directory = inside(directory)?;
        let (model, card) = ErAe::open(&directory)?;
        if !card.guarantee.holds() && !allow_private {
            return Err(Failure::refusal(
                format!(
                    "the model {} was trained on private texts without protection, and may repeat them",
                    directory.display()
                ),
                "use one that was trained on public texts or with noise, or accept it with `--allow-private-model`",
            ));
        }
        Ok(Self::ErAe(Box::new(model), Box::new(card)))
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Verbatim => "the text's own words",
            Self::ErAe(model, _) if model.shape().reward.is_some() => "er-ae",
            Self::ErAe(..) => "ae-dp",
        }
    }

    /// The words that a model knows.
    pub(crate) fn vocabulary(&self) -> Option<Arc<Vocabulary>> {
        match self {
            Self::Verbatim => None,
            Self::ErAe(model, _) => Some(model.vocabulary().clone()),
        }
    }

    /// Reads texts up to the most tokens that are drawn, and encodes them where there is a model.
    pub(crate) fn ready(&self, texts: &[Private<String>], terms: &Terms) -> Vec<Private<Ready>> {
        let read = |text: &Private<String>| text.as_ref().map(|text| Document::read_up_to(text, terms.max_tokens));
        match self {
            Self::Verbatim => texts.par_iter().map(|text| read(text).map(Ready::Words)).collect(),
            Self::ErAe(model, _) => {
                let pieces: Vec<_> =
                    texts.par_iter().map(|text| read(text).map(|document| model.pieces(&document))).collect();
                let encoded = Private::together(pieces).map(|pieces| match model.encode(&pieces) {
                    Ok(encoded) => encoded,
                    Err(_) => unreachable!("the ids are of the model's own vocabulary"),
                });
                encoded.apart().into_iter().map(|encoded| encoded.map(Ready::Encoded)).collect()
            }
        }
    }

    /// The proposal of a text.
    pub(crate) fn proposal<'a>(
        &'a self,
        ready: Ready,
        vocabulary: &'a Vocabulary,
        terms: &Terms,
        reads: Reads,
    ) -> Box<dyn Proposer + 'a> {
        match (self, ready) {
            (Self::ErAe(model, _), Ready::Encoded(encoded)) => Box::new(model.proposal(encoded, terms.length, reads)),
            (_, Ready::Words(document)) => Box::new(Verbatim::new(&document, vocabulary, terms.length, reads)),
            (Self::Verbatim, Ready::Encoded(_)) => unreachable!("only a model encodes"),
        }
    }

    /// Adds to a guarantee what depends on the texts that a model was trained on.
    pub(crate) fn explain_to(&self, guarantee: &mut Guarantee) {
        let Self::ErAe(_, card) = self else { return };
        match &card.guarantee {
            Protection::Public => {
                guarantee.assumptions.push("the model was trained on public texts (its card says so)".to_owned());
            }
            Protection::Differential(promise) if promise.void.is_empty() => {
                guarantee.assumptions.push(format!(
                    "a text that the model was trained on pays for that besides: epsilon {:.3} where one is replaced, delta {:e}",
                    promise.epsilon_replace_one, promise.delta
                ));
            }
            Protection::Unprotected | Protection::Differential(_) => {
                guarantee.void.push("the model was trained on private texts without protection".to_owned());
                guarantee.not_protected.push("the texts that the model was trained on: it may repeat them".to_owned());
            }
        }
    }
}

/// The directory that has the card.
fn inside(directory: &Path) -> Result<PathBuf, Failure> {
    let has_card = |directory: &PathBuf| directory.join("card.toml").is_file();
    if !directory.is_dir() {
        let message = format!("there is no model at {}", directory.display());
        return Err(Failure::new(message, "give the directory that `allonym train` wrote"));
    }
    let mut places = std::iter::once(directory.to_owned()).chain(WITHIN.map(|name| directory.join(name)));
    let Some(found) = places.find(has_card) else {
        let message = format!("{} has no model: there is no card.toml in it", directory.display());
        return Err(Failure::new(message, "give the directory that `allonym train` wrote, or let training finish"));
    };
    let kind = checkpoint::load_card(&found)?.kind;
    if kind != "er-ae" {
        let message = format!("the model {} is of kind `{kind}`, which cannot be used here", found.display());
        return Err(Failure::new(message, "give a model that `allonym train er-ae` wrote"));
    }
    Ok(found)
}
