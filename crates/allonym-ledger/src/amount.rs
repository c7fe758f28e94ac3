//! An amount of privacy loss in whole units, so that sums are exact and never run away.
//!
//! Epsilon is counted in units of 1e-9, delta in units of 1e-18, both as `i64`, which is what SQLite stores.

use crate::error::LedgerError;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

const EPSILON_DIGITS: usize = 9;
const DELTA_DIGITS: usize = 18;

/// An amount of privacy loss: epsilon and delta, exact to 1e-9 and 1e-18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub(crate) epsilon_nano: i64,
    pub(crate) delta_atto: i64,
}

impl Amount {
    /// What a mechanism costs, rounded up.
    ///
    /// A float is read as the shortest decimal that names it: 0.1 is 0.1, not 0.1000000000000000055.
    ///
    /// # Errors
    /// When epsilon is negative, not finite or above 9e9, or delta is not in [0, 1).
    pub fn spent(epsilon: f64, delta: f64) -> Result<Self, LedgerError> {
        Self::rounded(["epsilon", "delta"], epsilon, delta, Round::Up)
    }

    /// What may be spent, rounded down.
    ///
    /// # Errors
    /// As [`Amount::spent`].
    pub fn allowed(epsilon: f64, delta: f64) -> Result<Self, LedgerError> {
        Self::rounded(["limit of epsilon", "limit of delta"], epsilon, delta, Round::Down)
    }

    fn rounded(settings: [&'static str; 2], epsilon: f64, delta: f64, round: Round) -> Result<Self, LedgerError> {
        let wrong = |setting, value: f64, allowed| LedgerError::Setting { setting, value: value.to_string(), allowed };
        let epsilon_nano = units(epsilon, EPSILON_DIGITS, round)
            .ok_or_else(|| wrong(settings[0], epsilon, "a number between 0 and 9000000000"))?;
        let delta_atto = Some(delta)
            .filter(|delta| *delta < 1.0)
            .and_then(|delta| units(delta, DELTA_DIGITS, round))
            .ok_or_else(|| wrong(settings[1], delta, "at least 0 and below 1"))?;
        Ok(Self { epsilon_nano, delta_atto })
    }

    /// The epsilon as a float, for further computation and JSON.
    pub fn epsilon(self) -> f64 {
        nearest(&self.epsilon_decimal())
    }

    /// The delta as a float, for further computation and JSON.
    pub fn delta(self) -> f64 {
        nearest(&self.delta_decimal())
    }

    /// The sum, unless it leaves the range.
    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        Some(Self {
            epsilon_nano: self.epsilon_nano.checked_add(other.epsilon_nano)?,
            delta_atto: self.delta_atto.checked_add(other.delta_atto)?,
        })
    }

    /// this amount `count` times, unless that leaves the range.
    pub(crate) fn checked_times(self, count: i64) -> Option<Self> {
        Some(Self {
            epsilon_nano: self.epsilon_nano.checked_mul(count)?,
            delta_atto: self.delta_atto.checked_mul(count)?,
        })
    }

    /// What is left of this limit after `spent`; nothing, when it is passed already.
    pub(crate) fn left_after(self, spent: Self) -> Self {
        Self {
            epsilon_nano: self.epsilon_nano.saturating_sub(spent.epsilon_nano).max(0),
            delta_atto: self.delta_atto.saturating_sub(spent.delta_atto).max(0),
        }
    }

    /// An equal share of this amount for each of `count`, rounded down.
    pub(crate) fn shared_by(self, count: i64) -> Self {
        Self { epsilon_nano: self.epsilon_nano / count, delta_atto: self.delta_atto / count }
    }

