//! Builds a token method from its settings.

use super::model::{ModelSettings, OpenModel, Trained};
use super::settings::{DEFAULT, MethodSettings};
use super::source::{ErAeSource, FluentSource, Form, NearSource, Source, VerbatimSource};
use super::vocabulary::{self, Words};
use super::{Method, TokenMethod, Writing};
use crate::failure::Failure;
use allonym_dp::compose::plan;
use allonym_dp::mechanism::{Entry, Mechanism, Parameters, Reads};
use allonym_dp::{Length, Terms};
use allonym_models::Embeddings;
use allonym_models::lexical::Lexical;
use allonym_text::Vocabulary;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

/// The privacy loss per token where none is given: about half of the meaning is kept, and most names are not.
pub(super) const DEFAULT_LOSS: f64 = 8.0;

/// Settings that every token method has, besides those of its mechanism, its model and its words.
pub(super) const SETTINGS: &[&str] = &[
    "epsilon-per-token",
    "total",
    "delta",
    "max-tokens",
    "length",
    "length-buckets",
    "length-epsilon",
    "embeddings",
    "form",
];

/// Settings of a token method.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct TokenSettings {
    /// The mechanism's own parameter, as its paper defines it.
    epsilon: Option<f64>,
    /// The true loss per token, instead of `epsilon`.
    epsilon_per_token: Option<f64>,
    /// The total loss that a record may cost, instead of both.
    total: Option<f64>,
    /// The probability with which the total may be larger. Default 0, pure composition.
    delta: f64,
    /// The most tokens of a record that are drawn. Default 50, as in the papers.
    max_tokens: usize,
    /// What becomes of the length of a text. Default `fixed`.
    length: Length,
    /// With length `private`: how many public lengths there are. Default 10.
    length_buckets: Option<u32>,
    /// With length `private`: the loss of choosing one of them. Default 4.4.
    length_epsilon: Option<f64>,
    /// `two-set`: draws that form the candidate set.
    candidates: Option<usize>,
    /// `subset` and `band`: how many tokens count as good.
    good: Option<usize>,
    /// `clipped-logit`, `floored` and `metric`: where scores are clipped.
    clip: Option<f64>,
    /// `fluent`: the part of what is expected that is the same for every token.
    uniform: Option<f64>,
    /// `fluent`: how many times e^-epsilon of what is expected may be preferred at once.
    room: Option<f64>,
    /// A file of word vectors: words that are near the original are proposed.
    embeddings: Option<PathBuf>,
    /// In which form the texts are released. Default `text`.
    form: Form,
}

impl Default for TokenSettings {
    fn default() -> Self {
        let terms = Terms::default();
        Self {
            epsilon: None,
            epsilon_per_token: None,
            total: None,
            delta: terms.delta,
            max_tokens: terms.max_tokens,
            length: terms.length,
            length_buckets: None,
            length_epsilon: None,
            candidates: None,
            good: None,
            clip: None,
            uniform: None,
            room: None,
            embeddings: None,
            form: Form::Text,
        }
    }
}

/// Reads and checks the settings, without opening a file.
pub(super) fn read(
    entry: &'static Entry,
    settings: &MethodSettings,
) -> Result<(TokenSettings, ModelSettings, Words), Failure> {
    settings.check_known(&[entry.parameters, SETTINGS, super::model::SETTINGS, vocabulary::SETTINGS])?;
    Ok((settings.parse()?, settings.parse()?, settings.parse()?))
}

/// Builds the method of a mechanism in the core's catalogue.
pub(super) fn build(entry: &'static Entry, settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
    let (own, model, words) = read(entry, settings)?;
    let terms = own.terms()?;
    let opened = open_model(entry, &own, &model, &words)?;
    let vocabulary = match &opened {
        Some(model) => model.vocabulary(),
        None => Arc::new(words.load()?),
    };
    let mechanism = own.mechanism(entry, &terms, terms.length.outcomes(vocabulary.words()))?;
    let has_model = opened.is_some();
    let source = own.source(&*mechanism, &vocabulary, opened, has_model)?;
    let public_words = words.assumption(model.model.is_some());
    Ok(Arc::new(TokenMethod {
        mechanism,
        source,
        writing: Writing { vocabulary, form: own.form },
        terms,
        public_words,
    }))
}

/// The model that the settings name, or for the default method the one that comes with the program.
fn open_model(
    entry: &Entry,
    own: &TokenSettings,
    model: &ModelSettings,
    words: &Words,
) -> Result<Option<OpenModel>, Failure> {
    if model.model.is_none() && model.allow_private_model {
        let message = "`allow-private-model` does not apply without a model";
        return Err(Failure::new(message, "leave it out, or name a model with `--model`"));
    }
    if model.model.is_none() && entry.name != DEFAULT {
        return Ok(None);
    }
    let named = |with: &'static str, without: &'static str| if model.model.is_some() { with } else { without };
    if words.vocabulary.is_some() || words.vocabulary_size.is_some() {
        let hint = named(
            "leave out `--vocabulary` and `--vocabulary-size`",
            "leave them out, or name a method that needs no model: `--method subset`",
        );
        return Err(Failure::new("a model has a vocabulary of its own", hint));
    }
    if own.embeddings.is_some() {
        let hint = named(
            "leave out `--embeddings` or `--model`",
            "leave them out, or name a method for word vectors: `--method subset`",
        );
        return Err(Failure::new("a model has word vectors of its own", hint));
    }
    match &model.model {
        None => Ok(Some(OpenModel::bundled()?)),
        Some(directory) => Ok(Some(model.open(directory, words)?)),
    }
}

