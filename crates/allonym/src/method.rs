//! How a text becomes a release: a draw for each token, noise on each word's vector, or noise on the vector of the whole text.

use crate::failure::Failure;
use crate::model::{OpenModel, Trained, state};
use crate::settings::Settings;
use crate::source::Source;
use allonym_dp::guarantee::{Unit, WordDistances};
use allonym_dp::latent::{Latent, Noise};
use allonym_dp::vector_noise::Norm;
use allonym_dp::{Guarantee, Length, Mechanism, PrivacyRng, Terms};
use allonym_models::Embeddings;
use allonym_models::adept::{self, Adept};
use allonym_models::ete_anon::{AgentSettings, EteAnon};
use allonym_models::lexical::{Deniability, Spread, WordNoise};
use allonym_models::rlta::Rlta;
use allonym_nn::{Card, Protection};
use allonym_text::Vocabulary;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::OnceLock;

/// Methods that are not in the catalogue of mechanisms, since they do not draw among scored outcomes: name, and a line for people.
pub const OTHERS: &[(&str, &str)] = &[
    (
        "metric-noise",
        "metric privacy by noise on word vectors, then the nearest word (Feyisetan et al. 2020); needs `--embeddings` or `--model`, `--length public`",
    ),
    ("metric-mahalanobis", "the same in a norm that follows the spread of the vocabulary (Xu et al. 2020)"),
    (
        "latent-laplace",
        "Laplace noise on the vector of the whole text (ADePT, with the noise that it needs, or before ETE-Anon's agent); epsilon is that of the text; needs `--model`",
    ),
    ("latent-gaussian", "the same with Gaussian noise; needs `--delta` too"),
    (
        "agent",
        "an agent changes what a model holds of a text (ETE-Anon, RLTA); NO formal guarantee, only measured; needs `--model`",
    ),
];

/// The method of ETE-Anon.
const AGENT: &str = "agent";

/// The part of the vocabulary's own spread in the norm of `metric-mahalanobis`.
const LAMBDA: f64 = 0.2;
/// Words and draws from which the usual word's fate is estimated.
const SAMPLE: (usize, usize) = (50, 100);

/// In which form texts are released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// As text.
    #[default]
    Text,
    /// As a list of words with how often each was drawn, as JSON: SynTF's own output.
    Vector,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Text, Self::Vector];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

/// What writes a text from a noised vector.
pub(crate) enum Writer {
    /// ADePT's decoder.
    Adept(Box<Adept>),
    /// ETE-Anon's agent and decoder, from so many pieces.
    EteAnon { model: Box<EteAnon>, pieces: usize },
}

/// A method, ready.
pub(crate) enum Method {
    /// A draw for each token.
    Tokens { mechanism: Box<dyn Mechanism>, source: Source },
    /// Noise on each word's vector.
    Words {
        name: &'static str,
        noise: Box<WordNoise>,
        card: Option<Box<Card>>,
        figures: OnceLock<Option<(Spread, Deniability)>>,
    },
    /// Noise on the vector of the whole text.
    Latent { name: &'static str, model: Writer, card: Box<Card>, latent: Latent },
    /// An agent that writes texts again; nothing is promised.
    Agent { model: Box<EteAnon>, card: Box<Card> },
    /// An agent that changes vectors of texts; nothing is promised, and no text is written.
    Vectors { model: Box<Rlta>, card: Box<Card> },
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens { mechanism, source } => write!(f, "{mechanism:?} on {source:?}"),
            Self::Words { name, .. } | Self::Latent { name, .. } => f.write_str(name),
            Self::Agent { .. } | Self::Vectors { .. } => f.write_str(AGENT),
        }
    }
}

impl Method {
    /// Attributes that a release is to hide: columns of these names do not pass.
    pub(crate) fn hides(&self) -> Vec<String> {
        let Self::Vectors { model, .. } = self else { return Vec::new() };
        let attributes = model.measured.iter().flat_map(|measured| &measured.attributes);
        attributes.map(|found| found.attribute.clone()).collect()
    }
}

