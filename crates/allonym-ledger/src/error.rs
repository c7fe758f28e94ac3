//! What can go wrong with a ledger. Whatever it is, nothing was spent. Messages name files, places and amounts, never an
//! id or an author.

use crate::amount::Amount;
use crate::limit::Scope;
use rusqlite::ErrorCode;
use std::io;
use thiserror::Error;

/// An error of the ledger.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// A limit would be passed.
    #[error("{}", refusal(*scope, *place, *needed, (!unbounded).then_some(*left), ledger))]
    Refused {
        /// The ledger's name.
        ledger: String,
        /// Whose limit.
        scope: Scope,
        /// The first record for which the limit would be passed, counted from 1 in the input.
        place: u64,
        /// What the whole reservation needs for this record or author.
        needed: Amount,
        /// What this record or author has left.
        left: Amount,
        /// Whether nothing is left because an earlier release had no bound.
        unbounded: bool,
        /// The most that could be reserved for each line instead, and all would fit.
        fits: Amount,
    },
    /// A loss without a bound, where there is a limit.
    #[error("this release has no bound on its privacy loss, and the ledger `{ledger}` has a limit for each {scope}")]
    Unbounded {
        /// The ledger's name.
        ledger: String,
        /// Whose limit.
        scope: Scope,
    },
    /// A sum that no longer fits the file's numbers.
    #[error("record {place} of the input: the sum of what its {scope} spent is too large to be written down")]
    Overflow {
        /// Whose sum.
        scope: Scope,
        /// The record, counted from 1 in the input.
        place: u64,
    },
    /// The key of an earlier reservation, with another content.
    #[error("the ledger `{ledger}` has another reservation under the same key")]
    KeyReused {
        /// The ledger's name.
        ledger: String,
    },
    /// There is something under the name already.
    #[error("{file} exists already")]
    Exists {
        /// The file's name.
        file: String,
    },
    /// A setting outside its range.
    #[error("`{setting}` is {value}; it must be {allowed}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// Its value, or what is wrong with it.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// The operating system refused to read.
    #[error("cannot read {file}: {}", plain(source))]
    Read {
        /// The file's name.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// The operating system refused to write.
    #[error("cannot write {file}: {}", plain(source))]
    Write {
        /// The file's name.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A directory.
    #[error("{file} is a directory, not a ledger")]
    Directory {
        /// Its name.
        file: String,
    },
    /// A file with several names (hard links).
    #[error("{file} has several names")]
    Linked {
        /// One of them.
        file: String,
    },
    /// A file of another kind. It was not touched.
    #[error("{file} is not a ledger: {found}")]
    Foreign {
        /// The file's name.
        file: String,
        /// What it is.
        found: &'static str,
    },
    /// A ledger of a later version of Allonym. It was not touched.
    #[error("{file} is a ledger of version {version}; this program knows version {known}")]
    Newer {
        /// The file's name.
        file: String,
        /// The file's version.
        version: i64,
        /// Ours.
        known: i32,
    },
    /// A ledger that cannot be trusted.
    #[error("{file} is damaged: {why}")]
    Damaged {
        /// The file's name.
        file: String,
        /// What was found.
        why: &'static str,
    },
    /// A file, or a directory, that may not be written.
    #[error("{file} cannot be written")]
    ReadOnly {
        /// The file's name.
        file: String,
    },
    /// Another process did not let go.
    #[error("{file} has been in use by another process for {seconds} seconds")]
    Busy {
        /// The file's name.
        file: String,
        /// How long we waited.
        seconds: u64,
    },
    /// No space.
    #[error("cannot write {file}: no space left on device")]
    Full {
        /// The file's name.
        file: String,
    },
    /// The operating system gave no randomness for the key.
    #[error("the operating system gave no randomness; no ledger was created")]
    NoEntropy,
    /// A reservation that failed once cannot be carried on.
    #[error("this reservation has failed already")]
    Failed,
    /// Anything else that SQLite reports.
    #[error("{file} cannot be used: SQLite reports error {code}")]
    Storage {
        /// The file's name.
        file: String,
        /// SQLite's extended result code.
        code: i32,
    },
}

impl LedgerError {
    /// Whether the ledger declined to do harm, rather than failed.
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused { .. }
                | Self::Unbounded { .. }
                | Self::Overflow { .. }
                | Self::KeyReused { .. }
                | Self::Exists { .. }
        )
    }

    /// What could be reserved for each line, when the reservation was refused for its size.
    pub fn fits(&self) -> Option<Amount> {
        match self {
            Self::Refused { fits, .. } => Some(*fits),
            _ => None,
        }
    }

    /// What the person who sees the error can do.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::Refused { fits, needed, left, .. } => return advice(*needed, *left, *fits),
            Self::Unbounded { .. } => {
                "nothing was spent; choose a method with a formal guarantee, or a ledger without limits, which records the loss as unbounded"
            }
            Self::Overflow { .. } => "such a loss promises nothing; check the epsilon of the mechanism",
            Self::KeyReused { .. } => "a key stands for one release; choose another for another",
            Self::Exists { .. } => "choose another name; what was spent must not be forgotten by overwriting",
            Self::Setting { .. } => "nothing was written",
            Self::Read { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "check the path; `allonym ledger create FILE` makes a new one",
                io::ErrorKind::PermissionDenied => "you need permission to read the file",
                _ => "nothing was spent",
            },
            Self::Write { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "the ledger's directory must exist",
                io::ErrorKind::PermissionDenied => "you need permission to write in that directory",
                _ => "nothing was spent",
            },
            Self::Directory { .. } => "give a file; `allonym ledger create FILE` makes one",
            Self::Linked { .. } => {
                "a ledger must have one name, or an interrupted run could be missed: delete the other hard link"
            }
            Self::Foreign { .. } => {
                "check the path; the file was not touched. If it was a ledger, its first bytes are damaged: take a backup"
            }
            Self::Newer { .. } => "use the version of Allonym that wrote it; the file was not touched",
            Self::Damaged { .. } => {
                "nothing was spent. Keep the file, take a backup, and count what was released since then as spent"
            }
            Self::ReadOnly { .. } => "nothing was spent; you need permission to write the file and its directory",
            Self::Busy { .. } => "nothing was spent; try again when the other run has finished",
            Self::Full { .. } => "nothing was spent; free some space and try again",
            Self::NoEntropy => "a ledger needs a random key; there is no fallback",
            Self::Failed => "nothing was spent; begin a new one",
            Self::Storage { .. } => "nothing was spent; `allonym ledger verify FILE` checks the file",
        };
        hint.to_owned()
    }

    /// Turns what SQLite reports about a file into an error of ours. SQLite's own words are left out: they may quote.
    pub(crate) fn storage(file: &str) -> impl Fn(rusqlite::Error) -> Self + Copy + '_ {
        move |error| {
            let file = file.to_owned();
            let Some(failure) = error.sqlite_error() else {
                // A missing row or a value of another type: the tables are ours, their contents are not.
                return Self::Damaged { file, why: "it holds something no ledger writes" };
            };
            match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    Self::Busy { file, seconds: crate::file::PATIENCE.as_secs() }
                }
                // SQLite cannot open its journal when the directory may not be written.
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Self::ReadOnly { file },
                ErrorCode::DiskFull => Self::Full { file },
                ErrorCode::DatabaseCorrupt => Self::Damaged { file, why: "its pages do not fit together" },
                ErrorCode::NotADatabase => Self::Damaged { file, why: "its header is not SQLite's" },
                ErrorCode::ConstraintViolation => Self::Damaged { file, why: "one of its own rules forbids the entry" },
                _ => Self::Storage { file, code: failure.extended_code },
            }
        }
    }
}

