//! The ledger on every path that spends: synthesis, generalization and private training reserve before they draw, once a run.

mod common;

use allonym::ledger::{Ledger, Loss, Spent};
use common::{Outcome, Place, run};
use serde_json::Value;

/// Forty records of two authors, half of them of each label.
fn place(limits: &[&str]) -> Place {
    let place = Place::new();
    let row = |i: usize| {
        let (label, author, words) = match i % 2 {
            0 => ("good", "anna", "great wonderful lovely"),
            _ => ("bad", "ben", "awful boring terrible"),
        };
        format!("r{i},{author},{label},the movie in Berlin was {words}\n")
    };
    place.file("in.csv", "id,author,label,text\n".to_owned() + &(0..40).map(row).collect::<String>());
    assert_eq!(run(&["ledger", "create", &place.name("my.ledger")]).code, Some(0));
    if !limits.is_empty() {
        assert_eq!(run(&[&["ledger", "limit", &place.name("my.ledger")], limits].concat()).code, Some(0));
    }
    place
}

fn ledger(place: &Place) -> Ledger {
    let ledger = Ledger::open(place.path("my.ledger")).unwrap();
    assert_eq!(ledger.verify(None).unwrap().broken, None);
    ledger
}

fn spent(place: &Place) -> (Spent, Spent) {
    (ledger(place).spent_record(b"r0").unwrap(), ledger(place).spent_author(b"anna").unwrap())
}

