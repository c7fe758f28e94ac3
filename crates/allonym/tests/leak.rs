//! Audit layer E: two inputs that differ only in what a method claims to hide must not differ in anything that leaves.
//!
//! With the same seed, whatever a release depends on besides the hidden thing is equal, so outputs must be equal to
//! the byte: the release, the summary, what is said on standard error, and the file that stands beside the release.
//! The suite runs over the whole catalogue; a new mechanism joins by being in it.

mod common;

use allonym::dp::mechanism::{CATALOGUE, Parameters, by_name, entry};
use allonym::dp::{Guarantee, Terms};
use common::{Outcome, Place, run, run_with_input};

/// Pairs of texts that every method must treat alike, whatever it keeps: they read the same once in plain form.
/// (What differs, one text, the other.)
const SAME_WORDS: &[(&str, &str, &str)] = &[
    ("case", "It was great, was it?", "IT WAS GREAT, was IT?"),
    ("spacing", "It was great, was it?", "  It  was\u{A0}great ,\twas it ?  "),
    ("Unicode form", "a caf\u{E9}, isn't it", "a cafe\u{301}, isn\u{2019}t it"),
    ("invisible characters", "it was great", "it w\u{200B}as gre\u{AD}at\u{202C}"),
    ("look-alike letters", "it was great", "it w\u{430}s gre\u{430}t"),
    ("an unknown word", "it was zyxwvcanary", "it was qponmlcanary"),
    ("the form of a quote", "\"it\" was 'fine'", "“it” was ‘fine’"),
];

/// Pairs that a method with a fixed length must treat alike when it reads nothing of the text.
const ANY_TWO: &[(&str, &str, &str)] = &[
    ("length", "short", "a much longer text, with many more words in it than the other one has."),
    ("emptiness", "", "something"),
    ("beyond the maximum", "one two", "one two three four five six seven eight nine ten eleven twelve"),
    ("words", "it was great", "the food, awful"),
];

/// A setting at which the mechanism keeps a good part of a text, so that a leak would show.
fn parameters(name: &str) -> Parameters {
    if entry(name).is_ok_and(|entry| entry.parameters.is_empty()) {
        Parameters::default()
    } else {
        Parameters::of_epsilon(12.0)
    }
}

/// Whether the mechanism promises epsilon 0, so that any two texts must come out alike.
fn hides_everything(name: &str) -> bool {
    let terms = Terms { max_tokens: 8, ..Terms::default() };
    let mechanism = by_name(name, &parameters(name), 1000).unwrap();
    let guarantee = Guarantee::for_tokens(&*mechanism, &terms, false).unwrap();
    (guarantee.epsilon_total(), guarantee.delta()) == (Some(0.0), Some(0.0))
}

fn csv(text: &str) -> String {
    format!("id,text,note\n1,\"{}\",n\n2,other,m\n", text.replace('"', "\"\""))
}

fn jsonl(text: &str) -> String {
    format!("{{\"id\":1,\"text\":{}}}\n{{\"id\":2,\"text\":\"other\"}}\n", serde_json::Value::from(text))
}

/// Everything that leaves a run on one text: what is said, and every file it made.
fn everything(
    mechanism: &str,
    length: &str,
    format: &str,
    contents: &str,
    more: &[&str],
) -> (Outcome, Vec<(String, Vec<u8>)>) {
    let place = Place::new();
    let input = format!("in.{format}");
    place.file(&input, contents);
    let output = format!("out.{format}.gz");
    let mut command = common::allonym();
    command.current_dir(place.root()).args(["anonymize", &input, "-o", &output, "--json"]);
    command.args(["--method", mechanism, "--length", length, "--seed", "7", "--max-tokens", "8"]);
    command.args(more);
    if let Some(epsilon) = parameters(mechanism).epsilon {
        command.args(["--epsilon", &epsilon.to_string()]);
    }
    let mut outcome = Outcome::from(command.output().unwrap());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // Exact counts for the owner of the originals are under a key of their own, and are not part of what leaves.
    let mut summary: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    summary.as_object_mut().unwrap().remove("for_owner");
    outcome.stdout = summary.to_string();
    let files = place.entries().into_iter().filter(|name| *name != input).map(|name| {
        let bytes = std::fs::read(place.path(&name)).unwrap();
        (name, bytes)
    });
    (outcome, files.collect())
}

fn assert_alike(mechanism: &str, length: &str, (what, first, second): (&str, &str, &str), more: &[&str]) {
    for (format, wrap) in [("csv", csv as fn(&str) -> String), ("jsonl", jsonl)] {
        let one = everything(mechanism, length, format, &wrap(first), more);
        let other = everything(mechanism, length, format, &wrap(second), more);
        assert!(one == other, "{mechanism}, length {length}, {format}: {what} leaks");
    }
}

