//! A model from its training to a release, by the program.

mod common;

use common::{Place, latent_model, model, run, train};

fn texts(place: &Place, texts: &[&str]) -> String {
    let rows: String = texts
        .iter()
        .enumerate()
        .map(|(row, text)| format!("{}\n", serde_json::json!({ "id": row + 1, "text": text })))
        .collect();
    place.file("in.jsonl", rows)
}

fn released(place: &Place, input: &str, more: &[&str]) -> Vec<String> {
    let out = place.name("out.jsonl");
    let outcome = run(&[&["anonymize", input, "-o", &out, "--model", model()][..], more].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let text =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    place.read("out.jsonl").lines().map(text).collect()
}

const SUBSET: [&str; 4] = ["--method", "subset", "--epsilon", "12"];

#[test]
fn a_release_says_what_the_model_was_trained_on() {
    let place = Place::new();
    let input = texts(&place, &["The food was great."]);
    let out = place.name("out.jsonl");
    let outcome = run(&[&["anonymize", &input, "-o", &out, "--model", model()][..], &SUBSET].concat());
    assert!(
        outcome.stderr.contains("the model (er-ae) was trained on public texts (its card says so)"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stderr.contains("epsilon 600"), "50 tokens at 12 each: {}", outcome.stderr);
}

#[test]
fn texts_that_no_model_expects_come_out_as_the_guarantee_says() {
    let place = Place::new();
    let long = "word ".repeat(10_000);
    let input = texts(&place, &["", "zyxw qvutt zzyzx", "Это совсем другой язык, не правда ли?", &long, "🙂🙂🙂"]);
    let public = [&SUBSET[..], &["--length", "public", "--max-tokens", "12000"]].concat();
    let found = released(&place, &input, &public);
    assert_eq!(found[0], "");
    assert!(!found[1].contains("zyx") && !found[2].chars().any(|c| ('а'..='я').contains(&c)), "{found:?}");
    // As many tokens as the original, though marks are joined to words when they are written.
    let words = found[3].split_whitespace().count();
    assert!((5000..=10_000).contains(&words), "{words}");
    let fixed = released(&place, &input, &SUBSET);
    assert!(fixed.iter().all(|text| text.split_whitespace().count() <= 50));
}

#[test]
fn threads_and_neighbours_do_not_change_a_seeded_release() {
    let place = Place::new();
    let many: Vec<String> =
        (0..150).map(|i| format!("The food was {} and it was very good.", "great ".repeat(i % 9))).collect();
    let all: Vec<&str> = many.iter().map(String::as_str).collect();
    let seeded = [&SUBSET[..], &["--seed", "7"]].concat();
    let input = texts(&place, &all);
    let two = released(&place, &input, &[&seeded[..], &["--threads", "2"]].concat());
    assert_eq!(two, released(&place, &input, &[&seeded[..], &["--threads", "1"]].concat()));
    let mut others = all.clone();
    others[1..].iter_mut().for_each(|text| *text = "bad");
    let input = texts(&place, &others);
    assert_eq!(released(&place, &input, &seeded)[0], two[0]);
}

#[test]
fn an_explanation_is_for_the_owner_and_says_so() {
    let place = Place::new();
    let input = texts(&place, &["The food was great.", "It was."]);
    let file = place.name("private.jsonl");
    released(&place, &input, &[&SUBSET[..], &["--length", "public", "--explain", &file]].concat());
    let text = place.read("private.jsonl");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines[0]["note"].as_str().unwrap().starts_with("PRIVATE"));
    assert_eq!((lines.len(), lines[1]["record"].as_u64(), lines[2]["record"].as_u64()), (3, Some(1), Some(2)));
    let token = &lines[1]["tokens"][1];
    assert_eq!((token["original"].as_str(), token["candidates"].as_array().unwrap().len()), (Some("food"), 5));
    assert!(token["drawn"].is_string());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // Nothing else is written over, also not by a run that only looks.
    let other = place.file("thesis.txt", "words");
    std::fs::create_dir(place.path("letters")).unwrap();
    place.file("letters/a.txt", "dear");
    for (explain, more) in [(&input, &[][..]), (&other, &[]), (&place.name("letters/a.txt"), &["--format", "files"])] {
        let from = if more.is_empty() { input.clone() } else { place.name("letters") };
        let refused =
            run(&[&["anonymize", &from, "--explain", explain, "-o", &place.name("released")][..], more].concat());
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    }
    assert_eq!((place.read("thesis.txt"), place.read("letters/a.txt")), ("words".to_owned(), "dear".to_owned()));
    run(&["anonymize", &input, "--explain", &file, "--dry-run"]);
    assert_eq!(place.read("private.jsonl"), text);
}

#[test]
fn a_model_of_private_texts_is_refused_unless_that_is_accepted_and_then_nothing_is_promised() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "3", "--texts", "10", "--out", &demo]);
    let out = place.name("model");
    let trained = train(&place, &demo, &out, &[]);
    assert!(trained.stdout.contains("private, and NOT protected"), "{trained:?}");
    let input = texts(&place, &["It was."]);
    let release = |more: &[&str]| {
        run(&[&["anonymize", &input, "-o", &place.name("o.jsonl"), "--model", &out][..], &SUBSET, more].concat())
    };
    let refused = release(&[]);
    assert!(refused.code == Some(1) && refused.stderr.contains("may repeat them"), "{refused:?}");
    let accepted = release(&["--allow-private-model"]);
    assert!(accepted.code == Some(0), "{accepted:?}");
    assert!(accepted.stderr.contains("void: the model (er-ae) was trained on private texts"), "{}", accepted.stderr);
}

