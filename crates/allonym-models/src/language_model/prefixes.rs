//! Texts that are being written, and what the model expects of each next.

use super::LanguageModel;
use crate::groups::GROUP;
use allonym_nn::layer::States;
use allonym_nn::{Matrix, NnError};
use allonym_text::vocabulary::START;

/// Up to [`GROUP`] texts, all as long as each other.
#[derive(Clone, Debug)]
pub struct Prefixes<'m> {
    model: &'m LanguageModel,
    states: States<f32>,
    logits: Matrix<f32>,
    sureness: f32,
}

impl LanguageModel {
    /// Texts of which nothing is written yet. There are always as many rows as in a full group, so that a text's numbers do not depend on how many
    /// neighbours it has. Logits are multiplied by `sureness`: below 1, the model is taken to be less sure than it is.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn prefixes(&self, sureness: f32) -> Result<Prefixes<'_>, NnError> {
        let states = self.layers.begin(GROUP, None)?;
        let mut prefixes = Prefixes { model: self, states, logits: Matrix::default(), sureness };
        prefixes.advance(&[START; GROUP])?;
        Ok(prefixes)
    }
}

impl Prefixes<'_> {
    /// How many texts are written at once.
    pub const TEXTS: usize = GROUP;

    /// Writes a token at the end of each text. Texts that are done may be given any token.
    ///
    /// # Errors
    /// When a token is none of the vocabulary.
    pub fn advance(&mut self, tokens: &[u32; GROUP]) -> Result<(), NnError> {
        let model = self.model;
        let mut inputs = Matrix::zeros(GROUP, model.embedding.dimension());
        model.embedding.forward(&model.store, tokens, &mut inputs, 0)?;
        let outputs = model.layers.advance(&model.store, &inputs, &mut self.states, 1)?;
        self.logits = model.output.forward(&model.store, &outputs, 1)?;
        self.logits.values_mut().iter_mut().for_each(|logit| *logit *= self.sureness);
        Ok(())
    }

    /// The logit of every id as the next token of a text.
    pub fn logits(&self, text: usize) -> &[f32] {
        self.logits.row(text)
    }
}