#[test]
fn texts_that_read_the_same_come_out_the_same() {
    for entry in CATALOGUE {
        for length in ["fixed", "public"] {
            for pair in SAME_WORDS {
                assert_alike(entry.name, length, *pair, &[]);
            }
        }
    }
}

#[test]
fn texts_that_read_the_same_come_out_the_same_from_a_model() {
    let model = ["--model", common::model()];
    for mechanism in ["exponential", "two-set", "subset", "band"] {
        for pair in SAME_WORDS {
            assert_alike(mechanism, "fixed", *pair, &model);
        }
    }
    // And the comparison can fail: what the words are has a say in what a model proposes.
    let text = |text: &str| everything("subset", "public", "csv", &csv(text), &model);
    assert!(text("great great great great great") != text("awful awful awful awful awful"));
}

#[test]
fn texts_that_read_the_same_come_out_the_same_by_word_vectors() {
    let place = Place::new();
    let vectors = common::vectors(&place);
    let near = ["--embeddings", &vectors, "--vocabulary-size", "500"];
    for (mechanism, length) in [
        ("syntf", "fixed"),
        ("metric", "fixed"),
        ("subset", "fixed"),
        ("syntf", "public"),
        ("metric-noise", "public"),
        ("metric-mahalanobis", "public"),
    ] {
        for pair in SAME_WORDS {
            assert_alike(mechanism, length, *pair, &near);
        }
    }
    for pair in SAME_WORDS {
        assert_alike("syntf", "public", *pair, &[&near[..], &["--form", "vector"]].concat());
    }
    let text = |text: &str| everything("metric-noise", "public", "csv", &csv(text), &near);
    assert!(text("great great great great great") != text("awful awful awful awful awful"));
}

#[test]
fn texts_that_read_the_same_come_out_the_same_from_a_noised_vector() {
    let model = ["--model", common::latent_model()];
    for pair in SAME_WORDS {
        assert_alike("latent-laplace", "fixed", *pair, &model);
        assert_alike("latent-gaussian", "fixed", *pair, &[&model[..], &["--delta", "1e-6"]].concat());
    }
    // What stands after the public maximum is not read.
    let beyond = "one two three four five six seven eight";
    let pair = ("beyond the maximum", beyond, &*format!("{beyond} nine ten"));
    assert_alike("latent-laplace", "fixed", pair, &model);
    // And the comparison can fail: with hardly any noise, what the words are has a say.
    let place = Place::new();
    let release = |text: &str| {
        let input = place.file("in.csv", csv(text));
        let latent =
            ["--model", common::latent_model(), "--method", "latent-laplace", "--epsilon", "1000000", "--seed", "7"];
        let outcome = run(&[&["anonymize", &input, "-o", &place.name("out.csv")][..], &latent].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        place.read("out.csv")
    };
    let texts =
        ["great food and great people here", "the", "I will not be back , it was awful and cold", "we we we we"];
    let released: std::collections::BTreeSet<String> = texts.iter().map(|text| release(text)).collect();
    assert!(released.len() > 1, "{released:?}");
}

#[test]
fn a_method_of_epsilon_zero_treats_any_two_texts_alike() {
    for entry in CATALOGUE.iter().filter(|entry| hides_everything(entry.name)) {
        for pair in ANY_TWO {
            assert_alike(entry.name, "fixed", *pair, &[]);
        }
    }
}

#[test]
fn a_mechanism_that_keeps_words_keeps_some() {
    // The comparison of texts that read the same would be empty if nothing of a text ever came through.
    for name in ["randomized-response", "subset", "band", "two-set"] {
        let (_, files) =
            everything(name, "public", "csv", &csv("great great great great great great great great"), &[]);
        let mut text = String::new();
        let (_, packed) = &files[0];
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&packed[..]), &mut text).unwrap();
        assert!(text.to_lowercase().contains("great"), "{name}: {text}");
    }
}

#[test]
fn the_test_itself_sees_a_leak() {
    // A public length is declared, and does leak: the comparison above must be able to fail.
    let one = everything("random", "public", "csv", &csv("short"), &[]);
    let other = everything("random", "public", "csv", &csv("a longer one"), &[]);
    assert!(one != other);
}

#[test]
fn a_column_value_changes_its_own_cell_and_nothing_else() {
    let release = |note: &str| {
        let input = format!("id,text,note\n1,hello,{note}\n2,world,x\n");
        run_with_input(&["anonymize", "--format", "csv", "--seed", "7"], input.as_bytes())
    };
    let (one, other) = (release("first"), release("second"));
    assert_eq!(one.stdout.replace(",first\n", ",second\n"), other.stdout);
    assert_eq!(one.stderr, other.stderr);
}

