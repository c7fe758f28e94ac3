//! What a guarantee says, whoever says it: the content that [`Guarantee`](super::Guarantee) and
//! [`ClaimedGuarantee`](super::ClaimedGuarantee) share.

use super::bound::{Adjacency, Bound, Claim, Unit};
use crate::length::Length;
use serde::{Deserialize, Serialize};

/// The content of a guarantee. By itself it claims nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    pub(super) method: String,
    /// The method again, under the key of version 0.1.
    #[serde(default)]
    pub(super) mechanism: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) made_by: Option<String>,
    #[serde(flatten)]
    pub(super) bound: Bound,
    pub(super) unit: Unit,
    pub(super) adjacency: Adjacency,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) other_adjacencies: Vec<Claim>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) length: Option<Length>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) paper_epsilon_total: Option<f64>,
    #[serde(default)]
    pub(super) depends_on_other_records: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) also: Vec<String>,
    #[serde(default)]
    pub(super) assumptions: Vec<String>,
    #[serde(default)]
    pub(super) not_protected: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) void: Vec<String>,
    pub(super) seeded: bool,
}

impl Statement {
    pub(super) fn new(method: &str, bound: Bound, unit: Unit, adjacency: Adjacency, seeded: bool) -> Self {
        Self {
            method: method.to_owned(),
            mechanism: method.to_owned(),
            made_by: None,
            bound,
            unit,
            adjacency,
            other_adjacencies: Vec::new(),
            max_tokens: None,
            length: None,
            paper_epsilon_total: None,
            depends_on_other_records: false,
            also: Vec::new(),
            assumptions: Vec::new(),
            not_protected: Vec::new(),
            void: Vec::new(),
            seeded,
        }
    }

    /// The method, by its name in the catalogue.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The crate that makes the claim; `None` for this project.
    pub fn made_by(&self) -> Option<&str> {
        self.made_by.as_deref()
    }

    /// The bound.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// Whose privacy is bounded.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Between which inputs the bound holds: the first adjacency of [`claims`](Self::claims).
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The privacy loss of the unit for the first adjacency; `None` without a bound. For metric privacy it is that of
    /// any two words.
    pub fn epsilon_total(&self) -> Option<f64> {
        match self.bound {
            Bound::Differential { epsilon_total, .. } | Bound::Metric { epsilon_total, .. } => Some(epsilon_total),
            Bound::None => None,
        }
    }

    /// The privacy loss of one draw, where each token is one draw.
    pub fn epsilon_per_token(&self) -> Option<f64> {
        match self.bound {
            Bound::Differential { epsilon_per_token, .. } => epsilon_per_token,
            Bound::Metric { epsilon_per_token, .. } => Some(epsilon_per_token),
            Bound::None => None,
        }
    }

    /// The probability with which the loss may be larger; `None` without a bound.
    pub fn delta(&self) -> Option<f64> {
        match self.bound {
            Bound::Differential { delta, .. } | Bound::Metric { delta, .. } => Some(delta),
            Bound::None => None,
        }
    }

    /// The bounds of all adjacencies; empty without a bound.
    pub fn claims(&self) -> Vec<Claim> {
        let (Some(epsilon), Some(delta)) = (self.epsilon_total(), self.delta()) else { return Vec::new() };
        let first = Claim { adjacency: self.adjacency, epsilon, delta };
        std::iter::once(first).chain(self.other_adjacencies.iter().copied()).collect()
    }

    /// The bound of one adjacency, if there is one.
    pub fn claim(&self, adjacency: Adjacency) -> Option<Claim> {
        self.claims().into_iter().find(|claim| claim.adjacency == adjacency)
    }

    /// The most tokens of a record that are drawn, where the method has such a limit.
    pub fn max_tokens(&self) -> Option<usize> {
        self.max_tokens
    }

    /// How the length of a text is treated, where the method releases texts of records.
    pub fn length(&self) -> Option<Length> {
        self.length
    }

    /// The total that the source of the method would print, where it differs.
    pub fn paper_epsilon_total(&self) -> Option<f64> {
        self.paper_epsilon_total
    }

    /// Whether the release of a record depends on other records.
    pub fn depends_on_other_records(&self) -> bool {
        self.depends_on_other_records
    }

    /// What else is known about the release.
    pub fn also(&self) -> &[String] {
        &self.also
    }

    /// What must be true for the bound to hold.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// What is not protected.
    pub fn not_protected(&self) -> &[String] {
        &self.not_protected
    }

    /// Why the bound does not hold, besides a seed.
    pub fn void(&self) -> &[String] {
        &self.void
    }

    /// Whether the randomness came from a seed that the user chose, which voids the bound.
    pub fn seeded(&self) -> bool {
        self.seeded
    }

    /// Whether the bound holds: there is one, nothing voids it, and no step outside of it read other records.
    pub fn holds(&self) -> bool {
        !self.seeded && self.void.is_empty() && self.bound != Bound::None && self.unit != Unit::GeneralizedRecord
    }

    /// The largest belief that a guess can reach: a prior `p` becomes at most `p e^E / (1 - p + p e^E)`. `None` where
    /// delta is positive or nothing is bounded.
    pub fn worst_posterior(&self, prior: f64) -> Option<f64> {
        match (self.epsilon_total(), self.delta()) {
            // Written with e^-E, which cannot overflow.
            (Some(epsilon), Some(0.0)) => Some(prior / (prior + (1.0 - prior) * (-epsilon).exp())),
            _ => None,
        }
    }
}
