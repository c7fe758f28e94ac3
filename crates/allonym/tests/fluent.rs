//! The default: fluent releases by the model in the program.

mod common;

use common::{Outcome, Place, allonym, model};

fn run(arguments: &[&str]) -> Outcome {
    allonym().args(arguments).output().unwrap().into()
}

const TEXTS: &str = "id,author,text\n1,ann,\"The food was great, and we will come back with our friends.\"\n2,ben,It was the worst movie I have ever seen.\n";

#[test]
fn nothing_has_to_be_asked_for_and_the_whole_price_is_said() {
    let place = Place::new();
    let (input, out) = (place.file("in.csv", TEXTS), place.name("out.csv"));
    let outcome = run(&["anonymize", &input, "-o", &out]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("protected by `fluent`\n  epsilon 400.0000 for one record's text"), "{outcome:?}");
    assert!(outcome.stderr.contains("a bound this large promises nothing"), "{}", outcome.stderr);
    assert_eq!(place.read("out.csv").lines().next(), Some("id,text"), "the author stays behind");
    let again = run(&["anonymize", "--config", &place.name("out.csv.run.toml"), "-o", &place.name("again.csv")]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
}

#[test]
fn at_a_large_loss_the_words_come_back_and_at_a_small_one_they_do_not() {
    let place = Place::new();
    let input = place.file("in.csv", TEXTS);
    let released = |epsilon: &str| {
        let outcome = run(&["anonymize", &input, "--epsilon-per-token", epsilon, "--length", "public", "--seed", "3"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stdout
    };
    assert!(released("25").contains("It was the worst movie I have ever seen."), "{}", released("25"));
    assert!(!released("1").contains("worst movie"), "{}", released("1"));
}

#[test]
fn threads_do_not_change_a_seeded_release() {
    let place = Place::new();
    let rows: String = (0..70).map(|row| format!("{row},We stayed {row} nights and it was fine.\n")).collect();
    let input = place.file("in.csv", format!("id,text\n{rows}"));
    let released = |threads: &str| run(&["anonymize", &input, "--seed", "5", "--threads", threads]).stdout;
    assert_eq!(released("1"), released("2"));
}

#[test]
fn originals_are_shown_beside_releases_to_the_person_who_asks_and_nowhere_else() {
    let place = Place::new();
    let (input, out) = (place.file("in.csv", TEXTS), place.name("out.csv"));
    let outcome = run(&["anonymize", &input, "-o", &out, "--show=1"]);
    let (price, shown) = outcome.stderr.split_once("original (for you alone)").unwrap();
    assert!(price.contains("epsilon 400") && !price.contains("The food"), "the price comes first: {}", outcome.stderr);
    assert!(shown.contains("The food was great"), "{shown}");
    assert!(outcome.stderr.contains("The food was great, and we will come back with our"), "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("worst movie") && outcome.stdout.is_empty(), "{outcome:?}");
    let stream = run(&["anonymize", &input, "--show"]);
    assert!(stream.code == Some(2) && stream.stdout.is_empty() && stream.stderr.contains("two files"), "{stream:?}");
    let shuffled = run(&["anonymize", &input, "-o", &out, "--show", "--shuffle"]);
    assert!(shuffled.code == Some(2) && shuffled.stderr.contains("random order"), "{shuffled:?}");
}

#[test]
fn texts_that_the_model_was_not_made_for_are_counted_for_their_owner() {
    let place = Place::new();
    let german = "Das Essen war wirklich ausgezeichnet, und wir kommen im nächsten Sommer gern wieder.";
    let long = "it was good ".repeat(30);
    let input = place.file("in.csv", format!("id,text\n1,\"{german}\"\n2,{long}\n3,It was good.\n"));
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv")]);
    assert!(outcome.stderr.contains("warning: 1 text has few English words"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("warning: 1 text is longer than what is drawn"), "{}", outcome.stderr);
    assert!(!place.read("out.csv").contains("Sommer"));
    assert!(!place.read("out.csv.run.toml").contains("longer"));
    let json = run(&["anonymize", &input, "-o", &place.name("out.csv"), "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let listed = |key: &str, what: &str| {
        summary[key].as_array().unwrap().iter().any(|line| line.as_str().unwrap().contains(what))
    };
    for warning in ["1 text has few English words", "1 text is longer than what is drawn"] {
        assert!(listed("for_owner", warning), "{}", json.stdout);
        assert!(!listed("warnings", warning), "exact counts have a key of their own: {}", json.stdout);
    }
}

#[test]
fn a_total_for_the_whole_text_is_planned_and_kept() {
    let place = Place::new();
    let (input, out) = (place.file("in.csv", TEXTS), place.name("out.csv"));
    let outcome = run(&["anonymize", &input, "-o", &out, "--total", "300", "--delta", "1e-6", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    let guarantee = &summary["guarantee"];
    let (total, each) =
        (guarantee["epsilon_total"].as_f64().unwrap(), guarantee["epsilon_per_token"].as_f64().unwrap());
    assert!(total <= 300.0 && total > 299.0, "{guarantee}");
    // By pure composition 300 buys 6 a token; the exact composition of a band buys a little more.
    assert!(each > 6.0, "{guarantee}");
}

#[test]
fn what_does_not_fit_together_is_said() {
    let place = Place::new();
    let input = place.file("in.csv", TEXTS);
    let refused = |more: &[&str], says: &str| {
        let outcome = run(&[&["anonymize", &input][..], more].concat());
        assert!(outcome.code == Some(2) && outcome.stderr.contains(says), "{says}: {outcome:?}");
        assert!(outcome.stdout.is_empty());
    };
    refused(&["--model", model()], "needs a model of what is expected");
    refused(&["--vocabulary-size", "500"], "a model has a vocabulary of its own");
    refused(&["--uniform", "0"], "`uniform` is 0");
    refused(&["--room=-1"], "`room` is -1");
    refused(&["--method", "subset", "--epsilon", "9", "--room", "2"], "`room`");
}

#[test]
fn settings_of_an_earlier_release_do_not_stay_beside_another() {
    let place = Place::new();
    let (input, out) = (place.file("in.csv", TEXTS), place.name("out.csv"));
    run(&["anonymize", &input, "-o", &out, "--total", "10"]);
    assert!(place.read("out.csv.run.toml").contains("total = 10"));
    let again = run(&["anonymize", &input, "-o", &out, "--epsilon-per-token", "30", "--no-run-file"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(!std::path::Path::new(&place.name("out.csv.run.toml")).exists(), "it would tell of epsilon 10");
    // What Allonym did not write is not its to remove.
    let other = place.file("out.csv.run.toml", "mine");
    run(&["anonymize", &input, "-o", &out, "--no-run-file"]);
    assert_eq!(std::fs::read_to_string(other).unwrap(), "mine");
}

#[test]
fn a_dry_run_tells_of_texts_that_would_be_cut() {
    let place = Place::new();
    let input = place.file("in.csv", TEXTS);
    let outcome = run(&["anonymize", &input, "--max-tokens", "5", "--dry-run"]);
    assert!(outcome.stderr.contains("2 texts are longer than what is drawn"), "{}", outcome.stderr);
}

#[test]
fn totals_that_mean_nothing_are_said_to() {
    let place = Place::new();
    let input = place.file("in.csv", TEXTS);
    let run = |total: &str| run(&["anonymize", &input, "--dry-run", &format!("--total={total}")]);
    assert!(run("0").stderr.contains("the total must be positive (got 0)"), "{}", run("0").stderr);
    assert!(run("-5").stderr.contains("the total must be positive (got -5)"), "{}", run("-5").stderr);
    let (large, usual) = (run("1e9"), run("300"));
    assert!(large.stderr.contains("of a total of 1000000000 only 2000.0000 is used"), "{}", large.stderr);
    assert!(usual.code == Some(0) && !usual.stderr.contains("is used"), "{}", usual.stderr);
}

#[test]
fn a_large_delta_is_warned_of() {
    let place = Place::new();
    let input = place.file("in.csv", TEXTS);
    let told = |delta: &str| run(&["anonymize", &input, "--dry-run", "--total", "10", "--delta", delta]).stderr;
    assert!(told("0.5").contains("with this probability nothing is promised"), "{}", told("0.5"));
    assert!(!told("1e-6").contains("nothing is promised"));
}

#[test]
fn what_a_language_model_saves_is_not_guessed_at() {
    let outcome = run(&["budget", "--method", "fluent", "--epsilon-per-token", "8"]);
    assert!(outcome.stdout.contains("depends on what the language model expects"), "{outcome:?}");
    let all = run(&["budget", "--total", "100"]);
    assert!(all.stdout.lines().any(|line| line.contains("fluent") && line.ends_with("by the text")), "{}", all.stdout);
}

#[test]
fn what_happens_beside_a_release_is_in_the_summary_too() {
    let place = Place::new();
    let (input, out) = (place.file("in.csv", TEXTS), place.name("out.csv"));
    place.file("out.csv.run.toml", "a file of somebody else\n");
    let warned = |json: &[&str]| run(&[&["anonymize", &input, "-o", &out, "--method", "random"][..], json].concat());
    let what = "the settings were not written beside the release";
    let people = warned(&[]);
    assert!(people.code == Some(0) && people.stderr.contains(&format!("warning: {what}")), "{people:?}");
    let summary: serde_json::Value = serde_json::from_str(&warned(&["--json"]).stdout).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|line| line.as_str().unwrap().starts_with(what)), "{warnings:?}");
    assert_eq!(place.read("out.csv.run.toml"), "a file of somebody else\n");
}
