//! What can be audited by releases of adjacent inputs.

use super::{Case, Effort, Finding};
use serde::Serialize;
use std::fmt;

/// Which private inputs a claim compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// Any two texts.
    AnyTwo,
    /// Two sets of records, of which one has one record more.
    AddRemove,
    /// Two sets of records that differ in the contents of one.
    ReplaceOne,
    /// Two texts at a distance; the claim is proportional to it.
    Metric,
}

impl fmt::Display for Adjacency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AnyTwo => "any two",
            Self::AddRemove => "add/remove",
            Self::ReplaceOne => "replace one",
            Self::Metric => "metric",
        })
    }
}

/// A mechanism that adds noise to vectors or counts and claims (epsilon, delta) for adjacent inputs.
pub trait Auditable {
    /// The cases in which its claim is nearest to being exceeded: extremal adjacent inputs, for each adjacency that it
    /// claims a bound for.
    fn cases(&self) -> Vec<Case<'_>>;

    /// Audits every case. The time grows with draws and with coordinates: two releases per case and draw.
    fn audit(&self, effort: &Effort) -> Vec<Finding> {
        self.cases().iter().flat_map(|case| case.audit(effort)).collect()
    }
}
