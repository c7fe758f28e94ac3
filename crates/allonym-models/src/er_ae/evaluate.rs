//! How well a model reconstructs, and what it would put in the place of a token: for its owner.

use super::{ErAe, Text};
use crate::error::ModelError;
use allonym_nn::loss::{EmbeddingReward, top};
use allonym_nn::training::Model;
use allonym_nn::{Into, Matrix, multiply};
use allonym_text::vocabulary::{END, SPECIAL, UNKNOWN};
use serde::Serialize;

/// The share of tokens that the best candidate gets right, for texts of some lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OfLength {
    /// The shortest, in tokens without the end.
    pub from: usize,
    /// The longest.
    pub to: usize,
    /// Texts.
    pub texts: usize,
    /// Tokens that are in the vocabulary.
    pub tokens: usize,
    /// Those of them that are the best candidate at their place.
    pub right: usize,
}

impl OfLength {
    /// The share that is right.
    pub fn accuracy(&self) -> f64 {
        self.right as f64 / self.tokens.max(1) as f64
    }
}

/// What a model does with texts that it was not trained on. The end of a text and unknown words are not counted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reconstruction {
    /// By length: up to 10 tokens, up to 20, ..
    pub by_length: Vec<OfLength>,
    /// The mean probability of the original token.
    pub original: f64,
    /// The mean cosine of the original with the four best candidates besides it.
    pub cosine: f64,
    /// The same for the four words of the vocabulary that are nearest to the original: no candidates could have more.
    pub nearest: f64,
    /// The mean number of those four whose cosine with the original is at least 0.5.
    pub near: f64,
}

/// Lengths that are counted together.
const STEP: usize = 10;
/// The least cosine of a near-synonym.
const NEAR: f32 = 0.5;

/// The five best candidates of a place, with their probabilities.
pub(super) type Five = Vec<(u32, f32)>;

impl ErAe {
    /// Measures the reconstruction of texts.
    ///
    /// # Errors
    /// When a text does not fit the model.
    pub fn reconstruction(&self, texts: &[Text], threads: usize) -> Result<Reconstruction, ModelError> {
        let mut by_length: Vec<OfLength> = Vec::new();
        let (mut original, mut cosine, mut near, mut counted) = (0.0, 0.0, 0.0, 0_usize);
        let mut occurrences = vec![0_usize; self.vectors.rows()];
        for batch in texts.chunks(64) {
            for (text, fives) in batch.iter().zip(self.fives(batch, threads)?) {
                let length = text.len() - 1;
                let place = length.saturating_sub(1) / STEP;
                while by_length.len() <= place {
                    let from = by_length.len() * STEP + 1;
                    by_length.push(OfLength { from, to: from + STEP - 1, ..OfLength::default() });
                }
                by_length[place].texts += 1;
                for (token, (of_original, five)) in text.iter().zip(fives) {
                    if *token == END || *token == UNKNOWN {
                        continue;
                    }
                    by_length[place].tokens += 1;
                    by_length[place].right += usize::from(five[0].0 == *token);
                    let others = five.iter().filter(|(other, _)| other != token).take(4);
                    let cosines: Vec<f32> = others.map(|(other, _)| self.cosine(*token, *other)).collect();
                    original += f64::from(of_original);
                    cosine += f64::from(cosines.iter().sum::<f32>()) / cosines.len().max(1) as f64;
                    near += cosines.iter().filter(|cosine| **cosine >= NEAR).count() as f64;
                    counted += 1;
                    occurrences[*token as usize] += 1;
                }
            }
        }
        by_length.retain(|of| of.texts > 0);
        let count = counted.max(1) as f64;
        let nearest = self.nearest(&occurrences, threads)? / count;
        Ok(Reconstruction {
            by_length,
            original: original / count,
            cosine: cosine / count,
            nearest,
            near: near / count,
        })
    }

    /// The sum over all occurrences of the mean cosine with the four nearest other words.
    fn nearest(&self, occurrences: &[usize], threads: usize) -> Result<f64, ModelError> {
        let units = EmbeddingReward::unit_vectors((*self.vectors).clone());
        let ids: Vec<usize> = (SPECIAL.len()..occurrences.len()).filter(|id| occurrences[*id] > 0).collect();
        let (width, mut places, mut sum) = (units.columns(), Vec::new(), 0.0);
        for ids in ids.chunks(256) {
            let rows = ids.iter().flat_map(|id| units.row(*id)).copied().collect();
            let rows = Matrix::of(ids.len(), width, rows);
            let mut cosines = Matrix::zeros(ids.len(), units.rows());
            multiply(cosines.view_mut(), Into::Replace, rows.view(), units.view().transposed(), threads);
            for (row, id) in ids.iter().enumerate() {
                let cosines = &mut cosines.row_mut(row)[SPECIAL.len()..];
                cosines[id - SPECIAL.len()] = f32::MIN;
                top(cosines, 4, &mut places);
                let found: Vec<f32> = places.iter().map(|p| cosines[*p as usize]).filter(|c| *c > f32::MIN).collect();
                let mean = found.iter().sum::<f32>() / found.len().max(1) as f32;
                sum += occurrences[*id] as f64 * f64::from(mean);
            }
        }
        Ok(sum)
    }

    /// For every token of every text its own probability, and the five best words with theirs.
    ///
    /// # Errors
    /// When a text does not fit the model.
    pub fn fives(&self, texts: &[Text], threads: usize) -> Result<Vec<Vec<(f32, Five)>>, ModelError> {
        let slices: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let pass = self.network.forward(self.store(), &slices, None, threads)?;
        let all = self.network.output.forward(self.store(), &pass.vectors, threads)?;
        let (words, mut places) = (SPECIAL.len(), Vec::new());
        let mut of_row = |row: usize| {
            let logits = all.row(row);
            let largest = logits.iter().fold(f32::MIN, |a, b| a.max(*b));
            let sum: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
            let probability = |id: u32| (logits[id as usize] - largest).exp() / sum;
            top(&logits[words..], 5, &mut places);
            let five = places.iter().map(|place| place + words as u32).map(|id| (id, probability(id))).collect();
            (probability(pass.tokens[row]), five)
        };
        let rows = pass.sequences.rows_of_sequences();
        Ok(rows.into_iter().map(|rows| rows.into_iter().map(&mut of_row).collect()).collect())
    }

    /// The cosine of two words.
    pub fn cosine(&self, one: u32, other: u32) -> f32 {
        let (a, b) = (self.vectors.row(one as usize), self.vectors.row(other as usize));
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt().max(f32::MIN_POSITIVE)
    }
}
