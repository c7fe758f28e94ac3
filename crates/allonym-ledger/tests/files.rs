//! Files that are not a good ledger, and what each gets. None of them is changed.

mod common;

use allonym_ledger::{Ledger, LedgerError};
use common::{Place, assert_good, reserve_ids};
use std::fs;

#[track_caller]
fn open_error(place: &Place) -> LedgerError {
    let before = fs::read(place.ledger()).unwrap_or_default();
    let names = place.entries();
    let error = Ledger::open(place.ledger()).expect_err("no ledger");
    assert_eq!(fs::read(place.ledger()).unwrap_or_default(), before, "{error}");
    assert_eq!(place.entries(), names, "{error}");
    assert!(!error.hint().is_empty() && !error.is_refusal());
    error
}

/// An SQLite file of another program.
fn foreign(place: &Place) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(place.ledger()).unwrap();
    connection.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))").unwrap();
    connection
}

#[test]
fn a_missing_file() {
    assert!(open_error(&Place::new()).to_string().ends_with("no such file or directory"));
}

#[test]
fn a_directory() {
    let place = Place::new();
    fs::create_dir(place.ledger()).unwrap();
    assert!(matches!(open_error(&place), LedgerError::Directory { .. }));
    assert!(matches!(Ledger::create(place.ledger(), "test"), Err(LedgerError::Directory { .. })));
}

#[test]
fn an_empty_file_and_a_text() {
    let place = Place::new();
    for contents in ["", "x", "id,text\n1,hello\n", &"long enough for a header\n".repeat(400)] {
        fs::write(place.ledger(), contents).unwrap();
        assert!(matches!(open_error(&place), LedgerError::Foreign { .. }), "{} bytes", contents.len());
    }
}

#[test]
fn an_sqlite_file_of_another_program() {
    let place = Place::new();
    drop(foreign(&place));
    assert!(open_error(&place).to_string().ends_with("it is an SQLite file of another program"));
}

#[test]
fn an_sqlite_file_of_another_program_in_the_middle_of_a_transaction() {
    let place = Place::new();
    let other = foreign(&place);
    // A small cache makes SQLite write into the file before the commit; the copy looks like after a crash.
    other
        .execute_batch("PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = randomblob(100000); CREATE TABLE u (x)")
        .unwrap();
    let copy = Place::new();
    fs::copy(place.ledger(), copy.ledger()).unwrap();
    fs::copy(place.path("test.ledger-journal"), copy.path("test.ledger-journal")).unwrap();
    assert!(open_error(&copy).to_string().ends_with("it is an SQLite file of another program"));
}

#[test]
fn a_later_version() {
    let place = Place::new();
    drop(place.create());
    place.by_hand("PRAGMA user_version = 3");
    assert!(matches!(open_error(&place), LedgerError::Newer { version: 3, known: 2, .. }));
}

#[test]
fn other_tables_under_our_mark() {
    let place = Place::new();
    place.by_hand("PRAGMA application_id = 0x416c6e79; PRAGMA user_version = 1; CREATE TABLE entry (x)");
    assert!(matches!(open_error(&place), LedgerError::Damaged { .. }));
}

#[test]
fn a_ledger_without_its_rules() {
    let place = Place::new();
    drop(place.create());
    place.by_hand("DROP TRIGGER entry_stays");
    assert!(open_error(&place).to_string().ends_with("its tables or rules are not those of a ledger"));
}

#[test]
fn a_ledger_that_was_cut_short() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_ids(&mut ledger, 1, &["a", "b"]).unwrap();
    drop(ledger);
    let whole = fs::read(place.ledger()).unwrap();
    for length in (0..whole.len()).step_by(1000).chain([99, 100, 512, whole.len() - 1]) {
        fs::write(place.ledger(), &whole[..length]).unwrap();
        match open_error(&place) {
            LedgerError::Damaged { why: "it was cut short", .. } if length >= 100 => {}
            LedgerError::Foreign { .. } if length < 100 => {}
            error => panic!("{length} of {}: {error:?}", whole.len()),
        }
    }
}

#[test]
fn what_stands_under_the_name_is_not_overwritten() {
    let place = Place::new();
    fs::write(place.ledger(), "something").unwrap();
    let error = Ledger::create(place.ledger(), "test").unwrap_err();
    assert!(matches!(error, LedgerError::Exists { .. }) && error.is_refusal());
    assert_eq!(fs::read(place.ledger()).unwrap(), b"something");
}

#[test]
fn a_directory_that_does_not_exist() {
    let error = Ledger::create(Place::new().path("nowhere/test.ledger"), "test").unwrap_err();
    assert!(matches!(error, LedgerError::Write { .. }), "{error:?}");
    assert!(error.to_string().ends_with("no such file or directory"), "{error}");
}

#[test]
fn names_that_sqlite_would_take_for_something_else() {
    let place = Place::new();
    for name in [":memory:", "file:x?mode=memory", "a b%20c#d?e", "ü.ledger"] {
        drop(Ledger::create(place.path(name), "test").unwrap());
        assert_good(&Ledger::open(place.path(name)).unwrap());
        assert!(place.entries().contains(&name.to_owned()));
    }
}

#[test]
fn a_new_ledger_is_one_file() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_ids(&mut ledger, 1, &["a"]).unwrap();
    assert_eq!(place.entries(), ["test.ledger"]);
}

#[cfg(unix)]
#[test]
fn a_new_ledger_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    drop(place.create());
    assert_eq!(fs::metadata(place.ledger()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_name_that_cannot_be_shown_is_refused() {
    let place = Place::new();
    for name in ["", "two\nlines", &"x".repeat(201)] {
        assert!(matches!(Ledger::create(place.ledger(), name), Err(LedgerError::Setting { .. })));
    }
    assert!(place.entries().is_empty());
}
