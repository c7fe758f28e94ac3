//! Writes texts from seed words.

use super::Seeded;
use crate::sampled::{Sampling, Written, drawn, weights_of};
use allonym_dp::PrivacyRng;
use allonym_nn::{Matrix, NnError};
use allonym_text::CancelToken;
use allonym_text::vocabulary::{END, START};
use rayon::prelude::*;

/// Texts that are written at once.
const TEXTS: usize = 64;

impl Seeded {
    /// Writes texts; `begin` gives the seed word of each and its random numbers.
    ///
    /// # Errors
    /// When a seed is not in the vocabulary, or the work is cancelled.
    pub fn write(
        &self,
        count: usize,
        sampling: Sampling,
        begin: impl Fn(u64) -> (u32, PrivacyRng) + Sync,
        cancel: &CancelToken,
    ) -> Result<Vec<Written>, NnError> {
        let groups: Result<Vec<Vec<Written>>, NnError> = (0..count.div_ceil(TEXTS))
            .into_par_iter()
            .map(|group| {
                let texts = group * TEXTS..count.min((group + 1) * TEXTS);
                let (seeds, rngs): (Vec<u32>, _) = texts.map(|text| begin(text as u64)).unzip();
                self.group(&seeds, rngs, sampling, cancel)
            })
            .collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    /// For each seed word, the logarithm of the chance of every id to be the first of a text.
    ///
    /// # Errors
    /// When a seed is none of the vocabulary.
    pub fn first_words(&self, seeds: &[u32]) -> Result<Vec<Vec<f64>>, NnError> {
        let encoded = self.encode(seeds, 1)?;
        let mut states = self.decoder.begin(seeds.len(), Some(&encoded.trace.last))?;
        let mut inputs = Matrix::zeros(seeds.len(), self.written.dimension());
        self.written.forward(&self.store, &vec![START; seeds.len()], &mut inputs, 0)?;
        let vectors = self.decoder.advance(&self.store, &inputs, &mut states)?;
        let logits = self.output.forward_steadily(&self.store, &vectors)?;
        let of = |row: &[f32]| {
            let (weights, sum) = weights_of(row, 1.0);
            weights.iter().map(|weight| (weight / sum).ln()).collect()
        };
        Ok((0..seeds.len()).map(|row| of(logits.row(row))).collect())
    }

    fn group(
        &self,
        seeds: &[u32],
        mut rngs: Vec<PrivacyRng>,
        sampling: Sampling,
        cancel: &CancelToken,
    ) -> Result<Vec<Written>, NnError> {
        let encoded = self.encode(seeds, 1)?;
        let mut states = self.decoder.begin(seeds.len(), Some(&encoded.trace.last))?;
        let mut texts = vec![Written::new(); seeds.len()];
        let mut going: Vec<usize> = (0..seeds.len()).collect();
        let mut before = vec![START; seeds.len()];
        for _ in 0..sampling.max_tokens {
            if going.is_empty() {
                break;
            }
            cancel.check()?;
            let mut inputs = Matrix::zeros(before.len(), self.written.dimension());
            self.written.forward(&self.store, &before, &mut inputs, 0)?;
            let vectors = self.decoder.advance(&self.store, &inputs, &mut states)?;
            let logits = self.output.forward_steadily(&self.store, &vectors)?;
            let (mut kept, mut next) = (Vec::new(), Vec::new());
            for (row, text) in going.iter().enumerate() {
                let (weights, sum) = weights_of(logits.row(row), sampling.temperature);
                let token = drawn(&weights, sum, &mut rngs[*text]);
                if token != END {
                    texts[*text].push(token);
                    kept.push(row);
                    next.push(token);
                }
            }
            states.keep(&kept);
            going = kept.into_iter().map(|row| going[row]).collect();
            before = next;
        }
        Ok(texts)
    }
}
