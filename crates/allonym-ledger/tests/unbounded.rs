//! Losses without a bound, and ledgers of version 1, which had none.

mod common;

use allonym_ledger::{Ledger, LedgerError, Loss, Scope, Unbounded};
use common::{Place, assert_good, epsilon, limit, reserve_authors, unbounded};

const NOBODY: Option<&str> = None;

#[test]
fn a_loss_without_a_bound_makes_the_balances_it_touches_unbounded_for_good() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_authors(&mut ledger, 1, &["anna", "ben"]).unwrap();
    let receipt = ledger.reserve(&unbounded(2), [("1-0", Some("anna"))]).unwrap();
    assert_eq!(receipt.each, Loss::Unbounded);
    reserve_authors(&mut ledger, 3, &["anna"]).unwrap();
    for ledger in [ledger, Ledger::open(place.ledger()).unwrap()] {
        let (anna, ben) = (ledger.spent_author(b"anna").unwrap(), ledger.spent_author(b"ben").unwrap());
        assert_eq!((anna.amount, anna.lines), (Loss::Unbounded, 3));
        assert_eq!((ben.amount.epsilon(), ben.lines), (1.0, 1));
        assert_eq!(ledger.spent_record(b"1-0").unwrap().amount, Loss::Unbounded);
        assert_eq!(ledger.spent_record(b"3-0").unwrap().amount.epsilon(), 1.0);
        let summary = ledger.summary().unwrap();
        assert_eq!((summary.largest_record, summary.largest_author), (Loss::Unbounded, Loss::Unbounded));
        assert_eq!(summary.unbounded, Unbounded { records: 1, authors: 1 });
        assert_eq!(ledger.verify(None).unwrap().unbounded, 1);
        assert_good(&ledger);
    }
}

#[test]
fn a_loss_without_a_bound_is_refused_under_any_limit_and_writes_nothing() {
    for scope in Scope::ALL {
        let place = Place::new();
        let mut ledger = place.create();
        limit(&mut ledger, scope, 1e9);
        let before = ledger.summary().unwrap();
        let error = ledger.reserve(&unbounded(1), [("a", NOBODY)]).unwrap_err();
        assert!(matches!(error, LedgerError::Unbounded { .. }) && error.is_refusal() && error.fits().is_none());
        assert!(error.to_string().contains(&format!("has a limit for each {scope}")), "{error}");
        assert_eq!(ledger.summary().unwrap(), before);
        assert_good(&ledger);
    }
}

#[test]
fn under_a_limit_that_is_set_later_nothing_is_left_for_the_unbounded() {
    let place = Place::new();
    let mut ledger = place.create();
    ledger.reserve(&unbounded(1), [("a", Some("anna"))]).unwrap();
    limit(&mut ledger, Scope::Author, 100.0);
    let error = reserve_authors(&mut ledger, 2, &["ben", "anna"]).unwrap_err();
    assert!(
        error.to_string().starts_with("the author of record 2 of the input has a release without a bound"),
        "{error}"
    );
    reserve_authors(&mut ledger, 2, &["ben"]).unwrap();
    // What costs nothing passes.
    ledger.reserve(&epsilon(3, 0.0), [("b", Some("anna"))]).unwrap();
    // What was recorded before the limit is there, and can be asked for again.
    assert!(ledger.reserve(&unbounded(1), [("a", Some("anna"))]).unwrap().repeated);
    assert_good(&ledger);
}

#[test]
fn the_same_key_counts_once_and_another_cost_under_it_is_refused() {
    let place = Place::new();
    let mut ledger = place.create();
    let first = ledger.reserve(&unbounded(1), [("a", NOBODY)]).unwrap();
    let again = ledger.reserve(&unbounded(1), [("a", NOBODY)]).unwrap();
    assert!(!first.repeated && again.repeated && first.entry == again.entry);
    let error = ledger.reserve(&epsilon(1, 1.0), [("a", NOBODY)]).unwrap_err();
    assert!(matches!(error, LedgerError::KeyReused { .. }));
}

