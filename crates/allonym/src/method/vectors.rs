//! `agent --form vector`: RLTA's agent changes the vector of each text, which is released as a list of numbers. No formal bound.

use super::agent::{NAME, always_the_same};
use super::document::read_and_count;
use super::model;
use super::rewriter::measured_only;
use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, fail_all, statement};
use crate::failure::Failure;
use crate::owner::OwnerReport;
use allonym_dp::{Entropy, ExitText, Guarantee, PrivacyRng, Rewriter, rewrite_batch};
use allonym_models::rlta::Rlta;
use allonym_nn::Card;
use allonym_text::Vocabulary;
use std::fmt;
use std::sync::Arc;

/// RLTA as a rewriter of encoded texts.
struct Vectors(Box<Rlta>);

impl Rewriter for Vectors {
    type Input = Vec<u32>;
    type Output = Vec<f32>;

    fn name(&self) -> &str {
        NAME
    }

    fn rewrite(&self, texts: Vec<Vec<u32>>, rngs: &mut [PrivacyRng]) -> Vec<Vec<f32>> {
        self.0.changed(&texts, rngs).unwrap_or_default()
    }
}

/// RLTA's agent, ready.
pub(super) struct VectorMethod {
    model: Vectors,
    card: Card,
    max_tokens: usize,
}

impl VectorMethod {
    pub(super) fn new(model: Box<Rlta>, card: Card, max_tokens: usize) -> Self {
        Self { model: Vectors(model), card, max_tokens }
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.model.0.encoder.vocabulary()
    }
}

impl fmt::Debug for VectorMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}, vectors")
    }
}

impl Method for VectorMethod {
    fn name(&self) -> &str {
        NAME
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = of_vectors(&self.model.0, self.max_tokens, seeded);
        model::state(&self.card, &mut guarantee);
        guarantee.push_also("released as vectors of numbers: no text is written from them".to_owned());
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

    /// The attributes that the agent was trained to hide.
    fn withheld_columns(&self) -> Vec<String> {
        let attributes = self.model.0.measured.iter().flat_map(|measured| &measured.attributes);
        attributes.map(|found| found.attribute.clone()).collect()
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing::by_copying(self.vocabulary().clone())
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }
}

impl Release for VectorMethod {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let documents = read_and_count(records, self.max_tokens, self.vocabulary(), context.report);
        let texts = documents.into_iter().map(|document| document.map(|document| self.model.0.encoder.text(&document)));
        let mut rngs: Vec<PrivacyRng> = records.iter().map(|record| context.rng(record)).collect();
        let Some(changed) = rewrite_batch(&self.model, texts.collect(), &mut rngs) else {
            return fail_all(records, "the model could not encode the texts");
        };
        let listed = |vector: Vec<f32>| serde_json::to_string(&vector).unwrap_or_default();
        changed.into_iter().map(|vector| Ok(vector.map(listed).into())).collect()
    }

    fn inspect(&self, records: &[Record<'_>], report: &OwnerReport) {
        read_and_count(records, self.max_tokens, self.vocabulary(), report);
    }
}

fn of_vectors(model: &Rlta, max_tokens: usize, seeded: bool) -> Guarantee {
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
    measured_only(NAME, also.collect(), not_protected, max_tokens, seeded && model.settings.draws())
}
