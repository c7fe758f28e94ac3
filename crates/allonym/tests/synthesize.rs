//! New texts at one price for each record: mistakes are found before anything is spent, and the price is what the accountant says.

mod common;

use common::{Outcome, Place, run};

fn records(count: usize) -> String {
    let row = |i: usize| {
        let (label, words) =
            if i.is_multiple_of(2) { ("good", "great wonderful lovely") } else { ("bad", "awful boring terrible") };
        format!("{i},{label},the movie was {words} and {words}\n")
    };
    "id,label,text\n".to_owned() + &(0..count).map(row).collect::<String>()
}

const QUICK: [&str; 8] = ["--steps", "3", "--max-tokens", "8", "--count", "6", "--threads", "1"];

fn synthesize(place: &Place, more: &[&str]) -> Outcome {
    let (data, out) = (place.name("in.csv"), place.name("out.csv"));
    run(&[&["synthesize", "--data", &data, "--out", &out], &QUICK[..], more].concat())
}

const PRIVATE: [&str; 6] = ["--epsilon", "2", "--delta", "1e-3", "--label-column", "label"];

#[test]
fn texts_of_every_label_are_written_and_the_price_is_told_before_and_after() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let outcome = synthesize(&place, &PRIVATE);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the price of a record: epsilon 2, delta 1e-3"), "{}", outcome.stderr);
    let protected = outcome.stdout.find("protected: one record").unwrap();
    assert!(outcome.stdout.find("not protected").unwrap() < protected, "{}", outcome.stdout);
    let price: f64 = outcome.stdout.split("epsilon ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(price <= 2.0 && price > 1.98, "nearly all that was allowed: {price}");
    let written = place.read("out.csv");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!((lines[0], lines.len()), ("text,label", 7));
    assert_eq!(lines.iter().filter(|line| line.ends_with(",good")).count(), 3);
}

#[test]
fn a_seed_repeats_the_texts_and_voids_the_promise() {
    let written = |seed: &[&str]| {
        let place = Place::new();
        place.file("in.csv", records(40));
        let outcome = synthesize(&place, &[&PRIVATE[..], seed].concat());
        (outcome.stdout, place.read("out.csv"))
    };
    let (told, first) = written(&["--seed", "4"]);
    assert_eq!(first, written(&["--seed", "4"]).1);
    assert_ne!(first, written(&[]).1);
    assert!(told.contains("not private: the noise comes from a seed"), "{told}");
}

#[test]
fn words_by_their_shares_are_a_floor_with_a_price() {
    let place = Place::new();
    place.file("in.csv", records(2000));
    let (data, out) = (place.name("in.csv"), place.name("out.csv"));
    let unigram = [
        "synthesize",
        "--method",
        "unigram",
        "--data",
        &data,
        "--out",
        &out,
        "--label-column",
        "label",
        "--epsilon",
        "2",
    ];
    let outcome = run(&[&unigram[..], &["--count", "6", "--max-tokens", "8"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("epsilon 2.0000 if it is added or removed, 4.0000 if it is exchanged; delta 0e0"),
        "{}",
        outcome.stdout
    );
    // A training that stands beside the output is none of its business.
    std::fs::create_dir_all(place.name("out.csv.training/other")).unwrap();
    assert_eq!(run(&[&unigram[..], &["--count", "6", "--max-tokens", "8"]].concat()).code, Some(0));
    let without = run(&["synthesize", "--method", "unigram", "--data", &data, "--out", &out, "--not-private"]);
    assert!(without.code == Some(2) && without.stderr.starts_with("error: `unigram` counts with noise"), "{without:?}");
    let unread = run(&[&unigram[..], &["--steps", "9"]].concat());
    assert!(unread.code == Some(2) && unread.stderr.contains("`--steps` means nothing"), "{unread:?}");
    let written = place.read("out.csv");
    let good: Vec<&str> = written.lines().filter(|line| line.ends_with(",good")).collect();
    assert!(
        good.iter().all(|line| !line.contains("awful")) && good.iter().any(|line| line.contains("wonderful")),
        "{written}"
    );
}

#[test]
fn training_without_noise_promises_nothing() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let outcome = synthesize(&place, &["--not-private"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("not private: the model was trained without noise"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("protected: one record"), "{}", outcome.stdout);
    assert_eq!(place.read("out.csv").lines().next(), Some("text"));
}

#[test]
fn mistakes_are_found_before_anything_is_spent() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let refused = |more: &[&str], says: &str| {
        let outcome = synthesize(&place, more);
        assert!(matches!(outcome.code, Some(1 | 2)), "{more:?}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{more:?}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("wonderful") && !outcome.stdout.contains("wonderful"), "{outcome:?}");
        assert!(!std::path::Path::new(&place.name("out.csv.training")).exists(), "{more:?}: training began");
    };
    refused(&["--epsilon", "1"], "--delta");
    refused(&["--epsilon", "0", "--delta", "1e-3"], "`epsilon` is 0");
    refused(&["--epsilon", "1", "--delta", "0.1"], "it must be below 1 over their number");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--batch", "50"], "`batch` is 50, and the data has 40 records");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "mood"], "mood");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "text"], "the label is the text");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "id"], "a label has fewer than 10 records");
    place.file("in.csv", "id,label,text\n1,a,x y\n2,a,z\n");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "label"], "all records have one label");
    place.file("in.csv", "id,label,text\n1,a,x y\n2,,z\n");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "label"], "has no label for some");
    let data = place.name("in.csv");
    let named = run(&["synthesize", "--data", &data, "--out", &place.name("out.xlsx"), "--not-private"]);
    assert!(named.stderr.contains("neither CSV nor JSON Lines"), "{}", named.stderr);
}

#[test]
fn what_was_begun_with_other_settings_does_not_go_on() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let nothing = synthesize(&place, &[&PRIVATE[..], &["--resume"]].concat());
    assert!(nothing.code == Some(2) && nothing.stderr.contains("nothing to go on with"), "{nothing:?}");
    assert_eq!(synthesize(&place, &PRIVATE).code, Some(0));
    let twice = synthesize(&place, &PRIVATE);
    assert!(twice.code == Some(2) && twice.stderr.contains("has a model already"), "{twice:?}");
    let dearer = ["--epsilon", "3", "--delta", "1e-3", "--label-column", "label", "--resume"];
    let other = synthesize(&place, &dearer);
    assert!(other.code == Some(1) && other.stderr.contains("`epsilon` was 2.0 when the run began"), "{other:?}");
    // The same again: all steps are made, so nothing more is spent, and texts are written anew.
    let again = synthesize(&place, &[&PRIVATE[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}
