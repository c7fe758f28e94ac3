//! How much may be spent for each record and each author.

use crate::amount::Amount;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Whose loss is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Scope {
    /// One record, by its id.
    Record = 0,
    /// One author, over all records.
    Author = 1,
}

impl Scope {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Record, Self::Author];

    /// The word for it, on the command line, in JSON and in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Author => "author",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A limit to set: the same for every record, or for every author.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Whose loss is limited.
    pub scope: Scope,
    /// The most epsilon, in all.
    pub epsilon: f64,
    /// The most delta, in all.
    pub delta: f64,
}

/// The limits in force. Where there is none, a ledger records and never refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// For each record.
    pub record: Option<Amount>,
    /// For each author.
    pub author: Option<Amount>,
}

impl Limits {
    /// The limit of a scope.
    pub fn of(&self, scope: Scope) -> Option<Amount> {
        match scope {
            Scope::Record => self.record,
            Scope::Author => self.author,
        }
    }

    pub(crate) fn set(&mut self, scope: Scope, limit: Amount) {
        match scope {
            Scope::Record => self.record = Some(limit),
            Scope::Author => self.author = Some(limit),
        }
    }
}
