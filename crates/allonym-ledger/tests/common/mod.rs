//! A ledger in a directory of its own.
#![allow(dead_code, reason = "each test file uses its part")]

use allonym_ledger::{Cost, Ledger, LedgerError, Limit, Receipt, Reservation, Scope};
use std::path::PathBuf;

pub(crate) struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Where the ledger of the test is.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.path("test.ledger")
    }

    pub(crate) fn create(&self) -> Ledger {
        Ledger::create(self.ledger(), "test").unwrap()
    }

    /// Opens the file with SQLite directly, as a hand that wants to change it would.
    pub(crate) fn by_hand(&self, statements: &str) {
        rusqlite::Connection::open(self.ledger()).unwrap().execute_batch(statements).unwrap();
    }

    /// The names of all files here, in order.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A reservation with epsilon only; the number makes the key.
pub(crate) fn epsilon(number: u64, epsilon: f64) -> Reservation<'static> {
    reservation(number, epsilon, 0.0)
}

/// A reservation with epsilon and delta.
pub(crate) fn reservation(number: u64, epsilon: f64, delta: f64) -> Reservation<'static> {
    Reservation { key: key(number), what: "random 1", cost: Cost::Bounded { epsilon, delta } }
}

/// A reservation without a bound.
pub(crate) fn unbounded(number: u64) -> Reservation<'static> {
    Reservation { key: key(number), what: "agent 1", cost: Cost::Unbounded }
}

pub(crate) fn key(number: u64) -> [u8; 16] {
    u128::from(number).to_be_bytes()
}

/// Reserves epsilon 1 for records that have no author.
pub(crate) fn reserve_ids(ledger: &mut Ledger, number: u64, ids: &[&str]) -> Result<Receipt, LedgerError> {
    ledger.reserve(&epsilon(number, 1.0), ids.iter().map(|id| (id, None::<&str>)))
}

/// Reserves epsilon 1 for one record after another, of these authors.
pub(crate) fn reserve_authors(ledger: &mut Ledger, number: u64, authors: &[&str]) -> Result<Receipt, LedgerError> {
    let records = authors.iter().enumerate().map(|(i, author)| (format!("{number}-{i}"), Some(author)));
    ledger.reserve(&epsilon(number, 1.0), records)
}

pub(crate) fn limit(ledger: &mut Ledger, scope: Scope, epsilon: f64) {
    ledger.set_limit(Limit { scope, epsilon, delta: 0.0 }).unwrap();
}

/// Asserts that nothing at all is wrong with a ledger.
#[track_caller]
pub(crate) fn assert_good(ledger: &Ledger) {
    assert_eq!(ledger.verify(None).unwrap().broken, None);
}
