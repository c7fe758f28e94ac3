//! `latent-laplace` and `latent-gaussian`: noise on the vector of the whole text, from which a decoder writes.

use super::document::read_and_count;
use super::model::{self, ModelSettings, OpenModel, Trained, needs_model};
use super::settings::MethodSettings;
use super::source::Form;
use super::vocabulary::{self, Words};
use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, Writing, fail_all, statement};
use crate::failure::Failure;
use crate::owner::OwnerReport;
use allonym_dp::audit::{Auditable, Effort, Finding};
use allonym_dp::latent::{Latent, Noise};
use allonym_dp::{Entropy, ExitText, Guarantee, Length, PrivacyRng, Purpose, Released, Terms};
use allonym_models::adept::{self, Adept};
use allonym_models::ete_anon::EteAnon;
use allonym_nn::Card;
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private};
use rayon::prelude::*;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

pub(super) const SETTINGS: &[&str] = &["epsilon", "delta", "max-tokens", "length", "form"];

/// Settings of noise on latent vectors.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct LatentSettings {
    /// The loss of a whole text.
    epsilon: Option<f64>,
    /// `latent-gaussian`: the probability with which the loss may be larger.
    delta: f64,
    /// The most tokens of a record that are read and written. Default 50.
    max_tokens: usize,
    /// Must be `fixed`: the decoder decides the length by what was drawn.
    length: Length,
    /// In which form the texts are released. Default `text`.
    form: Form,
}

impl Default for LatentSettings {
    fn default() -> Self {
        let Terms { max_tokens, length, delta, .. } = Terms::default();
        Self { epsilon: None, delta, max_tokens, length, form: Form::Text }
    }
}

/// Encodes texts as vectors, and writes texts from noised vectors alone.
trait Coder: Send + Sync {
    /// The vector of each text.
    fn latents(&self, documents: &[Private<Document>]) -> Vec<Private<Vec<f32>>>;

    /// The tokens of each noised vector; `None` where the vectors do not fit the model.
    fn write(&self, noised: &[Vec<f32>], max_tokens: usize, rngs: &mut [PrivacyRng]) -> Option<Vec<Vec<u32>>>;
}

impl Coder for Adept {
    fn latents(&self, documents: &[Private<Document>]) -> Vec<Private<Vec<f32>>> {
        self.latents(documents.iter().map(|text| text.as_ref().map(|text| self.text(text))).collect())
    }

    fn write(&self, noised: &[Vec<f32>], max_tokens: usize, _: &mut [PrivacyRng]) -> Option<Vec<Vec<u32>>> {
        self.decode(noised, max_tokens).ok()
    }
}

/// ETE-Anon's auto-encoder and agent, for texts of a fixed number of pieces.
struct Pieces {
    model: Box<EteAnon>,
    pieces: usize,
}

impl Coder for Pieces {
    fn latents(&self, documents: &[Private<Document>]) -> Vec<Private<Vec<f32>>> {
        let padded = |text: &Private<Document>| text.as_ref().map(|text| self.model.padded_pieces(text, self.pieces));
        self.model.latents(documents.iter().map(padded).collect())
    }

    fn write(&self, noised: &[Vec<f32>], _: usize, rngs: &mut [PrivacyRng]) -> Option<Vec<Vec<u32>>> {
        self.model.written_from(noised, rngs).ok()
    }
}

/// Noise on the vector of the whole text, ready.
struct LatentMethod {
    name: &'static str,
    coder: Box<dyn Coder>,
    card: Card,
    latent: Latent,
    writing: Writing,
    terms: Terms,
}

/// Reads and checks the settings, without opening a file.
pub(super) fn read(settings: &MethodSettings) -> Result<(LatentSettings, ModelSettings, Words), Failure> {
    if settings.has("total") {
        let message = format!("`total` does not apply to the method `{}`", settings.name);
        return Err(Failure::new(message, "its `--epsilon` is the total of a text: give that"));
    }
    settings.check_known(&[SETTINGS, model::SETTINGS, vocabulary::SETTINGS])?;
    Ok((settings.parse()?, settings.parse()?, settings.parse()?))
}

