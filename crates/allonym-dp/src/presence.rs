#![doc = include_str!("presence.md")]

mod audit;
#[cfg(test)]
mod mutants;

use crate::discrete::gaussian;
use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// The norm of what one record gives, at most.
const WHOLE: u64 = 1 << 16;

/// Noisy sums of which outcomes records have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Presence {
    variance: u64,
}

impl Presence {
    /// With noise of this standard deviation, in units of the norm of a record.
    ///
    /// # Errors
    /// When the noise is out of range.
    pub fn new(noise: f64) -> Result<Self, DpError> {
        if !(0.01..=500.0).contains(&noise) {
            return Err(DpError::Setting { setting: "noise", value: noise.to_string(), allowed: "from 0.01 to 500" });
        }
        Ok(Self { variance: (noise * WHOLE as f64).powi(2).ceil() as u64 + 1 })
    }

    /// The standard deviation of the noise, in units of the norm of a record.
    pub fn noise(&self) -> f64 {
        (self.variance as f64).sqrt() / WHOLE as f64
    }

    /// The noisy sum of each outcome, as many as there are weights. Each record is the outcomes of its tokens, in any order and as often as it likes; weights are public.
    pub fn of_records<'a>(
        &self,
        records: Private<impl IntoIterator<Item = &'a [u32]>>,
        weights: &[f64],
        rng: &mut PrivacyRng,
    ) -> Released<Vec<f64>> {
        let sums = records.map(|records| {
            let mut sums = vec![0_u64; weights.len()];
            for record in records {
                for (outcome, grains) in given(record, weights) {
                    sums[outcome] += grains;
                }
            }
            sums
        });
        let noisy = |sum: u64, rng: &mut PrivacyRng| i128::from(sum) + i128::from(gaussian(self.variance, rng));
        let noised = sums.draw(|sums| sums.into_iter().map(|sum| noisy(sum, rng)).collect::<Vec<i128>>());
        noised.map(|sums| sums.into_iter().map(|sum| sum as f64 / WHOLE as f64).collect())
    }
}

/// The outcomes of a record, each once.
fn had(record: &[u32], outcomes: usize) -> Vec<usize> {
    let mut had: Vec<usize> =
        record.iter().map(|token| *token as usize).filter(|outcome| *outcome < outcomes).collect();
    had.sort_unstable();
    had.dedup();
    had
}

/// What the weights of a record's outcomes are divided by. For public texts, of which sums are to be compared with noisy ones.
pub fn norm(record: &[u32], weights: &[f64]) -> f64 {
    had(record, weights.len()).into_iter().map(|outcome| weights[outcome].powi(2)).sum::<f64>().sqrt()
}

/// The grains of a record.
fn given(record: &[u32], weights: &[f64]) -> Vec<(usize, u64)> {
    let norm = norm(record, weights);
    let grains = |outcome: usize| (outcome, (weights[outcome] / norm * WHOLE as f64) as u64);
    let given: Vec<(usize, u64)> = had(record, weights.len()).into_iter().map(grains).collect();
    // Floats do not decide about the price.
    let square = given.iter().try_fold(0_u64, |sum, (_, grains)| grains.checked_mul(*grains)?.checked_add(sum));
    if square.is_some_and(|square| square <= WHOLE * WHOLE) { given } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(records: &[Vec<u32>], weights: &[f64], noise: f64, seed: u64) -> Vec<f64> {
        let records = Private::new(records.iter().map(Vec::as_slice));
        Presence::new(noise).unwrap().of_records(records, weights, &mut PrivacyRng::reproducible(seed)).into_value()
    }

    #[test]
    fn a_record_gives_its_weights_over_their_norm_however_often_it_has_them() {
        // (3, 4) / 5, twice the same text but for repetitions; and a lone outcome.
        let records = [vec![0, 1, 1, 1], vec![1, 0], vec![2]];
        let found = sums(&records, &[3.0, 4.0, 7.0, 1.0], 0.01, 1);
        for (found, expected) in found.iter().zip([1.2, 1.6, 1.0, 0.0]) {
            assert!((found - expected).abs() < 0.1, "{found} {expected}");
        }
        assert_eq!(norm(&[1, 0, 0, 9], &[3.0, 4.0]), 5.0);
    }

    #[test]
    fn no_record_moves_the_sums_by_more_than_a_whole() {
        let weights: Vec<f64> = (0..500).map(|i| 1.0 / f64::from(1 + i % 37)).collect();
        for count in [1, 2, 3, 50, 499] {
            let record: Vec<u32> = (0..count).chain(0..3).collect();
            let square: u64 = given(&record, &weights).iter().map(|(_, grains)| grains * grains).sum();
            assert!(square <= WHOLE * WHOLE && square > WHOLE * WHOLE * 9 / 10, "{count} {square}");
        }
    }

    #[test]
    fn records_that_would_break_the_norm_give_nothing() {
        for weights in [[f64::NAN, 1.0], [f64::INFINITY, 1.0], [0.0, 0.0]] {
            let square: u64 = given(&[0, 1, 9], &weights).iter().map(|(_, grains)| grains * grains).sum();
            assert!(square <= WHOLE * WHOLE, "{weights:?}");
        }
        assert!(given(&[], &[1.0]).is_empty());
    }

    #[test]
    fn noise_is_as_large_as_is_said_and_everywhere() {
        let found: Vec<f64> = (0..40).flat_map(|seed| sums(&[], &[1.0; 400], 3.0, seed)).collect();
        let mean_square = found.iter().map(|x| x * x).sum::<f64>() / found.len() as f64;
        // The square of a normal variable has a standard deviation of sqrt 2 times its mean: five of them for 16,000 draws.
        assert!((mean_square / 9.0 - 1.0).abs() < 5.0 * (2.0_f64 / found.len() as f64).sqrt(), "{mean_square}");
        assert!(found.iter().all(|x| *x != 0.0));
    }

    /// Two sets that differ by one record: how often a sum is above a half must not tell more than a Gaussian of this noise does.
    #[test]
    fn one_record_more_shows_as_a_shift_of_one() {
        let often = |records: &[Vec<u32>], shift: u64| {
            (0..20_000).filter(|seed| sums(records, &[1.0], 1.0, shift + seed)[0] >= 0.5).count() as f64 / 20_000.0
        };
        let (without, with) = (often(&[], 0), often(&[vec![0]], 1_000_000));
        // The normal distribution beyond a half: 0.308538 and 0.691462; five standard deviations.
        let five = 5.0 * (0.25_f64 / 20_000.0).sqrt();
        assert!((without - 0.308_538).abs() < five && (with - 0.691_462).abs() < five, "{without} {with}");
    }

    #[test]
    fn noise_out_of_range_is_refused() {
        for noise in [0.0, f64::NAN, f64::INFINITY, 1e3] {
            assert!(Presence::new(noise).is_err());
        }
    }
}
