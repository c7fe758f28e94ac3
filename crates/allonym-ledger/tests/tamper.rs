//! What verification finds, and the one thing it cannot find without a head that was kept elsewhere.

mod common;

use allonym_ledger::{Broken, Ledger, Scope, Summary};
use common::{Place, assert_good, limit, reserve_authors};
use std::fs;

/// Entries: 1 creation, 2 limit, 3 to 5 reservations.
fn ledger() -> Place {
    let place = Place::new();
    let mut ledger = place.create();
    limit(&mut ledger, Scope::Author, 50.0);
    for number in 1..=3 {
        reserve_authors(&mut ledger, number, &["anna", "ben", "anna"]).unwrap();
    }
    assert_good(&ledger);
    place
}

/// Changes a ledger as somebody would who knows SQLite: rules away, change, rules back.
fn tamper(place: &Place, change: &str) {
    let connection = rusqlite::Connection::open(place.ledger()).unwrap();
    let mut query = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rules: Vec<(String, String)> =
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap();
    drop(query);
    rules.iter().for_each(|(name, _)| connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    connection.execute_batch(change).unwrap();
    rules.iter().for_each(|(_, rule)| connection.execute_batch(rule).unwrap());
}

fn broken(place: &Place) -> Option<Broken> {
    Ledger::open(place.ledger()).unwrap().verify(None).unwrap().broken
}

#[test]
fn a_good_ledger_is_found_good() {
    let place = ledger();
    let verification = Ledger::open(place.ledger()).unwrap().verify(None).unwrap();
    assert_eq!((verification.entries, verification.lines, verification.broken), (5, 9, None));
}

#[test]
fn every_change_of_the_journal_is_found_at_its_entry() {
    let changes = [
        ("UPDATE entry SET body = replace(body, '50000000000', '90000000000') WHERE sequence = 2", 2),
        ("UPDATE entry SET hash = zeroblob(32) WHERE sequence = 3", 3),
        ("UPDATE entry SET previous = zeroblob(32) WHERE sequence = 4", 4),
        ("UPDATE entry SET key = zeroblob(16) WHERE sequence = 4", 4),
        ("UPDATE entry SET key = x'01' WHERE sequence = 4", 4),
        ("UPDATE entry SET body = CAST(x'ff' AS TEXT) WHERE sequence = 5", 5),
        ("DELETE FROM entry WHERE sequence = 3", 3),
        ("DELETE FROM entry WHERE sequence = 3; DELETE FROM line WHERE sequence = 3", 3),
        ("DELETE FROM line WHERE sequence = 4 AND place = 2", 4),
        ("DELETE FROM line WHERE sequence = 4 AND place = 3", 4),
        ("UPDATE line SET author = NULL WHERE sequence = 5 AND place = 1", 5),
        ("UPDATE line SET record = x'00' WHERE sequence = 5 AND place = 1", 5),
        ("UPDATE line SET place = place + 10 WHERE sequence = 5", 5),
        ("INSERT INTO line SELECT sequence, 4, record, author FROM line WHERE sequence = 3 AND place = 3", 3),
        ("UPDATE line SET sequence = 9 WHERE sequence = 4", 4),
    ];
    for (change, entry) in changes {
        let place = ledger();
        tamper(&place, change);
        assert_eq!(broken(&place).expect(change).entry, Some(entry), "{change}");
    }
}

#[test]
fn what_does_not_follow_from_the_journal_is_found() {
    let changes = [
        ("INSERT INTO line SELECT 9, place, record, author FROM line WHERE sequence = 3", "belong to no entry"),
        ("UPDATE limits SET epsilon = epsilon + 1", "limits in force"),
        ("DELETE FROM limits", "limits in force"),
        ("UPDATE record_balance SET epsilon = 0", "balances of records"),
        ("UPDATE author_balance SET lines = lines + 1", "balances of authors"),
        ("DELETE FROM author_balance", "balances of authors"),
        ("INSERT INTO record_balance VALUES (zeroblob(16), 0, 0, 0)", "balances of records"),
        ("INSERT INTO record_balance VALUES (x'00', 0, 0, 0)", "no ledger writes"),
    ];
    for (change, why) in changes {
        let place = ledger();
        tamper(&place, change);
        let found = broken(&place).expect(change);
        assert!(found.entry.is_none() && found.why.contains(why), "{change}: {found}");
    }
}

#[test]
fn a_head_that_was_kept_elsewhere_shows_that_the_end_was_cut_off() {
    let place = ledger();
    let head = Ledger::open(place.ledger()).unwrap().summary().unwrap().head;
    // Somebody takes the last reservation away and puts the balances right.
    tamper(
        &place,
        "DELETE FROM entry WHERE sequence = 5;
         UPDATE author_balance SET epsilon = epsilon - (SELECT count(*) FROM line WHERE sequence = 5 AND author = tag) * 1000000000,
           lines = lines - (SELECT count(*) FROM line WHERE sequence = 5 AND author = tag);
         DELETE FROM record_balance WHERE tag IN (SELECT record FROM line WHERE sequence = 5);
         DELETE FROM line WHERE sequence = 5;",
    );
    let ledger = Ledger::open(place.ledger()).unwrap();
    assert_good(&ledger);
    let broken = ledger.verify(Some(&head)).unwrap().broken.unwrap();
    assert_eq!(broken.why, "the chain does not contain the given head");
}

#[test]
fn an_earlier_head_is_contained_in_a_longer_chain() {
    let place = ledger();
    let mut ledger = Ledger::open(place.ledger()).unwrap();
    let head = ledger.summary().unwrap().head;
    reserve_authors(&mut ledger, 9, &["anna"]).unwrap();
    assert_eq!(ledger.verify(Some(&head)).unwrap().broken, None);
}

#[test]
fn no_flipped_byte_changes_what_a_ledger_says_unnoticed() {
    let says = |ledger: &Ledger| -> Option<(Summary, u64, String)> {
        let (anna, record) = (ledger.spent_author(b"anna").ok()?, ledger.spent_record(b"1-0").ok()?);
        Some((ledger.summary().ok()?, anna.lines + record.lines, format!("{} {}", anna.amount, record.amount)))
    };
    let place = ledger();
    let truth = says(&Ledger::open(place.ledger()).unwrap());
    let good = fs::read(place.ledger()).unwrap();
    let mut noticed = 0;
    // Every byte of the header, and a share of all others.
    for at in (0..100).chain((100..good.len()).step_by(13)) {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let place = Place::new();
        fs::write(place.ledger(), &bad).unwrap();
        match Ledger::open(place.ledger()) {
            Ok(ledger) if ledger.verify(None).is_ok_and(|v| v.broken.is_none()) => {
                assert_eq!(says(&ledger), truth, "byte {at}");
            }
            _ => noticed += 1,
        }
    }
    // The rest are bytes that mean nothing: unused space of pages, counters of SQLite.
    assert!(noticed > 300, "{noticed}");
}
