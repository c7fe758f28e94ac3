//! A rewriter of any crate as a method: no formal bound, and the statement says so first.

use super::{Context, Corpus, Guessing, Method, Record, RecordError, Release, fail_all};
use crate::failure::Failure;
use allonym_dp::{Entropy, ExitText, Guarantee, Length, PrivacyRng, Rewriter, Strength, rewrite_batch};
use allonym_text::{Private, Vocabulary};
use std::fmt;
use std::sync::Arc;

/// Rewrites each text by a [`Rewriter`] of texts.
pub struct RewriterMethod<R> {
    rewriter: R,
    vocabulary: Arc<Vocabulary>,
    not_protected: Vec<String>,
}

impl<R: Rewriter<Input = String, Output = String>> RewriterMethod<R> {
    /// The method of a rewriter, with what its author says is not protected.
    ///
    /// # Errors
    /// When the program was built with a damaged word list.
    pub fn new(rewriter: R, not_protected: Vec<String>) -> Result<Self, Failure> {
        let vocabulary = Arc::new(Vocabulary::english(Vocabulary::english_size())?);
        Ok(Self { rewriter, vocabulary, not_protected })
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
        let anything = "anything, formally: words, facts and style of the original may pass into the release";
        let not_protected = [anything.to_owned()].into_iter().chain(self.not_protected.iter().cloned()).collect();
        let assumptions = vec!["attackers have no more than those who were measured".to_owned()];
        Ok(Guarantee { assumptions, ..measured_only(self.name(), Vec::new(), not_protected, usize::MAX, seeded) })
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
    Guarantee {
        mechanism: name.to_owned(),
        strength: Strength::Empirical,
        unit: "one record's text",
        adjacency: "no two texts: nothing is bounded".to_owned(),
        max_tokens,
        length: Length::Fixed,
        paper_epsilon_total: None,
        also,
        assumptions: Vec::new(),
        not_protected,
        void: Vec::new(),
        seeded,
    }
}
