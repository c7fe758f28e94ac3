//! What the owner sees of a ledger.

use crate::amount::Amount;
use crate::entry::Head;
use crate::hash::Hash;
use crate::ledger::limits;
use crate::limit::{Limits, Scope};
use crate::tag::Tag;
use rusqlite::{Connection, OptionalExtension, Result};
use serde::Serialize;

/// What was spent for one record or author.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// The sum.
    #[serde(flatten)]
    pub amount: Amount,
    /// Of how many lines, over all reservations.
    pub lines: u64,
}

impl Spent {
    pub(crate) fn read(connection: &Connection, scope: Scope, tag: &Tag) -> Result<Self> {
        let query = format!("SELECT epsilon, delta, lines FROM {scope}_balance WHERE tag = ?1");
        let spent = connection.prepare_cached(&query)?.query_row([tag], |row| {
            let amount = Amount { epsilon_nano: row.get(0)?, delta_atto: row.get(1)? };
            Ok(Self { amount, lines: row.get::<_, i64>(2)?.unsigned_abs() })
        });
        Ok(spent.optional()?.unwrap_or_default())
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
    /// The largest epsilon and the largest delta of any record.
    pub largest_record: Amount,
    /// The largest epsilon and the largest delta of any author.
    pub largest_author: Amount,
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
        Ok(Self {
            name: name.to_owned(),
            entries: head.sequence.unsigned_abs(),
            records,
            authors,
            limits: limits(&transaction)?,
            largest_record,
            largest_author,
            head: head.hash,
        })
    }
}
