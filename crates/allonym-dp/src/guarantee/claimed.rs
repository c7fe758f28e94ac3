//! A guarantee that was read from a file.

use super::bound::{Adjacency, Bound, Claim, Unit};
use super::statement::Statement;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// What a file says is guaranteed. Nothing proves that it is true, so there is no conversion to a
/// [`Guarantee`](super::Guarantee).
///
/// ```compile_fail
/// fn trusted(claimed: allonym_dp::ClaimedGuarantee) -> allonym_dp::Guarantee {
///     claimed.into()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimedGuarantee(pub(super) Statement);

/// The privacy loss of a training run, as a model's card states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingClaim<'a> {
    /// Epsilon where an example is added or removed.
    pub epsilon_add_remove: f64,
    /// Epsilon where an example is replaced by another.
    pub epsilon_replace_one: f64,
    /// The probability with which the loss may be larger.
    pub delta: f64,
    /// How it was computed.
    pub accounting: &'a str,
    /// What must be true for the bound to hold.
    pub assumptions: &'a [String],
    /// What is not protected.
    pub not_protected: &'a [String],
    /// Why the bound does not hold.
    pub void: &'a [String],
}

impl ClaimedGuarantee {
    /// The claim of a model's card about one training example. Without a finite epsilon nothing is bounded.
    pub fn from_training(method: &str, claim: TrainingClaim<'_>) -> Self {
        let bounded = claim.epsilon_add_remove.is_finite();
        let bound = match bounded {
            true => Bound::Differential {
                epsilon_per_token: None,
                epsilon_total: claim.epsilon_add_remove,
                delta: claim.delta,
                accounting: claim.accounting.to_owned(),
            },
            false => Bound::None,
        };
        let adjacency = if bounded { Adjacency::AddRemove } else { Adjacency::Unbounded };
        let mut statement = Statement::new(method, bound, Unit::Example, adjacency, false);
        if bounded && claim.epsilon_replace_one.is_finite() {
            let (epsilon, delta) = (claim.epsilon_replace_one, claim.delta);
            statement.other_adjacencies.push(Claim { adjacency: Adjacency::ReplaceOne, epsilon, delta });
        }
        statement.assumptions = claim.assumptions.to_vec();
        statement.not_protected = claim.not_protected.to_vec();
        statement.void = claim.void.to_vec();
        Self(statement)
    }

    /// Adds something that is worth knowing.
    pub fn push_also(&mut self, line: impl Into<String>) {
        self.0.also.push(line.into());
    }
}

impl Deref for ClaimedGuarantee {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.0
    }
}

impl fmt::Display for ClaimedGuarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "claimed:")?;
        write!(f, "{}", self.0)
    }
}
