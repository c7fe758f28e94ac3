//! Writes texts. What comes out is a function of the trained numbers and of public randomness: it costs nothing more, however many are written.

use super::Tuned;
use super::expected::Expected;
use crate::sampled::{Sampling, Written, drawn, weights_of};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_nn::{Matrix, NnError};
use allonym_text::CancelToken;
use allonym_text::vocabulary::{END, START};
use rayon::prelude::*;

/// Texts that are written at once. They share one reading of the weights.
const TEXTS: usize = 256;
/// Drafts of a text, of which one is kept: a part of `TEXTS`. A tilt moves words one by one; this moves what kind of text they stand in.
const DRAFTS: usize = 4;
/// A smaller group is filled up to so many.
const FEWEST: usize = 32;

impl Tuned {
    /// Writes texts and says what is to be expected of texts like them; see [`Expected`].
    ///
    /// # Errors
    /// When the model is damaged, or the work is cancelled.
    pub fn watched(
        &self,
        count: usize,
        sampling: Sampling,
        weights: &[f64],
        stream: impl Fn(u64) -> PrivacyRng + Sync,
        cancel: &CancelToken,
    ) -> Result<Expected, NnError> {
        let groups = self.groups(count, stream, |rngs| {
            let mut expected = Expected::new(rngs.len(), weights);
            let drafts = self.group(rngs, sampling, Some(&mut expected), cancel)?;
            expected.ended(&drafts, &self.kept(&drafts), sampling.max_tokens, self.language.vocabulary());
            Ok(expected)
        })?;
        // In their order, so that sums do not depend on which thread was first.
        Ok(groups.into_iter().fold(Expected::new(0, weights), Expected::with))
    }

    /// Writes texts from their beginning; each has its own random numbers, so any part of them can be written again.
    ///
    /// # Errors
    /// When the model is damaged, or the work is cancelled.
    pub fn write(
        &self,
        count: usize,
        sampling: Sampling,
        stream: impl Fn(u64) -> PrivacyRng + Sync,
        cancel: &CancelToken,
    ) -> Result<Vec<Written>, NnError> {
        let groups = self.groups(count, stream, |rngs| {
            let drafts = self.group(rngs, sampling, None, cancel)?;
            let kept = self.kept(&drafts);
            Ok(drafts.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(draft, _)| draft).collect::<Vec<_>>())
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    /// Does something with the random numbers of every group of drafts, groups side by side.
    fn groups<Found: Send>(
        &self,
        count: usize,
        stream: impl Fn(u64) -> PrivacyRng + Sync,
        each: impl Fn(Vec<PrivacyRng>) -> Result<Found, NnError> + Sync,
    ) -> Result<Vec<Found>, NnError> {
        let drafts = count * self.drafts();
        let of = |group: usize| group * TEXTS..drafts.min((group + 1) * TEXTS);
        (0..drafts.div_ceil(TEXTS))
            .into_par_iter()
            .map(|group| each(of(group).map(|draft| stream(draft as u64)).collect()))
            .collect()
    }

    /// How many drafts a text has: they stand one after the other, and never in two groups. Each takes a stream.
    pub fn drafts(&self) -> usize {
        if self.likeness.is_empty() { 1 } else { DRAFTS }
    }

    /// Which drafts are kept: of each text's the one that speaks most for itself.
    fn kept(&self, drafts: &[Written]) -> Vec<bool> {
        let each = self.drafts();
        let likeness = |text: &Written| {
            let mut words = text.clone();
            words.sort_unstable();
            words.dedup();
            words.iter().filter_map(|id| self.likeness.get(*id as usize)).map(|number| f64::from(*number)).sum::<f64>()
        };
        let scores: Vec<f64> = drafts.iter().map(likeness).collect();
        let best = |place: usize| {
            let first = place / each * each;
            let of_text = first..(first + each).min(scores.len());
            of_text.reduce(|best, other| if scores[other] > scores[best] { other } else { best }) == Some(place)
        };
        (0..drafts.len()).map(best).collect()
    }

    fn group(
        &self,
        mut rngs: Vec<PrivacyRng>,
        sampling: Sampling,
        mut watching: Option<&mut Expected>,
        cancel: &CancelToken,
    ) -> Result<Vec<Written>, NnError> {
        let mut texts = vec![Written::new(); rngs.len()];
        // How a product is summed up follows from its shape: as long as texts of a group go on, it stays the same.
        let rows = rngs.len().next_power_of_two().clamp(FEWEST, TEXTS);
        let mut going_on = self.language.going(rngs.len())?;
        let mut next: Vec<Option<u32>> = vec![Some(START); rngs.len()];
        for place in 0..sampling.max_tokens {
            let going: Vec<usize> = (0..texts.len()).filter(|text| next[*text].is_some()).collect();
            if going.is_empty() {
                break;
            }
            cancel.check()?;
            let vectors = going_on.advance(&next)?;
            let mut logits = self.logits(&vectors, rows)?;
            if let Some(first) = self.first.as_ref().filter(|_| place == 0) {
                logits.values_mut().iter_mut().zip(first.iter().cycle()).for_each(|(logit, tilt)| *logit += tilt);
            }
            for (row, text) in going.into_iter().enumerate() {
                let (weights, sum) = weights_of(logits.row(row), sampling.temperature);
                if let Some(watching) = &mut watching {
                    watching.saw(text, place == 0, &weights, sum);
                }
                let token = drawn(&weights, sum, &mut rngs[text]);
                next[text] = (token != END).then_some(token);
                texts[text].extend(next[text]);
            }
        }
        Ok(texts)
    }

    fn logits(&self, vectors: &Matrix<f32>, rows: usize) -> Result<Matrix<f32>, NnError> {
        let mut padded = Matrix::zeros(rows, vectors.columns());
        padded.values_mut()[..vectors.values().len()].copy_from_slice(vectors.values());
        let (moved, _) = self.moved(&padded, 1)?;
        self.language.output().forward(self.language.store(), &moved, 1)
    }
}
