//! Layer D: two draws of one text, as one outcome.
//!
//! Two tokens of one record cost twice the loss of one. If random words are used twice, or a replacement is remembered, each
//! draw by itself looks right, and only the pair shows it.

use super::black_box::{Halves, lower_bound};
use super::{Effort, Finding};
use crate::context::PublicContext;
use crate::mechanism::{Draw, Mechanism};
use allonym_text::Private;

/// Audits pairs of draws: the same token twice in a text, against another token twice, and mixed.
pub(super) fn audit(mechanism: &dyn Mechanism, context: &PublicContext<'_>, effort: &Effort) -> Finding {
    let outcomes = mechanism.outcomes() as usize;
    let point = |at: usize| -> Vec<f32> { (0..outcomes).map(|i| if i == at { 1.0 } else { 0.0 }).collect() };
    let texts = [[0, 0], [1, 1], [0, 1], [1, 0]].map(|text| text.map(point));
    let counted = Halves::count(texts.len(), outcomes * outcomes, effort, 1 << 40, |text, rng| {
        let [first, second] =
            texts[text].each_ref().map(|scores| mechanism.draw(Private::new(scores), context, rng).value().position());
        first * outcomes + second
    });
    let (claim, found) = (2.0 * mechanism.loss().epsilon, lower_bound(&counted));
    Finding::of_token_mechanism(mechanism, "joint", claim, found, found <= claim + 1e-12)
}
