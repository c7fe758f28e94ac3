//! Words by their noisy shares, one after the other without any order: the floor that a model must beat.

use super::labels::Labelled;
use crate::failure::Failure;
use crate::spending::Accounting;
use allonym_dp::histogram::Shares;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_nn::unit;
use allonym_text::vocabulary::SPECIAL;
use allonym_text::{Private, Vocabulary};

/// Shares below so many standard deviations of the noise are taken for noise. It is a choice on noisy numbers, and costs nothing.
pub(super) const DEVIATIONS: f64 = 2.0;

/// Words and their weights, summed up.
pub(super) struct Unigram {
    words: Vec<u32>,
    sums: Vec<f64>,
}

impl Unigram {
    /// Counts the words of each label.
    pub(super) fn learn(
        epsilon: f64,
        labelled: &Labelled,
        vocabulary: &Vocabulary,
        entropy: &Entropy,
        _accounting: &Accounting,
    ) -> Result<Vec<Self>, Failure> {
        let shares = Shares::new(epsilon)?;
        let special = SPECIAL.len();
        let learned = |(place, texts): (usize, &Private<Vec<Vec<u32>>>)| {
            // Start and end stand in every text, and are no words.
            let words = |text: &'_ Vec<u32>| -> Vec<u32> {
                text.iter().filter(|id| **id as usize >= special).map(|id| id - special as u32).collect()
            };
            let records = texts.as_ref().map(|texts| texts.iter().map(words).collect::<Vec<Vec<u32>>>());
            let rng = &mut entropy.stream(Purpose::Counts, place as u64);
            let records = records.as_ref().map(|records| records.iter().map(Vec::as_slice));
            let found = shares.of_records(records, vocabulary.words(), rng).into_value();
            Self::of(&found, DEVIATIONS * shares.deviation())
        };
        Ok(labelled.texts.values().enumerate().map(learned).collect())
    }

    /// Of the share of every word of a vocabulary; those below the least are none.
    pub(super) fn of(shares: &[f64], least: f64) -> Self {
        let special = SPECIAL.len();
        let kept = || shares.iter().enumerate().filter(|(_, share)| **share >= least);
        let sums = kept().scan(0.0, |sum, (_, share)| {
            *sum += share;
            Some(*sum)
        });
        Self { sums: sums.collect(), words: kept().map(|(word, _)| (word + special) as u32).collect() }
    }

    /// A text of so many words; an empty one, if no word stands out of the noise.
    pub(super) fn write(&self, words: usize, rng: &mut PrivacyRng) -> Vec<u32> {
        let Some(whole) = self.sums.last() else { return Vec::new() };
        let word = |_| {
            let place = unit(rng.bits()) * whole;
            self.words[self.sums.partition_point(|sum| *sum <= place).min(self.words.len() - 1)]
        };
        (0..words).map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_by_their_shares_and_noise_does_not() {
        let unigram = Unigram::of(&[30.0, -4.0, 10.0, 1.9, 0.0], 2.0);
        let rng = &mut PrivacyRng::reproducible(5);
        let text = unigram.write(40_000, rng);
        let count = |id: u32| text.iter().filter(|word| **word == id).count() as f64;
        // Three quarters, within five standard deviations.
        assert!((count(4) - 30_000.0).abs() < 5.0 * (40_000.0_f64 * 0.1875).sqrt(), "{}", count(4));
        assert_eq!(count(4) + count(6), 40_000.0);
        assert!(Unigram::of(&[0.5; 9], 2.0).write(5, rng).is_empty());
    }
}
