//! Several processes, and several threads, at one ledger.

mod common;

use allonym_ledger::{Ledger, LedgerError, Scope};
use common::{Place, assert_good, epsilon, limit};
use std::process::{Command, Stdio};

/// Set for the other processes: which one it is, and the ledger.
const CHILD: &str = "LEDGER_TEST_CHILD";

/// Not a test of its own: reserves for one author until the ledger refuses.
#[test]
fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (number, path) = task.split_once(' ').unwrap();
    let number: u64 = number.parse().unwrap();
    let mut ledger = Ledger::open(path).unwrap();
    for attempt in 0.. {
        let key = number * 1_000_000 + attempt;
        match ledger.reserve(&epsilon(key, 0.25), [(key.to_string(), Some("shared"))]) {
            Ok(_) => println!("\ngranted"),
            Err(LedgerError::Refused { scope: Scope::Author, place: 1, .. }) => return,
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn processes_that_share_a_limit_never_pass_it() {
    let place = Place::new();
    limit(&mut place.create(), Scope::Author, 20.0);
    let children: Vec<_> = (1..=3)
        .map(|number| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child", "--nocapture"])
                .env(CHILD, format!("{number} {}", place.ledger().display()))
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut granted = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        granted += String::from_utf8(output.stdout).unwrap().matches("\ngranted\n").count();
    }
    // 20 / 0.25.
    assert_eq!(granted, 80);
    let ledger = Ledger::open(place.ledger()).unwrap();
    let spent = ledger.spent_author(b"shared").unwrap();
    assert_eq!((spent.lines, spent.amount.epsilon()), (80, 20.0));
    assert_good(&ledger);
}

#[test]
fn threads_that_open_and_close_do_not_disturb_each_other() {
    let place = Place::new();
    drop(place.create());
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let path = place.ledger();
            scope.spawn(move || {
                for attempt in 0..15 {
                    let mut ledger = Ledger::open(&path).unwrap();
                    let records = (0..50).map(|i| (format!("{thread} {i}"), Some("shared")));
                    ledger.reserve(&epsilon(thread * 1000 + attempt, 1.0), records).unwrap();
                }
            });
        }
    });
    let ledger = Ledger::open(place.ledger()).unwrap();
    assert_eq!(ledger.spent_author(b"shared").unwrap().lines, 4 * 15 * 50);
    assert_good(&ledger);
}

#[test]
fn of_two_that_create_the_same_ledger_one_wins() {
    let place = Place::new();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Ledger::create(place.ledger(), "test"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(outcomes.iter().flat_map(|o| o.as_ref().err()).all(|e| matches!(e, LedgerError::Exists { .. })));
    assert_good(&Ledger::open(place.ledger()).unwrap());
    assert_eq!(place.entries(), ["test.ledger"]);
}