#[test]
fn a_mark_that_was_removed_or_added_by_hand_is_found() {
    for change in [
        "DROP TRIGGER unbounded_is_kept; DELETE FROM unbounded WHERE scope = 'record'; \
         CREATE TRIGGER unbounded_is_kept BEFORE DELETE ON unbounded BEGIN SELECT RAISE(ABORT, 'kept'); END",
        "INSERT INTO unbounded SELECT 'record', tag FROM record_balance WHERE true ON CONFLICT DO NOTHING",
        "INSERT INTO unbounded VALUES ('record', x'00112233445566778899aabbccddeeff')",
        "INSERT INTO unbounded VALUES ('nobody', x'00')",
    ] {
        let place = Place::new();
        let mut ledger = place.create();
        reserve_authors(&mut ledger, 1, &["anna"]).unwrap();
        ledger.reserve(&unbounded(2), [("a", NOBODY)]).unwrap();
        drop(ledger);
        place.by_hand(change);
        assert!(Ledger::open(place.ledger()).unwrap().verify(None).unwrap().broken.is_some(), "{change}");
    }
}

/// A ledger that Allonym 0.1.0 wrote: three records of two authors, released twice.
fn version_1() -> (Place, Ledger) {
    let place = Place::new();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/version-1.ledger");
    std::fs::copy(fixture, place.ledger()).unwrap();
    let ledger = Ledger::open(place.ledger()).unwrap();
    (place, ledger)
}

fn version_of(place: &Place) -> i64 {
    let connection = rusqlite::Connection::open(place.ledger()).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[test]
fn a_ledger_of_version_1_opens_verifies_and_takes_reservations() {
    let (place, mut ledger) = version_1();
    let head = ledger.summary().unwrap().head;
    assert_good(&ledger);
    assert_eq!(ledger.spent_author(b"anna").unwrap().amount.to_string(), "epsilon 79.999999866, delta 0");
    ledger.reserve(&epsilon(1, 1.0), [("1", Some("anna"))]).unwrap();
    limit(&mut ledger, Scope::Author, 81.5);
    assert!(reserve_authors(&mut ledger, 2, &["anna"]).is_err());
    assert_eq!(ledger.verify(Some(&head)).unwrap().broken, None);
    // 0.1 can go on with it: nothing needed the tables of version 2.
    assert_eq!(version_of(&place), 1);
}

#[test]
fn a_ledger_of_version_1_takes_a_loss_without_a_bound_and_is_then_of_version_2() {
    let (place, mut ledger) = version_1();
    let head = ledger.summary().unwrap().head;
    let mut other = Ledger::open(place.ledger()).unwrap();
    ledger.reserve(&unbounded(1), [("1", Some("anna"))]).unwrap();
    assert_eq!(version_of(&place), 2);
    // Whoever had it open before sees it too.
    assert_eq!(other.spent_author(b"anna").unwrap().amount, Loss::Unbounded);
    reserve_authors(&mut other, 2, &["ben"]).unwrap();
    assert_eq!(other.spent_author(b"ben").unwrap().amount.to_string(), "epsilon 40.999999933, delta 0");
    let verification = Ledger::open(place.ledger()).unwrap().verify(Some(&head)).unwrap();
    assert_eq!((verification.broken, verification.unbounded), (None, 1));
}

#[test]
fn a_refused_or_dropped_reservation_does_not_upgrade_a_ledger() {
    let (place, mut ledger) = version_1();
    drop(ledger.begin(&unbounded(1)).unwrap());
    assert_eq!(version_of(&place), 1);
    limit(&mut ledger, Scope::Record, 1e6);
    assert!(ledger.begin(&unbounded(1)).is_err());
    assert_eq!(version_of(&place), 1);
}
