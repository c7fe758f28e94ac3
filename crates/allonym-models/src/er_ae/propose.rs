//! What a trained model proposes for a private text.

use super::{ErAe, Text};
use crate::error::ModelError;
use crate::groups::in_groups;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Length, Proposer};
use allonym_nn::training::Model;
use allonym_nn::{Matrix, NnError};
use allonym_text::vocabulary::TokenId;

/// A text as the generator sees it: for every piece, a vector for each token and for the end.
#[derive(Clone, Debug)]
pub struct Encoded(pub(super) Vec<Matrix<f32>>);

impl ErAe {
    /// Encodes texts, each given by its pieces (see [`ErAe::pieces`]).
    ///
    /// # Errors
    /// When a token is not of the vocabulary.
    pub fn encode(&self, texts: &[Vec<Text>]) -> Result<Vec<Encoded>, ModelError> {
        let pieces: Vec<&[u32]> = texts.iter().flatten().map(Vec::as_slice).collect();
        let mut encoded = in_groups(&pieces, |group| self.encode_group(group))?.into_iter();
        Ok(texts.iter().map(|pieces| Encoded(encoded.by_ref().take(pieces.len()).collect())).collect())
    }

    fn encode_group(&self, group: &[&[u32]]) -> Result<Vec<Matrix<f32>>, NnError> {
        let pass = self.network.forward(self.store(), group, None, 1)?;
        let of_piece = |rows: &Vec<usize>| {
            let values = rows.iter().flat_map(|row| pass.vectors.row(*row)).copied().collect();
            Matrix::of(rows.len(), pass.vectors.columns(), values)
        };
        Ok(pass.sequences.rows_of_sequences().iter().map(of_piece).collect())
    }

    /// The proposal of an encoded text for a mechanism that reads scores of this kind.
    pub fn proposal(&self, encoded: Encoded, length: Length, reads: Reads) -> Proposal<'_> {
        let Encoded(pieces) = encoded;
        let tokens = pieces.iter().map(|piece| piece.rows() - 1).sum();
        Proposal { model: self, pieces, tokens, current: None, length, reads, scores: Vec::new() }
    }
}

/// Proposes the tokens of a text one after the other, and then its end.
pub struct Proposal<'a> {
    model: &'a ErAe,
    pieces: Vec<Matrix<f32>>,
    tokens: usize,
    /// The logits of one piece.
    current: Option<(usize, Matrix<f32>)>,
    length: Length,
    reads: Reads,
    scores: Vec<f32>,
}

impl Proposal<'_> {
    /// The piece of a step, and the row in it. After the last token, the end of the last piece is proposed again and again.
    fn place(&self, step: usize) -> (usize, usize) {
        let (mut step, last) = (step, self.pieces.len() - 1);
        for (piece, vectors) in self.pieces[..last].iter().enumerate() {
            let tokens = vectors.rows() - 1;
            if step < tokens {
                return (piece, step);
            }
            step -= tokens;
        }
        (last, step.min(self.pieces[last].rows() - 1))
    }

    fn fill(&mut self, step: usize) {
        let (piece, row) = self.place(step);
        if self.current.as_ref().is_none_or(|(current, _)| *current != piece) {
            let output = &self.model.network.output;
            let Ok(logits) = output.forward(self.model.store(), &self.pieces[piece], 1) else {
                unreachable!("vectors come from the same network")
            };
            self.current = Some((piece, logits));
        }
        let Some((_, logits)) = &self.current else { unreachable!("computed above") };
        self.scores.clear();
        self.scores.extend_from_slice(&logits.row(row)[self.length.first_token().get() as usize..]);
        let largest = self.scores.iter().fold(f32::MIN, |a, b| a.max(*b));
        match self.reads {
            Reads::Order | Reads::Nothing => {}
            // The best token stands at the upper end of the usual range of ten.
            Reads::Logits => self.scores.iter_mut().for_each(|score| *score += 5.0 - largest),
            Reads::Probabilities | Reads::Ratings => to_probabilities(&mut self.scores, largest),
            Reads::Distances => {
                to_probabilities(&mut self.scores, largest);
                self.scores.iter_mut().for_each(|score| *score = 1.0 - *score);
            }
        }
    }
}

/// Logits as probabilities.
fn to_probabilities(scores: &mut [f32], largest: f32) {
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

impl Proposer for Proposal<'_> {
    fn tokens(&self) -> usize {
        self.tokens
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        if self.reads != Reads::Nothing {
            self.fill(released.len());
        }
        &self.scores
    }
}
