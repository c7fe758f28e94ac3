//! `attack`, `evaluate`, `check` and `risk`: what they find, what they refuse, and what they never print.

mod common;

use common::{Outcome, Place, run};
use serde_json::Value;

/// A word that stands in every original.
const CANARY: &str = "qqcanary";

struct Corpus {
    place: Place,
    original: String,
    copied: String,
    emptied: String,
}

/// Four authors with habits; a release that copies, and one that says nothing.
fn corpus() -> Corpus {
    let place = Place::new();
    let habits = ["whilst I sat", "so anyway he said", "one must concede", "lol it was"];
    let (mut original, mut copied, mut emptied) =
        ("id,author,label,town,text\n".to_owned(), "id,text\n".to_owned(), "id,text\n".to_owned());
    for number in 0..40 {
        let (author, label) = (number % 4, ["good", "bad"][number / 4 % 2]);
        let text = format!("{} {CANARY} the {label} number {}", habits[author], number * 7919 % 1000);
        original += &format!("r{number},qqauthor{author},{label},town{},{text}\n", author / 2);
        copied += &format!("r{number},{text}\n");
        emptied += &format!("r{number},the same for all\n");
    }
    Corpus {
        original: place.file("original.csv", &original),
        copied: place.file("copied.csv", &copied),
        emptied: place.file("emptied.csv", &emptied),
        place,
    }
}