    /// The smaller epsilon and the smaller delta.
    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            epsilon_nano: self.epsilon_nano.min(other.epsilon_nano),
            delta_atto: self.delta_atto.min(other.delta_atto),
        }
    }

    /// Whether both parts are within the limit.
    pub fn within(self, limit: Self) -> bool {
        self.epsilon_nano <= limit.epsilon_nano && self.delta_atto <= limit.delta_atto
    }

    /// The epsilon as an exact decimal.
    pub(crate) fn epsilon_decimal(self) -> String {
        decimal(self.epsilon_nano, EPSILON_DIGITS)
    }

    /// The delta as an exact decimal.
    pub(crate) fn delta_decimal(self) -> String {
        decimal(self.delta_atto, DELTA_DIGITS)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("epsilon {}, delta {}", self.epsilon_decimal(), self.delta_decimal());
        f.pad(&text)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut amount = serializer.serialize_struct("Amount", 2)?;
        amount.serialize_field("epsilon", &self.epsilon())?;
        amount.serialize_field("delta", &self.delta())?;
        amount.end()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Round {
    Up,
    Down,
}

/// A number in units of 10^-digits, computed on its decimal digits and not on the float.
fn units(value: f64, digits: usize, round: Round) -> Option<i64> {
    if !value.is_finite() || value < 0.0 {
        return None;
    }
    // Display of a float has no exponent; taking the magnitude makes "-0" a "0".
    let text = value.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let kept = &fraction[..fraction.len().min(digits)];
    let units: i64 = format!("{whole}{kept:0<digits$}").parse().ok()?;
    // The shortest decimal has no trailing zeros, so whatever is cut off is more than nothing.
    let cut = fraction.len() > digits;
    if cut && round == Round::Up { units.checked_add(1) } else { Some(units) }
}

/// The decimal of a whole number of units, without trailing zeros.
fn decimal(units: i64, digits: usize) -> String {
    let text = format!("{units:0>width$}", width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The float next to a decimal, which is correctly rounded where a division of units would not be.
fn nearest(decimal: &str) -> f64 {
    // A decimal of ours always parses; were it not so, the loss must not look small.
    decimal.parse().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_tenth_is_a_tenth() {
        let tenth = Amount::spent(0.1, 1e-5).unwrap();
        assert_eq!(tenth, Amount { epsilon_nano: 100_000_000, delta_atto: 10_000_000_000_000 });
        assert_eq!(tenth.checked_times(10), Some(Amount::allowed(1.0, 1e-4).unwrap()));
    }

    #[test]
    fn costs_are_rounded_up_and_limits_down() {
        assert_eq!(Amount::spent(1e-12, 1e-30).unwrap(), Amount { epsilon_nano: 1, delta_atto: 1 });
        assert_eq!(Amount::allowed(1e-12, 1e-30).unwrap(), Amount::default());
        // ln 2 = 0.693147180559945..
        assert_eq!(Amount::spent(std::f64::consts::LN_2, 0.0).unwrap().epsilon_nano, 693_147_181);
        assert_eq!(Amount::allowed(std::f64::consts::LN_2, 0.0).unwrap().epsilon_nano, 693_147_180);
    }

    #[test]
    fn what_is_no_loss_is_refused() {
        for epsilon in [f64::NAN, f64::INFINITY, -1e-300, -1.0, 1e10, f64::MAX] {
            assert!(Amount::spent(epsilon, 0.0).is_err(), "{epsilon}");
            assert!(Amount::allowed(epsilon, 0.0).is_err(), "{epsilon}");
        }
        for delta in [f64::NAN, f64::INFINITY, -1e-9, 1.0, 2.0] {
            assert!(Amount::spent(0.0, delta).is_err(), "{delta}");
        }
        assert_eq!(Amount::spent(-0.0, -0.0).unwrap(), Amount::default());
    }

    #[test]
    fn what_leaves_the_range_is_noticed() {
        let most = Amount { epsilon_nano: i64::MAX, delta_atto: 0 };
        assert_eq!(most.checked_add(Amount { epsilon_nano: 1, delta_atto: 0 }), None);
        assert_eq!(most.checked_times(2), None);
        assert_eq!(Amount { epsilon_nano: 0, delta_atto: i64::MAX / 2 }.checked_times(3), None);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Amount { epsilon_nano: 520_200_000_001, delta_atto: 1 }.epsilon_decimal(), "520.200000001");
        assert_eq!(Amount { epsilon_nano: 0, delta_atto: 1 }.delta_decimal(), "0.000000000000000001");
        assert_eq!(Amount { epsilon_nano: 20_000_000_000, delta_atto: 0 }.to_string(), "epsilon 20, delta 0");
    }

    proptest! {
        #[test]
        fn a_larger_loss_never_becomes_a_smaller_one(a in 0.0..1e9, b in 0.0..1e9) {
            let (small, large) = if a <= b { (a, b) } else { (b, a) };
            prop_assert!(Amount::spent(small, 0.0).unwrap().epsilon_nano <= Amount::spent(large, 0.0).unwrap().epsilon_nano);
        }

        #[test]
        fn a_cost_is_never_below_the_number_that_was_given(epsilon in 0.0..1e6, delta in 0.0..1.0) {
            let amount = Amount::spent(epsilon, delta).unwrap();
            prop_assert!(amount.epsilon() >= epsilon && amount.delta() >= delta);
            let limit = Amount::allowed(epsilon, delta).unwrap();
            prop_assert!(limit.epsilon() <= epsilon && limit.delta() <= delta);
        }

        #[test]
        fn what_is_shown_reads_back_as_the_same_amount(epsilon_nano in 0..1_i64 << 50) {
            let amount = Amount { epsilon_nano, delta_atto: 0 };
            prop_assert_eq!(Amount::spent(amount.epsilon(), 0.0).unwrap(), amount);
        }
    }
}
