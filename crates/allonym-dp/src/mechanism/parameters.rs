//! The numbers that mechanisms are set by, as the command line and files give them.

use crate::error::DpError;
use serde::{Deserialize, Serialize};

/// The largest loss of a token that can be asked for. At 40 a mechanism that can keep a token of a vocabulary of any
/// size does so with certainty, so more would only be a larger number.
pub const MOST_EPSILON: f64 = 40.0;

/// Parameters of a mechanism. Which of them a mechanism reads stands in the catalogue; giving another is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameters {
    /// The mechanism's own parameter, as its paper defines it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The true loss of a token, instead of `epsilon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon_per_token: Option<f64>,
    /// `two-set`: draws that form the candidate set. Default 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<usize>,
    /// `subset` and `band`: how many tokens count as good. Default 5 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub good: Option<usize>,
    /// `clipped-logit`: the width of the range that scores are clipped to. Default 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// `fluent`: the part of what is expected that is the same for every token. Default 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform: Option<f64>,
    /// `fluent`: how many times e^-epsilon of what is expected may be preferred at once. Default e^(epsilon / 4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub room: Option<f64>,
}

impl Parameters {
    /// Parameters with the paper's epsilon and nothing else.
    pub fn of_epsilon(epsilon: f64) -> Self {
        Self { epsilon: Some(epsilon), ..Self::default() }
    }

    /// Parameters with a true loss and nothing else.
    pub fn of_loss(epsilon_per_token: f64) -> Self {
        Self { epsilon_per_token: Some(epsilon_per_token), ..Self::default() }
    }

    /// The mechanism's epsilon, which must be given.
    pub(super) fn epsilon(&self) -> Result<f64, DpError> {
        self.epsilon.ok_or(DpError::MissingEpsilon)
    }

    /// The loss asked for by either name, where both mean the same.
    pub(super) fn either(&self) -> Result<f64, DpError> {
        match self.epsilon_per_token {
            Some(loss) => check_epsilon("epsilon-per-token", loss),
            None => check_epsilon("epsilon", self.epsilon()?),
        }
    }

    /// Refuses what the mechanism would not read, and both epsilons at once.
    pub(super) fn check_known(&self, mechanism: &'static str, reads: &[&str]) -> Result<(), DpError> {
        let epsilon = reads.contains(&"epsilon");
        let given = [
            ("epsilon", self.epsilon.is_some(), epsilon),
            ("epsilon-per-token", self.epsilon_per_token.is_some(), epsilon),
            ("candidates", self.candidates.is_some(), reads.contains(&"candidates")),
            ("good", self.good.is_some(), reads.contains(&"good")),
            ("clip", self.clip.is_some(), reads.contains(&"clip")),
            ("uniform", self.uniform.is_some(), reads.contains(&"uniform")),
            ("room", self.room.is_some(), reads.contains(&"room")),
        ];
        for (parameter, is_given, is_read) in given {
            if is_given && !is_read {
                return Err(DpError::NotRead { parameter, mechanism });
            }
        }
        if self.epsilon.is_some() && self.epsilon_per_token.is_some() {
            return Err(DpError::TwoEpsilons);
        }
        Ok(())
    }
}

/// Checks the loss of a token: a positive number of at most [`MOST_EPSILON`].
pub(super) fn check_epsilon(setting: &'static str, value: f64) -> Result<f64, DpError> {
    if value > 0.0 && value <= MOST_EPSILON {
        return Ok(value);
    }
    let allowed = "a positive number, for a true loss of at most 40 a token";
    Err(DpError::Setting { setting, value: value.to_string(), allowed })
}

/// Checks a part of a whole: above 0, and at most 1.
pub(super) fn check_part(setting: &'static str, value: f64) -> Result<f64, DpError> {
    if value > 0.0 && value <= 1.0 {
        return Ok(value);
    }
    Err(DpError::Setting { setting, value: value.to_string(), allowed: "above 0 and at most 1" })
}

/// Checks a count between bounds.
pub(super) fn check_count(
    setting: &'static str,
    value: usize,
    most: usize,
    allowed: &'static str,
) -> Result<usize, DpError> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(DpError::Setting { setting, value: value.to_string(), allowed })
}
