//! Walks a whole ledger and says where it is broken first.
//!
//! What this finds: damage, lost pages, a changed, missing, added or reordered entry or line, balances and limits that
//! are not what the journal says. What it cannot find: somebody who rewrites the whole file rewrites the chain too, and a
//! ledger from a backup is a good ledger that has forgotten something. Both show when the chain does not contain a
//! head that was kept elsewhere.

use crate::amount::Amount;
use crate::entry::{Body, Head, LinesDigest};
use crate::error::LedgerError;
use crate::hash::Hash;
use crate::ledger::{Ledger, limits};
use crate::limit::{Limits, Scope};
use crate::schema::{is_unbounded, keeps_unbounded};
use crate::tag::Tag;
use rusqlite::{Connection, ErrorCode, Result, Row};
use serde::Serialize;
use std::fmt;

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Entries that were walked and found good.
    pub entries: u64,
    /// Lines of these entries.
    pub lines: u64,
    /// Entries of losses without a bound, among them.
    pub unbounded: u64,
    /// The hash of the last good entry.
    pub head: Hash,
    /// What is broken first, if anything.
    pub broken: Option<Broken>,
}

/// Where a ledger is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The entry, if it is one.
    pub entry: Option<u64>,
    /// What is wrong.
    pub why: &'static str,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entry {
            Some(entry) => write!(f, "entry {entry}: {}", self.why),
            None => f.write_str(self.why),
        }
    }
}

impl Ledger {
    /// Checks the chain, the lines, the limits and the balances; and that the chain contains `head`, if one is given.
    ///
    /// # Errors
    /// When the file cannot be read. A broken ledger is not an error: see [`Verification::broken`].
    pub fn verify(&self, head: Option<&Hash>) -> Result<Verification, LedgerError> {
        let mut walk =
            Walk { head: Head::NONE, lines: 0, unbounded: 0, limits: Limits::default(), met: false, chained: false };
        let broken = match walk.everything(&self.connection, head) {
            Ok(broken) => broken,
            Err(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Some(Broken { entry: None, why: "the file's pages do not fit together" })
                }
                Some(_) => return Err(LedgerError::storage(&self.file)(error)),
                None if walk.chained => {
                    Some(Broken { entry: None, why: "the balances hold something no ledger writes" })
                }
                None => Some(walk.next("it holds something no ledger writes")),
            },
        };
        let (entries, lines) = (walk.head.sequence.unsigned_abs(), walk.lines.unsigned_abs());
        Ok(Verification { entries, lines, unbounded: walk.unbounded, head: walk.head.hash, broken })
    }
}

/// What was read so far, and found good.
struct Walk {
    head: Head,
    lines: i64,
    unbounded: u64,
    limits: Limits,
    /// Whether the head that was asked for is among the entries.
    met: bool,
    /// Whether the chain was walked to its end.
    chained: bool,
}

impl Walk {
    /// A fault of the entry after the last good one.
    fn next(&self, why: &'static str) -> Broken {
        Broken { entry: Some(self.head.sequence.unsigned_abs() + 1), why }
    }

