//! Texts that are being written, and what the model expects of each next.

use super::LanguageModel;
use allonym_nn::layer::States;
use allonym_nn::{Matrix, NnError};
use allonym_text::vocabulary::{END, START};

/// Texts that are written at once: as many as share one reading of the weights. With eight, a token takes more than twice as long.
const ROWS: usize = 32;

/// Some texts, all as long as each other.
#[derive(Clone, Debug)]
pub struct Prefixes<'m> {
    model: &'m LanguageModel,
    states: States<f32>,
    logits: Matrix<f32>,
    sureness: f32,
}

impl LanguageModel {
    /// [`Prefixes::TEXTS`] texts of which nothing is written yet; some of them may stand for none. There are always as many rows, so that every product has the
    /// same shape, and a text's numbers do not depend, not even in their last bit, on how many neighbours it has: that may follow from how long those are. Logits
    /// are multiplied by `sureness`: below 1, the model is taken to be less sure than it is.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn prefixes(&self, sureness: f32) -> Result<Prefixes<'_>, NnError> {
        let states = self.layers.begin(ROWS, None)?;
        let mut prefixes = Prefixes { model: self, states, logits: Matrix::default(), sureness };
        prefixes.advance(&[START; ROWS])?;
        Ok(prefixes)
    }
}

impl Prefixes<'_> {
    /// How many texts are written at once.
    pub const TEXTS: usize = ROWS;

    /// Writes a token at the end of each text. Texts that are done may be given any token.
    ///
    /// # Errors
    /// When a token is none of the vocabulary.
    pub fn advance(&mut self, tokens: &[u32]) -> Result<(), NnError> {
        let model = self.model;
        let mut tokens = tokens.to_vec();
        tokens.resize(ROWS, END);
        let mut inputs = Matrix::zeros(ROWS, model.embedding.dimension());
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
