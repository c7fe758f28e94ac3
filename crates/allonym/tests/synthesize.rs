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
    assert!(outcome.stderr.contains("of 2 allowed, delta 1e-3"), "{}", outcome.stderr);
    let protected = outcome.stdout.find("protected by `tuned`").unwrap();
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
    assert!(told.contains("not private: seeded"), "{told}");
    assert!(told.find("With secret randomness it would be") < told.find("epsilon "), "{told}");
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
    let outcome = run(&[&unigram[..], &["--count", "400", "--max-tokens", "8"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("epsilon 2.0000 for one record, as far as it was learned from, delta 0"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("  if one record is added or removed\n"), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("epsilon 4.0000 if one record is replaced by another, delta 0\n"),
        "{}",
        outcome.stdout
    );
    // A training that stands beside the output is none of its business.
    std::fs::create_dir_all(place.name("out.csv.training/other")).unwrap();
    assert_eq!(run(&[&unigram[..], &["--count", "400", "--max-tokens", "8"]].concat()).code, Some(0));
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
    assert!(!outcome.stdout.contains("  epsilon "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("anything: a text may be repeated") && !outcome.stdout.contains("cost n times"));
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
    for (flag, value, says) in [
        ("--batch", "0", "`batch` is 0"),
        ("--clip", "0", "`clip` is 0"),
        ("--clip", "nan", "`clip` is NaN"),
        ("--rate", "0", "`rate` is 0"),
        ("--rank", "0", "`rank` is 0"),
    ] {
        refused(&["--epsilon", "1", "--delta", "1e-3", flag, value], says);
    }
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "mood"], "name the column with `--label-column`");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "text"], "the label is the text");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "id"], "a label has fewer than 10 records");
    place.file("in.csv", "id,label,text\n1,a,x y\n2,a,z\n");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "label"], "all records have one label");
    place.file("in.csv", "id,label,text\n1,a,x y\n2,,z\n");
    refused(&["--epsilon", "1", "--delta", "1e-3", "--label-column", "label"], "has no label for some");
    place.file("in.csv", "id,label,text\n1,a,\u{43c}\u{438}\u{440}\n2,b,\n");
    refused(&["--epsilon", "1", "--delta", "1e-3"], "no text has a word that is known here");
    let data = place.name("in.csv");
    let (nowhere, elsewhere) = (place.name("nowhere/out.csv"), ["--not-private", "--out"]);
    let missing = run(&[&["synthesize", "--data", &data], &elsewhere[..], &[&nowhere]].concat());
    assert!(missing.code == Some(2) && missing.stderr.contains("there is no directory"), "{missing:?}");
    let stream = run(&[&["synthesize", "--data", &data], &elsewhere[..], &["-"]].concat());
    assert!(stream.code == Some(2) && stream.stderr.contains("`--work DIR`"), "{stream:?}");
    let named = run(&["synthesize", "--data", &data, "--out", &place.name("out.xlsx"), "--not-private"]);
    assert!(named.stderr.contains("neither CSV nor JSON Lines"), "{}", named.stderr);
}

#[test]
fn a_dry_run_tells_the_price_and_leaves_nothing() {
    for method in [&["--delta", "1e-3"][..], &["--method", "unigram"]] {
        let place = Place::new();
        place.file("in.csv", records(40));
        let data = place.name("in.csv");
        let command = ["synthesize", "--data", &data, "--out", &place.name("out.csv"), "--epsilon", "2", "--dry-run"];
        let outcome = run(&[&command[..], method].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("cost per record: epsilon"), "{}", outcome.stderr);
        assert!(outcome.stdout.starts_with("nothing was counted, trained or written\nnot protected\n"), "{outcome:?}");
        assert!(outcome.stdout.contains("  - how many records there are\n"), "{}", outcome.stdout);
        assert!(!place.path("out.csv").exists() && !place.path("out.csv.training").exists());
    }
}