fn refusal(scope: Scope, place: u64, needed: Amount, left: Option<Amount>, ledger: &str) -> String {
    let who = match scope {
        Scope::Record => format!("record {place} of the input"),
        Scope::Author => format!("the author of record {place} of the input"),
    };
    let Some(left) = left else {
        return format!(
            "{who} has a release without a bound in the ledger `{ledger}`: its privacy loss is unbounded, and no limit leaves anything to spend"
        );
    };
    let (quantity, needs, has) = if needed.epsilon_nano > left.epsilon_nano {
        ("epsilon", needed.epsilon_decimal(), left.epsilon_decimal())
    } else {
        ("delta", needed.delta_decimal(), left.delta_decimal())
    };
    format!("{who} needs {quantity} {needs} for this release; the ledger `{ledger}` has {has} left")
}

fn advice(needed: Amount, left: Amount, fits: Amount) -> String {
    let (quantity, most, none) = if needed.epsilon_nano > left.epsilon_nano {
        ("epsilon", fits.epsilon_decimal(), fits.epsilon_nano == 0)
    } else {
        ("delta", fits.delta_decimal(), fits.delta_atto == 0)
    };
    if none {
        format!("nothing was spent; some have no {quantity} left: leave them out, or see `allonym ledger show FILE`")
    } else {
        format!(
            "nothing was spent; {quantity} {most} a record would fit everyone: draw fewer tokens, leave some records out, or see `allonym ledger show FILE`"
        )
    }
}

/// The operating system's message without Rust's "(os error N)".
fn plain(source: &io::Error) -> String {
    let text = source.to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(scope: Scope, needed: Amount, left: Amount, fits: Amount) -> LedgerError {
        LedgerError::Refused { ledger: "reviews".into(), scope, place: 3, needed, left, unbounded: false, fits }
    }

    fn amount(epsilon: f64, delta: f64) -> Amount {
        Amount::spent(epsilon, delta).unwrap()
    }

    #[test]
    fn a_refusal_says_who_needs_how_much_and_what_is_left() {
        let error = refused(Scope::Author, amount(1040.4, 0.0), amount(200.0, 0.0), amount(100.0, 0.0));
        let expected = "the author of record 3 of the input needs epsilon 1040.4 for this release; the ledger `reviews` has 200 left";
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().contains("epsilon 100 a record would fit everyone"));
    }

    #[test]
    fn a_refusal_speaks_of_delta_when_that_is_what_lacks() {
        let error = refused(Scope::Record, amount(1.0, 1e-5), amount(2.0, 1e-6), amount(2.0, 1e-6));
        assert!(error.to_string().starts_with("record 3 of the input needs delta 0.00001 for"), "{error}");
        assert!(error.hint().contains("delta 0.000001 a record"));
    }

    #[test]
    fn nothing_left_is_said_as_that() {
        let error = refused(Scope::Record, amount(1.0, 0.0), amount(0.0, 0.0), amount(0.0, 0.0));
        assert!(error.hint().contains("no epsilon left"));
    }
}
