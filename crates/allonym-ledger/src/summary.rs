//! What the owner sees of a ledger.

use crate::amount::Amount;
use crate::entry::Head;
use crate::hash::Hash;
use crate::ledger::limits;
use crate::limit::{Limits, Scope};
use crate::loss::Loss;
use crate::schema::{is_unbounded, keeps_unbounded};
use crate::tag::Tag;
use rusqlite::{Connection, OptionalExtension, Result};
use serde::Serialize;

/// What was spent for one record or author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// The sum; unbounded as soon as one line has no bound.
    #[serde(flatten)]
    pub amount: Loss,
    /// Of how many lines, over all reservations.
    pub lines: u64,
}

impl Spent {
    pub(crate) fn read(connection: &Connection, scope: Scope, tag: &Tag) -> Result<Self> {
        // One transaction, so that the figures belong together.
        let transaction = connection.unchecked_transaction()?;
        let unbounded = is_unbounded(&transaction, scope, "?1")?;
        let query = format!("SELECT epsilon, delta, lines, {unbounded} FROM {scope}_balance WHERE tag = ?1");
        let spent = transaction.query_row(&query, [tag], |row| {
            let amount = Amount { epsilon_nano: row.get(0)?, delta_atto: row.get(1)? };
            Ok(Self { amount: Loss::of(amount, row.get(3)?), lines: row.get::<_, i64>(2)?.unsigned_abs() })
        });
        Ok(spent.optional()?.unwrap_or_default())
    }
}

/// Whose loss has no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unbounded {
    /// How many records.
    pub records: u64,
    /// How many authors.
    pub authors: u64,
}

impl Unbounded {
    fn read(connection: &Connection) -> Result<Self> {
        if !keeps_unbounded(connection)? {
            return Ok(Self::default());
        }
        let count = |scope: Scope| {
            let query = "SELECT count(*) FROM unbounded WHERE scope = ?1";
            connection.query_row(query, [scope.name()], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
        };
        Ok(Self { records: count(Scope::Record)?, authors: count(Scope::Author)? })
    }

    /// Whether there is anybody.
    pub fn any(self) -> bool {
        self.records > 0 || self.authors > 0
    }
}

/// A ledger at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The ledger's name.
    pub name: String,
    /// Entries of the journal: its creation, limits, reservations.
    pub entries: u64,
    /// How many records have a balance.
    pub records: u64,
    /// How many authors have a balance.
    pub authors: u64,
    /// The limits in force.
    pub limits: Limits,
    /// The largest epsilon and the largest delta of any record; unbounded if the loss of any is.
    pub largest_record: Loss,
    /// The largest epsilon and the largest delta of any author; unbounded if the loss of any is.
    pub largest_author: Loss,
    /// How many records and authors have a loss without a bound. If any has, the ledger as a whole bounds nothing.
    pub unbounded: Unbounded,
    /// The hash of the last entry. Keep it elsewhere to be able to prove later what the ledger said.
    pub head: Hash,
}

impl Summary {
    pub(crate) fn read(connection: &Connection, name: &str) -> Result<Self> {
        // One transaction, so that the figures belong together.
        let transaction = connection.unchecked_transaction()?;
        let head = Head::read(&transaction)?;
        let totals = |scope: Scope| {
            let query =
                format!("SELECT count(*), coalesce(max(epsilon), 0), coalesce(max(delta), 0) FROM {scope}_balance");
            transaction.query_row(&query, [], |row| {
                let amount = Amount { epsilon_nano: row.get(1)?, delta_atto: row.get(2)? };
                Ok((row.get::<_, i64>(0)?.unsigned_abs(), amount))
            })
        };
        let (records, largest_record) = totals(Scope::Record)?;
        let (authors, largest_author) = totals(Scope::Author)?;
        let unbounded = Unbounded::read(&transaction)?;
        Ok(Self {
            name: name.to_owned(),
            entries: head.sequence.unsigned_abs(),
            records,
            authors,
            limits: limits(&transaction)?,
            largest_record: Loss::of(largest_record, unbounded.records > 0),
            largest_author: Loss::of(largest_author, unbounded.authors > 0),
            unbounded,
            head: head.hash,
        })
    }
}
