//! Bad inputs, one by one, and what each gets. The table of `docs/bad-inputs.md` is checked against these cases.

mod common;

use common::{Outcome, Place, allonym, run, run_with_input};
use std::io::Read;
use std::process::Stdio;

/// The table in the documentation must have a row with this case and what it gets.
#[track_caller]
fn documented(case: &str, exit: i32, said: &str) {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bad-inputs.md")).unwrap();
    let row = docs.lines().find(|line| line.starts_with(&format!("| {case} |")));
    let row = row.unwrap_or_else(|| panic!("docs/bad-inputs.md has no row `{case}`"));
    assert!(row.contains(&format!("| {exit} |")), "`{case}` exits with {exit}: {row}");
    assert!(row.contains(said), "`{case}` says `{said}`: {row}");
}

/// Asserts exit, message and hint of a case, and that the documentation says the same.
#[track_caller]
fn fails(case: &str, outcome: &Outcome, exit: i32, said: &str) {
    assert_eq!(outcome.code, Some(exit), "{case}: {outcome:?}");
    assert!(outcome.stderr.contains(said), "{case}: {}", outcome.stderr);
    assert!(
        outcome.stderr.starts_with("error: ") && outcome.stderr.contains("\n\nhint: "),
        "{case}: {}",
        outcome.stderr
    );
    documented(case, exit, said);
}

fn csv(contents: &[u8]) -> Outcome {
    run_with_input(&["anonymize", "--format", "csv"], contents)
}

#[test]
fn missing_column() {
    fails("missing column", &csv(b"id,review\n1,good\n"), 2, "there is no column `text`");
}

#[test]
fn a_file_without_its_header_is_not_quoted() {
    let outcome = csv(b"1,my secret diary\n2,more\n");
    assert_eq!(outcome.code, Some(2));
    assert!(!outcome.stderr.contains("secret"), "{}", outcome.stderr);
    let outcome = csv(b"ID,Text\n1,hello\n");
    assert!(outcome.stderr.contains("did you mean `Text`?"), "{}", outcome.stderr);
}

#[test]
fn carriage_returns_alone() {
    let outcome = csv(b"id,text\r1,secret\r");
    fails("lines that end in carriage returns alone", &outcome, 2, "its lines end in carriage returns alone");
    assert!(!outcome.stderr.contains("secret"), "{}", outcome.stderr);
}

#[test]
fn empty_file() {
    fails("empty file", &csv(b""), 2, "is empty: there is no header");
    let lines = run_with_input(&["anonymize"], b"");
    assert_eq!((lines.code, lines.stdout.as_str()), (Some(0), ""), "no lines are no records");
    let header = csv(b"id,text\n");
    assert_eq!((header.code, header.stdout.as_str()), (Some(0), "id,text\n"), "a header without records is fine");
}

#[test]
fn invalid_utf8() {
    fails("invalid UTF-8 in the text", &csv(b"text\ngood\nba\xFFd\n"), 2, "is not UTF-8 at byte");
    let other = csv(b"id,text\n\xFF\xFE,good\n");
    assert_eq!(other.code, Some(0), "other columns pass whatever they are");
}

#[test]
fn utf16() {
    fails("a UTF-16 file", &csv(b"\xFF\xFEt\0e\0"), 2, "it is UTF-16");
}

#[test]
fn unclosed_quote() {
    let outcome = csv(b"id,text\n1,fine\n2,\"never closed\n3,more\n");
    fails("unclosed quote", &outcome, 2, "is never closed");
    assert!(outcome.stderr.contains("record 2: the quote opened on line 3"), "{}", outcome.stderr);
}

#[test]
fn ragged_row() {
    let outcome = csv(b"id,text\n1,one,two\n");
    fails("row with too many cells", &outcome, 2, "cells; the header has");
}

#[test]
fn not_json() {
    let outcome = run_with_input(&["anonymize", "--format", "jsonl"], b"{\"text\": oops}\n");
    fails("line that is not JSON", &outcome, 2, "is not a JSON object");
}

#[test]
fn a_line_of_100_mb() {
    let place = Place::new();
    let mut contents = b"id,text\n1,".to_vec();
    contents.resize(100 << 20, b'x');
    contents.push(b'\n');
    let input = place.file("in.csv", &contents);
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv")]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(place.read("out.csv").len() < 10_000, "a long text is no longer than another once released");
    documented("one 100 MB line", 0, "released like any other");
    let outcome = run(&["anonymize", &input, "-o", &place.name("out2.csv"), "--max-record-mib", "10"]);
    fails("record over the limit", &outcome, 2, "is larger than");
}

#[test]
fn nul_bytes() {
    let outcome = csv(b"id,text,note\n1,a\0b,c\0d\n");
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.ends_with(",c\0d\n"), "another column keeps its bytes");
    documented("NUL bytes", 0, "removed");
}

#[test]
fn a_directory() {
    let place = Place::new();
    std::fs::create_dir(place.path("in.csv")).unwrap();
    let outcome = run(&["anonymize", &place.name("in.csv")]);
    fails("a directory as input", &outcome, 2, "is a directory, not a file");
    let input = place.file("real.csv", "text\nhello\n");
    let outcome = run(&["anonymize", &input, "-o", &place.name("in.csv")]);
    fails("a directory as output", &outcome, 2, "is a directory, not a file");
}

#[test]
fn missing_file_and_missing_directory() {
    let place = Place::new();
    let outcome = run(&["anonymize", &place.name("nowhere.csv")]);
    fails("missing file", &outcome, 2, "cannot read");
    let input = place.file("in.csv", "text\nhello\n");
    let outcome = run(&["anonymize", &input, "-o", &place.name("nowhere/out.csv")]);
    fails("missing output directory", &outcome, 2, "cannot write");
}