#[test]
fn private_training_states_its_price_for_a_record() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "5", "--texts", "20", "--out", &demo]);
    let out = place.name("model");
    let trained = train(&place, &demo, &out, &["--private", "noise=2,clip=1,delta=1e-4"]);
    assert_eq!(trained.code, Some(0), "{}", trained.stderr);
    let card = place.read("model/er-ae/card.toml");
    assert!(card.contains("unit = \"one record of the training file (its first 12 tokens)\""), "{card}");
    // Both stages are paid for: 60 steps and 20 more.
    assert!(card.contains("counted-steps = 80"), "{card}");
    assert!(!trained.stdout.contains("are the best candidate"), "exact figures of private texts: {}", trained.stdout);
    let input = texts(&place, &["It was."]);
    let release = run(&[&["anonymize", &input, "-o", &place.name("o.jsonl"), "--model", &out][..], &SUBSET].concat());
    assert!(release.stderr.contains("pays for that besides: epsilon"), "{}", release.stderr);
    // What it will cost is said before the first step, and it is what the card says in the end.
    let price = card.lines().find_map(|line| line.strip_prefix("epsilon-add-remove = ")).unwrap();
    let said = format!("after all 80 steps: epsilon {:.3}", price.parse::<f64>().unwrap());
    assert!(trained.stderr.contains(&said), "{said}: {}", trained.stderr);
    let none = train(&place, &demo, &place.name("none"), &["--private", "noise=0,clip=1,delta=1e-4"]);
    assert!(none.code == Some(1) && none.stderr.contains("would protect nobody"), "{none:?}");
    for bad in ["noise=2,clip=1", "noise=x,clip=1,delta=1e-4", "sigma=2", "noise=2,clip=1,delta=0.5"] {
        let refused = train(&place, &demo, &place.name("bad"), &["--private", bad]);
        assert_eq!(refused.code, Some(2), "{bad}: {refused:?}");
    }
}

#[test]
fn a_stopped_or_finished_training_is_not_written_over() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "3", "--texts", "10", "--out", &demo]);
    let out = place.name("model");
    assert_eq!(train(&place, &demo, &out, &["--public"]).code, Some(0));
    let again = train(&place, &demo, &out, &["--public"]);
    assert!(again.code == Some(2) && again.stderr.contains("has a model already"), "{again:?}");
    assert_eq!(train(&place, &demo, &out, &["--public", "--resume"]).code, Some(0));
    let changed = train(&place, &demo, &out, &["--public", "--resume", "--word-dropout", "0.5"]);
    assert!(changed.code == Some(1) && changed.stderr.contains("`word-dropout` was 0.0"), "{changed:?}");
    let private = train(&place, &demo, &out, &["--resume"]);
    assert!(private.code == Some(1) && private.stderr.contains("`public` was true"), "{private:?}");
    let nothing = train(&place, &demo, &place.name("nowhere"), &["--public", "--resume"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("nothing to go on with"), "{nothing:?}");
    std::fs::create_dir(place.path("thesis")).unwrap();
    place.file("thesis/chapter.txt", "words");
    let other = train(&place, &demo, &place.name("thesis"), &["--public"]);
    assert!(other.code == Some(2) && other.stderr.contains("other files"), "{other:?}");
}

