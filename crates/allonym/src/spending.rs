//! What a run spends is written into a ledger before anything is drawn, or is explicitly unaccounted.
//!
//! Everything that spends privacy takes an [`Accounting`]: a reservation, or `Unaccounted`. A method without a bound is
//! recorded as unbounded, and refused by a ledger with limits.

use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_io::{Format, Key, is_stream, real_path, same_file};
use allonym_ledger::{Cost, Hash, Ledger, LedgerError, Limits, Loss, Reservation, Reserving};
use allonym_text::Private;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a run has in the ledger, for its owner to see.
#[derive(Clone, Debug, Serialize)]
pub struct Reserved {
    /// The ledger's name.
    pub ledger: String,
    /// The entry that holds the reservation; `None` for a dry run, which reserves nothing.
    pub entry: Option<u64>,
    /// The hash of that entry: kept elsewhere, it proves later that the entry is still there.
    pub head: Option<Hash>,
    /// What each record costs.
    pub each: Loss,
    /// Records for which no author is known: they count for themselves only.
    pub without_author: u64,
    /// Whether the ledger has a limit at all.
    pub limited: bool,
}

/// Where the privacy loss of a run is accounted for.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Accounting {
    /// In a ledger.
    Reserved(Reserved),
    /// In no ledger: the owner keeps track of it.
    Unaccounted,
}

impl Accounting {
    /// The reservation, if there is one.
    pub fn reserved(&self) -> Option<&Reserved> {
        match self {
            Self::Reserved(reserved) => Some(reserved),
            Self::Unaccounted => None,
        }
    }

    /// A run that fails after it reserved has spent: perhaps something left.
    pub(crate) fn told(&self, mut failure: Failure) -> Failure {
        if let Some((ledger, entry)) = self.reserved().and_then(|reserved| Some((&reserved.ledger, reserved.entry?))) {
            failure.hint.push_str(&format!("; the price of this run stays in the ledger `{ledger}`, entry {entry}"));
        }
        failure
    }
}

impl Reserved {
    /// What the owner should know.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.limited {
            warnings.push("the ledger has no limits: it records and never refuses".into());
        }
        if self.each == Loss::Unbounded {
            warnings.push(
                "this run has no bound on its privacy loss: the ledger says `unbounded` for its records and authors from now on"
                    .into(),
            );
        }
        match self.without_author {
            0 => {}
            1 => warnings.push("1 record has no author: in the ledger it counts for itself only".into()),
            n => warnings.push(format!("{n} records have no author: in the ledger they count for themselves only")),
        }
        warnings
    }
}

impl fmt::Display for Reserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ledger, entry, head, each, .. } = self;
        match (entry, head) {
            (Some(entry), Some(head)) => {
                write!(f, "ledger `{ledger}`: {each} a record reserved, entry {entry}, head {head}")
            }
            _ => write!(f, "ledger `{ledger}`: {each} a record would fit; nothing was reserved"),
        }
    }
}

/// What a run spends for each of its records.
#[derive(Clone, Debug)]
pub(crate) struct Spending {
    /// The method, by its name.
    pub(crate) method: String,
    /// Its cost.
    pub(crate) cost: Cost,
}

/// A reservation to be made.
pub(crate) struct Request<'a> {
    pub(crate) ledger: &'a Path,
    pub(crate) spending: &'a Spending,
    /// Chosen at random, one for each run.
    pub(crate) key: [u8; 16],
    /// Whether it is only found out if it would fit.
    pub(crate) dry_run: bool,
    /// The format of the input, for hints.
    pub(crate) format: Format,
}