#[test]
fn what_cannot_be_written_is_found_before_anything_is_spent() {
    let place = Place::new();
    place.file("in.csv", records(40));
    std::fs::create_dir(place.path("out.csv")).unwrap();
    let outcome = synthesize(&place, &PRIVATE);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("is a directory"), "{outcome:?}");
    assert!(!outcome.stderr.contains("counting words") && !place.path("out.csv.training").exists(), "{outcome:?}");
    let k = synthesize(&place, &[&PRIVATE[..], &["--names", "k-anonymous", "--k", "1"]].concat());
    assert!(k.code == Some(2), "{k:?}");
}

#[test]
fn a_record_that_changes_its_label_pays_twice_and_large_prices_are_called_large() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let labels = ["--label-column", "label", "--delta", "1e-3", "--dry-run"];
    let outcome = synthesize(&place, &[&labels[..], &["--epsilon", "1"]].concat());
    // Two releases with noise of their own: twice delta, too.
    assert!(
        outcome.stdout.contains("if one record is replaced by one of another label, delta 2e-3\n"),
        "{}",
        outcome.stdout
    );
    assert!(!outcome.stdout.contains("promises nothing in the worst case"), "{}", outcome.stdout);
    let large = synthesize(&place, &[&labels[..], &["--epsilon", "30"]].concat());
    assert!(large.stdout.contains("promises nothing in the worst case"), "{}", large.stdout);
}

#[test]
fn where_the_noise_hides_nearly_all_the_owner_is_warned_before_anything_is_spent() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let warned = |more: &[&str]| {
        let outcome = synthesize(&place, &[&["--dry-run"], more].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        outcome.stderr.contains("warning: 40 records, and the noise hides")
    };
    assert!(warned(&["--epsilon", "1", "--delta", "1e-3"]));
    assert!(!warned(&["--epsilon", "50", "--delta", "1e-3"]));
    assert!(!warned(&["--not-private"]));
}