#[test]
fn a_record_does_not_depend_on_its_neighbours() {
    let release = |text: &str| {
        let input = format!("id,text\n1,{text}\n2,world\n");
        run_with_input(&["anonymize", "--format", "csv", "--seed", "7", "--length", "public"], input.as_bytes())
    };
    let second = |outcome: Outcome| outcome.stdout.lines().nth(2).unwrap().to_owned();
    assert_eq!(second(release("one")), second(release("many more words than that")));
}

#[test]
fn an_author_who_stays_behind_leaves_no_trace() {
    let release = |author: &str| {
        let input = format!("id,author,text\n1,{author},hello\n");
        run_with_input(&["anonymize", "--format", "csv", "--seed", "7", "--json"], input.as_bytes())
    };
    assert_eq!(release("ann"), release("a very long name indeed"));
}

#[test]
fn a_missing_text_looks_like_any_other() {
    let release = |text: &str| {
        run_with_input(
            &["anonymize", "--format", "jsonl", "--seed", "7", "--json"],
            format!("{{\"text\":{text}}}\n").as_bytes(),
        )
    };
    assert_eq!(release("null"), release("\"there is one\""));
}

/// Inputs that fail, with a canary word where the text is. (What fails, format, contents.)
const FAILING: &[(&str, &str, &[u8])] = &[
    ("bytes that are not UTF-8", "csv", b"text\nzyxwvcanary \xFF\n"),
    ("a quote that is never closed", "csv", b"text\n\"zyxwvcanary\n"),
    ("something after a quote", "csv", b"text\n\"zyxwvcanary\" zyxwvcanary\n"),
    ("a ragged row", "csv", b"id,text\n1,zyxwvcanary,zyxwvcanary\n"),
    ("a missing column", "csv", b"id\nzyxwvcanary\n"),
    ("a broken object", "jsonl", b"{\"text\": \"zyxwvcanary\" zyxwvcanary}\n"),
    ("a bare word", "jsonl", b"zyxwvcanary\n"),
    ("an unclosed string", "jsonl", b"{\"text\": \"zyxwvcanary\n"),
    ("half a character", "jsonl", b"{\"text\": \"zyxwvcanary \\ud800\"}\n"),
    ("a list instead of a text", "jsonl", b"{\"text\": [\"zyxwvcanary\"]}\n"),
    ("an object instead of a text", "jsonl", b"{\"text\": {\"zyxwvcanary\": 1}}\n"),
    ("two texts", "jsonl", b"{\"text\": \"zyxwvcanary\", \"text\": \"zyxwvcanary\"}\n"),
    ("no text", "jsonl", b"{\"other\": \"zyxwvcanary\"}\n"),
    ("a file that is not Parquet", "parquet", b"zyxwvcanary"),
    ("a cut Parquet file", "parquet", b"PAR1zyxwvcanaryPAR1"),
    ("bytes that are not UTF-8 in a line", "txt", b"zyxwvcanary \xFF\n"),
    ("a damaged gzip file", "csv.gz", b"\x1F\x8B\x08\x00zyxwvcanary"),
    ("a damaged zstd file", "csv.zst", b"\x28\xB5\x2F\xFDzyxwvcanary"),
];

#[test]
fn no_error_quotes_the_text_and_none_leaves_a_file() {
    for (what, format, contents) in FAILING {
        let place = Place::new();
        let input = place.file(&format!("in.{format}"), contents);
        let output = place.name(&format!("out.{format}"));
        for extra in [&[][..], &["--json"], &["--dry-run"], &["--shuffle"]] {
            let outcome = run(&[&["anonymize", &input, "-o", &output][..], extra].concat());
            assert_eq!(outcome.code, Some(2), "{what}: {outcome:?}");
            let said = outcome.stdout + &outcome.stderr;
            assert!(!said.contains("canary"), "{what} quotes the text: {said}");
            assert!(said.contains("error: ") && said.contains("\nhint: "), "{what}: {said}");
            assert_eq!(place.entries(), [format!("in.{format}")], "{what} leaves a file");
        }
    }
}

#[test]
fn an_error_says_the_same_whatever_the_text_around_it_is() {
    let fail = |word: &str| {
        let input = [format!("id,text\n1,fine\n2,{word} ").as_bytes(), b"\xFF\n"].concat();
        run_with_input(&["anonymize", "--format", "csv"], &input)
    };
    let (one, other) = (fail("alpha"), fail("omega"));
    assert_eq!(one.stderr, other.stderr);
    assert!(one.stderr.contains("record 2: column `text` is not UTF-8 at byte 6"), "{}", one.stderr);
}

#[test]
fn a_real_release_differs_every_time() {
    let release = || run_with_input(&["anonymize"], b"the same text\n").stdout;
    assert_ne!(release(), release());
}
