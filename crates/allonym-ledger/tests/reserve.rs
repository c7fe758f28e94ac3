//! What a reservation counts, and when it is refused.

mod common;

use allonym_ledger::{Amount, Ledger, LedgerError, Limit, Loss, Reservation, Scope};
use common::{Place, assert_good, epsilon, key, limit, reservation, reserve_authors, reserve_ids};

fn refused(error: &LedgerError) -> (Scope, u64, f64, f64, f64) {
    let LedgerError::Refused { scope, place, needed, left, fits, .. } = error else { panic!("{error:?}") };
    (*scope, *place, needed.epsilon(), left.epsilon(), fits.epsilon())
}

#[test]
fn losses_of_a_record_add_up() {
    let place = Place::new();
    let mut ledger = place.create();
    for number in 0..3 {
        ledger.reserve(&reservation(number, 0.1, 1e-6), [("7", Some("anna"))]).unwrap();
    }
    let spent = ledger.spent_record(b"7").unwrap();
    assert_eq!((spent.amount, spent.lines), (Loss::Bounded(Amount::spent(0.3, 3e-6).unwrap()), 3));
    assert_eq!(ledger.spent_record(b"8").unwrap().lines, 0);
    assert_good(&ledger);
}

#[test]
fn n_records_of_an_author_cost_n_times() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_authors(&mut ledger, 1, &["anna", "ben", "anna", "anna"]).unwrap();
    assert_eq!(ledger.spent_author(b"anna").unwrap().amount.epsilon(), 3.0);
    assert_eq!(ledger.spent_author(b"ben").unwrap().amount.epsilon(), 1.0);
}

#[test]
fn an_id_that_occurs_twice_counts_twice() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_ids(&mut ledger, 1, &["a", "b", "a"]).unwrap();
    assert_eq!(ledger.spent_record(b"a").unwrap().amount.epsilon(), 2.0);
}

#[test]
fn a_record_without_author_counts_for_no_author() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Author, 0.0);
    reserve_ids(&mut ledger, 1, &["a"]).unwrap();
    assert_eq!(ledger.summary().unwrap().authors, 0);
}

#[test]
fn a_ledger_without_limits_records_and_never_refuses() {
    let place = Place::new();
    let mut ledger = place.create();
    ledger.reserve(&epsilon(1, 1e9), [("a", Some("anna"))]).unwrap();
    assert_eq!(ledger.summary().unwrap().largest_author.epsilon(), 1e9);
}

#[test]
fn ten_tenths_fit_into_one_and_eleven_do_not() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Record, 1.0);
    for number in 0..10 {
        ledger.reserve(&epsilon(number, 0.1), [("a", None::<&str>)]).unwrap();
    }
    let error = ledger.reserve(&epsilon(11, 0.1), [("a", None::<&str>)]).unwrap_err();
    assert_eq!(refused(&error), (Scope::Record, 1, 0.1, 0.0, 0.0));
}

#[test]
fn a_refusal_names_the_place_and_spends_nothing() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Record, 1.5);
    reserve_ids(&mut ledger, 1, &["canary"]).unwrap();
    let before = ledger.summary().unwrap();
    let error = reserve_ids(&mut ledger, 2, &["a", "b", "canary", "d"]).unwrap_err();
    assert_eq!(refused(&error), (Scope::Record, 3, 1.0, 0.5, 0.5));
    assert!(error.is_refusal());
    assert!(!format!("{error} {error:?} {}", error.hint()).contains("canary"));
    assert_eq!(ledger.summary().unwrap(), before);
    assert_good(&ledger);
}

#[test]
fn what_would_fit_takes_all_records_of_an_author_into_account() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Author, 3.0);
    limit(&mut ledger, Scope::Record, 0.8);
    // Anna needs 4 and has 3: 0.75 a record. Her fourth record is the fifth line. A record alone could have 0.8.
    let authors = ["anna", "ben", "anna", "anna", "anna"].map(Some);
    let records = || ["1", "2", "3", "4", "5"].into_iter().zip(authors);
    let error = ledger.reserve(&epsilon(1, 0.76), records()).unwrap_err();
    assert_eq!(refused(&error), (Scope::Author, 5, 3.04, 3.0, 0.75));
    ledger.reserve(&epsilon(1, error.fits().unwrap().epsilon()), records()).unwrap();
    assert_eq!(ledger.spent_author(b"anna").unwrap().amount.epsilon(), 3.0);
}

#[test]
fn delta_is_limited_too() {
    let place = Place::new();
    let mut ledger = place.create();
    ledger.set_limit(Limit { scope: Scope::Record, epsilon: 10.0, delta: 1e-6 }).unwrap();
    let reservation = reservation(1, 1.0, 6e-7);
    ledger.reserve(&reservation, [("a", None::<&str>)]).unwrap();
    let error = ledger.reserve(&Reservation { key: key(2), ..reservation }, [("a", None::<&str>)]).unwrap_err();
    assert_eq!(error.fits().unwrap(), Amount::allowed(9.0, 4e-7).unwrap());
    assert!(error.to_string().contains("needs delta 0.0000006 for this release"), "{error}");
}

#[test]
fn a_limit_below_what_was_spent_leaves_nothing() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_ids(&mut ledger, 1, &["a"]).unwrap();
    limit(&mut ledger, Scope::Record, 0.5);
    let error = reserve_ids(&mut ledger, 2, &["a"]).unwrap_err();
    assert_eq!(refused(&error), (Scope::Record, 1, 1.0, 0.0, 0.0));
    assert_good(&ledger);
}

