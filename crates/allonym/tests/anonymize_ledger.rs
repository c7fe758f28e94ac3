//! `allonym anonymize --ledger`: the price is written down before anything is drawn, or nothing is released.

mod common;

use allonym::ledger::Ledger;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use common::{Outcome, Place, run, run_with_input};
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use std::sync::Arc;

const CSV: &str = "id,author,text\n1,qqanna,It was great.\n2,qqben,It was not.\n3,qqanna,Never again!\n";

struct Fixture {
    place: Place,
    ledger: String,
    csv: String,
}

fn fixture(limits: &[&str]) -> Fixture {
    let place = Place::new();
    let (ledger, csv) = (place.name("reviews.ledger"), place.file("in.csv", CSV));
    assert_eq!(run(&["ledger", "create", &ledger]).code, Some(0));
    if !limits.is_empty() {
        let arguments = [&["ledger", "limit", &ledger], limits].concat();
        assert_eq!(run(&arguments).code, Some(0));
    }
    Fixture { place, ledger, csv }
}

impl Fixture {
    /// Ten tokens at a true loss of 0.1 each: an epsilon of at most 1, and little less.
    fn anonymize(&self, input: &str, more: &[&str]) -> Outcome {
        let output = self.place.name(&format!("out.{}", input.rsplit('.').next().unwrap()));
        let mechanism = ["--method", "randomized-response", "--epsilon-per-token", "0.1", "--max-tokens", "10"];
        run(&[&["anonymize", input, "-o", &output, "--ledger", &self.ledger], &mechanism[..], more].concat())
    }

    fn spent(&self, record: &str, author: &str) -> (f64, f64) {
        let ledger = Ledger::open(&self.ledger).unwrap();
        assert_eq!(ledger.verify(None).unwrap().broken, None);
        let record = ledger.spent_record(record.as_bytes()).unwrap().amount.epsilon();
        (record, ledger.spent_author(author.as_bytes()).unwrap().amount.epsilon())
    }

    fn entries(&self) -> u64 {
        Ledger::open(&self.ledger).unwrap().summary().unwrap().entries
    }

    fn has_output(&self) -> bool {
        self.place.entries().iter().any(|name| name.starts_with("out."))
    }

    #[track_caller]
    fn refuses(&self, outcome: &Outcome, code: i32, said: &str) {
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(said) && outcome.stderr.contains("\n\nhint: "), "{}", outcome.stderr);
        assert!(!self.has_output(), "nothing is released");
        assert_eq!(self.spent("1", "qqanna"), (0.0, 0.0), "nothing is spent");
    }
}

#[track_caller]
fn close(spent: (f64, f64), expected: (f64, f64)) {
    let near = |spent: f64, expected: f64| spent <= expected + 1e-8 && spent > expected * 0.999 - 1e-9;
    assert!(near(spent.0, expected.0) && near(spent.1, expected.1), "{spent:?}, not {expected:?}");
}

