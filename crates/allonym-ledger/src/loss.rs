//! A privacy loss that is bounded by an amount, or not bounded at all.
//!
//! Methods without a formal guarantee have no epsilon. Their releases are recorded as "unbounded": from then on, the
//! balance of every record and author they touched is unbounded, whatever bounded losses are added.

use crate::amount::Amount;
use crate::error::LedgerError;
use serde::{Serialize, Serializer};
use std::fmt;

/// The word for a loss without a bound, on the command line and in JSON.
pub const UNBOUNDED: &str = "unbounded";

/// What a release costs each of its records, before it is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// At most this much.
    Bounded {
        /// The epsilon of one record.
        epsilon: f64,
        /// The delta of one record.
        delta: f64,
    },
    /// Nothing bounds it: the method has no formal guarantee.
    Unbounded,
}

impl Cost {
    /// The loss that is written down, rounded up.
    ///
    /// # Errors
    /// As [`Amount::spent`].
    pub fn loss(self) -> Result<Loss, LedgerError> {
        match self {
            Self::Bounded { epsilon, delta } => Amount::spent(epsilon, delta).map(Loss::Bounded),
            Self::Unbounded => Ok(Loss::Unbounded),
        }
    }
}

/// A privacy loss as the ledger keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A sum of bounds, exact.
    Bounded(Amount),
    /// At least one release had no bound.
    Unbounded,
}

impl Loss {
    /// An amount, unless something without a bound was spent too.
    pub(crate) fn of(amount: Amount, unbounded: bool) -> Self {
        if unbounded { Self::Unbounded } else { Self::Bounded(amount) }
    }

    /// The amount that is added to sums; an unbounded loss adds nothing, since it is counted apart.
    pub(crate) fn added(self) -> Amount {
        self.amount().unwrap_or_default()
    }

    /// The amount, where there is a bound.
    pub fn amount(self) -> Option<Amount> {
        match self {
            Self::Bounded(amount) => Some(amount),
            Self::Unbounded => None,
        }
    }

    /// The epsilon as a float; infinite without a bound.
    pub fn epsilon(self) -> f64 {
        self.amount().map_or(f64::INFINITY, Amount::epsilon)
    }

    /// The delta as a float; 1 without a bound, which promises nothing.
    pub fn delta(self) -> f64 {
        self.amount().map_or(1.0, Amount::delta)
    }

    /// Whether there is no bound.
    pub fn is_unbounded(self) -> bool {
        self == Self::Unbounded
    }
}

impl Default for Loss {
    fn default() -> Self {
        Self::Bounded(Amount::default())
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded(amount) => amount.fmt(f),
            Self::Unbounded => f.pad(UNBOUNDED),
        }
    }
}

impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Words instead of numbers: a script that expects a number must not read one.
        #[derive(Serialize)]
        struct Words {
            epsilon: &'static str,
            delta: &'static str,
        }
        match self {
            Self::Bounded(amount) => amount.serialize(serializer),
            Self::Unbounded => Words { epsilon: UNBOUNDED, delta: UNBOUNDED }.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unbounded_loss_is_never_a_number() {
        let loss = Cost::Unbounded.loss().unwrap();
        assert_eq!(loss.to_string(), "unbounded");
        assert_eq!(serde_json::to_string(&loss).unwrap(), r#"{"epsilon":"unbounded","delta":"unbounded"}"#);
        assert_eq!((loss.epsilon(), loss.delta(), loss.amount()), (f64::INFINITY, 1.0, None));
    }

    #[test]
    fn a_bounded_loss_is_its_amount_rounded_up() {
        let loss = Cost::Bounded { epsilon: 1e-12, delta: 0.0 }.loss().unwrap();
        assert_eq!(loss.to_string(), "epsilon 0.000000001, delta 0");
        assert!(Cost::Bounded { epsilon: f64::INFINITY, delta: 0.0 }.loss().is_err());
    }
}
