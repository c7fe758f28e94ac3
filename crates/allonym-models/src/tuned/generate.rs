//! Writes texts. What comes out is a function of the trained numbers and of public randomness: it costs nothing more, however many are written.

use super::Tuned;
use crate::language_model::Prefixes;
use allonym_dp::PrivacyRng;
use allonym_nn::{Matrix, NnError, unit};
use allonym_text::vocabulary::{END, START};
use rayon::prelude::*;

/// Texts that are written at once.
const TEXTS: usize = Prefixes::TEXTS;

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by it: below 1 texts are more usual, above 1 less.
    pub temperature: f64,
    /// The most tokens of a text.
    pub max_tokens: usize,
}

/// A text as ids, without its end.
pub type Written = Vec<u32>;

impl Tuned {
    /// Writes texts from their beginning; each has its own random numbers, so any part of them can be written again.
    ///
    /// # Errors
    /// When the model is damaged.
    pub fn write(
        &self,
        count: usize,
        sampling: Sampling,
        stream: impl Fn(u64) -> PrivacyRng + Sync,
    ) -> Result<Vec<Written>, NnError> {
        let starts: Vec<usize> = (0..count).step_by(TEXTS).collect();
        let groups: Result<Vec<Vec<Written>>, NnError> = starts
            .into_par_iter()
            .map(|start| {
                let rngs = (start..count.min(start + TEXTS)).map(|text| stream(text as u64)).collect();
                self.group(rngs, sampling)
            })
            .collect();
        Ok(groups?.into_iter().flatten().collect())
    }

    fn group(&self, mut rngs: Vec<PrivacyRng>, sampling: Sampling) -> Result<Vec<Written>, NnError> {
        let mut texts = vec![Written::new(); rngs.len()];
        let mut going_on = self.language.going(rngs.len())?;
        let mut next: Vec<Option<u32>> = vec![Some(START); rngs.len()];
        for _ in 0..sampling.max_tokens {
            let going: Vec<usize> = (0..texts.len()).filter(|text| next[*text].is_some()).collect();
            if going.is_empty() {
                break;
            }
            let vectors = going_on.advance(&next)?;
            let logits = self.logits(&vectors)?;
            for (row, text) in going.into_iter().enumerate() {
                let token = drawn(logits.row(row), sampling.temperature, &mut rngs[text]);
                next[text] = (token != END).then_some(token);
                texts[text].extend(next[text]);
            }
        }
        Ok(texts)
    }

    fn logits(&self, vectors: &Matrix<f32>) -> Result<Matrix<f32>, NnError> {
        let narrow = self.down.forward_steadily(&self.store, vectors)?;
        let mut moved = self.up.forward_steadily(&self.store, &narrow)?;
        moved.values_mut().iter_mut().zip(vectors.values()).for_each(|(moved, vector)| *moved += vector);
        self.language.output().forward_steadily(allonym_nn::training::Model::store(&*self.language), &moved)
    }
}

/// A token by its logit: the end or a word, never padding, the unknown word or the start.
fn drawn(logits: &[f32], temperature: f64, rng: &mut PrivacyRng) -> u32 {
    let first = END as usize;
    let largest = logits[first..].iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weight = |logit: f32| (f64::from(logit - largest) / temperature).exp();
    let sum: f64 = logits[first..].iter().map(|logit| weight(*logit)).sum();
    let mut left = unit(rng.bits()) * sum;
    for (place, logit) in logits.iter().enumerate().skip(first) {
        left -= weight(*logit);
        if left < 0.0 {
            return place as u32;
        }
    }
    END
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_as_often_as_their_logits_say() {
        let logits = [9.0, 9.0, 9.0, 0.0, (2.0_f32).ln(), f32::NEG_INFINITY];
        let rng = &mut PrivacyRng::reproducible(3);
        let mut counts = [0_u32; 6];
        (0..30_000).for_each(|_| counts[drawn(&logits, 1.0, rng) as usize] += 1);
        assert_eq!((counts[0], counts[1], counts[2], counts[5]), (0, 0, 0, 0), "only the end and words");
        // 1 in 3, within five standard deviations.
        assert!((f64::from(counts[3]) - 10_000.0).abs() < 5.0 * (30_000.0_f64 * 2.0 / 9.0).sqrt(), "{counts:?}");
    }
}
