//! Settings come from flags, then from the environment, then from the file; unknown keys are refused everywhere.

mod common;

use common::{Outcome, Place, allonym, run, run_with_input};

/// The number of tokens that a run with these settings draws for a long text with a public length.
fn tokens(place: &Place, file: Option<&str>, environment: Option<&str>, flag: Option<&str>) -> usize {
    let mut command = allonym();
    command.args(["anonymize", &place.file("in.txt", "word ".repeat(100)), "--length", "public", "--method", "random"]);
    if let Some(file) = file {
        command.args(["--config", &place.file("run.toml", format!("max-tokens = {file}"))]);
    }
    if let Some(value) = environment {
        command.env("ALLONYM_MAX_TOKENS", value);
    }
    if let Some(value) = flag {
        command.args(["--max-tokens", value]);
    }
    // Only plain words, so that words on the line are tokens.
    let list = place.file("v.txt", "allonym-vocabulary 1 public\nalpha\nbeta\n");
    let outcome = Outcome::from(command.args(["--vocabulary", &list]).output().unwrap());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.stdout.split_whitespace().count()
}

#[test]
fn flags_win_over_the_environment_and_the_environment_over_the_file() {
    let place = Place::new();
    assert_eq!(tokens(&place, None, None, None), 50);
    assert_eq!(tokens(&place, Some("3"), None, None), 3);
    assert_eq!(tokens(&place, Some("3"), Some("4"), None), 4);
    assert_eq!(tokens(&place, Some("3"), Some("4"), Some("5")), 5);
}

#[test]
fn an_unknown_key_in_the_file_is_refused() {
    let place = Place::new();
    let config = place.file("run.toml", "max-tokens = 5\nmax-token = 6\n");
    let outcome = run(&["anonymize", "--config", &config]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("line 2: unknown setting `max-token`"), "{}", outcome.stderr);
}

#[test]
fn a_mistake_in_the_file_is_found_although_a_flag_would_hide_it() {
    let place = Place::new();
    let config = place.file("run.toml", "max-tokens = \"many\"\n");
    let outcome = run(&["anonymize", "--config", &config, "--max-tokens", "5"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
}

#[test]
fn a_run_can_be_repeated_from_the_file_beside_its_release() {
    let place = Place::new();
    let input = place.file("in.csv", "id,text,date\n1,hello there,today\n");
    let output = place.name("out.csv");
    run(&["anonymize", &input, "-o", &output, "--seed", "7", "--drop", "date", "--length", "public"]);
    let first = place.read("out.csv");
    assert!(first.starts_with("id,text\n"));
    std::fs::remove_file(place.path("out.csv")).unwrap();
    let outcome = run(&["anonymize", "--config", &place.name("out.csv.run.toml")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(place.read("out.csv"), first);
}

#[test]
fn columns_that_the_file_drops_stay_dropped() {
    let place = Place::new();
    let input = place.file("in.csv", "text,ward,date\nhello,7,today\n");
    let config = place.file("run.toml", "drop = [\"ward\"]\n");
    let outcome = run(&["anonymize", &input, "--config", &config, "--drop", "date"]);
    assert!(outcome.stdout.starts_with("text\n"), "{}", outcome.stdout);
}

#[test]
fn the_settings_of_a_directory_stand_beside_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    place.file("in/a.txt", "hello");
    let output = format!("{}/", place.name("out"));
    let outcome = run(&["anonymize", &place.name("in"), "--format", "files", "-o", &output]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(place.entries(), ["in", "out", "out.run.toml"]);
    assert_eq!(std::fs::read_dir(place.path("out")).unwrap().count(), 1);
}

#[test]
fn a_dry_run_says_the_price_and_writes_nothing() {
    let place = Place::new();
    let input = place.file("in.csv", "id,text\n1,hello\n2,world\n");
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv"), "--dry-run"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("would release 2 records"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("epsilon 0 for one record's text"), "{}", outcome.stderr);
    assert_eq!(place.entries(), ["in.csv"]);
}

#[test]
fn the_json_summary_goes_where_the_release_does_not() {
    let place = Place::new();
    let input = place.file("in.csv", "id,text\n1,hello\n");
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv"), "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(summary["records"], 1);
    assert_eq!(summary["carried"], serde_json::json!(["id"]));
    assert_eq!(summary["guarantee"]["epsilon_total"], 0.0);
    assert_eq!(summary["guarantee"]["seeded"], false);
    assert_eq!(outcome.stderr, "");
    let outcome = run(&["anonymize", &input, "--json"]);
    assert!(outcome.stdout.starts_with("id,text\n"));
    assert!(serde_json::from_str::<serde_json::Value>(&outcome.stderr).is_ok());
}

#[test]
fn the_number_of_threads_does_not_change_a_seeded_release() {
    let input = "word\n".repeat(10_000);
    let release = |threads: &str| {
        run_with_input(&["anonymize", "--seed", "7", "--max-tokens", "3", "--threads", threads], input.as_bytes())
            .stdout
    };
    assert_eq!(release("1"), release("2"));
}

#[test]
fn a_seeded_release_is_marked_as_not_private() {
    let outcome = run_with_input(&["anonymize", "--seed", "7"], b"hello\n");
    assert!(outcome.stderr.contains("not private: seeded"), "{}", outcome.stderr);
}

#[test]
fn a_run_file_has_the_defaults_that_decide_what_is_drawn_and_what_it_costs() {
    let place = Place::new();
    let input = place.file("in.csv", "id,text\n1,hello there\n");
    let output = place.name("out.csv");
    let outcome = Outcome::from(common::allonym().args(["anonymize", &input, "-o", &output]).output().unwrap());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let file = place.read("out.csv.run.toml");
    for line in
        ["method = \"fluent\"", "epsilon-per-token = 8.0", "max-tokens = 50", "length = \"fixed\"", "delta = 0.0"]
    {
        assert!(file.lines().any(|found| found == line), "{line}: {file}");
    }
}

#[test]
fn a_settings_file_of_0_1_names_its_mechanism() {
    let place = Place::new();
    let input = place.file("in.csv", "id,text\n1,hello there\n");
    let config = place.file("old.toml", "mechanism = \"random\"\nmax-tokens = 3\nlength = \"fixed\"\ndelta = 0.0\nform = \"text\"\nallow-private-model = false\n");
    let outcome = run(&["anonymize", &input, "--config", &config]);
    assert!(outcome.code == Some(0) && outcome.stderr.contains("protected by `random`"), "{}", outcome.stderr);
    let renamed = run(&["anonymize", &input, "--mechanism", "random"]);
    assert!(renamed.code == Some(2) && renamed.stderr.contains("write `--method random`"), "{}", renamed.stderr);
}
