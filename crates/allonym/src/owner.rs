//! What a run collects for the owner of the texts alone: exact counts, and explanations of the draws.

use crate::explain::Explanations;
use crate::suits::Suits;
use allonym_text::{Document, Private, Vocabulary};

/// Counts and explanations of a run. Nothing of it enters the release.
#[derive(Default)]
pub struct OwnerReport {
    suits: Suits,
    pub(crate) explanations: Option<Explanations>,
}

impl OwnerReport {
    /// Counts a text that is in another language than the vocabulary's, or was truncated.
    pub(crate) fn count(&self, document: Private<&Document>, vocabulary: &Vocabulary) {
        self.suits.count(document, vocabulary);
    }

    /// The counts, as advice; `charged` where each token has a cost.
    pub(crate) fn advice(&self, charged: bool) -> Vec<String> {
        self.suits.told(charged)
    }
}
