//! The reservation of a run whose directory is kept, so that it can be resumed: its key is in the directory, and counts once.

use crate::failure::Failure;
use crate::spending::{Accounting, Request, Spending, new_key};
use allonym_io::{Compression, Format, Key, Output};
use allonym_text::Private;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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
    use allonym_ledger::{Cost, Ledger};

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
