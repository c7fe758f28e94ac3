//! Methods that draw one token after the other: every mechanism of the core's catalogue, and mechanisms of other crates.

use super::document::{read, read_and_count};
use super::source::{BoxedProposer, Form, Source, VerbatimSource};
use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, Writing, fail_all, model, statement};
use crate::explain::{Explanations, Traced};
use crate::failure::Failure;
use crate::owner::OwnerReport;
use allonym_dp::audit::{Effort, Finding, audit, audit_in};
use allonym_dp::mechanism::{Mechanism, Reads};
use allonym_dp::{Drawing, Entropy, ExitText, Guarantee, NoExpectation, PublicContext, Released, Terms, release};
use allonym_models::lexical::term_frequencies;
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private, Vocabulary};
use rayon::prelude::*;
use std::fmt;
use std::sync::Arc;

/// A mechanism with what proposes for it.
pub struct TokenMethod {
    pub(super) mechanism: Box<dyn Mechanism>,
    pub(super) source: Box<dyn Source>,
    pub(super) writing: Writing,
    pub(super) terms: Terms,
    pub(super) public_words: &'static str,
}

impl fmt::Debug for TokenMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} on {}", self.mechanism, self.source.name())
    }
}

/// Words of a text, before each of which a mechanism is audited that reads what a model expects.
const AUDITED_PREFIX: [&str; 3] = ["the", "food", "was"];

/// Texts that are drawn side by side where no scores are read.
const TEXTS_WITHOUT_SCORES: usize = 32;

/// A record being drawn.
type Drawn<'a> = Drawing<Traced<BoxedProposer<'a>>>;

impl TokenMethod {
    /// A mechanism that is given each text's own words as its proposal. The mechanism may be of any crate: `build` makes it
    /// for a number of outcomes, the core draws, and the statement names the crate that claims its loss.
    ///
    /// # Errors
    /// When the terms are out of range, or the mechanism has another number of outcomes than it was asked for.
    pub fn with_own_words(
        vocabulary: Vocabulary,
        terms: Terms,
        build: impl FnOnce(u32) -> Box<dyn Mechanism>,
    ) -> Result<Self, Failure> {
        let terms = terms.check()?;
        let outcomes = terms.length.outcomes(vocabulary.words());
        let mechanism = build(outcomes);
        if mechanism.outcomes() != outcomes {
            let message = format!("the mechanism has {} outcomes; it needs {outcomes}", mechanism.outcomes());
            return Err(Failure::new(message, "build it for the number of outcomes that is given"));
        }
        let vocabulary = Arc::new(vocabulary);
        let source = Box::new(VerbatimSource { vocabulary: vocabulary.clone() });
        let public_words = "the vocabulary is public (the caller says so)";
        Ok(Self { mechanism, source, writing: Writing { vocabulary, form: Form::Text }, terms, public_words })
    }

    /// Draws one group of records side by side.
    fn draw_group(&self, group: &mut [Drawn<'_>]) -> Result<Vec<Released<Vec<TokenId>>>, RecordError> {
        if !self.mechanism.reads_context() {
            return Ok(release(&*self.mechanism, &mut NoExpectation, group, &self.terms));
        }
        let mut expectation = self.source.expectation(group.len())?;
        Ok(release(&*self.mechanism, &mut *expectation, group, &self.terms))
    }

    fn explain(
        &self,
        record: &Record<'_>,
        document: Private<Document>,
        ids: &Released<Vec<TokenId>>,
        drawn: Drawn<'_>,
    ) -> Private<String> {
        let (length, vocabulary) = (self.terms.length, &self.writing.vocabulary);
        let both = document.with(drawn.proposer);
        both.map(|(document, traced)| {
            Explanations::line(record.number, &document, &traced, ids.value(), length, vocabulary)
        })
    }
}

impl Method for TokenMethod {
    fn name(&self) -> &str {
        self.mechanism.name()
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = Guarantee::for_tokens(&*self.mechanism, &self.terms, seeded)?;
        if let Some(assumption) = self.source.assumption() {
            guarantee.push_assumption(assumption.to_owned());
        }
        if let Some(card) = self.source.card() {
            model::state(card, &mut guarantee);
        }
        statement::state_form(&mut guarantee, self.writing.form);
        statement::complete(&mut guarantee, &self.writing.vocabulary, self.public_words);
        Ok(guarantee)
    }

