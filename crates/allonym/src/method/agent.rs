//! `agent`: an agent changes what a model holds of a text. ETE-Anon writes texts, RLTA releases vectors. No formal bound.

use super::document::read_and_count;
use super::model::{self, ModelSettings, OpenModel, Trained, needs_model};
use super::rewriter::measured_only;
use super::settings::MethodSettings;
use super::source::Form;
use super::vectors::VectorMethod;
use super::vocabulary::{self, Words};
use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, fail_all, statement};
use crate::failure::Failure;
use crate::owner::OwnerReport;
use allonym_dp::{Entropy, ExitText, Guarantee, Length, PrivacyRng, Rewriter, Terms, rewrite_batch};
use allonym_models::ete_anon::{AgentSettings, EteAnon};
use allonym_nn::Card;
use allonym_text::Vocabulary;
use allonym_text::vocabulary::TokenId;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

/// The name in the registry.
pub(super) const NAME: &str = "agent";

pub(super) const SETTINGS: &[&str] = &["max-tokens", "length", "delta", "form"];

/// Settings of agents.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct AgentMethodSettings {
    /// The most tokens of a record that are read. Default 50.
    max_tokens: usize,
    /// Must be `fixed`: the agent decides the length by what it writes.
    length: Length,
    /// Must be 0: there is no bound.
    delta: f64,
    /// `text` for a model of kind ete-anon, `vector` for one of kind rlta.
    form: Form,
}

impl Default for AgentMethodSettings {
    fn default() -> Self {
        let Terms { max_tokens, length, delta, .. } = Terms::default();
        Self { max_tokens, length, delta, form: Form::Text }
    }
}

/// Reads and checks the settings, without opening a file.
pub(super) fn read(settings: &MethodSettings) -> Result<(AgentMethodSettings, ModelSettings, Words), Failure> {
    if let Some(budget) = ["epsilon", "epsilon-per-token", "total"].iter().find(|setting| settings.has(setting)) {
        let message = format!("`{budget}` does not apply to the method `{NAME}`: it has no formal guarantee");
        return Err(Failure::new(message, "leave it out, or name a method that has one"));
    }
    settings.check_known(&[SETTINGS, model::SETTINGS, vocabulary::SETTINGS])?;
    Ok((settings.parse()?, settings.parse()?, settings.parse()?))
}

/// Builds `agent`, for texts or vectors.
pub(super) fn build(settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
    let (own, model, words) = read(settings)?;
    if own.delta != 0.0 {
        let message = format!("`delta` does not apply to the method `{NAME}`: it has no formal guarantee");
        return Err(Failure::new(message, "leave it out, or name a method that has one"));
    }
    if own.length != Length::Fixed {
        let message = format!("`{NAME}` decides the length by what it writes");
        return Err(Failure::new(message, "leave out `--length`"));
    }
    let max_tokens = Terms { max_tokens: own.max_tokens, ..Terms::default() }.check()?.max_tokens;
    const KINDS: &str = "ete-anon or rlta";
    let OpenModel { model, card } = model.open_needed(&words, NAME, KINDS, "ete-anon")?;
    match (model, own.form) {
        (Trained::EteAnon(model), Form::Text) => Ok(Arc::new(AgentMethod { model: Pieces(model), card, max_tokens })),
        (Trained::EteAnon(_), Form::Vector) => {
            Err(Failure::new("a model of kind ete-anon writes texts", "leave out `--form vector`"))
        }
        (Trained::Rlta(model), Form::Vector) => Ok(Arc::new(VectorMethod::new(model, card, max_tokens))),
        (Trained::Rlta(_), Form::Text) => Err(Failure::new(
            "a model of kind rlta writes no texts: it releases a vector of numbers for each",
            "declare that with `--form vector`",
        )),
        _ => Err(needs_model(NAME, KINDS, "ete-anon")),
    }
}

/// ETE-Anon as a rewriter of the pieces of texts.
struct Pieces(Box<EteAnon>);

impl Rewriter for Pieces {
    type Input = Vec<Vec<u32>>;
    type Output = Vec<TokenId>;

    fn name(&self) -> &str {
        NAME
    }

    /// Pieces of many texts are written at the cost of few; the result for one does not depend on the others.
    fn rewrite(&self, texts: Vec<Vec<Vec<u32>>>, rngs: &mut [PrivacyRng]) -> Vec<Vec<TokenId>> {
        let counts: Vec<usize> = texts.iter().map(Vec::len).collect();
        // Each piece has random numbers of its own; no promise rests on them.
        let of_text = |(pieces, rng): (&Vec<Vec<u32>>, &mut PrivacyRng)| {
            pieces.iter().map(|_| PrivacyRng::reproducible(rng.bits())).collect::<Vec<_>>()
        };
        let mut of_pieces: Vec<PrivacyRng> = texts.iter().zip(rngs).flat_map(of_text).collect();
        let Ok(written) = self.0.rewritten(&texts.concat(), &mut of_pieces) else { return Vec::new() };
        let mut written = written.into_iter();
        let again = |count: usize| written.by_ref().take(count).flatten().map(TokenId::new).collect();
        counts.into_iter().map(again).collect()
    }
}

/// ETE-Anon's agent, ready.
struct AgentMethod {
    model: Pieces,
    card: Card,
    max_tokens: usize,
}

impl AgentMethod {
    fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.model.0.auto_encoder.vocabulary()
    }
}

impl fmt::Debug for AgentMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl Method for AgentMethod {
    fn name(&self) -> &str {
        NAME
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = of_agent(&self.model.0, self.max_tokens, seeded);
        model::state(&self.card, &mut guarantee);
        let words = "the vocabulary is public (it is the model's, and says so)";
        statement::complete(&mut guarantee, self.vocabulary(), words);
        Ok(guarantee)
    }

    fn training_cost(&self) -> (f64, f64) {
        model::training_cost(&self.card)
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing::by_copying(self.vocabulary().clone())
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }
}

impl Release for AgentMethod {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let documents = read_and_count(records, self.max_tokens, self.vocabulary(), context.report);
        let pieces = documents.into_iter().map(|document| document.map(|document| self.model.0.pieces(&document)));
        let mut rngs: Vec<PrivacyRng> = records.iter().map(|record| context.rng(record)).collect();
        let Some(written) = rewrite_batch(&self.model, pieces.collect(), &mut rngs) else {
            return fail_all(records, "the model could not write the texts");
        };
        let text = |ids: Vec<TokenId>, vocabulary: &Vocabulary| vocabulary.text(&ids);
        written.into_iter().map(|ids| Ok(ids.map_with(&**self.vocabulary(), text).into())).collect()
    }

    fn inspect(&self, records: &[Record<'_>], report: &OwnerReport) {
        read_and_count(records, self.max_tokens, self.vocabulary(), report);
    }
}

fn of_agent(model: &EteAnon, max_tokens: usize, seeded: bool) -> Guarantee {
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
    measured_only(NAME, also, not_protected, max_tokens, seeded && model.settings.draws())
}

/// What follows when an agent draws nothing.
pub(super) fn always_the_same(agent: &AgentSettings) -> Option<String> {
    let told = "equal texts: this agent draws nothing, so they become equal releases, and whoever has the model can see whether a guessed text becomes this one";
    (!agent.draws()).then(|| told.to_owned())
}
