//! The ranges of an accountant's arguments. A figure outside them is an error, never a panic and never NaN.

use crate::error::DpError;

/// A number above 0.
pub(crate) fn positive(setting: &'static str, value: f64) -> Result<f64, DpError> {
    accept(value.is_finite() && value > 0.0, setting, value, "a finite number above 0")
}

/// A number that is 0 or more.
pub(crate) fn not_negative(setting: &'static str, value: f64) -> Result<f64, DpError> {
    accept(value.is_finite() && value >= 0.0, setting, value, "a finite number, 0 or more")
}

/// A probability that is neither 0 nor 1: a delta or a confidence.
pub(crate) fn probability(setting: &'static str, value: f64) -> Result<f64, DpError> {
    accept(value > 0.0 && value < 1.0, setting, value, "above 0 and below 1")
}

/// The share of records in a batch; 1 is every record in every batch.
pub(crate) fn rate(value: f64) -> Result<f64, DpError> {
    accept(value > 0.0 && value <= 1.0, "rate", value, "above 0 and at most 1")
}

/// A number of draws, as a float that is not below it.
pub(crate) fn count(setting: &'static str, value: u64) -> Result<f64, DpError> {
    let float = value as f64;
    let float = if (float as u64) < value { float.next_up() } else { float };
    accept(value > 0, setting, float, "1 or more")
}

/// The most draws that are convolved exactly: a table of this many numbers still fits in memory and takes a second.
const MOST_CONVOLVED: u64 = 10_000_000;

/// A number of draws that is convolved exactly.
pub(crate) fn convolved(draws: u64) -> Result<usize, DpError> {
    accept((1..=MOST_CONVOLVED).contains(&draws), "draws", draws as f64, "between 1 and 10000000")?;
    Ok(draws as usize)
}

/// A computed total, unless it outgrew the floats.
pub(crate) fn finite(total: f64) -> Result<f64, DpError> {
    if total.is_finite() { Ok(total) } else { Err(DpError::Unbounded) }
}

pub(crate) fn accept(holds: bool, setting: &'static str, value: f64, allowed: &'static str) -> Result<f64, DpError> {
    if holds { Ok(value) } else { Err(DpError::Setting { setting, value: value.to_string(), allowed }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_refused() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(positive("epsilon", value).is_err());
            assert!(not_negative("epsilon", value).is_err());
            assert!(probability("delta", value).is_err());
            assert!(rate(value).is_err());
        }
    }

    #[test]
    fn the_ends_of_a_range_belong_where_they_should() {
        assert!(positive("epsilon", 0.0).is_err() && not_negative("epsilon", 0.0).is_ok());
        assert!(probability("delta", 0.0).is_err() && probability("delta", 1.0).is_err());
        assert!(rate(0.0).is_err() && rate(1.0).is_ok());
        assert!(count("draws", 0).is_err() && convolved(0).is_err() && convolved(10_000_001).is_err());
    }

    #[test]
    fn a_count_that_no_float_holds_is_rounded_up() {
        // 2^53 + 1 lies between two floats, 2^53 and 2^53 + 2.
        assert_eq!(count("draws", (1 << 53) + 1), Ok(9_007_199_254_740_994.0));
    }
}