    fn guarantee_with(&self, max_tokens: usize) -> Option<Guarantee> {
        Guarantee::for_tokens(&*self.mechanism, &Terms { max_tokens, ..self.terms }, false).ok()
    }

    fn training_cost(&self) -> (f64, f64) {
        self.source.card().map_or((0.0, 0.0), model::training_cost)
    }

    fn max_tokens(&self) -> usize {
        self.terms.max_tokens
    }

    fn is_explainable(&self) -> bool {
        true
    }

    fn charges_tokens(&self) -> bool {
        true
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing {
            vocabulary: self.writing.vocabulary.clone(),
            first_token: self.terms.length.first_token(),
            alone: self.source.is_verbatim().then_some(&*self.mechanism),
        }
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }

    fn audit(&self, effort: &Effort) -> Result<Vec<Finding>, Failure> {
        if !self.mechanism.reads_context() {
            return Ok(audit(&*self.mechanism, effort));
        }
        // What the model really expects: at the beginning of a text, and after some words.
        let failed = |error: RecordError| Failure::new(error.to_string(), "check the model");
        let mut expectation = self.source.expectation(1).map_err(failed)?;
        let first = self.terms.length.first_token().get() as usize;
        let mut findings = Vec::new();
        for word in AUDITED_PREFIX {
            let logits = expectation.logits(0).get(first..).unwrap_or_default();
            findings.extend(audit_in(&*self.mechanism, &PublicContext::expecting(logits), effort));
            expectation.after(&[Some(TokenId::new(self.writing.vocabulary.id(word)))]);
        }
        Ok(findings)
    }
}

impl Release for TokenMethod {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let documents = if self.source.is_of_a_language() {
            read_and_count(records, self.terms.max_tokens, &self.writing.vocabulary, context.report)
        } else {
            read(records, self.terms.max_tokens)
        };
        let explained = context.report.explanations.is_some();
        let kept: Vec<Private<Document>> = if explained { documents.clone() } else { Vec::new() };
        let reads = self.mechanism.reads();
        let proposers = match self.source.proposers(documents, &self.terms, reads) {
            Ok(proposers) => proposers,
            Err(error) => return records.iter().map(|_| Err(error.clone())).collect(),
        };
        let logits = self.source.proposes_logits();
        let drawings = records.par_iter().zip(proposers).map(|(record, proposer)| {
            let proposer = proposer.map(|proposer| Traced::new(proposer, reads, logits).kept(explained));
            Drawing { proposer, rng: context.rng(record) }
        });
        let mut drawings: Vec<Drawn<'_>> = drawings.collect();
        let group = match reads {
            _ if self.mechanism.reads_context() => self.source.group(),
            Reads::Nothing => TEXTS_WITHOUT_SCORES,
            // The scores of a large vocabulary fill a cache: one text after the other.
            _ => 1,
        };
        let groups: Result<Vec<_>, RecordError> =
            drawings.par_chunks_mut(group).map(|group| self.draw_group(group)).collect();
        let released: Vec<Released<Vec<TokenId>>> = match groups {
            Ok(groups) => groups.into_iter().flatten().collect(),
            Err(error) => return records.iter().map(|_| Err(error.clone())).collect(),
        };
        if released.len() != records.len() {
            return fail_all(records, "a record was not drawn");
        }
        if let Some(explanations) = &context.report.explanations {
            let lines = records.iter().zip(kept).zip(&released).zip(drawings);
            let lines = lines.map(|(((record, document), ids), drawn)| self.explain(record, document, ids, drawn));
            explanations.write(Private::together(lines));
        }
        released.into_par_iter().map(|ids| Ok(self.writing.write(ids))).collect()
    }

    fn inspect(&self, records: &[Record<'_>], report: &OwnerReport) {
        if self.source.is_of_a_language() {
            read_and_count(records, self.terms.max_tokens, &self.writing.vocabulary, report);
        }
    }
}

impl Writing {
    /// Writes released tokens.
    pub(super) fn write(&self, ids: Released<Vec<TokenId>>) -> ExitText {
        let text = match self.form {
            Form::Text => ids.map_with(&*self.vocabulary, |ids, vocabulary: &Vocabulary| vocabulary.text(&ids)),
            Form::Vector => {
                ids.map_with(&*self.vocabulary, |ids, vocabulary: &Vocabulary| term_frequencies(&ids, vocabulary))
            }
        };
        text.into()
    }
}