#[test]
fn texts_of_another_language_are_counted_for_their_owner() {
    let place = Place::new();
    let text = "der hund lief schnell durch den dunklen wald und bellte laut";
    place.file("in.csv", "id,text\n".to_owned() + &(0..40).map(|i| format!("{i},{text}\n")).collect::<String>());
    let outcome = synthesize(&place, &["--epsilon", "1", "--delta", "1e-3", "--dry-run"]);
    assert!(outcome.stderr.contains("warning: 40 texts have few English words"), "{}", outcome.stderr);
    // Both warnings of this run, in their order.
    let json = synthesize(&place, &["--epsilon", "1", "--delta", "1e-3", "--dry-run", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let warnings: Vec<&str> = told["warnings"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("40 texts have few English words"), "{warnings:?}");
    assert!(warnings[1].starts_with("40 records, and the noise hides"), "{warnings:?}");
}

#[cfg(unix)]
#[test]
fn the_directory_of_the_training_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.file("in.csv", records(40));
    assert_eq!(synthesize(&place, &PRIVATE).code, Some(0));
    let mode = std::fs::metadata(place.path("out.csv.training")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
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
    // They may be other and more texts.
    let (data, out) = (place.name("in.csv"), place.name("out.csv"));
    let more = ["--steps", "3", "--max-tokens", "8", "--count", "9", "--temperature", "0.9", "--resume"];
    let again = run(&[&["synthesize", "--data", &data, "--out", &out], &PRIVATE[..], &more].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(place.read("out.csv").lines().count(), 10);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let kept = std::fs::metadata(place.name("out.csv.training/training")).unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, 0o700, "the hash of the texts is their owner's");
    }
}

#[test]
fn all_of_the_price_can_go_into_words() {
    let place = Place::new();
    place.file("in.csv", records(120));
    let (data, out) = (place.name("in.csv"), place.name("out.csv"));
    let words = ["--words", "1", "--max-tokens", "8", "--count", "200", "--epsilon", "20", "--delta", "1e-4"];
    let command = ["synthesize", "--data", &data, "--out", &out, "--label-column", "label"];
    let outcome = run(&[&command[..], &words].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("words counted once, noise") && !outcome.stderr.contains("steps"), "{outcome:?}");
    let price: f64 = outcome.stdout.split("epsilon ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(price <= 20.0 && price > 19.9, "{price}");
    // What every text of a label says, its texts say more often than others.
    let written = place.read("out.csv");
    let often = |label: &str, word: &str| {
        written.lines().filter(|line| line.ends_with(label) && line.to_lowercase().contains(word)).count()
    };
    assert!(often(",good", "great") > 2 * often(",bad", "great"), "{written}");
    assert!(often(",bad", "terrible") > 2 * often(",good", "terrible"), "{written}");
    let unread = run(&[&command[..], &words, &["--steps", "9"]].concat());
    assert!(unread.code == Some(2) && unread.stderr.contains("`--steps` means nothing with `--words 1`"), "{unread:?}");
}

#[test]
fn an_lstm_learns_from_nothing_and_begins_with_noisy_words() {
    let place = Place::new();
    place.file("in.csv", records(60));
    let lstm = ["--method", "lstm", "--cells", "6", "--lstm-words", "300"];
    let outcome = synthesize(&place, &[&PRIVATE[..], &lstm].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("words counted once") && outcome.stderr.contains("3 steps on"), "{outcome:?}");
    assert_eq!(place.read("out.csv").lines().count(), 7);
    // Two tables of 304 x 6, two LSTMs of 24 x (6 + 6 + 2), an output of 304 x 7.
    assert!(
        outcome.stdout.contains(&format!("({} numbers trained each)", 2 * 304 * 6 + 2 * 336 + 304 * 7)),
        "{outcome:?}"
    );
    let wrong = synthesize(&place, &[&PRIVATE[..], &lstm, &["--rank", "2"]].concat());
    assert!(wrong.code == Some(2) && wrong.stderr.contains("`--rank` means nothing for this method"), "{wrong:?}");
}

#[test]
fn names_that_many_share_are_not_paid_for_by_the_price_and_the_statement_says_so() {
    let place = Place::new();
    place.file("in.csv", records(60));
    let names = ["--names", "k-anonymous", "--k", "3"];
    let outcome = synthesize(&place, &[&PRIVATE[..], &names].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("no epsilon of this size bounds that"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("for one record after its names were generalized"), "{outcome:?}");
    assert!(outcome.stdout.contains("depends on other records"), "{}", outcome.stdout);
    let alone = synthesize(&place, &[&PRIVATE[..], &["--k", "3"]].concat());
    assert!(alone.code == Some(2) && alone.stderr.contains("`--k` means nothing here"), "{alone:?}");
    let few = Place::new();
    few.file("in.csv", records(60));
    let many = synthesize(&few, &[&PRIVATE[..], &["--names", "k-anonymous", "--k", "61"]].concat());
    assert!(many.code == Some(1) && many.stderr.contains("`k` is 61, and there are 60 records"), "{many:?}");
}

/// Stopped in the middle, it goes on: words are counted once, and the whole costs what was announced.
#[test]
fn an_interrupted_run_goes_on_at_the_announced_price() {
    let place = Place::new();
    place.file("in.csv", records(60));
    let (data, out, work) = (place.name("in.csv"), place.name("out.csv"), place.name("out.csv.training"));
    let command = ["synthesize", "--data", &data, "--out", &out, "--max-tokens", "8", "--count", "6", "--steps", "15"];
    let command = [&command[..], &PRIVATE, &["--threads", "1", "--batch", "10"]].concat();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_allonym"))
        .args(&command)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let counted = std::path::Path::new(&work).join("training/words.json");
    let begun = std::path::Path::new(&work).join("training/label-0/latest");
    let waited = std::time::Instant::now();
    while !begun.exists() && child.try_wait().unwrap().is_none() && waited.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let interrupted = child.wait().unwrap();
    let before = std::fs::read_to_string(&counted).unwrap();
    if !interrupted.success() {
        assert!(!std::path::Path::new(&out).exists());
    }
    let outcome = run(&[&command[..], &["--resume"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(before, std::fs::read_to_string(&counted).unwrap(), "words are counted once");
    assert!(!outcome.stderr.contains("counting words"), "{}", outcome.stderr);
    let price: f64 = outcome.stdout.split("epsilon ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(price <= 2.0 && price > 1.98, "{price}");
}

/// A tiny language model of the program's kind.
fn language_model(place: &Place, how: &[&str]) -> String {
    let texts: String = (0..40).map(|i| format!("the movie was good number {} and we liked it\n", i % 7)).collect();
    place.file("public.txt", texts);
    place.file("near.txt", "the 1 0\nmovie 0 1\ngood 1 1\n");
    let (data, vectors, out) = (place.name("public.txt"), place.name("near.txt"), place.name("language"));
    let tiny = ["--cells", "8", "--words", "8", "--vocabulary-size", "2000", "--steps", "2", "--batch", "4"];
    let command = ["train", "fluent", "--data", &data, "--format", "lines", "--embeddings", &vectors, "--out", &out];
    let outcome = run(&[&command[..], &tiny, how].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    out
}

#[test]
fn another_language_model_can_be_tuned() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let model = language_model(&place, &["--public"]);
    let with = |more: &[&str]| synthesize(&place, &[&PRIVATE[..], more].concat());
    let outcome = with(&["--model", &model]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // Rank 8 on 8 cells and a shift: 8 x 8 twice, and 8.
    assert!(outcome.stdout.contains("(136 numbers trained each)"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("pay for that apart"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("the language model that you gave"), "{}", outcome.stdout);
    assert!(!outcome.stdout.contains("reviews of films"), "what the program's own has read is beside the point");
    let resumed = with(&["--resume"]);
    assert!(
        resumed.code == Some(1) && resumed.stderr.contains("`model` was"),
        "another model is another run: {resumed:?}"
    );
    let place = Place::new();
    place.file("in.csv", records(40));
    let with = |more: &[&str]| synthesize(&place, &[&PRIVATE[..], more].concat());
    for (more, says) in [
        (vec!["--model", "nowhere"], "there is no model at nowhere"),
        (vec!["--model", &model, "--method", "lstm"], "`--model` means nothing for this method"),
    ] {
        let refused = with(&more);
        assert!(refused.code == Some(2) && refused.stderr.contains(says), "{refused:?}");
    }
}

#[test]
fn a_language_model_of_private_texts_is_refused_or_its_price_is_told() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let model = language_model(&place, &["--private", "noise=1.0,clip=1.0,delta=1e-3"]);
    let outcome = synthesize(&place, &[&PRIVATE[..], &["--model", &model]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("was trained on pay for that apart: epsilon "), "{}", outcome.stdout);
    let place = Place::new();
    place.file("in.csv", records(40));
    let model = language_model(&place, &[]);
    let outcome = synthesize(&place, &[&PRIVATE[..], &["--model", &model]].concat());
    assert!(outcome.code == Some(1) && outcome.stderr.contains("private texts without protection"), "{outcome:?}");
}

#[test]
fn what_was_copied_is_held_against_texts_that_were_not_learned_from() {
    let place = Place::new();
    let stock = "this is a very long sentence that many people say";
    let row = |i: usize| {
        let (label, split) = (["good", "bad"][i % 2], if i < 200 { "train" } else { "test" });
        format!("{label},{split},{stock}. it was {}\n", ["great", "awful"][i % 2])
    };
    place.file("in.csv", "label,split,text\n".to_owned() + &(0..260).map(row).collect::<String>());
    place.file("public.csv", format!("label,text\ngood,{stock}\n"));
    let (data, out, public) = (place.name("in.csv"), place.name("figures"), place.name("public.csv"));
    let command = ["reproduce", "dpvg", "--data", &data, "--out", &out, "--epsilon", "8", "--delta", "1e-3"];
    let small = ["--count", "40", "--max-tokens", "16", "--only", "tuned", "--threads", "1", "--json"];
    let figures = |more: &[&str]| {
        let outcome = run(&[&command[..], &small, more].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        serde_json::from_str::<serde_json::Value>(&outcome.stdout).unwrap()
    };
    let found = figures(&[]);
    assert_eq!(found["records"], serde_json::json!([200, 60, 60]));
    assert_eq!(found["rows"].as_array().unwrap().len(), 2, "originals, and what was asked for");
    // All texts say the same: whatever is copied stands in both parts.
    let [runs, sentences] = [0, 1].map(|place| found["rows"][1]["copied"][place].clone());
    assert!(runs["learned"] == 0 && runs["control"] == 0 && sentences["learned"] == 0, "{runs} {sentences}");
    let public = figures(&["--public-texts", &public]);
    let of_public = public["rows"][1]["copied"][0].clone();
    assert!(of_public["public"].as_u64() <= runs["both"].as_u64(), "{of_public} {runs}");
    assert_eq!(place.read("figures/private/copied-tuned-1.txt"), "");
    let other = run(&[&command[..], &["--only", "magic"]].concat());
    assert!(other.code == Some(2) && other.stderr.contains("there is no system `magic`"), "{other:?}");
}

#[test]
fn the_paper_is_measured_again_and_goes_on_where_it_was() {
    let place = Place::new();
    place.file("in.csv", records(240));
    let (data, out) = (place.name("in.csv"), place.name("figures"));
    let command = ["reproduce", "dpvg", "--data", &data, "--out", &out, "--epsilon", "8", "--delta", "1e-3"];
    let small =
        ["--count", "40", "--max-tokens", "8", "--seeds", "2", "--losses", "8", "--threads", "1", "--lstm-steps", "2"];
    let outcome = run(&[&command[..], &small].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // Every word tells the label here.
    let row = outcome.stdout.lines().find(|line| line.starts_with("| original |")).unwrap();
    assert_eq!(row.matches("1.000 / 1.000").count(), 4, "{row}");
    for part in [
        "| unigram (1) |",
        "| tuned (1) |",
        "| dp-e-d (2) |",
        "| dpvg (2) |",
        "| MNB | good |",
        "What is copied",
        "Figure 4",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    for file in ["dpvg.md", "dpvg.json", "figure-3-tuned.svg", "figure-4.svg", "private/training.jsonl"] {
        assert!(std::path::Path::new(&out).join(file).is_file(), "{file}");
    }
    let again = run(&[&command[..], &small, &["--json"]].concat());
    assert!(again.code == Some(0) && !again.stderr.contains("label 1, training"), "{}", again.stderr);
    let other = run(&[&command[..], &small, &["--k", "7"]].concat());
    assert!(other.code == Some(2) && other.stderr.contains("texts of another plan"), "{other:?}");
    assert!(std::path::Path::new(&out).join("private/tuned-no-noise-1.jsonl").is_file());
    assert!(!outcome.stdout.contains("| tuned, no noise | "), "no sample of what has no noise: {}", outcome.stdout);
}

#[test]
fn a_stream_has_texts_alone_and_the_statement_goes_elsewhere() {
    let place = Place::new();
    place.file("in.csv", records(40));
    let data = place.name("in.csv");
    let outcome =
        run(&["synthesize", "--method", "unigram", "--data", &data, "--out", "-", "--epsilon", "2", "--count", "3"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(
        outcome.stdout.lines().count() == 3 && outcome.stdout.lines().all(|line| line.starts_with('{')),
        "{outcome:?}"
    );
    assert!(outcome.stderr.contains("for one record, as far as it was learned from"), "{}", outcome.stderr);
}
