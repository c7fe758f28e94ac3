//! A rewriter of any crate as a method: no formal bound, and the statement says so first.

use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, fail_all};
use crate::failure::Failure;
use allonym_dp::guarantee::Unit;
use allonym_dp::{Entropy, ExitText, Guarantee, PrivacyRng, Rewriter, Terms, rewrite_batch};
use allonym_text::{Private, Vocabulary};
use std::fmt;
use std::sync::Arc;

/// Rewrites each text by a [`Rewriter`] of texts.
pub struct RewriterMethod<R> {
    rewriter: R,
    vocabulary: Arc<Vocabulary>,
    made_by: &'static str,
    not_protected: Vec<String>,
}

impl<R: Rewriter<Input = String, Output = String>> RewriterMethod<R> {
    /// The method of a rewriter, with the crate that made it (`env!("CARGO_PKG_NAME")`) and what its author says is not
    /// protected.
    ///
    /// # Errors
    /// When the program was built with a damaged word list.
    pub fn new(rewriter: R, made_by: &'static str, not_protected: Vec<String>) -> Result<Self, Failure> {
        let vocabulary = Arc::new(Vocabulary::english(Vocabulary::english_size())?);
        Ok(Self { rewriter, vocabulary, made_by, not_protected })
    }
}

impl<R: Rewriter> fmt::Debug for RewriterMethod<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rewriter.name())
    }
}

impl<R: Rewriter<Input = String, Output = String> + 'static> Method for RewriterMethod<R> {
    fn name(&self) -> &str {
        self.rewriter.name()
    }

    fn guarantee(&self, seeded: bool) -> Result<Guarantee, Failure> {
        let mut guarantee = Guarantee::measured(self.name(), Unit::Text, seeded).with_made_by(self.made_by);
        guarantee
            .push_not_protected("anything, formally: words, facts and style of the original may pass into the release");
        self.not_protected.iter().for_each(|line| guarantee.push_not_protected(line));
        guarantee.push_assumption("attackers have no more than those who were measured");
        Ok(guarantee)
    }

    fn max_tokens(&self) -> usize {
        Self::MAX_TOKENS
    }

    fn guessing(&self) -> Guessing<'_> {
        Guessing::by_copying(self.vocabulary.clone())
    }

    fn prepare(self: Arc<Self>, _: &mut dyn Corpus, _: &Entropy) -> Result<Arc<dyn Release>, Failure> {
        Ok(self)
    }
}

impl<R> RewriterMethod<R> {
    /// Whole texts are read; this only decides how many records are in memory at once.
    const MAX_TOKENS: usize = 1000;
}

impl<R: Rewriter<Input = String, Output = String>> Release for RewriterMethod<R> {
    fn release(&self, records: &[Record<'_>], context: &Context<'_>) -> Vec<Result<ExitText, RecordError>> {
        let texts: Vec<Private<String>> = records.iter().map(|record| record.text.clone()).collect();
        let mut rngs: Vec<PrivacyRng> = records.iter().map(|record| context.rng(record)).collect();
        match rewrite_batch(&self.rewriter, texts, &mut rngs) {
            Some(texts) => texts.into_iter().map(|text| Ok(text.into())).collect(),
            None => fail_all(records, "the rewriter returned another number of texts than it was given"),
        }
    }
}

/// A release of which nothing is promised.
pub(super) fn measured_only(
    name: &str,
    also: Vec<String>,
    not_protected: Vec<String>,
    max_tokens: usize,
    seeded: bool,
) -> Guarantee {
    let terms = Terms { max_tokens, ..Terms::default() };
    let mut guarantee = Guarantee::measured(name, Unit::Text, seeded).with_terms(&terms);
    also.into_iter().for_each(|line| guarantee.push_also(line));
    not_protected.into_iter().for_each(|line| guarantee.push_not_protected(line));
    guarantee
}