/// Settings of mechanisms that draw tokens, and whether they were given.
fn unread_by_others(settings: &Settings) -> [(&'static str, bool); 7] {
    [
        ("epsilon-per-token", settings.epsilon_per_token.is_some()),
        ("total", settings.total.is_some()),
        ("candidates", settings.candidates.is_some()),
        ("good", settings.good.is_some()),
        ("clip", settings.clip.is_some()),
        ("uniform", settings.uniform.is_some()),
        ("room", settings.room.is_some()),
    ]
}

/// Refuses settings that a method would not read.
fn only_epsilon(settings: &Settings) -> Result<f64, Failure> {
    let name = &settings.mechanism;
    let unread = unread_by_others(settings);
    if let Some((setting, _)) = unread.iter().find(|(_, given)| *given) {
        let hint = match *setting {
            "total" if name.starts_with("latent") => "its `--epsilon` is the total of a text: give that",
            _ => "leave it out",
        };
        return Err(Failure::new(format!("`{setting}` means nothing for `{name}`"), hint));
    }
    settings.epsilon.ok_or_else(|| Failure::new(format!("`{name}` needs an epsilon"), "for example `--epsilon 10`"))
}

impl Method {
    /// Noise on word vectors.
    pub(crate) fn words(
        settings: &Settings,
        vocabulary: &Vocabulary,
        model: Option<OpenModel>,
        terms: &Terms,
    ) -> Result<Self, Failure> {
        let epsilon = only_epsilon(settings)?;
        if terms.length != Length::Public {
            return Err(Failure::new(
                format!("`{}` keeps the number of tokens, which is then part of the release", settings.mechanism),
                "say that with `--length public`",
            ));
        }
        if settings.delta != 0.0 {
            return Err(Failure::new(format!("`delta` means nothing for `{}`", settings.mechanism), "leave it out"));
        }
        let (name, norm) = match settings.mechanism.as_str() {
            "metric-mahalanobis" => ("metric-mahalanobis", Norm::Mahalanobis { lambda: LAMBDA }),
            _ => ("metric-noise", Norm::Euclidean),
        };
        let (noise, card) = match (model, &settings.embeddings) {
            (Some(OpenModel { model: Trained::ErAe(model), card }), _) => {
                (WordNoise::new(vocabulary, model.vectors(), epsilon, norm)?, Some(Box::new(card)))
            }
            (None, Some(file)) => {
                let (vectors, _) = Embeddings::read(file)?.for_vocabulary(vocabulary);
                (WordNoise::new(vocabulary, &vectors, epsilon, norm)?, None)
            }
            _ => {
                let message = format!("`{name}` needs word vectors");
                return Err(Failure::new(message, "give a file with `--embeddings`, or a model of kind er-ae"));
            }
        };
        Ok(Self::Words { name, noise: Box::new(noise), card, figures: OnceLock::new() })
    }

    /// Noise on the vector of the whole text.
    pub(crate) fn latent(settings: &Settings, model: Option<OpenModel>, terms: &Terms) -> Result<Self, Failure> {
        let epsilon = only_epsilon(settings)?;
        if terms.length != Length::Fixed {
            let message = format!("`{}` decides the length by what it draws", settings.mechanism);
            return Err(Failure::new(message, "leave out `--length`"));
        }
        let (model, card, norm) = match model {
            Some(OpenModel { model: Trained::Adept(model), card }) => {
                let norm = model.shape().clip.norm;
                (Writer::Adept(model), card, norm)
            }
            Some(OpenModel { model: Trained::EteAnon(model), card }) => {
                let pieces = model.pieces_for(terms.max_tokens);
                (Writer::EteAnon { model, pieces }, card, adept::Norm::L2)
            }
            _ => {
                let message = format!("`{}` needs a model of kind adept or ete-anon", settings.mechanism);
                return Err(Failure::new(message, "train one with `allonym train adept`, and name it with `--model`"));
            }
        };
        let (name, noise) = match (settings.mechanism.as_str(), norm) {
            ("latent-gaussian", _) => ("latent-gaussian", Noise::Gaussian { delta: settings.delta }),
            (_, adept::Norm::L1) => ("latent-laplace", Noise::LaplaceL1),
            (_, adept::Norm::L2) => ("latent-laplace", Noise::LaplaceRadial),
        };
        if name == "latent-gaussian" && settings.delta == 0.0 {
            return Err(Failure::new("`latent-gaussian` needs a delta", "for example `--delta 1e-6`"));
        }
        if name == "latent-laplace" && settings.delta != 0.0 {
            return Err(Failure::new("`delta` means nothing for `latent-laplace`", "leave it out"));
        }
        let latent = match &model {
            Writer::Adept(model) => model.mechanism(epsilon, noise)?,
            Writer::EteAnon { model, pieces } => model.mechanism(*pieces, epsilon, noise)?,
        };
        Ok(Self::Latent { name, model, card: Box::new(card), latent })
    }

    /// An agent that writes texts again.
    pub(crate) fn agent(settings: &Settings, model: Option<OpenModel>, terms: &Terms) -> Result<Self, Failure> {
        let unread = [("epsilon", settings.epsilon.is_some()), ("delta", settings.delta != 0.0)];
        if let Some((setting, _)) = unread.iter().chain(&unread_by_others(settings)).find(|(_, given)| *given) {
            let message = format!("`{setting}` means nothing for `{AGENT}`: it has no formal guarantee");
            return Err(Failure::new(message, "leave it out, or name a mechanism that has one"));
        }
        if terms.length != Length::Fixed {
            let message = format!("`{AGENT}` decides the length by what it writes");
            return Err(Failure::new(message, "leave out `--length`"));
        }
        match (model, settings.form) {
            (Some(OpenModel { model: Trained::EteAnon(model), card }), Form::Text) => {
                Ok(Self::Agent { model, card: Box::new(card) })
            }
            (Some(OpenModel { model: Trained::EteAnon(_), .. }), Form::Vector) => {
                Err(Failure::new("a model of kind ete-anon writes texts", "leave out `--form vector`"))
            }
            (Some(OpenModel { model: Trained::Rlta(model), card }), Form::Vector) => {
                Ok(Self::Vectors { model, card: Box::new(card) })
            }
            (Some(OpenModel { model: Trained::Rlta(_), .. }), Form::Text) => Err(Failure::new(
                "a model of kind rlta writes no texts: it releases a vector of numbers for each",
                "say that with `--form vector`",
            )),
            _ => {
                let message = format!("`{AGENT}` needs a model of kind ete-anon or rlta");
                Err(Failure::new(message, "train one with `allonym train ete-anon`, and name it with `--model`"))
            }
        }
    }

    /// What a text pays besides for having been trained on, if it was: epsilon and delta.
    pub(crate) fn training_price(&self) -> (f64, f64) {
        let card = match self {
            Self::Tokens { source, .. } => source.card(),
            Self::Words { card, .. } => card.as_deref(),
            Self::Latent { card, .. } | Self::Agent { card, .. } | Self::Vectors { card, .. } => Some(&**card),
        };
        match card.map(|card| &card.guarantee) {
            Some(Protection::Differential(promise)) => (promise.epsilon_replace_one, promise.delta),
            _ => (0.0, 0.0),
        }
    }

    /// What a release by this method promises.
    pub(crate) fn guarantee(&self, terms: &Terms, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = match self {
            Self::Tokens { mechanism, .. } => Guarantee::for_tokens(&**mechanism, terms, seeded)?,
            Self::Words { name, noise, figures, .. } => {
                let found = figures.get_or_init(|| {
                    // Public vectors and a public seed: these are figures about words, not about texts.
                    let mut rng = PrivacyRng::reproducible(0);
                    Some((noise.spread().ok()?, noise.deniability(SAMPLE.0, SAMPLE.1, &mut rng)))
                });
                let Some((spread, deniability)) = found else {
                    return Err(Failure::new("the word vectors are too far apart for a bound", "give other vectors"));
                };
                of_words(name, noise, *spread, deniability, terms, seeded)?
            }
            Self::Latent { name, latent, .. } => of_latent(name, latent, terms, seeded)?,
            Self::Agent { model, .. } => of_agent(model, terms, seeded),
            Self::Vectors { model, .. } => of_vectors(model, terms, seeded),
        };
        match self {
            Self::Tokens { source, .. } => source.state(&mut guarantee),
            Self::Words { card: None, .. } => guarantee.push_assumption("the word vectors are public"),
            Self::Words { card: Some(card), .. }
            | Self::Latent { card, .. }
            | Self::Agent { card, .. }
            | Self::Vectors { card, .. } => {
                state(card, &mut guarantee);
            }
        }
        Ok(guarantee)
    }
}

fn of_words(
    name: &'static str,
    noise: &WordNoise,
    spread: Spread,
    deniability: &Deniability,
    terms: &Terms,
    seeded: bool,
) -> Result<Guarantee, Failure> {
    let distances = WordDistances { median_nearest: spread.median_nearest, largest: spread.largest };
    let mut guarantee = Guarantee::for_word_noise(name, noise.epsilon(), distances, terms, seeded)?;
    guarantee.push_also(format!(
        "of {} draws the median word stays itself in {:.0} % and becomes {:.0} different words (estimated)",
        deniability.draws,
        100.0 * deniability.median_unchanged(),
        deniability.median_different()
    ));
    Ok(guarantee)
}

fn of_latent(name: &'static str, latent: &Latent, terms: &Terms, seeded: bool) -> Result<Guarantee, Failure> {
    Ok(Guarantee::for_latent(name, latent, terms, seeded)?)
}

fn of_agent(model: &EteAnon, terms: &Terms, seeded: bool) -> Guarantee {
    let mut also = Vec::new();
    if let Some(found) = model.measured {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let [author, sentiment] = match found.commonest {
            Some(commonest) => commonest.map(|share| format!("always the commonest: {}", percent(share))),
            None => [format!("chance {}", percent(1.0 / found.authors.max(1) as f64)), "chance unknown".to_owned()],
        };
        also.push(format!(
            "measured when the model was made, on {} sequences of at most {} tokens by {} authors: a classifier that learned from originals named the author of {} of them, and of {} before ({author}); the sentiment of {}, and of {} before ({sentiment})",
            found.sequences,
            model.auto_encoder.shape().max_tokens,
            found.authors,
            percent(found.changed[0]),
            percent(found.originals[0]),
            percent(found.changed[1]),
            percent(found.originals[1]),
        ));
    }
    let mut not_protected = vec![
        "anything, formally: words, facts and style of the original may stand in what is written".to_owned(),
        "against attackers that learn from what is released, or that have several sequences of an author, as in a whole text: they may find more than was measured (`allonym attack`)"
            .to_owned(),
        format!(
            "roughly how long a text is: pieces of {} tokens are written one after the other",
            model.auto_encoder.shape().max_tokens
        ),
    ];
    not_protected.extend(always_the_same(&model.settings));
    measured_only(also, not_protected, terms, seeded && model.settings.draws())
}

fn of_vectors(model: &Rlta, terms: &Terms, seeded: bool) -> Guarantee {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let also = model.measured.iter().flat_map(|measured| {
        [&measured.task].into_iter().chain(&measured.attributes).map(|found| {
            format!(
                "measured when the model was made, on {} texts: linear classifiers named {} of {} of them in vectors as they were, of {} in changed ones, and of {} when they learned from changed ones (always the commonest: {})",
                measured.texts,
                if found.attribute == measured.task.attribute { "the label" } else { &found.attribute },
                percent(found.before),
                percent(found.after),
                percent(found.adaptive),
                percent(found.commonest)
            )
        })
    });
    let mut not_protected = vec![
        "anything, formally: what a vector tells of its text and of its author is only measured".to_owned(),
        "against attackers that learn from what is released, or are not linear: they may find more than was measured"
            .to_owned(),
    ];
    not_protected.extend(always_the_same(&model.settings));
    measured_only(also.collect(), not_protected, terms, seeded && model.settings.draws())
}

/// What follows when an agent draws nothing.
fn always_the_same(agent: &AgentSettings) -> Option<String> {
    let told = "equal texts: this agent draws nothing, so they become equal releases, and whoever has the model can see whether a guessed text becomes this one";
    (!agent.draws()).then(|| told.to_owned())
}

/// A release of which nothing is promised.
fn measured_only(also: Vec<String>, not_protected: Vec<String>, terms: &Terms, seeded: bool) -> Guarantee {
    let mut guarantee = Guarantee::measured(AGENT, Unit::Text, seeded).with_terms(terms);
    also.into_iter().for_each(|line| guarantee.push_also(line));
    not_protected.into_iter().for_each(|line| guarantee.push_not_protected(line));
    guarantee
}