#[test]
fn a_release_is_reserved_for_every_record_and_its_author() {
    let fixture = fixture(&["--record-epsilon", "2", "--author-epsilon", "4"]);
    let outcome = fixture.anonymize(&fixture.csv, &[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("\nledger `reviews`: epsilon 0.99"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains(" a record reserved, entry 4, head "), "{}", outcome.stderr);
    close(fixture.spent("1", "qqanna"), (1.0, 2.0));
    close(fixture.spent("2", "qqben"), (1.0, 1.0));
    assert!(!format!("{outcome:?}{}", fixture.place.read("out.csv")).contains("qq"), "authors stay behind");
}

#[test]
fn releases_add_up_until_a_limit_and_the_hint_says_what_would_still_fit() {
    let fixture = fixture(&["--author-epsilon", "3"]);
    assert_eq!(fixture.anonymize(&fixture.csv, &[]).code, Some(0));
    let first = fixture.place.read("out.csv");
    let refused = fixture.anonymize(&fixture.csv, &[]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("the author of record 3 of the input needs epsilon 1.99"), "{}", refused.stderr);
    assert!(refused.stderr.contains("; `--max-tokens 5` would fit\n"), "{}", refused.stderr);
    assert_eq!(fixture.place.read("out.csv"), first, "the earlier release is left alone");
    close(fixture.spent("1", "qqanna"), (1.0, 2.0));
    let output = fixture.place.name("out.csv");
    let arguments = ["anonymize", &fixture.csv, "-o", &output, "--ledger", &fixture.ledger];
    let mechanism = ["--method", "randomized-response", "--epsilon-per-token", "0.1", "--max-tokens", "5"];
    assert_eq!(run(&[&arguments[..], &mechanism[..]].concat()).code, Some(0));
    close(fixture.spent("1", "qqanna"), (1.5, 3.0));
}

#[test]
fn a_dry_run_says_whether_it_would_fit_and_spends_nothing() {
    let fixture = fixture(&["--author-epsilon", "3"]);
    let outcome = fixture.anonymize(&fixture.csv, &["--dry-run"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("a record would fit; nothing was reserved"), "{}", outcome.stderr);
    assert_eq!((fixture.spent("1", "qqanna"), fixture.entries()), ((0.0, 0.0), 2));
    assert_eq!(run(&["ledger", "limit", &fixture.ledger, "--author-epsilon", "1"]).code, Some(0));
    fixture.refuses(&fixture.anonymize(&fixture.csv, &["--dry-run"]), 1, "needs epsilon");
}

#[test]
fn a_record_is_the_same_whatever_file_it_comes_in() {
    let fixture = fixture(&[]);
    let jsonl =
        "{\"id\":1,\"author\":\"qqanna\",\"text\":\"a\"}\n{\"text\":\"b\",\"Author\":\"qqben\",\"id\":\" 2\"}\n";
    let jsonl = fixture.place.file("in.jsonl", jsonl);
    let tsv = fixture.place.file("in.tsv", "\"id\"\ttext\tauthor\n\"1\"\ta\t qqanna \n");
    let batch = RecordBatch::try_from_iter([
        ("author", Arc::new(StringArray::from(vec!["qqanna", "qqben"])) as ArrayRef),
        ("text", Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef),
        ("id", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
    ])
    .unwrap();
    let parquet = fixture.place.name("in.parquet");
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&parquet).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for (input, more) in [(&fixture.csv, &["--drop", "id"][..]), (&jsonl, &[]), (&tsv, &[]), (&parquet, &["--shuffle"])]
    {
        let outcome = fixture.anonymize(input, more);
        assert_eq!(outcome.code, Some(0), "{input}: {}", outcome.stderr);
        assert!(outcome.stderr.contains("the ledger has no limits"), "{}", outcome.stderr);
    }
    close(fixture.spent("1", "qqanna"), (4.0, 5.0));
    close(fixture.spent("2", "qqben"), (3.0, 3.0));
    assert!(fixture.place.read("out.csv").starts_with("text\n"), "an id that stays behind still counts");
    let released = std::fs::read(fixture.place.path("out.parquet")).unwrap();
    assert!(!released.windows(6).any(|bytes| bytes == b"qqanna"), "an author that is read for the ledger stays behind");
}

#[test]
fn files_are_known_by_their_names() {
    let fixture = fixture(&[]);
    std::fs::create_dir(fixture.place.path("letters")).unwrap();
    fixture.place.file("letters/one.txt", "Dear all,");
    let (input, output) = (fixture.place.name("letters"), fixture.place.name("released"));
    let arguments = ["anonymize", &input, "--format", "files", "-o", &output, "--ledger", &fixture.ledger];
    let more = ["--method", "randomized-response", "--epsilon-per-token", "0.1", "--max-tokens", "10", "--json"];
    let outcome = run(&[&arguments[..], &more[..]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    close(fixture.spent("one.txt", "nobody"), (1.0, 0.0));
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!((&summary["ledger"]["entry"], &summary["ledger"]["without_author"]), (&2.into(), &1.into()));
    assert_eq!(summary["ledger"]["head"].as_str().unwrap().len(), 64);
}

#[test]
fn records_that_the_ledger_could_not_know_again_are_refused() {
    let fixture = fixture(&["--author-epsilon", "9"]);
    let file = |name: &str, text: &str| fixture.place.file(name, text);
    let no_id = file("a.csv", "text,author\na,qqanna\n");
    fixture.refuses(&fixture.anonymize(&no_id, &[]), 2, "there is no column `id`");
    let empty_id = file("b.csv", "id,text,author\n1,a,qqanna\n,b,qqanna\n");
    fixture.refuses(&fixture.anonymize(&empty_id, &[]), 2, "record 2 has no id in `id`");
    let no_author = file("c.csv", "id,text\n1,a\n");
    fixture.refuses(&fixture.anonymize(&no_author, &[]), 1, "record 1 has no author, and the ledger `reviews` limits");
    let empty_author = file("d.csv", "id,text,author\n1,a,qqanna\n2,b,\n");
    fixture.refuses(&fixture.anonymize(&empty_author, &[]), 1, "record 2 has no author");
    let two_authors = file("e.jsonl", "{\"id\":1,\"text\":\"a\",\"author\":\"qqanna\",\"author\":\"qqben\"}\n");
    fixture.refuses(&fixture.anonymize(&two_authors, &[]), 2, "record 1 has `author` twice");
    let a_list = file("f.jsonl", "{\"id\":[1],\"text\":\"a\",\"author\":\"qqanna\"}\n");
    fixture.refuses(&fixture.anonymize(&a_list, &[]), 2, "record 1: `id` is a list, which names nobody");
    let lines = file("g.txt", "a\nb\n");
    fixture.refuses(&fixture.anonymize(&lines, &[]), 1, "lines have no ids");
}

#[test]
fn what_has_no_price_or_cannot_be_read_twice_is_refused() {
    let fixture = fixture(&[]);
    fixture.refuses(&fixture.anonymize(&fixture.csv, &["--seed", "1"]), 1, "a seeded release is not private");
    let words = fixture.place.file("words.txt", "allonym-vocabulary 1 private\n.\ngreat\nit\nwas\n");
    let counted = fixture.anonymize(&fixture.csv, &["--vocabulary", &words, "--allow-private-vocabulary"]);
    fixture.refuses(&counted, 1, "it is not private");
    let piped = run_with_input(&["anonymize", "--format", "csv", "--ledger", &fixture.ledger], CSV.as_bytes());
    fixture.refuses(&piped, 1, "which a stream cannot be");
    let over = run(&["anonymize", &fixture.csv, "-o", &fixture.ledger, "--ledger", &fixture.ledger]);
    assert_eq!(over.code, Some(1), "{}", over.stderr);
    fixture.refuses(&over, 1, "");
}

#[test]
fn a_broken_record_at_the_end_is_found_before_anything_is_spent() {
    let fixture = fixture(&[]);
    let broken = fixture.place.file("broken.csv", format!("{CSV}4,qqanna,\"never closed\n"));
    fixture.refuses(&fixture.anonymize(&broken, &[]), 2, "record 4: the quote opened on line 5 is never closed");
    let elsewhere = fixture.place.name("nowhere/out.csv");
    let outcome = run(&["anonymize", &fixture.csv, "-o", &elsewhere, "--ledger", &fixture.ledger]);
    fixture.refuses(&outcome, 2, "cannot write");
}

#[test]
fn a_ledger_that_is_none_stops_the_run() {
    let fixture = fixture(&[]);
    let output = fixture.place.name("out.csv");
    for (ledger, said) in
        [(fixture.place.name("none.ledger"), "cannot read"), (fixture.csv.clone(), "the input is the ledger")]
    {
        let outcome = run(&["anonymize", &fixture.csv, "-o", &output, "--ledger", &ledger]);
        assert_ne!(outcome.code, Some(0));
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
        assert!(!fixture.has_output());
    }
    let text = fixture.place.file("text.ledger", "not a ledger");
    let outcome = run(&["anonymize", &fixture.csv, "-o", &output, "--ledger", &text]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("is not a ledger") && !fixture.has_output());
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_fails_after_it_reserved_says_that_it_has_spent() {
    let fixture = fixture(&[]);
    let arguments = ["anonymize", &fixture.csv, "-o", "/dev/full", "--ledger", &fixture.ledger];
    let outcome = run(&[&arguments[..], &["--method", "exponential", "--epsilon", "1"]].concat());
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("stays in the ledger `reviews`, entry 2"), "{}", outcome.stderr);
    assert!(fixture.spent("1", "qqanna").0 > 0.0);
}

#[test]
fn one_record_and_one_author_have_one_key_however_they_are_written() {
    let fixture = fixture(&[]);
    // Composed and decomposed letters, a no-break space, a zero-width space.
    let authors = ["Zo\u{eb}", "Zoe\u{308}", "Zo\u{eb}\u{a0}", "\u{feff}Zo\u{eb}\u{200b}"];
    for author in authors {
        let input = fixture
            .place
            .file("in.jsonl", format!("{{\"id\":\"\u{a0}1\u{200b}\",\"author\":\"{author}\",\"text\":\"a\"}}\n"));
        assert_eq!(fixture.anonymize(&input, &[]).code, Some(0));
    }
    close(fixture.spent("1", "Zo\u{eb}"), (4.0, 4.0));
    let shown = run(&["ledger", "show", &fixture.ledger, "--author", " Zoe\u{308} ", "--json"]);
    assert!(shown.stdout.contains("\"lines\": 4"), "{}", shown.stdout);
}

#[test]
fn names_with_several_spellings_are_refused() {
    let fixture = fixture(&[]);
    for (name, text) in [
        ("a.jsonl", "{\"id\":1.0,\"text\":\"a\"}\n"),
        ("b.jsonl", "{\"id\":1e0,\"text\":\"a\"}\n"),
        ("c.csv", "id,text\n \"4711\",a\n"),
    ] {
        let input = fixture.place.file(name, text);
        fixture.refuses(&fixture.anonymize(&input, &[]), 2, "which names nobody");
    }
    let input = fixture.place.file("minus.jsonl", "{\"id\":-0,\"text\":\"a\"}\n");
    assert_eq!(fixture.anonymize(&input, &[]).code, Some(0));
    assert!(fixture.spent("0", "").0 > 0.0, "-0 is 0");
    let input = fixture.place.path("latin.csv");
    std::fs::write(&input, b"id,author,text\n9,Zo\xeb,a\n").unwrap();
    let outcome = fixture.anonymize(input.to_str().unwrap(), &[]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("column `author` is not UTF-8 at byte 2"), "{}", outcome.stderr);
}

#[test]
fn nothing_is_written_over_a_ledger_or_its_journal() {
    let fixture = fixture(&[]);
    let release = |output: &str, ledger: &str| run(&["anonymize", &fixture.csv, "-o", output, "--ledger", ledger]);
    let output = fixture.place.name("o.csv");
    let beside = fixture.place.name("o.csv.run.toml");
    assert_eq!(run(&["ledger", "create", &beside]).code, Some(0));
    let outcome = release(&output, &beside);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(Ledger::open(&beside).is_ok());
    let journal = format!("{}-journal", fixture.ledger);
    let outcome = release(&journal, &fixture.ledger);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(!std::path::Path::new(&journal).exists());
    // Somebody's file where the settings would go is left alone.
    let mine = fixture.place.file("mine.csv.run.toml", "mine = true\n");
    let outcome = run(&["anonymize", &fixture.csv, "-o", &fixture.place.name("mine.csv")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the settings were not written"), "{}", outcome.stderr);
    assert_eq!(std::fs::read_to_string(mine).unwrap(), "mine = true\n");
}

#[test]
fn a_refused_run_prints_nothing_to_standard_output() {
    let fixture = fixture(&["--record-epsilon", "0.5"]);
    let mechanism = ["--method", "subset", "--epsilon-per-token", "1"];
    let outcome = run(&[&["anonymize", &fixture.csv, "--ledger", &fixture.ledger][..], &mechanism[..]].concat());
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{}", outcome.stderr);
}

#[test]
fn the_hint_for_a_total_is_a_smaller_total() {
    let fixture = fixture(&["--record-epsilon", "3"]);
    let output = fixture.place.name("out.csv");
    let release = |total: &str| {
        let arguments = ["anonymize", &fixture.csv, "-o", &output, "--ledger", &fixture.ledger];
        run(&[&arguments[..], &["--method", "subset", "--total", total]].concat())
    };
    let refused = release("4");
    assert!(refused.stderr.contains("; `--total 3` would fit\n"), "{}", refused.stderr);
    assert_eq!(release("3").code, Some(0));
}

#[test]
fn a_library_user_cannot_release_past_a_ledger() {
    let fixture = fixture(&[]);
    let settings = allonym::Settings {
        input: fixture.csv.as_str().into(),
        ledger: Some(fixture.ledger.as_str().into()),
        ..allonym::Settings::default()
    };
    let checked = settings.check().unwrap();
    assert!(allonym::Pipeline::new(&checked).is_err());
}

#[test]
fn a_dictionary_of_nothing_is_nobody() {
    let fixture = fixture(&[]);
    let nobody: arrow_array::DictionaryArray<arrow_array::types::Int32Type> =
        vec![None::<&str>; 2].into_iter().collect();
    let batch = RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
        ("author", Arc::new(nobody) as ArrayRef),
        ("text", Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef),
    ])
    .unwrap();
    let parquet = fixture.place.name("in.parquet");
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&parquet).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let outcome = fixture.anonymize(&parquet, &[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("2 records have no author"), "{}", outcome.stderr);
}
