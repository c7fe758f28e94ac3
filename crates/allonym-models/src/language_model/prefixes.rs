//! Texts that are being written, and what the model expects of each next.

use super::LanguageModel;
use crate::groups::GROUP;
use allonym_nn::layer::States;
use allonym_nn::{Matrix, NnError};
use allonym_text::vocabulary::{END, START};

/// Rows that a product takes at a time.
const ROWS: usize = 8;

/// Some texts, all as long as each other.
#[derive(Clone, Debug)]
pub struct Prefixes<'m> {
    model: &'m LanguageModel,
    rows: usize,
    states: States<f32>,
    logits: Matrix<f32>,
    sureness: f32,
}

impl LanguageModel {
    /// So many texts, at most [`Prefixes::TEXTS`], of which nothing is written yet. Logits are multiplied by `sureness`: below 1, the model is taken to be less sure than it is.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn prefixes(&self, texts: usize, sureness: f32) -> Result<Prefixes<'_>, NnError> {
        // One text is a product with a vector. For more, rows come in full registers, so that a product has one of few shapes.
        let rows = if texts <= 1 { 1 } else { texts.next_multiple_of(ROWS).min(GROUP) };
        let states = self.layers.begin(rows, None)?;
        let mut prefixes = Prefixes { model: self, rows, states, logits: Matrix::default(), sureness };
        prefixes.advance(&vec![START; rows])?;
        Ok(prefixes)
    }
}

impl Prefixes<'_> {
    /// How many texts are written at once, at most.
    pub const TEXTS: usize = GROUP;

    /// Writes a token at the end of each text. Texts that are done may be given any token.
    ///
    /// # Errors
    /// When a token is none of the vocabulary.
    pub fn advance(&mut self, tokens: &[u32]) -> Result<(), NnError> {
        let model = self.model;
        let mut tokens = tokens.to_vec();
        tokens.resize(self.rows, END);
        let mut inputs = Matrix::zeros(self.rows, model.embedding.dimension());
        model.embedding.forward(&model.store, &tokens, &mut inputs, 0)?;
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
