//! The language model as a mechanism asks it: what comes next after what was released.

use super::FluentModel;
use crate::language_model::Prefixes;
use allonym_dp::Expectation;
use allonym_nn::NnError;
use allonym_text::vocabulary::TokenId;

/// How sure the model is taken to be: a little less than it is leaves more room for words that say something, which no model expects.
const SURENESS: f32 = 0.85;

/// Texts that are being written, best [`Written::TEXTS`] at once.
#[derive(Debug)]
pub struct Written<'m> {
    prefixes: Prefixes<'m>,
    /// Whether the model failed: from then on it expects nothing.
    failed: bool,
}

impl FluentModel {
    /// Texts of which nothing is written yet.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn written(&self, texts: usize) -> Result<Written<'_>, NnError> {
        Ok(Written { prefixes: self.language.prefixes(texts, SURENESS)?, failed: false })
    }
}

impl Written<'_> {
    /// How many texts are best written at once.
    pub const TEXTS: usize = Prefixes::TEXTS;
}

impl Expectation for Written<'_> {
    fn logits(&self, text: usize) -> &[f32] {
        if self.failed { &[] } else { self.prefixes.logits(text) }
    }

    fn after(&mut self, released: &[Option<TokenId>]) {
        let rows: Vec<Option<u32>> = released.iter().map(|token| token.map(TokenId::get)).collect();
        self.failed |= self.prefixes.advance(&rows).is_err();
    }
}
