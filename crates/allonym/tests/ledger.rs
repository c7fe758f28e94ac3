//! `allonym ledger`, as a person would use it.

mod common;

use allonym::ledger::{Cost, Ledger, Reservation};
use common::{Outcome, Place, allonym, run};
use serde_json::Value;

/// A ledger with limits and one reservation: three records, two of Anna.
fn ledger() -> (Place, String) {
    let place = Place::new();
    let file = place.name("reviews.ledger");
    done(&run(&["ledger", "create", &file]));
    done(&run(&["ledger", "limit", &file, "--record-epsilon", "2", "--author-epsilon", "5"]));
    let reservation = Reservation { key: [1; 16], what: "random 1", cost: Cost::Bounded { epsilon: 1.5, delta: 0.0 } };
    let records = [("1", Some("Anna")), ("2", Some("Ben")), ("3", Some("Anna"))];
    Ledger::open(&file).unwrap().reserve(&reservation, records).unwrap();
    (place, file)
}

#[track_caller]
fn done(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

#[track_caller]
fn fails(outcome: &Outcome, exit: i32, said: &str) {
    assert_eq!(outcome.code, Some(exit), "{}", outcome.stderr);
    assert!(outcome.stderr.starts_with("error: ") && outcome.stderr.contains("\n\nhint: "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments).stdout).unwrap()
}

#[test]
fn a_new_ledger_says_that_it_has_no_limits() {
    let place = Place::new();
    let file = place.name("reviews.ledger");
    let outcome = run(&["ledger", "create", &file]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""));
    assert!(outcome.stderr.starts_with("created the ledger `reviews` in "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("it records and never refuses"));
    let shown = run(&["ledger", "show", &file]);
    assert!(shown.stdout.contains("\nrecord limit   none: recorded, never refused\n"), "{}", shown.stdout);
}

#[test]
fn a_ledger_is_not_made_twice() {
    let (_place, file) = ledger();
    fails(&run(&["ledger", "create", &file]), 1, "exists already");
    assert_eq!(json(&["ledger", "show", &file, "--json"])["entries"], 4);
}

#[test]
fn show_prints_the_figures() {
    let (_place, file) = ledger();
    let outcome = run(&["ledger", "show", &file, "--record", "2", "--author", "Anna"]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let head = format!("head           {}", Ledger::open(&file).unwrap().summary().unwrap().head);
    let expected = [
        "ledger         reviews",
        "entries        4",
        "records        3",
        "authors        2",
        "record limit   epsilon 2, delta 0",
        "author limit   epsilon 5, delta 0",
        "record spent   epsilon 1.5, delta 0 at most",
        "author spent   epsilon 3, delta 0 at most",
        &head,
        "this record    epsilon 1.5, delta 0, once",
        "this author    epsilon 3, delta 0, in 2 parts",
    ];
    assert_eq!(lines, expected);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn show_as_json_has_the_same_figures() {
    let (_place, file) = ledger();
    let shown = json(&["ledger", "show", &file, "--record", "9", "--author", "Anna", "--json"]);
    assert_eq!(shown["limits"]["author"]["epsilon"], 5.0);
    assert_eq!(shown["largest_author"]["epsilon"], 3.0);
    assert_eq!((&shown["author"]["epsilon"], &shown["author"]["lines"]), (&3.0.into(), &2.into()));
    assert_eq!(shown["record"]["lines"], 0);
    assert_eq!(shown["head"].as_str().unwrap().len(), 64);
}

#[test]
fn names_are_not_repeated() {
    let (_place, file) = ledger();
    let outcome = run(&["ledger", "show", &file, "--record", "canary", "--author", "canary"]);
    done(&outcome);
    assert!(!format!("{outcome:?}").contains("canary"));
}

#[test]
fn limits_that_are_not_given_stay() {
    let (_place, file) = ledger();
    let outcome = run(&["ledger", "limit", &file, "--record-delta", "1e-6"]);
    done(&outcome);
    assert!(outcome.stderr.contains("  each record: epsilon 2, delta 0.000001\n"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("  each author: epsilon 5, delta 0\n"), "{}", outcome.stderr);
    assert_eq!(json(&["ledger", "show", &file, "--json"])["entries"], 5, "one limit changed, one entry");
}

#[test]
fn limits_can_come_from_the_environment() {
    let (_place, file) = ledger();
    let outcome = allonym().args(["ledger", "limit", &file]).env("ALLONYM_AUTHOR_EPSILON", "7.5").output().unwrap();
    done(&outcome.into());
    assert_eq!(json(&["ledger", "show", &file, "--json"])["limits"]["author"]["epsilon"], 7.5);
}

#[test]
fn what_is_no_limit_is_refused_before_anything_is_written() {
    let (_place, file) = ledger();
    for bad in ["nan", "inf", "=-1", "1e10"] {
        let flag = format!("--author-epsilon{}{}", if bad.starts_with('=') { "" } else { "=" }, bad);
        let outcome = run(&["ledger", "limit", &file, "--record-epsilon", "3", &flag]);
        fails(&outcome, 2, "`limit of epsilon` is");
    }
    fails(&run(&["ledger", "limit", &file, "--record-delta", "1"]), 2, "at least 0 and below 1");
    assert_eq!(json(&["ledger", "show", &file, "--json"])["entries"], 4);
}

#[test]
fn a_delta_alone_is_no_limit() {
    let place = Place::new();
    let file = place.name("new.ledger");
    done(&run(&["ledger", "create", &file]));
    fails(&run(&["ledger", "limit", &file, "--author-delta", "1e-6"]), 2, "give `--author-epsilon` too");
}

#[test]
fn verify_finds_a_good_ledger_good() {
    let (_place, file) = ledger();
    let head = json(&["ledger", "show", &file, "--json"])["head"].as_str().unwrap().to_owned();
    let outcome = run(&["ledger", "verify", &file, "--head", &head]);
    done(&outcome);
    assert_eq!(outcome.stdout, format!("good: 4 entries, 3 lines\nhead: {head}\n"));
    assert_eq!(json(&["ledger", "verify", &file, "--json"])["broken"], Value::Null);
}

#[test]
fn verify_refuses_a_ledger_that_has_forgotten_the_head() {
    let (_place, file) = ledger();
    let head = "0".repeat(64);
    let outcome = run(&["ledger", "verify", &file, "--head", &head, "--json"]);
    fails(&outcome, 1, "is broken: the chain does not contain the given head");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["broken"]["why"], "the chain does not contain the given head");
}

#[test]
fn a_damaged_ledger_is_broken_for_verify_and_a_failure_for_others() {
    let (_place, file) = ledger();
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 5000]).unwrap();
    fails(&run(&["ledger", "verify", &file]), 1, "is damaged: it was cut short");
    fails(&run(&["ledger", "show", &file]), 2, "is damaged: it was cut short");
}

#[test]
fn a_changed_byte_of_an_entry_is_found() {
    let (_place, file) = ledger();
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(8).position(|window| window == b"random 1").unwrap();
    bytes[at] = b'R';
    std::fs::write(&file, &bytes).unwrap();
    fails(&run(&["ledger", "verify", &file]), 1, "is broken: entry 4: its hash does not match its contents");
}

#[cfg(unix)]
#[test]
fn a_ledger_that_may_not_be_written_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let (place, file) = ledger();
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(place.root(), 0o755);
    let run = |arguments: &[&str]| place.run_without_rights(arguments);
    let limit = ["ledger", "limit", "reviews.ledger", "--record-epsilon", "9"];
    set(file.as_ref(), 0o444);
    set(place.root(), 0o555);
    done(&run(&["ledger", "show", "reviews.ledger"]));
    done(&run(&["ledger", "verify", "reviews.ledger"]));
    fails(&run(&limit), 2, "reviews.ledger cannot be written");
    // The file could be written, but SQLite's journal beside it could not.
    set(file.as_ref(), 0o666);
    fails(&run(&limit), 2, "reviews.ledger cannot be written");
    set(file.as_ref(), 0o000);
    fails(&run(&["ledger", "show", "reviews.ledger"]), 2, "cannot read reviews.ledger: permission denied");
    fails(&run(&["ledger", "create", "other.ledger"]), 2, "cannot write other.ledger: permission denied");
    set(place.root(), 0o755);
    set(file.as_ref(), 0o600);
    assert_eq!(json(&["ledger", "show", &file, "--json"])["limits"]["record"]["epsilon"], 2.0);
}