impl Request<'_> {
    /// Reserves for the records that `fill` adds; `refused` turns a refusal into a failure with advice.
    pub(crate) fn reserve(
        &self,
        fill: impl FnOnce(&mut Adding<'_>) -> Result<(), Failure>,
        refused: impl FnOnce(LedgerError) -> Failure,
    ) -> Result<Reserved, Failure> {
        let mut ledger = Ledger::open(self.ledger)?;
        let (name, format) = (ledger.name().to_owned(), self.format);
        let what = format!("{} {}", self.spending.method, env!("CARGO_PKG_VERSION"));
        let reservation = Reservation { key: self.key, what: &what, cost: self.spending.cost };
        let reserving = ledger.begin(&reservation)?;
        let limits = reserving.limits();
        let mut adding = Adding { reserving, limits, ledger: name, format, without_author: 0 };
        fill(&mut adding)?;
        let Adding { reserving, without_author, ledger, .. } = adding;
        let (each, entry, head) = if self.dry_run {
            (reserving.check().map_err(refused)?, None, None)
        } else {
            let receipt = reserving.commit().map_err(refused)?;
            (receipt.each, Some(receipt.entry), Some(receipt.hash))
        };
        let limited = limits.record.is_some() || limits.author.is_some();
        Ok(Reserved { ledger, entry, head, each, without_author, limited })
    }

    /// Reserves for records that are in memory.
    pub(crate) fn reserve_all(&self, keys: &[Private<Key>]) -> Result<Reserved, Failure> {
        let fill = |adding: &mut Adding<'_>| (1..).zip(keys).try_for_each(|(record, key)| adding.add(record, key));
        self.reserve(fill, Failure::from)
    }
}

/// A reservation to which records are added.
pub(crate) struct Adding<'a> {
    reserving: Reserving<'a>,
    limits: Limits,
    ledger: String,
    format: Format,
    without_author: u64,
}

impl Adding<'_> {
    /// Adds a record, by its number in the input.
    pub(crate) fn add(&mut self, record: u64, key: &Private<Key>) -> Result<(), Failure> {
        let added = key.as_ref().map(|key| {
            let author = key.author.as_deref();
            (author.is_some(), self.reserving.add(&key.id, author))
        });
        let (has_author, added) = added.declassify("the ledger keeps keyed hashes of ids and authors");
        added?;
        self.without_author += u64::from(!has_author);
        if !has_author && self.limits.author.is_some() {
            return Err(authorless(record, &self.ledger, self.format));
        }
        Ok(())
    }
}

fn authorless(record: u64, ledger: &str, format: Format) -> Failure {
    let hint = match format {
        Format::Files => "a directory of files names no authors: use a table with a column for them",
        _ => "name the author's column with `--author-column`, or give every record an author",
    };
    let message = format!("record {record} has no author, and the ledger `{ledger}` limits what an author may lose");
    Failure::refusal(message, hint)
}

/// Refuses a ledger that cannot account for a run, before anything is read.
pub(crate) fn check_ledger(
    ledger: &Path,
    format: Format,
    seeded: bool,
    others: &[(&Path, &str)],
) -> Result<(), Failure> {
    if is_stream(ledger) {
        return Err(Failure::new("a ledger cannot be a stream", "give a file; `allonym ledger create FILE` makes one"));
    }
    if format == Format::Lines {
        return Err(Failure::refusal(
            "lines have no ids, and a ledger knows records by their ids",
            "use csv, tsv, jsonl or parquet with an id column, or a directory of files",
        ));
    }
    if seeded {
        return Err(Failure::refusal(
            "a seeded run is not private, so a ledger cannot account for it",
            "leave out `--seed` or `--ledger`",
        ));
    }
    // SQLite's own files beside the ledger belong to it.
    let belongings = ["", "-journal", "-wal", "-shm"].map(|end| {
        let mut name = real_path(ledger).into_os_string();
        name.push(end);
        PathBuf::from(name)
    });
    match others.iter().find(|(file, _)| same_file(file, ledger) || belongings.contains(&real_path(file))) {
        None => Ok(()),
        Some((_, what)) => {
            let message = format!("the {what} is the ledger, or belongs to it");
            Err(Failure::refusal(message, "give the ledger a file of its own"))
        }
    }
}

/// The key of a reservation that no run directory keeps.
pub(crate) fn new_key() -> Result<[u8; 16], Failure> {
    let mut random = PrivacyRng::from_os()?;
    Ok(((u128::from(random.bits()) << 64) | u128::from(random.bits())).to_be_bytes())
}
