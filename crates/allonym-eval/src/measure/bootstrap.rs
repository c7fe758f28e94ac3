//! Intervals by drawing the same number of items again and again, with replacement (Efron 1979).

use allonym_dp::PrivacyRng;
use rayon::prelude::*;
use serde::Serialize;

/// How often is drawn.
pub const RESAMPLES: usize = 1000;

/// A figure with the interval that holds 95 % of its resamples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// 2.5 % of the resamples lie below.
    pub low: f64,
    /// 2.5 % of the resamples lie above.
    pub high: f64,
}

impl Interval {
    /// The figure and its resamples; those without a figure are left out.
    pub fn of(value: f64, resamples: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = resamples.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted.get(((sorted.len() - 1) as f64 * share).round() as usize).copied();
        match sorted.is_empty() {
            true => Self { value, low: value, high: value },
            false => Self { value, low: at(0.025).unwrap_or(value), high: at(0.975).unwrap_or(value) },
        }
    }

    /// A share of items, by Wilson's score (1927): it does not shrink to nothing when none or all of few items count.
    pub fn of_share(hits: usize, items: usize) -> Option<Self> {
        const Z: f64 = 1.959_963_985;
        if items == 0 {
            return None;
        }
        let (n, value) = (items as f64, hits as f64 / items as f64);
        let middle = (value + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt();
        Some(Self { value, low: (middle - half).clamp(0.0, value), high: (middle + half).clamp(value, 1.0) })
    }

    /// The mean of some numbers.
    pub fn of_mean(numbers: &[f64]) -> Option<Self> {
        let mean = |counts: &[u32]| {
            numbers.iter().zip(counts).map(|(number, count)| number * f64::from(*count)).sum::<f64>()
                / numbers.len() as f64
        };
        let value = mean(&vec![1; numbers.len()]);
        (!numbers.is_empty()).then(|| Self::of(value, resampled(numbers.len(), mean)))
    }
}

/// What a function finds in each resample; it gets how often each item was drawn. The draws are the same in every run.
pub fn resampled<Found: Send>(items: usize, find: impl Fn(&[u32]) -> Found + Sync) -> Vec<Found> {
    resampled_times(RESAMPLES, items, find)
}

/// The same with fewer resamples, where each is dear.
pub(super) fn resampled_times<Found: Send>(
    times: usize,
    items: usize,
    find: impl Fn(&[u32]) -> Found + Sync,
) -> Vec<Found> {
    (0..times as u64)
        .into_par_iter()
        .map_init(
            || vec![0_u32; items],
            |counts, resample| {
                counts.fill(0);
                let mut rng = PrivacyRng::reproducible(resample);
                for _ in 0..items {
                    counts[rng.below(items as u64) as usize] += 1;
                }
                find(counts)
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_about_the_width_of_theory() {
        // Half of 400 are ones: the standard error is 0.025, so the interval goes from about 0.451 to 0.549.
        let numbers: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let Interval { value, low, high } = Interval::of_mean(&numbers).unwrap();
        assert_eq!(value, 0.5);
        assert!((low - 0.451).abs() < 0.01 && (high - 0.549).abs() < 0.01, "{low} {high}");
    }

    #[test]
    fn a_share_of_few_items_has_a_wide_interval() {
        // Wilson for 0 of 10: from 0 to z^2 / (10 + z^2) = 3.8415 / 13.8415 = 0.2775.
        let none = Interval::of_share(0, 10).unwrap();
        assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
        assert!(Interval::of_share(0, 0).is_none());
    }

    #[test]
    fn every_resample_has_as_many_items() {
        let sums = resampled(7, |counts| counts.iter().sum::<u32>());
        assert!(sums.len() == RESAMPLES && sums.iter().all(|sum| *sum == 7));
        assert!(Interval::of_mean(&[]).is_none());
    }
}
