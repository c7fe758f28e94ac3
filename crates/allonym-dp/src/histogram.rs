#![doc = include_str!("histogram.md")]

mod audit;
#[cfg(test)]
mod mutants;

use crate::discrete::laplace;
use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// What the weights of one record add up to, at most.
pub const WHOLE: u64 = 1 << 16;

/// Noisy shares of outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    epsilon: f64,
    scale: u64,
}

impl Shares {
    /// At this price for a record that is added or removed.
    ///
    /// # Errors
    /// When epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self, DpError> {
        if !(epsilon.is_finite() && (1e-6..=1e6).contains(&epsilon)) {
            let value = epsilon.to_string();
            return Err(DpError::Setting { setting: "epsilon", value, allowed: "from 0.000001 to 1000000" });
        }
        // One more than the quotient rounded up: floats may round down.
        Ok(Self { epsilon, scale: (WHOLE as f64 / epsilon).ceil() as u64 + 1 })
    }

    /// What the shares cost.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The standard deviation of the noise on a share, in records.
    pub fn deviation(&self) -> f64 {
        std::f64::consts::SQRT_2 * self.scale as f64 / WHOLE as f64
    }

    /// The share of each of so many outcomes, in records; noise can make it negative. Each record is the outcomes of its tokens, each token counting alike.
    pub fn of_records<'a>(
        &self,
        records: Private<impl IntoIterator<Item = &'a [u32]>>,
        outcomes: usize,
        rng: &mut PrivacyRng,
    ) -> Released<Vec<f64>> {
        let sums = records.map(|records| {
            let mut sums = vec![0_u64; outcomes];
            for tokens in records {
                // Rounded down: a record of more tokens than there are grains says nothing.
                let weight = WHOLE / (tokens.len() as u64).max(1);
                for token in tokens {
                    if let Some(sum) = sums.get_mut(*token as usize) {
                        *sum += weight;
                    }
                }
            }
            sums
        });
        let noisy = |sum: u64, rng: &mut PrivacyRng| i128::from(sum) + i128::from(laplace(self.scale, rng));
        let noised = sums.draw(|sums| sums.into_iter().map(|sum| noisy(sum, rng)).collect::<Vec<i128>>());
        noised.map(|sums| sums.into_iter().map(|sum| sum as f64 / WHOLE as f64).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(records: &[Vec<u32>], epsilon: f64, seed: u64) -> Vec<f64> {
        let rng = &mut PrivacyRng::reproducible(seed);
        let records = Private::new(records.iter().map(Vec::as_slice));
        Shares::new(epsilon).unwrap().of_records(records, 4, rng).into_value()
    }

    #[test]
    fn shares_are_those_of_the_records_but_for_noise() {
        // Half of 100 records are word 1 alone, the others half word 2 and half word 3.
        let records: Vec<Vec<u32>> = (0..100).map(|i| if i % 2 == 0 { vec![1] } else { vec![2, 3] }).collect();
        let found = shares(&records, 1e4, 3);
        for (found, expected) in found.iter().zip([0.0, 50.0, 25.0, 25.0]) {
            assert!((found - expected).abs() < 0.01, "{found} {expected}");
        }
    }

    #[test]
    fn no_record_moves_the_sums_by_more_than_a_whole() {
        for tokens in [1_usize, 2, 3, 7, 1000, 70_000] {
            let weight = WHOLE / tokens as u64;
            assert!(weight * tokens as u64 <= WHOLE, "{tokens}");
        }
    }

    #[test]
    fn noise_is_as_large_as_is_said() {
        let (epsilon, draws) = (0.5, 4000);
        let found: Vec<f64> = (0..draws).flat_map(|seed| shares(&[], epsilon, seed)).collect();
        let mean_square = found.iter().map(|x| x * x).sum::<f64>() / found.len() as f64;
        let expected = Shares::new(epsilon).unwrap().deviation().powi(2);
        // The square of a Laplace variable has a standard deviation of sqrt(5) times its mean: six of them for 16,000 draws.
        assert!(
            (mean_square / expected - 1.0).abs() < 6.0 * (5.0_f64 / found.len() as f64).sqrt(),
            "{mean_square} {expected}"
        );
        assert!((expected - 8.0).abs() < 0.01, "2 / epsilon^2");
    }

    /// Layer B in small: two sets that differ by one record, and the largest ratio of chances of the event that a share is above a half.
    #[test]
    fn one_record_more_shows_no_more_than_its_price() {
        let (epsilon, draws) = (1.0, 20_000);
        let often = |records: &[Vec<u32>], shift: u64| {
            let above = |seed: u64| shares(records, epsilon, shift + seed)[1] >= 0.5;
            (0..draws).filter(|seed| above(*seed)).count() as f64 / draws as f64
        };
        let (without, with) = (often(&[], 0), often(&[vec![1]], 1_000_000));
        let deviation = 5.0 * (0.25_f64 / draws as f64).sqrt();
        assert!(with - deviation <= epsilon.exp() * (without + deviation), "{with} {without}");
        assert!(with > 1.8 * without, "the price is used: {with} {without}");
    }
}
