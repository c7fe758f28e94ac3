//! The guarantee of a release, as a value that every run prints.
//!
//! Bounds are computed here, from objects of the core: nothing outside of this crate can state a bound of its own. Others
//! may add what weakens a claim: what is not protected, assumptions, reasons why it is void.

mod bound;
mod claimed;
mod display;
mod records;
mod statement;
#[cfg(test)]
mod tests;
mod texts;

pub use bound::{Adjacency, Bound, Claim, Unit};
pub use claimed::{ClaimedGuarantee, TrainingClaim};
pub use records::RecordLoss;
pub use statement::Statement;
pub use texts::WordDistances;

use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// The guarantee of a release, computed by this crate. It cannot be read from a file, which gives a
/// [`ClaimedGuarantee`]:
///
/// ```
/// let guarantee = allonym_dp::Guarantee::measured("agent", allonym_dp::guarantee::Unit::Text, false);
/// let written = serde_json::to_string(&guarantee).unwrap();
/// let read: allonym_dp::ClaimedGuarantee = serde_json::from_str(&written).unwrap();
/// assert!(read.to_string().starts_with("claimed:"));
/// ```
///
/// ```compile_fail
/// let _: allonym_dp::Guarantee = serde_json::from_str("{}").unwrap();
/// ```
///
/// nor be made from fields:
///
/// ```compile_fail
/// fn promised(statement: allonym_dp::guarantee::Statement) -> allonym_dp::Guarantee {
///     allonym_dp::Guarantee(statement)
/// }
/// ```
///
/// nor be lowered:
///
/// ```compile_fail
/// fn lowered(guarantee: &mut allonym_dp::Guarantee) {
///     *guarantee.bound() = allonym_dp::Bound::None;
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee(Statement);

/// A guarantee in a file: the statement, and whether it holds.
#[derive(Serialize)]
struct Written<'a> {
    holds: bool,
    #[serde(flatten)]
    statement: &'a Statement,
}

impl Serialize for Guarantee {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { holds: self.holds(), statement: &self.0 }.serialize(serializer)
    }
}

impl Guarantee {
    /// The statement of a method without a bound: what is released was only measured.
    pub fn measured(method: &str, unit: Unit, seeded: bool) -> Self {
        Self(Statement::new(method, Bound::None, unit, Adjacency::Unbounded, seeded))
    }

    /// Names the crate that makes the claim, for methods that this project did not write.
    #[must_use]
    pub fn with_made_by(mut self, made_by: impl Into<String>) -> Self {
        self.0.made_by = Some(made_by.into());
        self
    }

    /// Adds the limits under which texts are released.
    #[must_use]
    pub fn with_terms(mut self, terms: &crate::terms::Terms) -> Self {
        (self.0.max_tokens, self.0.length) = (Some(terms.max_tokens), Some(terms.length));
        self
    }

    /// Says that what is released of a record depends on other records.
    #[must_use]
    pub fn with_dependence_on_other_records(mut self) -> Self {
        self.0.depends_on_other_records = true;
        self
    }

    /// Says that the records were generalized first, by a step that reads all of them and has no bound. The guarantee no
    /// longer [holds](Statement::holds) for the original records.
    #[must_use]
    pub fn after_generalization(mut self) -> Self {
        (self.0.unit, self.0.depends_on_other_records) = (Unit::GeneralizedRecord, true);
        self
    }

    /// Adds something that is not protected.
    pub fn push_not_protected(&mut self, line: impl Into<String>) {
        self.0.not_protected.push(line.into());
    }

    /// Adds something that must be true for the bound to hold.
    pub fn push_assumption(&mut self, line: impl Into<String>) {
        self.0.assumptions.push(line.into());
    }

    /// Adds something that is worth knowing, such as a measurement. It is printed below the bound, and is no bound.
    pub fn push_also(&mut self, line: impl Into<String>) {
        self.0.also.push(line.into());
    }

    /// Adds a reason why the bound does not hold.
    pub fn push_void(&mut self, reason: impl Into<String>) {
        self.0.void.push(reason.into());
    }

    /// The same statement as a file would carry it.
    pub fn as_claimed(&self) -> ClaimedGuarantee {
        ClaimedGuarantee(self.0.clone())
    }
}

impl Deref for Guarantee {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.0
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