#[test]
fn a_directory_without_a_model_is_named() {
    let place = Place::new();
    let input = texts(&place, &["It was."]);
    std::fs::create_dir(place.path("empty")).unwrap();
    for (name, says) in [("nowhere", "there is no model at"), ("empty", "has no model")] {
        let outcome =
            run(&["anonymize", &input, "-o", &place.name("o"), "--format", "jsonl", "--model", &place.name(name)]);
        assert!(outcome.code == Some(2) && outcome.stderr.contains(says), "{outcome:?}");
    }
    let both = run(&[&["anonymize", &input, "--model", model(), "--vocabulary-size", "100"][..], &SUBSET].concat());
    assert!(both.stderr.contains("a model has a vocabulary of its own"), "{both:?}");
}

#[test]
fn counts_of_words_are_released_instead_of_a_text() {
    let place = Place::new();
    let input = texts(&place, &["great great great great"]);
    let (out, vectors) = (place.name("out.jsonl"), common::vectors(&place));
    let near = ["--method", "syntf", "--epsilon", "79", "--embeddings", &vectors, "--length", "public"];
    let release = |more: &[&str]| {
        let outcome = run(&[&["anonymize", &input, "-o", &out][..], &near, more].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (outcome, place.read("out.jsonl"))
    };
    let (said, text) = release(&["--form", "vector"]);
    let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    let counts: std::collections::BTreeMap<String, u64> = serde_json::from_str(line["text"].as_str().unwrap()).unwrap();
    assert_eq!(counts.values().sum::<u64>(), 4, "{text}");
    assert!(said.stderr.contains("released as counts of words, without their order"), "{}", said.stderr);
    assert!(said.stderr.contains("the word vectors are public"), "{}", said.stderr);
    // Measured as words, not as JSON: four words came of four.
    let judged = run(&["evaluate", "--original", &input, "--released", &out, "--attacks", "reconstruction", "--json"]);
    let sheet: serde_json::Value = serde_json::from_str(&judged.stdout).unwrap();
    assert_eq!(sheet["releases"][0]["utility"]["length_ratio"].as_f64(), Some(1.0), "{}", judged.stdout);
}

#[test]
fn noise_on_words_states_both_promises_and_what_it_needs() {
    let place = Place::new();
    let input = texts(&place, &["it was great"]);
    let (out, vectors) = (place.name("out.jsonl"), common::vectors(&place));
    let release =
        |more: &[&str]| run(&[&["anonymize", &input, "-o", &out, "--method", "metric-noise"][..], more].concat());
    let needs = ["--epsilon", "2", "--embeddings", &vectors, "--vocabulary-size", "100", "--length", "public"];
    let outcome = release(&needs);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("metric privacy: 2 per unit of distance"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("words at the largest distance"), "{}", outcome.stderr);
    for (missing, says) in [(0, "needs an epsilon"), (2, "needs word vectors"), (6, "keeps the number of tokens")] {
        let kept: Vec<&str> = needs.iter().enumerate().filter(|(i, _)| i / 2 != missing / 2).map(|(_, a)| *a).collect();
        let refused = release(&kept);
        assert!(refused.code == Some(2) && refused.stderr.contains(says), "{says}: {refused:?}");
    }
    let refused = release(&[&needs[..], &["--explain", &place.name("x")]].concat());
    assert!(refused.stderr.contains("nothing to explain"), "{refused:?}");
}

#[test]
fn noise_on_the_vector_of_a_text_costs_once_whatever_its_length() {
    let place = Place::new();
    let input = texts(&place, &["it was great", &"it was great ".repeat(500), ""]);
    let out = place.name("out.jsonl");
    let release =
        |model: &str, more: &[&str]| run(&[&["anonymize", &input, "-o", &out, "--model", model][..], more].concat());
    let outcome = release(latent_model(), &["--method", "latent-laplace", "--epsilon", "5"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    // Rounded to the grid of the noise, and never above what was asked for.
    let printed = ["epsilon 4.9999", "epsilon 5.0000"].iter().any(|start| outcome.stderr.contains(start));
    assert!(printed, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("in one draw for the whole text, whatever its length"), "{}", outcome.stderr);
    assert_eq!(place.read("out.jsonl").lines().count(), 3);
    let gaussian = ["--method", "latent-gaussian", "--epsilon", "5"];
    let outcome = release(latent_model(), &[&gaussian[..], &["--delta", "1e-5"]].concat());
    assert!(outcome.code == Some(0) && outcome.stderr.contains("delta 1e-5"), "{}", outcome.stderr);
    for (refused, says) in [
        (release(latent_model(), &gaussian), "delta"),
        (release(latent_model(), &SUBSET), "draws token by token"),
        (release(model(), &["--method", "latent-laplace", "--epsilon", "5"]), "needs a model of kind adept"),
        (release(latent_model(), &["--method", "latent-laplace"]), "needs an epsilon"),
        (
            release(latent_model(), &["--method", "latent-laplace", "--epsilon", "5", "--length", "public"]),
            "decides the length",
        ),
        (release(latent_model(), &["--method", "latent-laplace", "--epsilon", "5", "--good", "3"]), "does not apply"),
    ] {
        assert!(refused.code == Some(2) && refused.stderr.contains(says), "{says}: {refused:?}");
    }
}

#[test]
fn the_papers_tables_are_made_again_from_a_trained_model() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "5", "--texts", "40", "--out", &demo]);
    let (vectors, out) = (common::vectors(&place), place.name("figures"));
    let trained = place.name("trained");
    assert_eq!(train(&place, &demo, &trained, &["--public"]).code, Some(0));
    let files = ["reproduce", "er-ae", "--data", &demo, "--model", &trained, "--embeddings", &vectors, "--out", &out];
    // A model may have seen any text of another file.
    let other = run(&["reproduce", "er-ae", "--data", &demo, "--model", model(), "--out", &out]);
    assert!(other.code == Some(1) && other.stderr.contains("not the file that the model was trained on"), "{other:?}");
    let outcome = run(&[&files[..], &["--attackers", "naive-bayes", "--max-tokens", "8", "--reviews", &demo]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for system in
        ["original", "Random-R", "SynTF, 42.5", "AE-DP, two-set 3", "ER-AE, two-set 7", "ER-AE, exponential 42.5"]
    {
        assert!(outcome.stdout.contains(&format!("| {system} |")), "{system}: {}", outcome.stdout);
    }
    // Two-set at 3 over 300 words: 1.5 + ln 299 = 7.2004 for a token, eight tokens; the paper prints 8 (3 + ln 300) = 69.63.
    assert!(outcome.stdout.contains("| AE-DP, two-set 3 | 7.200 | 57.6 | 69.6 |"), "{}", outcome.stdout);
    // The paper's own probabilities over its 20,000 words: what its definition gives, not what it prints (PRIVACY: .642).
    assert!(outcome.stdout.contains("| ER-AE as printed | several | two-set 3 | 11.403 | 0.64"), "{}", outcome.stdout);
    assert!(
        outcome.stdout.contains("| ER-AE as printed | several | exponential 11.90 | 5.952 | 0.00172"),
        "{}",
        outcome.stdout
    );
    let curve = place.read("figures/figure-2.csv");
    assert_eq!(curve.lines().filter(|line| line.starts_with("two-set,")).count(), 7, "{curve}");
    assert_eq!(curve.lines().filter(|line| line.starts_with("exponential-reviews,")).count(), 4, "{curve}");
    assert!(place.read("figures/figure-2-two-set.svg").ends_with("</svg>"));
    assert!(place.read("figures/table-1.csv").lines().count() > 15);
    let few = run(&[&files[..], &["--attackers", "naive-bayes", "--max-tokens", "8", "--records", "20"]].concat());
    assert_eq!(few.code, Some(0), "{}", few.stderr);
    assert_eq!(place.read("figures/private/authors.jsonl").lines().count(), 20);
}

#[test]
fn a_total_pays_for_a_private_length_too() {
    let place = Place::new();
    let input = texts(&place, &["it was great"]);
    let release = |total: &str| {
        let private = ["--method", "subset", "--total", total, "--length", "private"];
        run(&[&["anonymize", &input, "-o", &place.name("o.jsonl")][..], &private].concat())
    };
    let outcome = release("20");
    assert!(
        outcome.stderr.contains("epsilon 19.9") || outcome.stderr.contains("epsilon 20.0000"),
        "{}",
        outcome.stderr
    );
    assert!(release("4").stderr.contains("does not cover the private length"));
}

#[test]
fn parts_of_other_models_and_other_words_are_not_taken_for_the_model() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "3", "--texts", "10", "--out", &demo]);
    let out = place.name("model");
    assert_eq!(train(&place, &demo, &out, &["--public"]).code, Some(0));
    let input = texts(&place, &["it was great"]);
    let release =
        || run(&[&["anonymize", &input, "-o", &place.name("o.jsonl"), "--model", &out][..], &SUBSET].concat());
    assert_eq!(release().code, Some(0));
    let own = std::fs::read(place.path("model/er-ae/model.safetensors")).unwrap();
    std::fs::copy(place.path("model/ae-dp/model.safetensors"), place.path("model/er-ae/model.safetensors")).unwrap();
    assert!(release().stderr.contains("model.safetensors` is not the file that the model was trained with"));
    std::fs::write(place.path("model/er-ae/model.safetensors"), own).unwrap();
    // A card may say anything; no memory is asked for that the file could not fill.
    let card = place.read("model/er-ae/card.toml");
    place.file("model/er-ae/card.toml", card.replace("cells = 12", "cells = 4096"));
    assert!(release().stderr.contains("too small for the sizes on its card"), "{:?}", release());
    place.file("model/er-ae/card.toml", card);
    assert_eq!(release().code, Some(0));
    // Other words of the same number, and other texts.
    let words: String =
        (0..300).map(|i| format!("{}{}{}\n", ["ba", "ce", "di"][i % 3], ["fo", "gu"][i / 3 % 2], letters(i))).collect();
    let words = place.file("words.txt", format!("allonym-vocabulary 1 public\n{words}"));
    let resumed = train(&place, &demo, &out, &["--public", "--resume", "--vocabulary", &words]);
    assert!(resumed.code == Some(1) && resumed.stderr.contains("the model's settings changed"), "{resumed:?}");
    let other = place.name("other.csv");
    run(&["demo", "--authors", "3", "--texts", "10", "--out", &other, "--seed", "9"]);
    let resumed = train(&place, &other, &out, &["--public", "--resume"]);
    assert!(resumed.code == Some(1) && resumed.stderr.contains("not those that the run began with"), "{resumed:?}");
}