impl TokenSettings {
    fn terms(&self) -> Result<Terms, Failure> {
        if self.length != Length::Private && (self.length_buckets.is_some() || self.length_epsilon.is_some()) {
            let message = format!("`length-buckets` and `length-epsilon` do not apply to length `{}`", self.length);
            return Err(Failure::new(message, "they are for `--length private`; leave them out"));
        }
        let usual = Terms::default();
        let terms = Terms {
            max_tokens: self.max_tokens,
            length: self.length,
            buckets: self.length_buckets.unwrap_or(usual.buckets),
            length_epsilon: self.length_epsilon.unwrap_or(usual.length_epsilon),
            delta: self.delta,
        };
        Ok(terms.check()?)
    }

    fn mechanism(&self, entry: &Entry, terms: &Terms, outcomes: u32) -> Result<Box<dyn Mechanism>, Failure> {
        let parameters = Parameters {
            epsilon: self.epsilon,
            epsilon_per_token: self.epsilon_per_token,
            candidates: self.candidates,
            good: self.good,
            clip: self.clip,
            uniform: self.uniform,
            room: self.room,
        };
        let Some(total) = self.total else { return Ok(entry.build(&parameters, outcomes)?) };
        if self.epsilon.is_some() || self.epsilon_per_token.is_some() {
            let message = "`total` and an epsilon of the mechanism were given";
            return Err(Failure::new(message, "a total decides the epsilon: give one of them"));
        }
        if entry.parameters.is_empty() {
            let message = format!("`{}` costs nothing, so a total does not apply to it", entry.name);
            return Err(Failure::new(message, "leave out `--total`"));
        }
        if total.is_nan() || total <= 0.0 {
            let message = format!("the total must be positive (got {total})");
            return Err(Failure::new(message, "`allonym budget --total E` shows what a total pays for"));
        }
        // A private length is paid from the same total.
        let for_tokens = total - terms.length_loss()?;
        if for_tokens <= 0.0 {
            let message = format!("a total of {total} does not cover the private length");
            return Err(Failure::new(
                message,
                "raise the total, lower `--length-epsilon`, or hide the length for nothing with `--length fixed`",
            ));
        }
        Ok(plan(entry, &parameters, outcomes, self.max_tokens as u64, for_tokens, self.delta)?)
    }

    fn source(
        &self,
        mechanism: &dyn Mechanism,
        vocabulary: &Arc<Vocabulary>,
        model: Option<OpenModel>,
        has_model: bool,
    ) -> Result<Box<dyn Source>, Failure> {
        let (name, reads) = (mechanism.name(), mechanism.reads());
        if reads == Reads::Nothing && (has_model || self.embeddings.is_some()) {
            let message = format!("`{name}` reads no proposal, so a model or word vectors do not apply to it");
            return Err(Failure::new(message, "name a method that does: `--method subset --epsilon-per-token 9`"));
        }
        let source: Box<dyn Source> = match (model, &self.embeddings) {
            (Some(opened), _) => opened.source(mechanism, vocabulary)?,
            (None, Some(file)) => {
                let embeddings = Arc::new(Embeddings::read(file)?);
                let near = Box::new(Lexical::from_embeddings(vocabulary, embeddings, reads)?);
                Box::new(NearSource { near, card: None })
            }
            (None, None) => Box::new(VerbatimSource { vocabulary: vocabulary.clone() }),
        };
        if mechanism.reads_context() && source.group() == 1 {
            return Err(Failure::new(
                format!("`{name}` needs a model of what is expected"),
                "leave out `--model` for the one that comes with the program, or name a method for it: `--method subset --epsilon-per-token 9`",
            ));
        }
        Ok(source)
    }
}

impl OpenModel {
    /// What the model proposes for a mechanism.
    fn source(self, mechanism: &dyn Mechanism, vocabulary: &Vocabulary) -> Result<Box<dyn Source>, Failure> {
        let (name, reads) = (mechanism.name(), mechanism.reads());
        let instead = |kind: &str, hint: &str| {
            Err(Failure::new(format!("`{name}` draws token by token, and the model is of kind `{kind}`"), hint))
        };
        match self.model {
            // Ratings and distances are about words, not about their position in a text: the model's vectors have them.
            Trained::ErAe(model) if matches!(reads, Reads::Ratings | Reads::Distances) => {
                let near = Box::new(Lexical::from_vectors(vocabulary, model.vectors(), reads)?);
                Ok(Box::new(NearSource { near, card: Some(self.card) }))
            }
            Trained::ErAe(model) => Ok(Box::new(ErAeSource { model, card: self.card })),
            Trained::Fluent(model) if reads == Reads::Order => Ok(Box::new(FluentSource { model, card: self.card })),
            Trained::Fluent(_) => {
                let message = format!("`{name}` reads more than an order, and the model is of kind `fluent`");
                Err(Failure::new(message, "take `--method fluent` or `subset` with it"))
            }
            Trained::Adept(_) => instead("adept", "take `--method latent-laplace` or `latent-gaussian` with it"),
            Trained::EteAnon(_) => instead(
                "ete-anon",
                "take `--method agent` with it, which has no formal guarantee, or `latent-gaussian`, which has one",
            ),
            Trained::Rlta(_) => {
                instead("rlta", "take `--method agent --form vector` with it, which has no formal guarantee")
            }
        }
    }
}