fn json(outcome: &Outcome) -> Value {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// Accuracies of an attack on one side.
fn accuracies(findings: &Value, attack: &str, tested_on: &str) -> Vec<f64> {
    let all = findings.as_array().unwrap().iter();
    let of = all.filter(|finding| finding["attack"] == attack && finding["tested_on"] == tested_on);
    of.map(|finding| finding["accuracy"]["value"].as_f64().unwrap()).collect()
}

#[test]
fn authors_are_found_in_originals_and_copies_and_not_where_all_is_the_same() {
    let corpus = corpus();
    let found =
        run(&["attack", "--original", &corpus.original, "--released", &corpus.copied, &corpus.emptied, "--json"]);
    let sheet = json(&found);
    assert!(accuracies(&sheet["before"], "attribution", "original").iter().all(|accuracy| *accuracy == 1.0));
    let [copied, emptied] = [0, 1].map(|i| accuracies(&sheet["releases"][i]["findings"], "attribution", "released"));
    assert!(copied.len() == 10 && copied.iter().all(|accuracy| *accuracy == 1.0), "{copied:?}");
    assert!(emptied.len() == 10 && emptied.iter().all(|accuracy| *accuracy == 0.25), "{emptied:?}");
}

#[test]
fn a_report_has_figures_and_its_twin_and_no_text_unless_it_is_asked_for() {
    let corpus = corpus();
    let report = corpus.place.name("report.html");
    let arguments = ["evaluate", "--original", &corpus.original, "--released", &corpus.copied, "--report", &report];
    let outcome = run(&arguments);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let read = |name: &str| std::fs::read_to_string(corpus.place.name(name)).unwrap();
    let (page, twin) = (read("report.html"), read("report.json"));
    for text in [&page, &twin, &outcome.stdout, &outcome.stderr] {
        assert!(!text.contains(CANARY) && !text.contains("qqauthor"), "{text}");
    }
    let sheet: Value = serde_json::from_str(&twin).unwrap();
    assert_eq!(sheet["releases"][0]["utility"]["content_words_kept"], 1.0);
    assert!((sheet["releases"][0]["utility"]["bleu"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!(page.contains("Nothing is known about how this was made"));
    // The same with samples.
    assert_eq!(run(&[&arguments[..], &["--samples", "2"]].concat()).code, Some(0));
    #[cfg(unix)]
    for file in ["report.html", "report.json"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(corpus.place.path(file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file} quotes originals: it is for their owner");
    }
    assert!(read("report.html").contains(CANARY) && read("report.json").contains(CANARY));
}

#[test]
fn the_promise_of_a_run_file_is_told() {
    let corpus = corpus();
    let released = corpus.place.name("released.csv");
    assert_eq!(
        run(&[
            "anonymize",
            &corpus.original,
            "-o",
            &released,
            "--method",
            "randomized-response",
            "--epsilon-per-token",
            "9",
            "--length",
            "public"
        ])
        .code,
        Some(0)
    );
    let sheet = json(&run(&["evaluate", "--original", &corpus.original, "--released", &released, "--json"]));
    let release = &sheet["releases"][0];
    let guarantee = release["guarantee"].as_array().unwrap();
    assert!(guarantee.iter().any(|line| line.as_str().unwrap().contains("epsilon 450.0000")), "{guarantee:?}");
    let recovered = release["reconstruction"]["recovered"]["value"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&recovered) && release["reconstruction"]["tokens"].as_u64().unwrap() > 200);
}

#[test]
fn a_gate_opens_and_shuts() {
    let corpus = corpus();
    let check = |released: &str, more: &[&str]| {
        run(&[&["check", "--original", &corpus.original, "--released", released], more].concat())
    };
    let limit = ["--max-attack-accuracy", "0.3", "--min-tested", "8"];
    let few = check(&corpus.emptied, &limit[..2]);
    assert!(few.code == Some(2) && few.stderr.contains("tested on 8 texts, fewer than 20"), "{}", few.stderr);
    assert_eq!(check(&corpus.emptied, &limit).code, Some(0));
    let shut = check(&corpus.copied, &limit);
    assert!(
        shut.code == Some(1) && shut.stderr.contains("attack accuracy 1.000 (0.676 to 1.000), limit 0.300"),
        "{}",
        shut.stderr
    );
    assert_eq!(check(&corpus.emptied, &["--min-content-words", "0.5"]).code, Some(1));
    assert_eq!(check(&corpus.copied, &["--min-content-words", "0.5", "--min-similarity", "0.99"]).code, Some(0));
    assert_eq!(check(&corpus.copied, &[]).code, Some(2), "no limit is no check");
    // An attacker that cannot read a release has not shown that it is safe.
    let spaced: String = (0..40).map(|i| format!("r{i},t e x t\n")).collect();
    let spaced = corpus.place.file("spaced.csv", format!("id,text\n{spaced}"));
    let unread = check(&spaced, &[&limit[..], &["--attackers", "word-svm"]].concat());
    assert!(unread.code == Some(2) && unread.stderr.contains("could not learn from the release"), "{}", unread.stderr);
    // An attribute is not an author.
    let gender = check(&corpus.emptied, &[&limit[..], &["--target", "town"]].concat());
    assert_eq!(gender.code, Some(0), "{}", gender.stderr);
    // What cannot be measured has not passed.
    let nobody =
        run(&["check", "--original", &corpus.copied, "--released", &corpus.copied, "--max-attack-accuracy", "0.9"]);
    assert!(nobody.code == Some(2) && nobody.stderr.contains("could not be measured"), "{}", nobody.stderr);
}

#[test]
fn another_column_is_attacked_without_knowing_its_people_again() {
    let corpus = corpus();
    let sheet = json(&run(&[
        "attack",
        "--original",
        &corpus.original,
        "--target",
        "town",
        "--attackers",
        "word-svm",
        "--json",
    ]));
    let findings = sheet["before"].as_array().unwrap();
    let town = findings.iter().find(|finding| finding["target"] == "town").unwrap();
    assert_eq!(town["classes"], 2);
    assert_eq!((&town["attack"], &town["items"]), (&"attribute".into(), &10.into()), "one author of four is tested");
}

#[test]
fn every_attacker_of_the_catalogue_can_be_asked() {
    let corpus = corpus();
    let sheet = json(&run(&[
        "attack",
        "--original",
        &corpus.original,
        "--attackers",
        "all",
        "--attacks",
        "attribution",
        "--together",
        "1",
        "--json",
    ]));
    let findings = sheet["before"].as_array().unwrap();
    assert_eq!(findings.len(), allonym::eval::attacker::CATALOGUE.len());
    for finding in findings {
        let accuracy = finding["accuracy"]["value"].as_f64().unwrap();
        assert!(accuracy >= 0.5, "{} finds {accuracy} of four authors who say who they are", finding["attacker"]);
    }
}

#[test]
fn members_are_told_by_the_synthetic_text_that_is_near_them() {
    let corpus = corpus();
    let others: String = (0..20).map(|i| format!("o{i},nothing of the kind {i}\n")).collect();
    let others = corpus.place.file("others.csv", format!("id,text\n{others}"));
    let membership = ["attack", "--members", &corpus.copied, "--others", &others];
    let found = json(&run(&[&membership[..], &["--synthetic", &corpus.copied, "--json"]].concat()));
    assert_eq!(found[0]["accuracy"]["value"], 1.0);
    assert_eq!(found[0]["found_at_one_percent"], 1.0);
    let none = run(&membership);
    assert!(none.code == Some(2) && none.stderr.contains("there is no clue"), "{}", none.stderr);
    let unscored = run(&[&membership[..], &["--score-column", "text"]].concat());
    assert!(unscored.code == Some(2) && unscored.stderr.contains("has no number in `text`"), "{}", unscored.stderr);
    assert!(!unscored.stderr.contains(CANARY));
}

#[test]
fn what_cannot_be_judged_is_refused_with_a_hint() {
    let corpus = corpus();
    let file = |name: &str, text: &str| corpus.place.file(name, text);
    let one = file("one.csv", "id,author,text\n1,a,x y\n2,a,z\n");
    let once = file("once.csv", "id,author,text\n1,a,x y\n2,b,z\n");
    let half = file("half.csv", "id,text\nr0,a\nr1,b\n");
    let twice = file("twice.csv", "id,text\nr0,a\nr0,b\n");
    let shorter = file("shorter.csv", "text\na\nb\n");
    let nothing = file("nothing.csv", "id,text\n");
    let cases: [(&[&str], &str); 9] = [
        (&["--original", &one], "the column `author` has 1 value"),
        (&["--original", &once], "nothing is left to test"),
        (&["--original", &corpus.original, "--released", &half], "38 of 40 originals are not in half.csv"),
        (&["--original", &corpus.original, "--released", &twice], "has a `id` that was there before"),
        (&["--original", &corpus.original, "--released", &shorter], "has ids (`id`)"),
        (&["--original", &nothing], "has no records"),
        (&["--original", &corpus.original, "--target", "planet"], "there is no column `planet`"),
        (&["--original", &corpus.original, "--attackers", "mind-reader"], "there is no attacker `mind-reader`"),
        (&["--original", &corpus.original, "--test-share", "1.5"], "`test share` is 1.5"),
    ];
    for (arguments, said) in cases {
        let outcome = run(&[&["attack"], arguments].concat());
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(said) && outcome.stderr.contains("\n\nhint: "), "{}", outcome.stderr);
        assert!(!outcome.stderr.contains(CANARY) && outcome.stdout.is_empty());
    }
    let over =
        run(&["evaluate", "--original", &corpus.original, "--released", &corpus.copied, "--report", &corpus.copied]);
    assert!(over.code == Some(1) && over.stderr.contains("would be overwritten"), "{}", over.stderr);
}

#[test]
fn a_release_in_another_order_is_not_held_against_the_wrong_originals() {
    let corpus = corpus();
    let rows: Vec<String> =
        std::fs::read_to_string(&corpus.copied).unwrap().lines().skip(1).map(str::to_owned).collect();
    let shuffled: String = rows.iter().rev().map(|row| format!("{}\n", row.split_once(',').unwrap().1)).collect();
    let without = corpus.place.file("without.csv", format!("text\n{shuffled}"));
    let attack = |more: &[&str]| run(&[&["attack", "--original", &corpus.original], more].concat());
    assert_eq!(attack(&["--released", &without]).code, Some(2), "only the originals have ids");
    let misspelt = attack(&["--released", &corpus.copied, "--id-column", "ID"]);
    assert!(misspelt.code == Some(2) && misspelt.stderr.contains("did you mean `id`?"), "{}", misspelt.stderr);
    // Without ids anywhere the run file tells that the order is another.
    let text = std::fs::read_to_string(&corpus.original).unwrap();
    let no_ids: String = text.lines().map(|row| format!("{}\n", row.split_once(',').unwrap().1)).collect();
    let (no_ids, released) = (corpus.place.file("no-ids.csv", &no_ids), corpus.place.name("shuffled.csv"));
    assert_eq!(run(&["anonymize", &no_ids, "-o", &released, "--shuffle"]).code, Some(0));
    let refused = run(&["attack", "--original", &no_ids, "--released", &released]);
    assert!(refused.code == Some(2) && refused.stderr.contains("was shuffled"), "{}", refused.stderr);
}

#[test]
fn a_report_tells_neither_seeds_nor_paths() {
    let corpus = corpus();
    let released = corpus.place.name("seeded.csv");
    assert_eq!(run(&["anonymize", &corpus.original, "-o", &released, "--seed", "918273645"]).code, Some(0));
    let outcome = run(&["evaluate", "--original", &corpus.original, "--released", &released, "--json"]);
    let sheet = json(&outcome);
    assert_eq!(sheet["releases"][0]["settings"]["seeded"], true);
    let directory = corpus.place.path("").to_str().unwrap().trim_end_matches('/').to_owned();
    assert!(!outcome.stdout.contains("918273645") && !outcome.stdout.contains(&directory));
}

#[test]
fn what_is_missing_is_left_out_and_said() {
    let corpus = corpus();
    let file = |name: &str, text: &str| corpus.place.file(name, text);
    let original = file(
        "gaps.csv",
        "id,author,text\n1,a,one two\n2,a,two\n3,b,\n4,b,five six\n5,,six\n6,c,only once\n7,a,x y\n8,b,five\n",
    );
    let sheet = json(&run(&["attack", "--original", &original, "--json"]));
    let remarks = sheet["remarks"].to_string();
    assert!(
        remarks.contains("1 of 8 records have no `author`") && remarks.contains("1 of 8 originals are empty"),
        "{remarks}"
    );
    assert_eq!(sheet["protocol"]["authors_with_one_text"], 1);
    let released = file("gaps-released.csv", "id,text\n1,one\n2,\n3,x\n9,extra\n");
    let partly = json(&run(&["attack", "--original", &original, "--released", &released, "--allow-missing", "--json"]));
    assert!(partly["remarks"].to_string().contains("6 records are in only one of"), "{}", partly["remarks"]);
}

#[test]
fn a_writer_is_told_what_gives_the_text_away() {
    let corpus = corpus();
    let letter = corpus.place.file("letter.txt", "And whilst I sat there, whilst it rained, nobody came.");
    let other = corpus.place.file("other.txt", "And while I sat there nobody came.");
    let arguments = ["risk", "--reference", &corpus.original, "--author", "qqauthor0", "--before", &letter, &other];
    let found = json(&run(&[&arguments[..], &["--json"]].concat()));
    let own = |when: &str| found[when][0]["own"]["probability"].as_f64().unwrap();
    assert!(own("before") > own("verdicts"), "{} {}", own("before"), own("verdicts"));
    let told = run(&["risk", "--reference", &corpus.original, "--author", "qqauthor0", &letter]);
    assert!(told.stdout.contains("you write \"whilst\"") && told.stdout.contains("try \"while\""), "{}", told.stdout);
    assert!(told.stdout.contains("advice, and no protection"));
    let nobody = run(&["risk", "--reference", &corpus.original, "--author", "nobody", &letter]);
    assert!(nobody.code == Some(2) && nobody.stderr.contains("nobody in the reference"), "{}", nobody.stderr);
}

#[test]
fn the_story_is_told_in_one_command() {
    let sheet = json(&run(&["evaluate", "--demo", "--json"]));
    let before = accuracies(&sheet["before"], "attribution", "original");
    assert!(before.iter().any(|accuracy| (0.6..=0.95).contains(accuracy)), "{before:?}");
    let after = accuracies(&sheet["releases"][0]["findings"], "attribution", "released");
    // Chance is 5 % of 200 texts: 1 in a million draws would find more than 17 %.
    assert!(after.iter().all(|accuracy| *accuracy < 0.17), "{after:?}");
}