#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let set =
        |path: &std::path::Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    set(place.root(), 0o755);
    let run = |arguments: &[&str]| place.run_without_rights(arguments);
    place.file("in.csv", "text\nhello\n");
    set(&place.path("in.csv"), 0o000);
    fails("no permission to read", &run(&["anonymize", "in.csv"]), 2, "permission denied");
    set(&place.path("in.csv"), 0o644);
    std::fs::create_dir(place.path("locked")).unwrap();
    set(&place.path("locked"), 0o555);
    let outcome = run(&["anonymize", "in.csv", "-o", "locked/out.csv"]);
    fails("no permission to write", &outcome, 2, "permission denied");
}

#[cfg(target_os = "linux")]
#[test]
fn disk_full() {
    let place = Place::new();
    let input = place.file("in.csv", format!("text\n{}", "hello\n".repeat(10_000)));
    let outcome = run(&["anonymize", &input, "-o", "/dev/full"]);
    fails("disk full", &outcome, 2, "no space left on device");
}

#[test]
fn broken_pipe() {
    let place = Place::new();
    let input = place.file("in.csv", format!("text\n{}", "hello\n".repeat(200_000)));
    let mut child = allonym()
        .args(["anonymize", &input, "--method", "random"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    documented("broken pipe", 0, "stops quietly");
}

#[test]
fn duplicate_ids() {
    let outcome = csv(b"id,text\n7,a\n7,b\n8,c\n");
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("warning: 1 record repeats an id"), "{}", outcome.stderr);
    documented("duplicate ids", 0, "repeats an id");
}

#[test]
fn a_million_rows() {
    let place = Place::new();
    let rows: String = (0..1_000_000).map(|i| format!("{i},text\n")).collect();
    let input = place.file("in.csv", format!("id,text\n{rows}"));
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.csv"), "--max-tokens", "1"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let out = place.read("out.csv");
    assert_eq!(out.lines().count(), 1_000_001);
    assert!(out.lines().skip(1).enumerate().all(|(i, line)| line.starts_with(&format!("{i},"))));
    documented("1 million rows", 0, "bounded memory");
}

#[test]
fn the_text_column_twice() {
    fails("text column twice", &csv(b"text,text\na,b\n"), 2, "occurs twice");
    let outcome = run_with_input(&["anonymize", "--format", "jsonl"], b"{\"text\":\"a\",\"text\":\"b\"}\n");
    fails("text key twice in a record", &outcome, 2, "has `text` twice");
}

#[test]
fn a_text_that_is_not_a_string() {
    let outcome = run_with_input(&["anonymize", "--format", "jsonl"], b"{\"text\":5}\n");
    fails("text that is a number", &outcome, 2, "is a number, not a string");
}

#[test]
fn parquet_from_a_pipe() {
    let outcome = run_with_input(&["anonymize", "--format", "parquet"], b"PAR1");
    fails("Parquet from a pipe", &outcome, 2, "cannot be read from standard input");
    fails("Parquet read as CSV", &csv(b"PAR1...."), 2, "it is a Parquet file");
}

#[test]
fn writing_over_the_input() {
    let place = Place::new();
    let input = place.file("in.csv", "text\nhello\n");
    fails("output is the input", &run(&["anonymize", &input, "-o", &input]), 1, "is the input");
    let redirected = allonym()
        .args(["anonymize", "--format", "csv", "-o", &input, "--method", "random"])
        .stdin(std::fs::File::open(&input).unwrap())
        .output()
        .unwrap();
    assert_eq!(redirected.status.code(), Some(1), "through a redirection too");
    assert_eq!(place.read("in.csv"), "text\nhello\n");
    let outcome = run(&["anonymize", &input, "-o", &input, "--in-place"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_ne!(place.read("in.csv"), "text\nhello\n");
}

#[cfg(unix)]
#[test]
fn writing_over_the_input_through_a_link() {
    let place = Place::new();
    let input = place.file("in.csv", "text\nhello\n");
    std::os::unix::fs::symlink(&input, place.path("link.csv")).unwrap();
    std::fs::hard_link(&input, place.path("hard.csv")).unwrap();
    for link in ["link.csv", "hard.csv"] {
        assert_eq!(run(&["anonymize", &input, "-o", &place.name(link)]).code, Some(1), "{link}");
    }
    assert_eq!(place.read("in.csv"), "text\nhello\n");
}

#[test]
fn another_format_for_the_output() {
    let place = Place::new();
    let input = place.file("in.csv", "text\nhello\n");
    let outcome = run(&["anonymize", &input, "-o", &place.name("out.parquet")]);
    fails("output of another format", &outcome, 2, "looks like parquet, but the input is csv");
}

#[test]
fn a_vocabulary_counted_from_private_texts() {
    let place = Place::new();
    let input = place.file("in.csv", "text\nhello world hello\n");
    let counted = place.name("counted.txt");
    let made = run(&["vocabulary", "--count-from", &input, "--words-may-leak", "-o", &counted]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert_eq!(place.read("counted.txt"), "allonym-vocabulary 1 private\nhello\nworld\n");
    let outcome = run(&["anonymize", &input, "--vocabulary", &counted]);
    fails("vocabulary counted from private texts", &outcome, 1, "was counted from private texts");
    let outcome = run(&["anonymize", &input, "--vocabulary", &counted, "--allow-private-vocabulary"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("which words occur in the texts the vocabulary was counted from"));
}