#[track_caller]
fn good(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// Asserts that a run was refused, and that neither a file nor an entry came of it.
#[track_caller]
fn refused(place: &Place, outcome: &Outcome, said: &str) {
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    assert_eq!(place.entries(), ["in.csv", "my.ledger"], "nothing is written");
    assert_eq!(spent(place), (Spent::default(), Spent::default()), "nothing is spent");
}

fn synthesize(place: &Place, more: &[&str]) -> Outcome {
    let (data, out, ledger) = (place.name("in.csv"), place.name("out.csv"), place.name("my.ledger"));
    let files = ["synthesize", "--data", &data, "--out", &out, "--ledger", &ledger, "--max-tokens", "8"];
    run(&[&files[..], &["--count", "6", "--threads", "1"], more].concat())
}

const UNIGRAM: [&str; 4] = ["--method", "unigram", "--epsilon", "1"];
const TUNED: [&str; 8] = ["--epsilon", "2", "--delta", "1e-3", "--words", "0.5", "--steps", "3"];

#[test]
fn synthesis_reserves_the_larger_bound_for_every_record_and_author() {
    let place = place(&["--record-epsilon", "2", "--author-epsilon", "40"]);
    let outcome = synthesize(&place, &UNIGRAM);
    good(&outcome);
    assert!(outcome.stdout.contains("ledger `my`: epsilon 2, delta 0 a record reserved"), "{}", outcome.stdout);
    // Exchanging a record costs twice as much as adding one; twenty records are anna's.
    let (record, author) = spent(&place);
    assert_eq!((record.amount.epsilon(), author.amount.epsilon(), author.lines), (2.0, 40.0, 20));
    let again = synthesize(&place, &UNIGRAM);
    assert!(again.code == Some(1) && again.stderr.contains("needs epsilon 2"), "{}", again.stderr);
}

#[test]
fn synthesis_over_a_limit_writes_nothing() {
    let place = place(&["--record-epsilon", "1.5"]);
    refused(&place, &synthesize(&place, &UNIGRAM), "needs epsilon 2 for this release");
    refused(&place, &synthesize(&place, &TUNED), "for this release");
    refused(&place, &synthesize(&place, &[&UNIGRAM[..], &["--dry-run"]].concat()), "needs epsilon 2");
    refused(&place, &synthesize(&place, &["--not-private", "--steps", "3"]), "no bound on its privacy loss");
}

#[test]
fn synthesis_that_goes_on_reserves_once() {
    let place = place(&["--author-epsilon", "1000", "--author-delta", "0.5"]);
    good(&synthesize(&place, &TUNED));
    let first = spent(&place);
    assert!(first.0.amount.epsilon() > 2.0 && first.0.lines == 1);
    good(&synthesize(&place, &[&TUNED[..], &["--resume"]].concat()));
    assert_eq!(spent(&place), first, "the second run wrote other texts of the same models");
    let (data, out) = (place.name("in.csv"), place.name("out.csv"));
    let files = ["synthesize", "--data", &data, "--out", &out, "--max-tokens", "8", "--count", "6", "--threads", "1"];
    let without = run(&[&files[..], &TUNED[..], &["--resume"]].concat());
    assert!(without.code == Some(1) && without.stderr.contains("no ledger is given"), "{}", without.stderr);
}

#[test]
fn synthesis_needs_ids_for_a_ledger_and_takes_no_seed() {
    let place = place(&[]);
    let missing = synthesize(&place, &[&UNIGRAM[..], &["--id-column", "number"]].concat());
    assert!(missing.code == Some(2) && missing.stderr.contains("number"), "{}", missing.stderr);
    refused(&place, &synthesize(&place, &[&UNIGRAM[..], &["--seed", "1"]].concat()), "a seeded run is not private");
}

fn generalize(place: &Place, more: &[&str]) -> Outcome {
    let (data, out, ledger) = (place.name("in.csv"), place.name("out.csv"), place.name("my.ledger"));
    run(&[&["generalize", &data, "-o", &out, "--ledger", &ledger], more].concat())
}

const MODES: [&[&str]; 3] =
    [&["--mode", "k-anonymous"], &["--mode", "public"], &["--mode", "private", "--epsilon", "1", "--delta", "1e-3"]];

#[test]
fn generalization_is_refused_under_a_limit() {
    let place = place(&["--record-epsilon", "100", "--record-delta", "0.1"]);
    for mode in MODES {
        refused(&place, &generalize(&place, mode), "no bound on its privacy loss");
    }
}

#[test]
fn generalization_is_recorded_as_unbounded_and_everything_says_so_from_then_on() {
    for mode in MODES {
        let place = place(&[]);
        let outcome = generalize(&place, mode);
        good(&outcome);
        assert!(outcome.stderr.contains("ledger `my`: unbounded a record reserved"), "{}", outcome.stderr);
        let (record, author) = spent(&place);
        assert_eq!((record.amount, author.amount, author.lines), (Loss::Unbounded, Loss::Unbounded, 20));
        // What is spent later does not bound it again.
        good(&synthesize(&place, &UNIGRAM));
        let file = place.name("my.ledger");
        let shown = run(&["ledger", "show", &file, "--record", "r0"]).stdout;
        assert!(shown.contains("record spent   unbounded\n"), "{shown}");
        assert!(shown.contains("unbounded      40 records and 2 authors"), "{shown}");
        assert!(shown.contains("this record    unbounded, in 2 parts"), "{shown}");
        let json: Value =
            serde_json::from_str(&run(&["ledger", "show", &file, "--json", "--author", "anna"]).stdout).unwrap();
        assert_eq!(json["author"]["epsilon"], "unbounded");
        assert_eq!(json["unbounded"]["records"], 40);
        assert!(run(&["ledger", "verify", &file]).stdout.contains("unbounded: 1 of the entries"));
        // A limit that comes later leaves nothing.
        good(&run(&["ledger", "limit", &file, "--record-epsilon", "1000"]));
        let late = synthesize(&place, &UNIGRAM);
        assert!(late.code == Some(1) && late.stderr.contains("has a release without a bound"), "{}", late.stderr);
    }
}

fn train(place: &Place, more: &[&str]) -> Outcome {
    let (data, out, ledger) = (place.name("in.csv"), place.name("model"), place.name("my.ledger"));
    let files = ["train", "adept", "--data", &data, "--out", &out, "--ledger", &ledger];
    let small = ["--vocabulary-size", "500", "--latent", "4", "--steps", "2", "--batch", "8", "--threads", "1"];
    run(&[&files[..], &small[..], more].concat())
}

const NOISE: [&str; 2] = ["--private", "noise=1.0,clip=1.0,delta=1e-6"];

#[test]
fn private_training_reserves_the_epsilon_of_an_exchanged_record_and_once() {
    let place = place(&["--record-epsilon", "100", "--record-delta", "1e-5"]);
    let outcome = train(&place, &NOISE);
    good(&outcome);
    assert!(outcome.stderr.contains("reserved (that of a replaced record, the larger one)"), "{}", outcome.stderr);
    let first = spent(&place);
    let card = place.read("model/adept/card.toml");
    let replace_one = card.lines().find_map(|line| line.strip_prefix("epsilon-replace-one = ")).unwrap();
    let replace_one: f64 = replace_one.parse().unwrap();
    assert!((first.0.amount.epsilon() - replace_one).abs() < 1e-8, "{first:?} {card}");
    good(&train(&place, &[&NOISE[..], &["--resume"]].concat()));
    assert_eq!(spent(&place), first);
}

#[test]
fn training_over_a_limit_or_without_noise_under_one_leaves_no_directory() {
    let place = place(&["--record-epsilon", "0.1", "--record-delta", "1e-5"]);
    refused(&place, &train(&place, &NOISE), "for this release");
    refused(&place, &train(&place, &[]), "no bound on its privacy loss");
}

#[test]
fn training_without_noise_is_recorded_as_unbounded_and_public_texts_need_no_ledger() {
    let place = place(&[]);
    let public = train(&place, &["--public"]);
    assert!(public.code == Some(2) && public.stderr.contains("declared public"), "{}", public.stderr);
    good(&train(&place, &[]));
    assert_eq!(spent(&place).0.amount, Loss::Unbounded);
}
