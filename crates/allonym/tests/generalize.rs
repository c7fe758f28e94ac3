//! Names replaced by what many share: nothing rarer than k is said, and what is said is what the mode allows.

mod common;

use common::{Outcome, Place, run};
use std::collections::{HashMap, HashSet};

const FIRST: [&str; 8] = ["Zebulon", "Ann", "Quentin", "Mary", "Otto", "Ulla", "Viktor", "Wilma"];
const LAST: [&str; 6] = ["Okonjo", "Lee", "Fitzwarren", "Brandt", "Ng", "Castellanos"];
const CITIES: [(&str, &str); 6] = [
    ("Leeds", "United Kingdom"),
    ("Lyon", "France"),
    ("Paris", "France"),
    ("Turin", "Italy"),
    ("Xanadu", ""),
    ("York", "United Kingdom"),
];

/// Numbers that are the same on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Records with one or two people and a city each, and where those stand, as another tool would say.
fn corpus(seed: u64, records: usize) -> (String, String, HashMap<String, HashSet<usize>>) {
    let chance = &mut Chance(seed);
    let (mut csv, mut given, mut names) = ("id,text\n".to_owned(), String::new(), HashMap::new());
    for record in 0..records {
        let person = |chance: &mut Chance| format!("{} {}", FIRST[chance.below(8)], LAST[chance.below(6)]);
        let (a, b, city) = (person(chance), person(chance), CITIES[chance.below(6)].0);
        let text = format!("{a} saw {b} in {city} and mailed n{record}@x.org.");
        let place = |part: &str, kind: &str| {
            let start = text.find(part).unwrap();
            format!("{{\"entity_type\":\"{kind}\",\"start\":{start},\"end\":{}}}", start + part.len())
        };
        // The second person may be the first again: then it stands further back.
        let second = text.rfind(&b).unwrap();
        let second = format!("{{\"entity_type\":\"PERSON\",\"start\":{second},\"end\":{}}}", second + b.len());
        let mail = format!("n{record}@x.org");
        let line = [place(&a, "PERSON"), second, place(city, "LOCATION"), place(&mail, "EMAIL_ADDRESS")].join(",");
        given.push_str(&format!("[{line}]\n"));
        csv.push_str(&format!("{record},{text}\n"));
        for name in [a, b, city.to_owned(), mail] {
            names.entry(name).or_insert_with(HashSet::new).insert(record);
        }
    }
    (csv, given, names)
}

fn generalize(place: &Place, more: &[&str]) -> (Outcome, String) {
    let (input, out) = (place.name("in.csv"), place.name("out.csv"));
    let given = place.name("given.jsonl");
    let outcome = run(&[&["generalize", &input, "-o", &out, "--entities", &given], more].concat());
    let text = std::fs::read_to_string(&out).unwrap_or_default();
    (outcome, text)
}

