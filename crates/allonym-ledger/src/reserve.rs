//! Reserving: what a release will cost is written down before anything is drawn, for all of its records or for none.

use crate::entry::{Body, Head, Lines, LinesDigest, now};
use crate::error::LedgerError;
use crate::hash::{Hash, Hex};
use crate::ledger::{Ledger, check_words, limits};
use crate::limit::{Limits, Scope};
use crate::loss::{Cost, Loss};
use crate::schema;
use crate::tag::Tagger;
use crate::tally::{Refused, Tally};
use rusqlite::{OptionalExtension, Transaction};
use serde::Serialize;

/// What is to be reserved for each record of a release.
#[derive(Clone, Copy, Debug)]
pub struct Reservation<'a> {
    /// Chosen by the caller, at random, one for each release. The same key again counts nothing.
    pub key: [u8; 16],
    /// What the loss is for: a mechanism and its version, never a text.
    pub what: &'a str,
    /// What each record costs.
    pub cost: Cost,
}

/// Proof that a reservation is in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The entry's number in the journal.
    pub entry: u64,
    /// The entry's hash.
    pub hash: Hash,
    /// How many lines were reserved for.
    pub lines: u64,
    /// What was reserved for each of them.
    pub each: Loss,
    /// Whether this is the receipt of an earlier call with the same key. Then the loss was counted *once*, so at most one
    /// of the two runs may let anything out, unless both draw the same.
    pub repeated: bool,
}

impl Ledger {
    /// Reserves a loss for each of some records and their authors: all or nothing, on the disk before it returns.
    ///
    /// Each item counts once for its record and once for its author, so n records of an author cost n times. A record
    /// without an author counts for itself only. No items are allowed.
    ///
    /// # Errors
    /// When a limit would be passed, the cost has no bound and there is a limit, the key has another content, or the file cannot
    /// be written. Nothing is spent then.
    pub fn reserve<Record: AsRef<[u8]>, Author: AsRef<[u8]>>(
        &mut self,
        reservation: &Reservation<'_>,
        records: impl IntoIterator<Item = (Record, Option<Author>)>,
    ) -> Result<Receipt, LedgerError> {
        let mut reserving = self.begin(reservation)?;
        for (record, author) in records {
            reserving.add(record.as_ref(), author.as_ref().map(AsRef::as_ref))?;
        }
        reserving.commit()
    }

    /// Begins a reservation whose records come one by one, perhaps from a file that may turn out to be broken. Other
    /// processes wait until it is committed or dropped; dropping it spends nothing.
    ///
    /// # Errors
    /// When the settings are no reservation, the cost has no bound and there is a limit, or the file cannot be written.
    pub fn begin<'a>(&'a mut self, reservation: &Reservation<'_>) -> Result<Reserving<'a>, LedgerError> {
        let each = reservation.cost.loss()?;
        check_words("what", reservation.what)?;
        let ledger = self.name.clone();
        let (transaction, file, tags) = self.write()?;
        let begin = || {
            let earlier = transaction
                .query_row("SELECT sequence, hash, body FROM entry WHERE key = ?1", [reservation.key], |row| {
                    Ok(Earlier { head: Head { sequence: row.get(0)?, hash: Hash(row.get(1)?) }, body: row.get(2)? })
                })
                .optional()?;
            Ok((earlier, Head::read(&transaction)?, limits(&transaction)?))
        };
        let (earlier, head, limits) = begin().map_err(LedgerError::storage(file))?;
        // What was recorded before a limit was set is spent already, and may be asked for again.
        if let (Loss::Unbounded, None) = (each, &earlier) {
            if let Some(scope) = Scope::ALL.into_iter().find(|scope| limits.of(*scope).is_some()) {
                return Err(LedgerError::Unbounded { ledger, scope });
            }
            schema::upgrade(&transaction).map_err(LedgerError::storage(file))?;
        }
        let (key, what) = (Hex(reservation.key), reservation.what.to_owned());
        let (digest, lines, failed) = (LinesDigest::default(), 0, false);
        Ok(Reserving { transaction, file, ledger, tags, key, what, each, limits, head, earlier, digest, lines, failed })
    }
}

/// A reservation under way.
pub struct Reserving<'a> {
    transaction: Transaction<'a>,
    file: &'a str,
    ledger: String,
    tags: &'a Tagger,
    key: Hex<16>,
    what: String,
    each: Loss,
    limits: Limits,
    head: Head,
    earlier: Option<Earlier>,
    digest: LinesDigest,
    lines: i64,
    /// SQLite may undo the whole transaction on an error; what came after that would be written on its own.
    failed: bool,
}

/// A reservation that has the key already.
struct Earlier {
    head: Head,
    body: String,
}

