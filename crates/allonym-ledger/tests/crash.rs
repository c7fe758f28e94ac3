//! A process that is killed at any moment leaves a good ledger: what was acknowledged is there once, nothing is there half,
//! and to try again counts nothing twice.

mod common;

use allonym_ledger::Ledger;
use common::{Place, assert_good, epsilon};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set for the process that is killed: the ledger, and the first reservation to make.
const CHILD: &str = "LEDGER_TEST_CHILD";

/// Set for the process that is killed with half of its pages written: the ledger.
const LARGE_CHILD: &str = "LEDGER_TEST_LARGE_CHILD";

/// Records of a reservation: enough that a kill comes in the middle more often than not.
const RECORDS: u64 = 500;

fn reserve(ledger: &mut Ledger, number: u64) -> allonym_ledger::Receipt {
    let records = (0..RECORDS).map(|i| (i.to_string(), Some((i % 100).to_string())));
    ledger.reserve(&epsilon(number, 0.5), records).unwrap()
}

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (first, path) = task.split_once(' ').unwrap();
    let mut ledger = Ledger::open(path).unwrap();
    for number in first.parse().unwrap().. {
        let receipt = reserve(&mut ledger, number);
        println!("\nreceipt {number} {}", receipt.hash);
        std::io::stdout().flush().unwrap();
    }
}

/// Not a test of its own: makes a reservation that is larger than the cache, so that pages go to the file before the commit.
#[test]
fn large_child() {
    let Ok(path) = std::env::var(LARGE_CHILD) else { return };
    let records = (0..600_000).map(|i| (i.to_string(), None::<&str>));
    Ledger::open(path).unwrap().reserve(&epsilon(1, 1.0), records).unwrap();
}

#[test]
fn a_process_that_is_killed_with_half_of_the_pages_written_has_spent_nothing() {
    let place = Place::new();
    let before = place.create().summary().unwrap();
    let length = || std::fs::metadata(place.ledger()).unwrap().len();
    let (at_first, start) = (length(), Instant::now());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "large_child"])
        .env(LARGE_CHILD, place.ledger())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while length() < at_first + 1_000_000 {
        assert!(start.elapsed() < Duration::from_secs(300), "nothing was written before the commit");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path("test.ledger-journal").exists());
    let ledger = Ledger::open(place.ledger()).unwrap();
    assert_eq!(ledger.summary().unwrap(), before);
    assert_eq!((length(), place.entries()), (at_first, vec!["test.ledger".to_owned()]));
    assert_good(&ledger);
}

/// Runs a child for a while, kills it, and gives the receipts that it printed.
fn run_and_kill(place: &Place, first: u64, time: Duration) -> Vec<(u64, String)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, format!("{first} {}", place.ledger().display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(time);
    child.kill().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // A line that was cut short by the kill has a shorter hash; it was not acknowledged.
    let receipts = lines.filter_map(|line| {
        let (number, hash) = line.strip_prefix("receipt ")?.split_once(' ')?;
        Some((number.parse().ok()?, hash.to_owned())).filter(|_| hash.len() == 64)
    });
    let receipts = receipts.collect();
    child.wait().unwrap();
    receipts
}

#[test]
fn a_killed_process_loses_nothing_and_counts_nothing_twice() {
    let place = Place::new();
    drop(place.create());
    let (mut next, mut round, mut interrupted) = (0, 0_u64, 0);
    let mut acknowledged = Vec::new();
    let start = Instant::now();
    // A slow machine needs more rounds to get anywhere.
    while round < 25 || acknowledged.len() < 20 {
        round += 1;
        // Moments that are spread over the reservations; the machine's own noise does the rest.
        let receipts = run_and_kill(&place, next, Duration::from_micros(30_000 + round * 37_919 % 150_000));
        interrupted += usize::from(place.path("test.ledger-journal").exists());
        let ledger = Ledger::open(place.ledger()).unwrap();
        assert_good(&ledger);
        for (_, hash) in &receipts {
            let hash = hash.parse().unwrap();
            assert_eq!(ledger.verify(Some(&hash)).unwrap().broken, None, "an acknowledged receipt is there");
        }
        // The next child begins with the last one that was acknowledged, as after a crash.
        next = receipts.last().map_or(next, |(number, _)| *number);
        acknowledged.extend(receipts);
        assert!(start.elapsed() < Duration::from_secs(300));
    }
    let mut ledger = Ledger::open(place.ledger()).unwrap();
    // The one that may be there without a receipt.
    reserve(&mut ledger, next);
    reserve(&mut ledger, next + 1);
    let reservations = ledger.summary().unwrap().entries - 1;
    assert_eq!(reservations, next + 2, "each key once");
    let spent = ledger.spent_record(b"7").unwrap();
    assert_eq!((spent.lines, spent.amount.epsilon()), (reservations, reservations as f64 * 0.5));
    assert_eq!(ledger.spent_author(b"7").unwrap().lines, reservations * RECORDS / 100);
    assert_good(&ledger);
    acknowledged.sort();
    acknowledged.dedup();
    assert_eq!(acknowledged.len() as u64, next + 1, "one receipt for each key, the same when asked twice");
    assert!(interrupted > 0, "no kill came in the middle of a transaction");
    println!("{} reservations acknowledged, {interrupted} of {round} kills within a transaction", acknowledged.len());
}
