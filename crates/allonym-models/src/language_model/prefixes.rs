//! Texts that are being written, and what the model expects of each next.

use super::LanguageModel;
use allonym_nn::layer::States;
use allonym_nn::{Matrix, NnError};
use allonym_text::vocabulary::START;

/// Texts that go on. Each goes on until it is given no token; from then on it takes no time.
///
/// A text's numbers do not depend, not even in their last bit, on how many neighbours it has: that may follow from how long those are.
#[derive(Clone, Debug)]
pub(crate) struct Going<'m> {
    model: &'m LanguageModel,
    states: States<f32>,
    /// The row of each text, while it goes on.
    rows: Vec<Option<usize>>,
}

/// Some texts that go on, and what the model expects of each.
#[derive(Clone, Debug)]
pub struct Prefixes<'m> {
    going: Going<'m>,
    logits: Matrix<f32>,
    sureness: f32,
}

impl LanguageModel {
    /// Texts of which nothing is written yet. Logits are multiplied by `sureness`: below 1, the model is taken to be less sure than it is.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn prefixes(&self, texts: usize, sureness: f32) -> Result<Prefixes<'_>, NnError> {
        let mut prefixes = Prefixes { going: self.going(texts)?, logits: Matrix::default(), sureness };
        prefixes.advance(&vec![Some(START); texts])?;
        Ok(prefixes)
    }

    /// Texts that wait for their start.
    pub(crate) fn going(&self, texts: usize) -> Result<Going<'_>, NnError> {
        Ok(Going { model: self, states: self.layers.begin(texts, None)?, rows: (0..texts).map(Some).collect() })
    }
}

impl Going<'_> {
    /// Writes a token at the end of each text; one that is given none has ended. Returns the vectors of those that go on, in their order.
    pub(crate) fn advance(&mut self, tokens: &[Option<u32>]) -> Result<Matrix<f32>, NnError> {
        let going = self.rows.iter().zip(tokens).filter_map(|(row, token)| row.zip(*token));
        let (kept, tokens_of_kept): (Vec<usize>, Vec<u32>) = going.unzip();
        let mut left = 0..;
        for (text, row) in self.rows.iter_mut().enumerate() {
            *row = row.filter(|_| tokens.get(text).copied().flatten().is_some()).and_then(|_| left.next());
        }
        self.states.keep(&kept);
        let model = self.model;
        let mut inputs = Matrix::zeros(kept.len(), model.embedding.dimension());
        model.embedding.forward(&model.store, &tokens_of_kept, &mut inputs, 0)?;
        model.layers.advance(&model.store, &inputs, &mut self.states)
    }
}

impl Prefixes<'_> {
    /// As many texts as should be written at once: they share one reading of the weights. With eight, a token takes more than twice as long.
    pub const TEXTS: usize = 32;

    /// Writes a token at the end of each text; one that is given none has ended.
    ///
    /// # Errors
    /// When a token is none of the vocabulary.
    pub fn advance(&mut self, tokens: &[Option<u32>]) -> Result<(), NnError> {
        let outputs = self.going.advance(tokens)?;
        let model = self.going.model;
        self.logits = model.output.forward_steadily(&model.store, &outputs)?;
        self.logits.values_mut().iter_mut().for_each(|logit| *logit *= self.sureness);
        Ok(())
    }

    /// The logit of every id as the next token of a text; of one that has ended, none.
    pub fn logits(&self, text: usize) -> &[f32] {
        self.going.rows.get(text).copied().flatten().map_or(&[], |row| self.logits.row(row))
    }
}