impl Reserving<'_> {
    /// Adds a record. Whether it fits is told by [`Reserving::commit`], which then knows what would fit everyone.
    ///
    /// # Errors
    /// When the file cannot be written, or an earlier call failed.
    pub fn add(&mut self, record: &[u8], author: Option<&[u8]>) -> Result<(), LedgerError> {
        if self.failed {
            return Err(LedgerError::Failed);
        }
        let record = self.tags.tag(Scope::Record, record);
        let author = author.map(|author| self.tags.tag(Scope::Author, author));
        self.lines += 1;
        self.digest.add(&record, author.as_ref());
        if self.earlier.is_some() {
            return Ok(());
        }
        let insert = "INSERT INTO line (sequence, place, record, author) VALUES (?1, ?2, ?3, ?4)";
        let written = self
            .transaction
            .prepare_cached(insert)
            .and_then(|mut insert| insert.execute((self.head.sequence + 1, self.lines, record, author)));
        self.failed = written.is_err();
        written.map(|_| ()).map_err(LedgerError::storage(self.file))
    }

    /// Writes the reservation, or refuses it whole. When this returns a receipt, the reservation is on the disk.
    ///
    /// # Errors
    /// When a limit would be passed, the key has another content, the file cannot be written, or an earlier call failed.
    pub fn commit(mut self) -> Result<Receipt, LedgerError> {
        if self.failed {
            return Err(LedgerError::Failed);
        }
        let digest = std::mem::take(&mut self.digest).finish();
        let (key, what, each, lines) = (self.key, std::mem::take(&mut self.what), self.each, self.lines);
        let made_of = Lines { key, what, each, lines, digest };
        if let Some(earlier) = &self.earlier {
            // The same in everything but the time.
            let at = Body::read(&earlier.body).map_or(0, |body| body.at());
            if made_of.body(at).to_text() != earlier.body {
                return Err(LedgerError::KeyReused { ledger: self.ledger });
            }
            return Ok(self.receipt(earlier.head, true));
        }
        let body = made_of.body(now());
        self.settle()?;
        let storage = LedgerError::storage(self.file);
        let head = self.head.append(&self.transaction, &body).map_err(storage)?;
        let receipt = self.receipt(head, false);
        self.transaction.commit().map_err(storage)?;
        Ok(receipt)
    }

    /// The limits that it will be held against: nobody can change them until it ends.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Finds out whether the reservation would be accepted, and spends nothing either way.
    ///
    /// # Errors
    /// As [`Reserving::commit`].
    pub fn check(self) -> Result<Loss, LedgerError> {
        if self.failed {
            return Err(LedgerError::Failed);
        }
        self.settle()?;
        Ok(self.each)
    }

    fn receipt(&self, head: Head, repeated: bool) -> Receipt {
        let (entry, lines) = (head.sequence.unsigned_abs(), self.lines.unsigned_abs());
        Receipt { entry, hash: head.hash, lines, each: self.each, repeated }
    }

    /// Adds the lines to the balances, or refuses and tells what would fit everyone.
    fn settle(&self) -> Result<(), LedgerError> {
        let sequence = self.head.sequence + 1;
        let mut tally = Tally { each: self.each, fits: None, refused: None };
        for scope in Scope::ALL {
            tally.settle(&self.transaction, sequence, scope, self.limits.of(scope), self.file)?;
        }
        let (Some(refused), Some(fits)) = (tally.refused, tally.fits) else { return Ok(()) };
        let each = self.each.added();
        let place = refused.place(&self.transaction, sequence, each).map_err(LedgerError::storage(self.file))?;
        let Refused { scope, needed, left, unbounded, .. } = refused;
        Err(LedgerError::Refused { ledger: self.ledger.clone(), scope, place, needed, left, unbounded, fits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_tells_what_a_reservation_would_and_spends_nothing() {
        let place = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::create(place.path().join("test.ledger"), "test").unwrap();
        ledger.set_limit(crate::Limit { scope: Scope::Record, epsilon: 2.0, delta: 0.0 }).unwrap();
        let before = ledger.summary().unwrap();
        for (epsilon, fits) in [(1.5, true), (2.5, false)] {
            let reservation =
                Reservation { key: [1; 16], what: "random 1", cost: Cost::Bounded { epsilon, delta: 0.0 } };
            let mut reserving = ledger.begin(&reservation).unwrap();
            reserving.add(b"a", None).unwrap();
            assert_eq!(reserving.check().is_ok(), fits);
            assert_eq!(ledger.summary().unwrap(), before);
        }
    }

    #[test]
    fn a_full_disk_spends_nothing_and_the_reservation_cannot_be_carried_on() {
        let place = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::create(place.path().join("test.ledger"), "test").unwrap();
        let before = ledger.summary().unwrap();
        let reservation =
            Reservation { key: [1; 16], what: "random 1", cost: Cost::Bounded { epsilon: 1.0, delta: 0.0 } };
        let mut reserving = ledger.begin(&reservation).unwrap();
        // As if the disk had room for four pages more.
        let pages: i64 = reserving.transaction.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        reserving.transaction.pragma_update_and_check(None, "max_page_count", pages + 4, |_| Ok(())).unwrap();
        let error = (0..100_000).find_map(|_| reserving.add(b"a", None).err()).unwrap();
        assert!(matches!(error, LedgerError::Full { .. }), "{error:?}");
        assert!(matches!(reserving.add(b"a", None), Err(LedgerError::Failed)));
        assert!(matches!(reserving.commit(), Err(LedgerError::Failed)));
        assert_eq!(ledger.summary().unwrap(), before);
        assert_eq!(ledger.verify(None).unwrap().broken, None);
    }
}