#[test]
fn no_form_is_said_in_fewer_than_k_records_whatever_the_records() {
    for (seed, records, k) in [(1, 5, 2), (2, 12, 3), (3, 30, 5), (4, 60, 4), (5, 40, 12), (6, 3, 3), (7, 25, 1)] {
        let place = Place::new();
        let (csv, given, names) = corpus(seed, records);
        place.file("in.csv", csv);
        place.file("given.jsonl", given);
        let (outcome, text) = generalize(&place, &["--k", &k.to_string(), "--json"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let done: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        for form in done["shared"].as_array().unwrap() {
            assert!(form[1].as_u64().unwrap() >= k, "{form} of {k}");
        }
        // Counted again, from the file alone.
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let count = |name: &str| lines.iter().filter(|line| line.contains(name)).count();
        for name in names.keys() {
            let said = count(name);
            assert!(said == 0 || said as u64 >= k, "`{name}` stands in {said} records, k is {k}");
            assert!(said <= names[name].len());
        }
        for form in ["somewhere", "*", "France", "an e-mail address"] {
            assert!(count(form) == 0 || count(form) as u64 >= k, "`{form}` stands in {} records", count(form));
        }
        assert!(!text.contains("@x.org"), "addresses are never said");
    }
}

#[test]
fn a_name_that_one_record_has_leaves_in_no_mode() {
    let place = Place::new();
    let (mut csv, mut given, _) = corpus(9, 30);
    csv.push_str("99,Canaryname Birdsong lives in Birdcage near 4111 1111 1111 1111; so says Canaryname.\n");
    given.push_str("[{\"entity_type\":\"PERSON\",\"start\":0,\"end\":19},{\"entity_type\":\"LOCATION\",\"start\":29,\"end\":37},{\"entity_type\":\"CREDIT_CARD\",\"start\":43,\"end\":62},{\"entity_type\":\"PERSON\",\"start\":72,\"end\":82}]\n");
    place.file("in.csv", csv);
    place.file("given.jsonl", given);
    let modes: [&[&str]; 4] = [
        &["--k", "2"],
        &["--mode", "public"],
        &["--mode", "private", "--epsilon", "1", "--delta", "1e-6"],
        &["--k", "3", "--across"],
    ];
    for mode in modes {
        let (outcome, text) = generalize(&place, mode);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        for canary in ["Canary", "Birdsong", "Birdcage", "4111"] {
            assert!(!text.contains(canary), "{mode:?}: `{canary}` left");
            assert!(
                !outcome.stderr.contains(canary) && !outcome.stdout.contains(canary),
                "{mode:?}: `{canary}` was told"
            );
        }
        assert!(
            outcome.stderr.find("not protected") < outcome.stderr.find("protected by `generalize ("),
            "{}",
            outcome.stderr
        );
        std::fs::remove_file(place.name("out.csv")).unwrap();
    }
}

#[test]
fn a_public_cut_changes_each_record_by_itself() {
    let released = |rows: usize| {
        let place = Place::new();
        let (csv, given, _) = corpus(11, 40);
        let head =
            |text: &str, lines: usize| text.lines().take(lines).map(|line| format!("{line}\n")).collect::<String>();
        place.file("in.csv", head(&csv, rows + 1));
        place.file("given.jsonl", head(&given, rows));
        generalize(&place, &["--mode", "public"]).1
    };
    let (few, many) = (released(3), released(40));
    assert!(many.starts_with(&few), "other records change nothing:\n{few}\n{many}");
    assert!(few.contains("* saw * in "), "{few}");
}

#[test]
fn names_are_found_without_another_tool() {
    let place = Place::new();
    let text = "Yesterday Mary Johnson flew from London to Paris with Microsoft.";
    let rows: String = (0..6).map(|row| format!("{row},{text}\n")).collect();
    let (input, out) =
        (place.file("in.csv", format!("id,text\n{rows}6,Call Mary Johnson: 555-0199.\n")), place.name("out.csv"));
    let outcome = run(&["generalize", &input, "-o", &out, "--k", "7"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let released = place.read("out.csv");
    assert!(released.contains("Mary Johnson"), "seven records share her: {released}");
    assert!(!released.contains("London") && !released.contains("555-0199"), "{released}");
    assert!(outcome.stderr.contains("k-anonymity of names, not differential privacy"), "{}", outcome.stderr);
}

#[test]
fn mistakes_are_found_before_anything_is_written() {
    let place = Place::new();
    let (csv, given, _) = corpus(1, 4);
    let input = place.file("in.csv", csv);
    place.file("given.jsonl", given.clone());
    let refused = |more: &[&str], code: i32, says: &str| {
        let (outcome, text) = generalize(&place, more);
        assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(says), "{}", outcome.stderr);
        assert!(text.is_empty(), "{text}");
    };
    refused(&["--k", "5"], 1, "`k` is 5, and there are 4 records");
    refused(&["--k", "0"], 2, "`k` is 0");
    refused(&["--mode", "private", "--epsilon", "1"], 2, "--delta");
    refused(&["--mode", "private", "--epsilon", "1", "--delta", "2"], 2, "`delta` is 2");
    refused(&["--mode", "private", "--epsilon", "1", "--delta", "0.9"], 2, "it must be below 1 over their number");
    refused(&["--mode", "public", "--epsilon", "1"], 2, "means nothing in mode `public`");
    refused(&["--mode", "public", "--across"], 2, "`across` lets a record's names change other records");
    let cycle = place.file("cycle.csv", "a,b\nb,c\nc,a\n");
    refused(&["--places", &cycle], 2, "line 3: what is named there would lie in itself");
    place.file("given.jsonl", given.lines().next().unwrap());
    refused(&["--k", "2"], 2, "line 2 is not of record 2");
    place.file("given.jsonl", format!("{given}[]\n"));
    refused(&["--k", "2"], 2, "another number of lines");
    let stream = run(&["generalize", "-", "--format", "csv"]);
    assert!(stream.code == Some(2) && stream.stderr.contains("a stream can be read once"), "{stream:?}");
    let over = run(&["generalize", &input, "-o", &input]);
    assert!(over.code == Some(1), "{over:?}");
}

/// What another tool finds twice, in part and whole, is replaced whole.
#[test]
fn a_part_that_was_found_first_does_not_let_the_rest_pass() {
    let place = Place::new();
    place.file("in.csv", "id,text\n1,Write jo@x.org or Ann Lee.\n2,Write jo@x.org or Ann Lee.\n");
    let line = "[{\"entity_type\":\"URL\",\"start\":9,\"end\":14},{\"entity_type\":\"EMAIL_ADDRESS\",\"start\":6,\"end\":14},{\"entity_type\":\"PERSON\",\"start\":18,\"end\":21},{\"entity_type\":\"PERSON\",\"start\":18,\"end\":25}]\n";
    place.file("given.jsonl", line.repeat(2));
    let (outcome, text) = generalize(&place, &["--mode", "public"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(text.lines().nth(1), Some("1,Write an e-mail address or *."), "{text}");
}

/// Another tool that finds nothing does not let a phone number pass.
#[test]
fn what_has_a_form_is_found_whatever_another_tool_says() {
    let place = Place::new();
    place.file("in.csv", "id,text\n1,Mail a@b.org or 07700 900123\n");
    place.file("given.jsonl", "[]\n");
    let (_, text) = generalize(&place, &["--mode", "public"]);
    assert_eq!(text.lines().nth(1), Some("1,Mail an e-mail address or a phone number"), "{text}");
    let own = place.file("own.csv", "Leeds,Yorkshire,England\n");
    place.file("in.csv", "id,text\n1,To Leeds\n");
    place.file("given.jsonl", "[{\"entity_type\":\"LOCATION\",\"start\":3,\"end\":8}]\n");
    let (_, text) = generalize(&place, &["--mode", "public", "--places", &own]);
    assert_eq!(text.lines().nth(1), Some("1,To England"), "{text}");
    let empty = place.file("none.csv", "");
    let (outcome, _) = generalize(&place, &["--places", &empty]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("has no name in it"), "{outcome:?}");
    let nowhere = generalize(&place, &["--mode", "public", "-o", "-", "--in-place"]).0;
    assert!(nowhere.code == Some(2), "{nowhere:?}");
}

#[test]
fn a_seeded_choice_has_no_price() {
    let place = Place::new();
    let (csv, given, _) = corpus(5, 24);
    place.file("in.csv", csv);
    place.file("given.jsonl", given);
    let (outcome, _) =
        generalize(&place, &["--mode", "private", "--epsilon", "1", "--delta", "1e-6", "--seed", "3", "--json"]);
    let done: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(done["guarantee"]["holds"], false, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("not private, the noise is seeded"), "{}", outcome.stdout);
    let told: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(told["warnings"], serde_json::json!(["not private: seeded"]));
}

#[test]
fn a_hierarchy_of_ones_own_is_used() {
    let place = Place::new();
    let (csv, given, _) = corpus(5, 24);
    place.file("in.csv", csv);
    place.file("given.jsonl", given);
    let lines: String = CITIES.iter().map(|(city, _)| format!("{city},the northern district\n")).collect();
    let own = place.file("own.csv", lines);
    let (outcome, text) = generalize(&place, &["--k", "20", "--places", &own]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(text.matches("in the northern district").count(), 24, "{text}");
}

#[test]
fn a_tagger_can_be_trained_and_tested() {
    let place = Place::new();
    let sentences: String = ["Ann", "Otto", "Mary", "Ulla", "Karl", "Ines"]
        .iter()
        .flat_map(|name| {
            [
                format!("Mr O\n{name} B-PER\nLee I-PER\nleft O\n. O\n\n"),
                format!("We O\nsaw O\n{name} B-PER\nhere O\n. O\n\n"),
            ]
        })
        .collect();
    let data = place.file("data.conll", &sentences);
    let (out, more) = (place.name("tagger"), place.file("more.txt", "Mr Anselm Lee left. We saw Anselm here.\n"));
    let trained = run(&[
        "train",
        "entities",
        "--data",
        &data,
        "--more-text",
        &more,
        "--sure",
        "0.2",
        "--out",
        &out,
        "--epochs",
        "20",
        "--rate",
        "0.1",
    ]);
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    assert!(trained.stderr.contains("learning: pass 20 of 20"), "{}", trained.stderr);
    let tested = run(&["entities", "--tagger", &out, "--test", &data, "--json"]);
    let found: serde_json::Value = serde_json::from_str(&tested.stdout).unwrap();
    assert!(found["kinds"][3][1].as_f64().unwrap() > 0.9, "{tested:?}");
    let again = run(&["train", "entities", "--data", &data, "--out", &out]);
    assert!(again.code == Some(1) && again.stderr.contains("is there already"), "{again:?}");
    std::fs::write(format!("{out}/tagger.bin"), "cut").unwrap();
    let broken = run(&["entities", "--tagger", &out, "--test", &data]);
    assert!(broken.code == Some(2) && broken.stderr.contains("no tagger's file"), "{broken:?}");
}