/// A number as letters.
fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| (digit - b'0' + b'k') as char).collect()
}

#[test]
fn a_ledger_reserves_what_training_cost_as_well() {
    let place = Place::new();
    let demo = place.name("demo.csv");
    run(&["demo", "--authors", "5", "--texts", "20", "--out", &demo]);
    let out = place.name("model");
    assert_eq!(train(&place, &demo, &out, &["--private", "noise=2,clip=1,delta=1e-4"]).code, Some(0));
    let input = texts(&place, &["it was great"]);
    let ledger = place.name("a.ledger");
    assert_eq!(run(&["ledger", "create", &ledger]).code, Some(0));
    let release = run(&[
        &["anonymize", &input, "-o", &place.name("o.jsonl"), "--model", &out, "--ledger", &ledger, "--json"][..],
        &SUBSET,
    ]
    .concat());
    assert_eq!(release.code, Some(0), "{}", release.stderr);
    let summary: serde_json::Value = serde_json::from_str(&release.stdout).unwrap();
    let each = summary["ledger"]["each"].to_string();
    assert!(each.contains("60") && !each.contains("\"600\""), "more than the release alone: {each}");
}

#[test]
fn a_model_that_nobody_would_ask_is_not_taken_in_silence() {
    let place = Place::new();
    let input = texts(&place, &["it was great"]);
    let with = |mechanism: &[&str]| {
        run(&[&["anonymize", &input, "-o", &place.name("o.jsonl"), "--model", model()][..], mechanism].concat())
    };
    let outcome = with(&["--method", "random"]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("reads no proposal"), "{outcome:?}");
    let outcome = with(&[]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("name a method for it"), "{outcome:?}");
}
