//! What a run spends is written into a ledger before anything is drawn, or is explicitly unaccounted.
//!
//! Everything that spends privacy takes an [`Accounting`]: a reservation, or `Unaccounted`. A method without a bound is
//! recorded as unbounded, and refused by a ledger with limits.

use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_io::{Compression, Format, Key, Output, is_stream, real_path, same_file};
use allonym_ledger::{Cost, Hash, Ledger, LedgerError, Limits, Loss, Reservation, Reserving};
use allonym_text::Private;
use serde::{Deserialize, Serialize};
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

/// What the directory of a run keeps of its reservation, for its owner.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
}

fn kept_in(directory: &Path) -> PathBuf {
    directory.join("training").join("reservation.json")
}

/// The key of the reservation of a run that can be resumed: it is kept before anything is reserved, so that a run that goes on is
/// counted once.
fn kept_key(directory: &Path) -> Result<[u8; 16], Failure> {
    let path = kept_in(directory);
    let damaged = || {
        let message = format!("{} is damaged", path.display());
        Failure::refusal(message, "begin anew in another directory, at a price of its own")
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => {
            let kept: Kept = serde_json::from_str(&text).map_err(|_| damaged())?;
            let key = (kept.key.len() == 32).then(|| u128::from_str_radix(&kept.key, 16).ok()).flatten();
            key.map(u128::to_be_bytes).ok_or_else(damaged)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let key = new_key()?;
            let kept = Kept { key: format!("{:032x}", u128::from_be_bytes(key)) };
            // The directory is its owner's alone.
            let mut file = Output::create(&path, Compression::None)?;
            file.write(serde_json::to_string(&kept).unwrap_or_default().as_bytes())?;
            file.finish()?;
            Ok(key)
        }
        Err(error) => Err(Failure::reading("the key of the reservation", &path, &error)),
    }
}

/// Accounts for a run whose directory is kept. `begin` takes possession of the directory; it is called once it is known that the
/// ledger has room, so that a refused run leaves nothing behind.
pub(crate) fn account_for_run<Held>(
    ledger: Option<&Path>,
    spending: &Spending,
    (keys, format): (&[Private<Key>], Format),
    (directory, resume): (&Path, bool),
    begin: impl FnOnce() -> Result<Held, Failure>,
) -> Result<(Held, Accounting), Failure> {
    let Some(ledger) = ledger else {
        let held = begin()?;
        if resume && kept_in(directory).exists() {
            let message = "this run has a reservation in a ledger, and no ledger is given";
            return Err(Failure::refusal(message, "repeat `--ledger` of the first command: nothing is counted twice"));
        }
        return Ok((held, Accounting::Unaccounted));
    };
    if !resume {
        Request { ledger, spending, key: new_key()?, dry_run: true, format }.reserve_all(keys)?;
    }
    let held = begin()?;
    let request = Request { ledger, spending, key: kept_key(directory)?, dry_run: false, format };
    Ok((held, Accounting::Reserved(request.reserve_all(keys)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: u8) -> Vec<Private<Key>> {
        (0..count).map(|id| Private::new(Key { id: vec![id], author: Some(b"anna".to_vec()) })).collect()
    }

    fn spending(epsilon: f64) -> Spending {
        Spending { method: "test".into(), cost: Cost::Bounded { epsilon, delta: 0.0 } }
    }

    struct Place {
        directory: tempfile::TempDir,
    }

    impl Place {
        fn new(limit: f64) -> Self {
            let place = Self { directory: tempfile::tempdir().unwrap() };
            let mut ledger = Ledger::create(place.ledger(), "test").unwrap();
            let scope = allonym_ledger::Scope::Author;
            ledger.set_limit(allonym_ledger::Limit { scope, epsilon: limit, delta: 0.0 }).unwrap();
            place
        }

        fn ledger(&self) -> PathBuf {
            self.directory.path().join("test.ledger")
        }

        fn run(&self, epsilon: f64, resume: bool) -> Result<Accounting, Failure> {
            let work = self.directory.path().join("work");
            let begin =
                || std::fs::create_dir_all(work.join("training")).map_err(|error| Failure::writing(&work, &error));
            let (ledger, spending) = (self.ledger(), spending(epsilon));
            let keys = (&keys(2)[..], Format::Csv);
            account_for_run(Some(&ledger), &spending, keys, (&work, resume), begin).map(|(_, accounting)| accounting)
        }

        fn spent(&self) -> f64 {
            Ledger::open(self.ledger()).unwrap().spent_author(b"anna").unwrap().amount.epsilon()
        }
    }

    #[test]
    fn a_run_that_goes_on_is_counted_once() {
        let place = Place::new(10.0);
        let first = place.run(1.0, false).unwrap();
        let again = place.run(1.0, true).unwrap();
        assert_eq!(place.spent(), 2.0);
        assert_eq!(first.reserved().unwrap().entry, again.reserved().unwrap().entry);
    }

    #[test]
    fn a_run_over_the_limit_leaves_no_directory() {
        let place = Place::new(1.5);
        assert!(place.run(1.0, false).unwrap_err().message.contains("needs epsilon"));
        assert_eq!(place.spent(), 0.0);
        assert!(!place.directory.path().join("work").exists());
    }

    #[test]
    fn a_run_with_a_reservation_does_not_go_on_without_its_ledger() {
        let place = Place::new(10.0);
        place.run(1.0, false).unwrap();
        let work = place.directory.path().join("work");
        let keys = (&keys(2)[..], Format::Csv);
        let error = account_for_run(None, &spending(1.0), keys, (&work, true), || Ok(())).unwrap_err();
        assert!(error.message.contains("no ledger is given"));
    }
}