#[test]
fn what_costs_nothing_passes_where_nothing_is_left() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_ids(&mut ledger, 1, &["a"]).unwrap();
    limit(&mut ledger, Scope::Record, 0.5);
    ledger.reserve(&epsilon(2, 0.0), [("a", None::<&str>)]).unwrap();
    let with_delta = reservation(3, 0.0, 1e-9);
    let error = ledger.reserve(&with_delta, [("b", None), ("a", None::<&str>)]).unwrap_err();
    assert!(error.to_string().starts_with("record 1 of the input needs delta 0.000000001"), "{error}");
}

#[test]
fn the_same_key_again_counts_nothing_and_gives_the_first_receipt() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Author, 2.0);
    let first = reserve_authors(&mut ledger, 1, &["anna", "anna"]).unwrap();
    let again = reserve_authors(&mut Ledger::open(place.ledger()).unwrap(), 1, &["anna", "anna"]).unwrap();
    assert!(again.repeated && !first.repeated);
    assert_eq!((again.entry, again.hash, again.lines, again.each), (first.entry, first.hash, first.lines, first.each));
    assert_eq!(ledger.spent_author(b"anna").unwrap().lines, 2);
    assert_good(&ledger);
}

#[test]
fn the_same_key_with_another_content_is_refused() {
    let place = Place::new();
    let mut ledger = place.create();
    reserve_authors(&mut ledger, 1, &["anna"]).unwrap();
    let head = ledger.summary().unwrap().head;
    let record = || [("1-0", Some("anna"))];
    let other = [
        reserve_authors(&mut ledger, 1, &["ben"]),
        reserve_authors(&mut ledger, 1, &["anna", "anna"]),
        reserve_ids(&mut ledger, 1, &["1-0"]),
        ledger.reserve(&epsilon(1, 2.0), record()),
        ledger.reserve(&reservation(1, 1.0, 1e-9), record()),
        ledger.reserve(&Reservation { what: "random 2", ..epsilon(1, 1.0) }, record()),
    ];
    for outcome in other {
        let error = outcome.unwrap_err();
        assert!(matches!(error, LedgerError::KeyReused { .. }) && error.is_refusal(), "{error:?}");
    }
    assert_eq!(ledger.summary().unwrap().head, head);
}

#[test]
fn a_release_of_no_records_is_an_entry_like_any_other() {
    let place = Place::new();
    let mut ledger = place.create();
    let receipt = reserve_ids(&mut ledger, 1, &[]).unwrap();
    assert_eq!((receipt.entry, receipt.lines), (2, 0));
    assert!(reserve_ids(&mut ledger, 1, &[]).unwrap().repeated);
    assert_good(&ledger);
}

#[test]
fn what_is_no_reservation_is_refused() {
    let place = Place::new();
    let mut ledger = place.create();
    let good = epsilon(1, 1.0);
    let long = "x".repeat(201);
    let mut bad: Vec<Reservation<'_>> =
        [f64::NAN, f64::INFINITY, -1.0, 1e10].map(|epsilon| reservation(1, epsilon, 0.0)).to_vec();
    bad.extend([f64::NAN, -1e-9, 1.0].map(|delta| reservation(1, 1.0, delta)));
    bad.extend(["", "a\nb", &long].map(|what| Reservation { what, ..good }));
    for reservation in bad {
        let error = ledger.reserve(&reservation, [("a", None::<&str>)]).unwrap_err();
        assert!(matches!(error, LedgerError::Setting { .. }), "{reservation:?}");
        assert!(!error.hint().is_empty());
    }
    assert_eq!(ledger.summary().unwrap().entries, 1);
}

#[test]
fn a_sum_that_is_too_large_to_write_down_is_refused() {
    let place = Place::new();
    let mut ledger = place.create();
    ledger.reserve(&epsilon(1, 9e9), [("a", None::<&str>)]).unwrap();
    let error = ledger.reserve(&epsilon(2, 9e9), [("b", None), ("a", None::<&str>)]).unwrap_err();
    assert!(matches!(error, LedgerError::Overflow { scope: Scope::Record, place: 2 }), "{error:?}");
    assert_eq!(ledger.spent_record(b"b").unwrap().lines, 0);
    assert_good(&ledger);
}

#[test]
fn a_reservation_that_is_dropped_spends_nothing() {
    let place = Place::new();
    let mut ledger = place.create();
    let before = ledger.summary().unwrap();
    let mut reserving = ledger.begin(&epsilon(1, 1.0)).unwrap();
    reserving.add(b"a", Some(b"anna")).unwrap();
    drop(reserving);
    assert_eq!(ledger.summary().unwrap(), before);
}

#[test]
fn the_file_holds_neither_ids_nor_authors() {
    let place = Place::new();
    let mut ledger = place.create();
    ledger.reserve(&epsilon(1, 1.0), [("canary-record", Some("canary-author"))]).unwrap();
    let bytes = std::fs::read(place.ledger()).unwrap();
    assert!(!bytes.windows(6).any(|window| window == b"canary"));
}

#[test]
fn the_summary_counts() {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Author, 5.0);
    reserve_authors(&mut ledger, 1, &["anna", "anna", "ben"]).unwrap();
    let summary = Ledger::open(place.ledger()).unwrap().summary().unwrap();
    assert_eq!((summary.name.as_str(), summary.entries, summary.records, summary.authors), ("test", 3, 3, 2));
    assert_eq!((summary.largest_record.epsilon(), summary.largest_author.epsilon()), (1.0, 2.0));
    assert_eq!((summary.limits.record, summary.limits.author.map(Amount::epsilon)), (None, Some(5.0)));
}
