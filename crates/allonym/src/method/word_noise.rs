//! `metric-noise` and `metric-mahalanobis`: noise on each word's vector, then the nearest word.

use super::document;
use super::model::{self, ModelSettings, OpenModel, Trained};
use super::settings::MethodSettings;
use super::source::Form;
use super::vocabulary::{self, Words};
use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, Writing, statement};
use crate::failure::Failure;
use allonym_dp::audit::{Auditable, Effort, Finding};
use allonym_dp::guarantee::WordDistances;
use allonym_dp::vector_noise::Norm;
use allonym_dp::{Entropy, ExitText, Guarantee, Length, PrivacyRng, Terms};
use allonym_models::Embeddings;
use allonym_models::lexical::{Deniability, Spread, WordNoise};
use allonym_nn::Card;
use allonym_text::{Document, Private};
use rayon::prelude::*;
use serde::Deserialize;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The part of the vocabulary's own spread in the norm of `metric-mahalanobis`.
const LAMBDA: f64 = 0.2;
/// Words and draws from which the fate of a typical word is estimated.
const SAMPLE: (usize, usize) = (50, 100);

pub(super) const SETTINGS: &[&str] = &["epsilon", "max-tokens", "length", "delta", "embeddings", "form"];

/// Settings of word noise.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct WordNoiseSettings {
    /// The loss per unit of distance.
    epsilon: Option<f64>,
    /// The most tokens of a record that are read. Default 50.
    max_tokens: usize,
    /// Must be `public`: the number of tokens is kept.
    length: Length,
    /// Must be 0: the bound is pure.
    delta: f64,
    /// A file of word vectors.
    embeddings: Option<PathBuf>,
    /// In which form the texts are released. Default `text`.
    form: Form,
}

impl Default for WordNoiseSettings {
    fn default() -> Self {
        let Terms { max_tokens, length, delta, .. } = Terms::default();
        Self { epsilon: None, max_tokens, length, delta, embeddings: None, form: Form::Text }
    }
}

/// Noise on word vectors, ready.
struct WordNoiseMethod {
    name: &'static str,
    noise: WordNoise,
    card: Option<Card>,
    writing: Writing,
    terms: Terms,
    public_words: &'static str,
    figures: OnceLock<Option<(Spread, Deniability)>>,
}

/// Reads and checks the settings, without opening a file.
pub(super) fn read(settings: &MethodSettings) -> Result<(WordNoiseSettings, ModelSettings, Words), Failure> {
    settings.check_known(&[SETTINGS, model::SETTINGS, vocabulary::SETTINGS])?;
    Ok((settings.parse()?, settings.parse()?, settings.parse()?))
}

/// Builds `metric-noise` or `metric-mahalanobis`.
pub(super) fn build(name: &'static str, settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
    let (own, model, words) = read(settings)?;
    let epsilon =
        own.epsilon.ok_or_else(|| Failure::new(format!("`{name}` needs an epsilon"), "for example `--epsilon 10`"))?;
    if own.length != Length::Public {
        let message = format!("`{name}` keeps the number of tokens, which is then part of the release");
        return Err(Failure::new(message, "declare that with `--length public`"));
    }
    if own.delta != 0.0 {
        return Err(Failure::new(format!("`delta` does not apply to the method `{name}`"), "leave it out"));
    }
    let terms = Terms { max_tokens: own.max_tokens, length: own.length, ..Terms::default() }.check()?;
    let norm = if name == "metric-mahalanobis" { Norm::Mahalanobis { lambda: LAMBDA } } else { Norm::Euclidean };
    let needs = || {
        let hint = "give a file with `--embeddings`, or a model of kind er-ae";
        Failure::new(format!("`{name}` needs word vectors"), hint)
    };
    let (vocabulary, noise, card) = match (&model.model, &own.embeddings) {
        (Some(_), _) => {
            let OpenModel { model: Trained::ErAe(opened), card } = model.open_needed(&words, name, "er-ae", "er-ae")?
            else {
                return Err(needs());
            };
            let vocabulary = opened.vocabulary().clone();
            let noise = WordNoise::new(&vocabulary, opened.vectors(), epsilon, norm)?;
            (vocabulary, noise, Some(card))
        }
        (None, Some(file)) => {
            let vocabulary = Arc::new(words.load()?);
            let (vectors, _) = Embeddings::read(file)?.for_vocabulary(&vocabulary);
            let noise = WordNoise::new(&vocabulary, &vectors, epsilon, norm)?;
            (vocabulary, noise, None)
        }
        (None, None) => return Err(needs()),
    };
    let public_words = words.assumption(card.is_some());
    let writing = Writing { vocabulary, form: own.form };
    Ok(Arc::new(WordNoiseMethod { name, noise, card, writing, terms, public_words, figures: OnceLock::new() }))
}

impl fmt::Debug for WordNoiseMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Method for WordNoiseMethod {
    fn name(&self) -> &str {
        self.name
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let found = self.figures.get_or_init(|| {
            // Public vectors and a public seed: these are figures about words, not about texts.
            let mut rng = PrivacyRng::reproducible(0);
            Some((self.noise.spread().ok()?, self.noise.deniability(SAMPLE.0, SAMPLE.1, &mut rng)))
        });
        let Some((spread, deniability)) = found else {
            return Err(Failure::new("the word vectors are too far apart for a bound", "give other vectors"));
        };
        let mut guarantee = of_words(self.name, &self.noise, *spread, deniability, &self.terms, seeded)?;
        match &self.card {
            None => guarantee.push_assumption("the word vectors are public".to_owned()),
            Some(card) => model::state(card, &mut guarantee),
        }
        statement::state_form(&mut guarantee, self.writing.form);
        statement::complete(&mut guarantee, &self.writing.vocabulary, self.public_words);
        Ok(guarantee)
    }

    fn training_cost(&self) -> (f64, f64) {
        self.card.as_ref().map_or((0.0, 0.0), model::training_cost)
    }

    fn max_tokens(&self) -> usize {
        self.terms.max_tokens
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing::by_copying(self.writing.vocabulary.clone())
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }

    fn audit(&self, effort: &Effort) -> Result<Vec<Finding>, Failure> {
        Ok(self.noise.mechanism().audit(effort))
    }
}

impl Release for WordNoiseMethod {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let draw = |(record, document): (&Record<'_>, Private<Document>)| {
            Ok(self.writing.write(self.noise.release(document.as_ref(), &mut context.rng(record))))
        };
        let documents = document::read(records, self.terms.max_tokens);
        records.par_iter().zip(documents).map(draw).collect()
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