    fn everything(&mut self, connection: &Connection, head: Option<&Hash>) -> Result<Option<Broken>> {
        // One transaction, so that a reservation of another process comes before everything or after.
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS price
             (sequence INTEGER PRIMARY KEY, epsilon INTEGER, delta INTEGER, unbounded INTEGER);
             DELETE FROM price;",
        )?;
        if let Some(broken) = self.chain(&transaction, head)? {
            return Ok(Some(broken));
        }
        self.chained = true;
        let fault = |why| Ok(Some(Broken { entry: None, why }));
        let lines: i64 = transaction.query_row("SELECT count(*) FROM line", [], |row| row.get(0))?;
        if lines != self.lines {
            return fault("there are lines that belong to no entry");
        }
        if limits(&transaction)? != self.limits {
            return fault("the limits in force are not those of the journal");
        }
        for scope in Scope::ALL {
            if !balances_agree(&transaction, scope)? {
                return fault(match scope {
                    Scope::Record => "the balances of records are not the sums of their lines",
                    Scope::Author => "the balances of authors are not the sums of their lines",
                });
            }
        }
        if !unbounded_have_balances(&transaction)? {
            return fault("what is marked as unbounded has no balance");
        }
        let pages: String = transaction.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if pages != "ok" {
            return fault("the file's pages do not fit together");
        }
        if head.is_some() && !self.met {
            return fault("the chain does not contain the given head");
        }
        Ok(None)
    }

    fn chain(&mut self, connection: &Connection, head: Option<&Hash>) -> Result<Option<Broken>> {
        let mut entries =
            connection.prepare("SELECT sequence, key, previous, body, hash FROM entry ORDER BY sequence")?;
        let mut price =
            connection.prepare("INSERT INTO price (sequence, epsilon, delta, unbounded) VALUES (?1, ?2, ?3, ?4)")?;
        let mut rows = entries.query([])?;
        while let Some(row) = rows.next()? {
            let (sequence, key): (i64, Option<[u8; 16]>) = (row.get(0)?, row.get(1)?);
            let (previous, text, hash): ([u8; 32], String, [u8; 32]) = (row.get(2)?, row.get(3)?, row.get(4)?);
            if sequence != self.head.sequence + 1 {
                return Ok(Some(self.next("it is missing")));
            }
            if previous != self.head.hash.0 {
                return Ok(Some(self.next("it does not follow from the entry before")));
            }
            let next = self.head.then(&text);
            if hash != next.hash.0 {
                return Ok(Some(self.next("its hash does not match its contents")));
            }
            let Some(body) = Body::read(&text).filter(|body| matches!(body, Body::Create { .. }) == (sequence == 1))
            else {
                return Ok(Some(self.next("its contents are not those of an entry")));
            };
            if body.key() != key {
                return Ok(Some(self.next("its key does not match its contents")));
            }
            let lines = match body {
                Body::Reserve { lines, digest, .. } | Body::ReserveUnbounded { lines, digest, .. } => {
                    if digested(connection, sequence)? != Some((lines, digest.0)) {
                        return Ok(Some(self.next("its lines are not those it was made of")));
                    }
                    let Amount { epsilon_nano, delta_atto } = body.amount();
                    let unbounded = matches!(body, Body::ReserveUnbounded { .. });
                    self.unbounded += u64::from(unbounded);
                    price.execute((sequence, epsilon_nano, delta_atto, unbounded))?;
                    lines
                }
                Body::Limit { scope, .. } => {
                    self.limits.set(scope, body.amount());
                    0
                }
                Body::Create { .. } => 0,
            };
            self.lines += lines;
            self.met |= head == Some(&next.hash);
            self.head = next;
        }
        Ok(if self.head == Head::NONE { Some(self.next("it is missing")) } else { None })
    }
}

/// Whether every mark of a loss without a bound stands for somebody with a balance; whether it is true is found with the balance.
fn unbounded_have_balances(connection: &Connection) -> Result<bool> {
    if !keeps_unbounded(connection)? {
        return Ok(true);
    }
    let query = "SELECT EXISTS (SELECT 1 FROM unbounded WHERE NOT (scope = 'record' AND tag IN (SELECT tag FROM record_balance)) \
                 AND NOT (scope = 'author' AND tag IN (SELECT tag FROM author_balance)))";
    connection.query_row(query, [], |row| row.get::<_, bool>(0)).map(|foreign| !foreign)
}

/// The number and the digest of an entry's lines, if their places are 1, 2, ..
fn digested(connection: &Connection, sequence: i64) -> Result<Option<(i64, [u8; 32])>> {
    let mut query =
        connection.prepare_cached("SELECT place, record, author FROM line WHERE sequence = ?1 ORDER BY place")?;
    let mut rows = query.query([sequence])?;
    let mut digest = LinesDigest::default();
    let mut lines = 0;
    while let Some(row) = rows.next()? {
        let (place, record, author): (i64, Tag, Option<Tag>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        lines += 1;
        if place != lines {
            return Ok(None);
        }
        digest.add(&record, author.as_ref());
    }
    Ok(Some((lines, digest.finish().0)))
}

/// Whether the balances of a scope are the sums of its lines: both are walked side by side, in the order of their tags.
fn balances_agree(connection: &Connection, scope: Scope) -> Result<bool> {
    let unbounded = is_unbounded(connection, scope, &format!("{scope}_balance.tag"))?;
    let mut sums = connection.prepare(&format!(
        "SELECT {scope}, sum(epsilon), sum(delta), count(*), max(unbounded) FROM line JOIN price USING (sequence) \
         WHERE {scope} IS NOT NULL GROUP BY {scope} ORDER BY {scope}"
    ))?;
    let mut balances = connection
        .prepare(&format!("SELECT tag, epsilon, delta, lines, {unbounded} FROM {scope}_balance ORDER BY tag"))?;
    let read = |row: &Row<'_>| -> Result<(Tag, i64, i64, i64, bool)> {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
    };
    let (mut sums, mut balances) = (sums.query([])?, balances.query([])?);
    loop {
        let sum = sums.next()?.map(read).transpose()?;
        let balance = balances.next()?.map(read).transpose()?;
        if sum != balance {
            return Ok(false);
        }
        if sum.is_none() {
            return Ok(true);
        }
    }
}
