//! Where the proposals for a text come from: its own words, words that are near them, or a trained model.

use crate::failure::Failure;
use crate::model::{OpenModel, Trained, state};
use crate::proposer::Verbatim;
use crate::settings::Settings;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Guarantee, Proposer, Terms};
use allonym_models::Embeddings;
use allonym_models::er_ae::{Encoded, ErAe};
use allonym_models::fluent::FluentModel;
use allonym_models::lexical::Lexical;
use allonym_nn::Card;
use allonym_text::{Document, Private, Vocabulary};
use rayon::prelude::*;
use std::fmt;
use std::sync::Arc;

/// What proposes.
pub(crate) enum Source {
    /// The text's own words.
    Verbatim,
    /// Words that are near them; with the card, where the vectors are a model's.
    Near(Box<Lexical>, Option<Box<Card>>),
    /// A trained auto-encoder, and its card.
    ErAe(Box<ErAe>, Box<Card>),
    /// The text's own words and near ones, with a model of what is expected, and its card.
    Fluent(Box<FluentModel>, Box<Card>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verbatim => "Verbatim",
            Self::Near(..) => "Near",
            Self::ErAe(..) => "ErAe",
            Self::Fluent(..) => "Fluent",
        })
    }
}

/// A text on its way to its proposal.
pub(crate) enum Ready {
    Words(Document),
    Encoded(Encoded),
}

impl Source {
    /// The source that settings ask for, for a mechanism that reads scores of this kind.
    pub(crate) fn of(
        settings: &Settings,
        vocabulary: &Vocabulary,
        model: Option<OpenModel>,
        reads: Reads,
    ) -> Result<Self, Failure> {
        match (model, &settings.embeddings) {
            (Some(OpenModel { model: Trained::ErAe(model), card }), _) => {
                // Ratings and distances are about words, not about their place in a text: the model's vectors have them.
                if matches!(reads, Reads::Ratings | Reads::Distances) {
                    let near = Lexical::from_vectors(vocabulary, model.vectors(), reads)?;
                    return Ok(Self::Near(Box::new(near), Some(Box::new(card))));
                }
                Ok(Self::ErAe(model, Box::new(card)))
            }
            (Some(OpenModel { model: Trained::Fluent(model), card }), _) => {
                if reads != Reads::Order {
                    let message =
                        format!("`{}` reads more than an order, and the model is of kind `fluent`", settings.mechanism);
                    return Err(Failure::new(message, "take `--mechanism fluent` or `subset` with it"));
                }
                Ok(Self::Fluent(model, Box::new(card)))
            }
            (Some(OpenModel { model: Trained::Adept(_), .. }), _) => {
                let message =
                    format!("`{}` draws token by token, and the model is of kind `adept`", settings.mechanism);
                Err(Failure::new(message, "take `--mechanism latent-laplace` or `latent-gaussian` with it"))
            }
            (Some(OpenModel { model: Trained::EteAnon(_), .. }), _) => {
                let message =
                    format!("`{}` draws token by token, and the model is of kind `ete-anon`", settings.mechanism);
                Err(Failure::new(
                    message,
                    "take `--mechanism agent` with it, which has no formal guarantee, or `latent-gaussian`, which has one",
                ))
            }
            (Some(OpenModel { model: Trained::Rlta(_), .. }), _) => {
                let message = format!("`{}` draws token by token, and the model is of kind `rlta`", settings.mechanism);
                Err(Failure::new(
                    message,
                    "take `--mechanism agent --form vector` with it, which has no formal guarantee",
                ))
            }
            (None, Some(file)) => {
                let embeddings = Arc::new(Embeddings::read(file)?);
                Ok(Self::Near(Box::new(Lexical::from_embeddings(vocabulary, embeddings, reads)?), None))
            }
            (None, None) => Ok(Self::Verbatim),
        }
    }

    /// Reads texts up to the most tokens that are drawn, and encodes them where there is a model.
    pub(crate) fn ready(&self, texts: &[Private<String>], terms: &Terms) -> Vec<Private<Ready>> {
        let read = |text: &Private<String>| text.as_ref().map(|text| Document::read_up_to(text, terms.max_tokens));
        match self {
            Self::Verbatim | Self::Near(..) | Self::Fluent(..) => {
                texts.par_iter().map(|text| read(text).map(Ready::Words)).collect()
            }
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
    ) -> Box<dyn Proposer + Send + 'a> {
        match (self, ready) {
            (Self::ErAe(model, _), Ready::Encoded(encoded)) => Box::new(model.proposal(encoded, terms.length, reads)),
            (Self::Fluent(model, _), Ready::Words(document)) => Box::new(model.proposal(&document, terms.length)),
            (Self::Near(near, _), Ready::Words(document)) => Box::new(near.proposal(&document, terms.length)),
            (_, Ready::Words(document)) => Box::new(Verbatim::new(&document, vocabulary, terms.length, reads)),
            (_, Ready::Encoded(_)) => unreachable!("only a model encodes"),
        }
    }

    /// The card of the model, if there is one.
    pub(crate) fn card(&self) -> Option<&Card> {
        match self {
            Self::Verbatim => None,
            Self::Near(_, card) => card.as_deref(),
            Self::ErAe(_, card) | Self::Fluent(_, card) => Some(card),
        }
    }

    /// Adds to a guarantee what depends on where proposals come from.
    pub(crate) fn state(&self, guarantee: &mut Guarantee) {
        match self {
            Self::Verbatim => {}
            Self::Near(_, None) => guarantee.push_assumption("the word vectors are public"),
            Self::Near(_, Some(card)) | Self::ErAe(_, card) | Self::Fluent(_, card) => state(card, guarantee),
        }
    }
}