/// Builds `latent-laplace` or `latent-gaussian`.
pub(super) fn build(name: &'static str, settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
    let (own, model, words) = read(settings)?;
    let epsilon =
        own.epsilon.ok_or_else(|| Failure::new(format!("`{name}` needs an epsilon"), "for example `--epsilon 10`"))?;
    if own.length != Length::Fixed {
        let message = format!("`{name}` decides the length by what it draws");
        return Err(Failure::new(message, "leave out `--length`"));
    }
    let terms = Terms { max_tokens: own.max_tokens, ..Terms::default() }.check()?;
    let gaussian = name == "latent-gaussian";
    if gaussian && own.delta == 0.0 {
        return Err(Failure::new("`latent-gaussian` needs a delta", "for example `--delta 1e-6`"));
    }
    if !gaussian && own.delta != 0.0 {
        return Err(Failure::new("`delta` does not apply to the method `latent-laplace`", "leave it out"));
    }
    let noise = |norm: adept::Norm| match (gaussian, norm) {
        (true, _) => Noise::Gaussian { delta: own.delta },
        (false, adept::Norm::L1) => Noise::LaplaceL1,
        (false, adept::Norm::L2) => Noise::LaplaceRadial,
    };
    const KINDS: &str = "adept or ete-anon";
    let OpenModel { model, card } = model.open_needed(&words, name, KINDS, "adept")?;
    let (coder, latent, vocabulary): (Box<dyn Coder>, Latent, _) = match model {
        Trained::Adept(model) => {
            let latent = model.mechanism(epsilon, noise(model.shape().clip.norm))?;
            let vocabulary = model.vocabulary().clone();
            (model, latent, vocabulary)
        }
        Trained::EteAnon(model) => {
            let pieces = model.pieces_for(terms.max_tokens);
            let latent = model.mechanism(pieces, epsilon, noise(adept::Norm::L2))?;
            let vocabulary = model.auto_encoder.vocabulary().clone();
            (Box::new(Pieces { model, pieces }), latent, vocabulary)
        }
        Trained::ErAe(_) | Trained::Fluent(_) | Trained::Rlta(_) => return Err(needs_model(name, KINDS, "adept")),
    };
    let writing = Writing { vocabulary, form: own.form };
    Ok(Arc::new(LatentMethod { name, coder, card, latent, writing, terms }))
}

impl fmt::Debug for LatentMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Method for LatentMethod {
    fn name(&self) -> &str {
        self.name
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = Guarantee::for_latent(self.name, &self.latent, &self.terms, seeded)?;
        model::state(&self.card, &mut guarantee);
        statement::state_form(&mut guarantee, self.writing.form);
        let words = "the vocabulary is public (it is the model's, and says so)";
        statement::complete(&mut guarantee, &self.writing.vocabulary, words);
        Ok(guarantee)
    }

    fn training_cost(&self) -> (f64, f64) {
        model::training_cost(&self.card)
    }

    fn max_tokens(&self) -> usize {
        self.terms.max_tokens
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing::by_copying(self.writing.vocabulary.clone())
    }

    fn audit(&self, effort: &Effort) -> Result<Vec<Finding>, Failure> {
        // The time grows with the dimension of the vectors.
        Ok(self.latent.audit(&Effort { draws: (effort.draws / 50).max(1000), ..*effort }))
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }
}

/// What is public when noised vectors are written as texts.
struct Public<'a> {
    coder: &'a dyn Coder,
    max_tokens: usize,
    entropy: &'a Entropy,
    numbers: Vec<u64>,
}

/// Writes texts from noised vectors; none at all where the model fails.
fn decode(noised: &[Vec<f32>], public: &Public<'_>) -> Vec<Vec<TokenId>> {
    // Streams that no noise came from.
    let stream = |number: &u64| public.entropy.stream(Purpose::Synthetic, *number);
    let mut rngs: Vec<PrivacyRng> = public.numbers.iter().map(stream).collect();
    let mut written = public.coder.write(noised, public.max_tokens, &mut rngs).unwrap_or_default();
    written.iter_mut().for_each(|text| text.truncate(public.max_tokens));
    written.into_iter().map(|text| text.into_iter().map(TokenId::new).collect()).collect()
}

impl Release for LatentMethod {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let max_tokens = self.terms.max_tokens;
        let documents = read_and_count(records, max_tokens, &self.writing.vocabulary, context.report);
        let vectors = self.coder.latents(&documents);
        let draw = |(record, vector): (&Record<'_>, &Private<Vec<f32>>)| {
            self.latent.draw(vector.as_ref().map(Vec::as_slice), &mut context.rng(record))
        };
        let noised = Released::together(records.par_iter().zip(&vectors).map(draw).collect::<Vec<_>>());
        // From here on, everything is computed from what was released.
        let numbers = records.iter().map(|record| record.number).collect();
        let public = Public { coder: &*self.coder, max_tokens, entropy: context.entropy, numbers };
        let written = noised.map_with(&public, |noised, public| decode(&noised, public)).apart();
        if written.len() != records.len() {
            return fail_all(records, "the model could not write the texts");
        }
        written.into_iter().map(|ids| Ok(self.writing.write(ids))).collect()
    }

    fn inspect(&self, records: &[Record<'_>], report: &OwnerReport) {
        read_and_count(records, self.terms.max_tokens, &self.writing.vocabulary, report);
    }
}
