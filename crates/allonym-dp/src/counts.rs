#![doc = include_str!("counts.md")]

mod audit;
#[cfg(test)]
mod mutants;

use crate::accountant::group;
use crate::discrete::laplace;
use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// What a count of one is multiplied by.
const GRAIN: u64 = 1024;

/// Names things that many records count for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargeCounts {
    epsilon: f64,
    delta: f64,
    contributions: u32,
    scale: u64,
    threshold: i64,
}

impl LargeCounts {
    /// For records that count for at most so many things each. What fewer than about `least` records count for is not named.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn new(epsilon: f64, delta: f64, contributions: u32, least: u32) -> Result<Self, DpError> {
        let setting = |setting, value: f64, allowed| DpError::Setting { setting, value: value.to_string(), allowed };
        if !(epsilon.is_finite() && (1e-6..=1e6).contains(&epsilon)) {
            return Err(setting("epsilon", epsilon, "from 0.000001 to 1000000"));
        }
        if !(delta > 0.0 && delta < 1.0) {
            return Err(setting("delta", delta, "above 0 and below 1"));
        }
        if !(1..=10_000).contains(&contributions) {
            return Err(setting("contributions", f64::from(contributions), "from 1 to 10000"));
        }
        let each = f64::from(contributions);
        // One more than the quotient rounded up: a larger scale is more private, and floats may round down.
        let scale = (each * GRAIN as f64 / epsilon).ceil() as u64 + 1;
        let beyond = (scale as f64 * (each / delta).ln()).ceil() as i64 + 1;
        let threshold = (GRAIN as i64 + beyond).max(i64::from(least) * GRAIN as i64);
        Ok(Self { epsilon, delta, contributions, scale, threshold })
    }

    /// The privacy that naming costs when one record is added or removed.
    pub fn price(&self) -> (f64, f64) {
        (self.epsilon, self.delta)
    }

    /// The same when one record is exchanged for another. A delta of 1 promises nothing.
    pub fn price_of_exchange(&self) -> (f64, f64) {
        // One record is removed and another added: a group of two.
        group::approximate(self.epsilon, self.delta, 2).unwrap_or((f64::INFINITY, 1.0))
    }

    /// For how many things a record may count.
    pub fn contributions(&self) -> u32 {
        self.contributions
    }

    /// From how many records on a thing is named more often than not.
    pub fn usual_least(&self) -> f64 {
        self.threshold as f64 / GRAIN as f64
    }

    /// Which counts are large. Each must be of something that at least one record counts for; a count of 0 is never named.
    pub fn named(&self, counts: Private<Vec<u64>>, rng: &mut PrivacyRng) -> Released<Vec<bool>> {
        let named = |count: u64, rng: &mut PrivacyRng| {
            let sum = i128::from(count) * i128::from(GRAIN) + i128::from(laplace(self.scale, rng));
            count > 0 && sum >= i128::from(self.threshold)
        };
        counts.draw(|counts| counts.into_iter().map(|count| named(count, rng)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chance that a count is named, by the distribution of the noise.
    fn chance(counts: &LargeCounts, count: i64) -> f64 {
        counts.probability(count as u64)
    }

    #[test]
    fn one_record_more_changes_no_chance_by_more_than_its_part() {
        for (epsilon, delta, contributions, least) in [(1.0, 1e-5, 1, 5), (0.5, 1e-6, 12, 5), (4.0, 1e-3, 3, 50)] {
            let counts = LargeCounts::new(epsilon, delta, contributions, least).unwrap();
            let each = f64::from(contributions);
            assert!(chance(&counts, 1) <= delta / each);
            for count in 1..3000 {
                let (fewer, more) = (chance(&counts, count), chance(&counts, count + 1));
                assert!(more <= fewer * (epsilon / each).exp() * (1.0 + 1e-9), "{count}");
                assert!(1.0 - fewer <= (1.0 - more) * (epsilon / each).exp() + 1e-9, "{count}");
            }
        }
    }

    #[test]
    fn counts_are_named_as_often_as_the_noise_says() {
        let counts = LargeCounts::new(1.0, 0.01, 2, 3).unwrap();
        let rng = &mut PrivacyRng::reproducible(4);
        // 1 + 2 ln 200 = 11.6
        assert!((counts.usual_least() - 11.6).abs() < 0.02, "{}", counts.usual_least());
        for count in [1, 9, 12, 20] {
            let (draws, expected) = (40_000_u32, chance(&counts, count));
            let named = counts.named(Private::new(vec![count as u64; draws as usize]), rng).into_value();
            let found = named.into_iter().filter(|named| *named).count() as f64 / f64::from(draws);
            // Five standard deviations: one false alarm in 1.7 million.
            let deviation = 5.0 * (expected * (1.0 - expected) / f64::from(draws)).sqrt();
            assert!((found - expected).abs() <= deviation, "{count}: {found}, {expected}");
        }
        assert_eq!(counts.named(Private::new(vec![0; 100]), rng).into_value(), [false; 100]);
    }

    #[test]
    fn a_threshold_for_fewer_contributions_would_be_too_low() {
        // The mutant sets noise and threshold for one thing a record while records count for twelve: what one record alone
        // counts for is then named with more than delta.
        let (right, mutant) = (LargeCounts::new(1.0, 1e-5, 12, 1).unwrap(), LargeCounts::new(1.0, 1e-5, 1, 1).unwrap());
        let any = |counts: &LargeCounts| 1.0 - (1.0 - chance(counts, 1)).powi(12);
        assert!(any(&right) <= 1e-5 && any(&mutant) > 3e-5);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(LargeCounts::new(0.0, 1e-5, 1, 1).is_err());
        assert!(LargeCounts::new(f64::NAN, 1e-5, 1, 1).is_err());
        assert!(LargeCounts::new(1.0, 0.0, 1, 1).is_err());
        assert!(LargeCounts::new(1.0, 1e-5, 0, 1).is_err());
    }
}
