//! ETE-Anon from a file to a release: what it needs is asked for at once, nothing is promised, and what was measured is said.

mod common;

use common::{Outcome, Place, run};

/// Three authors with words of their own, two sentiments, and a label that is neither.
fn records(count: usize) -> String {
    let row = |i: usize| {
        let author = ["ann", "bob", "cat"][i % 3];
        let habit = ["really quite", "honestly just", "totally"][i % 3];
        let (label, word) = [("neg", "terrible"), ("pos", "wonderful"), ("neutral", "usual")][i / 3 % 3];
        format!("{author},{label},{habit} a {word} day at the {} with my friends\n", ["beach", "office"][i % 2])
    };
    "author,label,text\n".to_owned() + &(0..count).map(row).collect::<String>()
}

const QUICK: [&str; 8] = ["--vocabulary-size", "3000", "--steps", "10", "--threads", "1", "--authors", "3"];

fn train(place: &Place, out: &str, more: &[&str]) -> Outcome {
    let (data, out) = (place.name("in.csv"), place.name(out));
    run(&[&["train", "ete-anon", "--data", &data, "--out", &out, "--public"], more].concat())
}

#[test]
fn an_agent_is_trained_used_and_promises_nothing() {
    let place = Place::new();
    place.file("in.csv", records(180));
    let outcome = train(&place, "model", &[&QUICK[..], &["--episodes", "16"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for said in [
        "auto-encoder alone",
        "with the agent",
        "no formal guarantee",
        "60 records left out",
        "always the commonest: author ",
        "--method agent",
    ] {
        assert!(outcome.stdout.contains(said), "{said}: {}", outcome.stdout);
    }
    place.file("few.csv", records(6));
    let (few, out, model) = (place.name("few.csv"), place.name("out.csv"), place.name("model"));
    let command = ["anonymize", &few, "-o", &out, "--model", &model];
    let unnamed = run(&command);
    assert!(unnamed.code == Some(2) && unnamed.stderr.contains("`--method agent`"), "{unnamed:?}");
    let priced = run(&[&command[..], &["--method", "agent", "--epsilon", "1"]].concat());
    assert!(priced.code == Some(2) && priced.stderr.contains("no formal guarantee"), "{priced:?}");
    let released = run(&[&command[..], &["--method", "agent"]].concat());
    assert_eq!(released.code, Some(0), "{}", released.stderr);
    assert!(
        released.stderr.contains("no formal guarantee") || released.stdout.contains("no formal guarantee"),
        "{released:?}"
    );
    let said = released.stderr + &released.stdout;
    assert!(said.contains("measured when the model was made, on"), "{said}");
    assert_eq!(place.read("out.csv").lines().count(), 7);

    for part in ["sequences of at most 20 tokens", "always the commonest", "equal texts: this agent draws nothing"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("cost n times"), "nothing has a price: {said}");

    // A ledger records what has no bound, unless it has a limit.
    let ledger = place.name("my.ledger");
    assert_eq!(run(&["ledger", "create", &ledger]).code, Some(0));
    let numbered: Vec<String> =
        records(6).lines().zip(["id", "1", "2", "3", "4", "5", "6"]).map(|(row, id)| format!("{id},{row}\n")).collect();
    let numbered = place.file("numbered.csv", numbered.concat());
    let files = ["anonymize", &numbered, "-o", &out, "--model", &model];
    let with_ledger = || run(&[&files[..], &["--method", "agent", "--ledger", &ledger]].concat());
    let recorded = with_ledger();
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    assert!(recorded.stderr.contains("ledger `my`: unbounded a record reserved"), "{}", recorded.stderr);
    let spent = allonym::ledger::Ledger::open(&ledger).unwrap().summary().unwrap().unbounded;
    assert_eq!(spent.records, 6);
    assert_eq!(run(&["ledger", "limit", &ledger, "--record-epsilon", "1000"]).code, Some(0));
    let refused = with_ledger();
    assert!(refused.code == Some(1) && refused.stderr.contains("no bound on its privacy loss"), "{refused:?}");

    // A seed changes nothing where nothing is drawn, and no text of a file can stop the others.
    place.file(
        "odd.jsonl",
        "{\"text\":\"\"}\n{\"text\":\"a fine day \"}\n{\"text\":\"  \"}\n{\"text\":\"a fine day \"}\n",
    );
    let odd = |more: &[&str]| {
        let (from, to) = (place.name("odd.jsonl"), place.name("odd-out.jsonl"));
        let all = ["anonymize", &from, "-o", &to, "--model", &model, "--method", "agent"];
        (run(&[&all[..], more].concat()), place.read("odd-out.jsonl"))
    };
    let (outcome, written) = odd(&[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines: Vec<&str> = written.lines().collect();
    assert!(lines.len() == 4 && lines[0] == lines[2] && lines[0].contains("\"\""), "{written}");
    assert_eq!(lines[1], lines[3], "the same text becomes the same");
    let (seeded, same) = odd(&["--seed", "9"]);
    assert!(!(seeded.stderr + &seeded.stdout).contains("With secret randomness"), "there is none");
    assert_eq!(same, written);
    place.file("odd.jsonl", "{\"text\":\"a fine day \"}\n");
    assert_eq!(odd(&[]).1.trim(), lines[1], "whoever stands beside it");
    place.file("odd.jsonl", format!("{{\"text\":\"{}\"}}\n", "day ".repeat(60)));
    let (cut, _) = odd(&[]);
    assert!((cut.stderr + &cut.stdout).contains("1 text is longer than what is read"), "cut at 50 tokens");

    // With noise on the context there is a guarantee, for the whole text.
    let noised = |more: &[&str]| run(&[&command[..], more].concat());
    let released = noised(&["--method", "latent-gaussian", "--epsilon", "500", "--delta", "1e-6"]);
    assert_eq!(released.code, Some(0), "{}", released.stderr);
    let said = released.stderr + &released.stdout;
    for part in ["epsilon 500", "delta 1e-6", "noise on one vector for the whole text", "between any two texts"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("no formal guarantee"), "{said}");
    let released = noised(&["--method", "latent-laplace", "--epsilon", "1000", "--max-tokens", "5"]);
    assert_eq!(released.code, Some(0), "{}", released.stderr);
    let longest = place.read("out.csv").lines().skip(1).map(|line| line.split(' ').count()).max();
    assert!(longest.is_some_and(|tokens| tokens <= 5), "{longest:?}");
    let without = noised(&["--method", "latent-gaussian", "--epsilon", "500"]);
    assert!(without.code == Some(2) && without.stderr.contains("needs a delta"), "{without:?}");

    // Other agents, with the auto-encoder as it is.
    for agent in ["literal", "paper"] {
        let of = ["--authors", "3", "--threads", "1", "--agent", agent, "--episodes", "2", "--auto-encoder", &model];
        let trained = train(&place, if agent == "paper" { "other" } else { agent }, &of);
        assert_eq!(trained.code, Some(0), "{agent}: {}", trained.stderr);
    }
    let other = place.name("other");
    let none = train(&place, "third", &["--auto-encoder", &other]);
    assert!(none.code == Some(2) && none.stderr.contains("has no auto-encoder"), "{none:?}");
    let released = run(&["anonymize", &few, "-o", &place.name("two.csv"), "--model", &other, "--method", "agent"]);
    assert_eq!(released.code, Some(0), "{}", released.stderr);

    // What the paper measured, with the same auto-encoder; the second time nothing is learned anew.
    let (data, figures) = (place.name("in.csv"), place.name("figures"));
    let command = ["reproduce", "ete-anon", "--data", &data, "--auto-encoder", &model, "--out", &figures];
    let small = ["--agents", "converged", "--alphas", "0,1", "--episodes", "16", "--authors", "3", "--threads", "1"];
    let command = [&command[..], &small, &["--adaptive", "60", "--samples", "1"]].concat();
    let outcome = run(&command);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for row in [
        "| original |",
        "| auto-encoder alone |",
        "| converged, at random |",
        "| converged, alpha 0, content 0.5 |",
        "| converged, alpha 1, content 0.5 |",
    ] {
        assert!(outcome.stdout.contains(row), "{row}: {}", outcome.stdout);
    }
    for file in ["ete-anon.md", "ete-anon.json", "figure-1.svg", "learning.svg"] {
        assert!(std::path::Path::new(&figures).join(file).is_file(), "{file}");
    }
    let again = run(&command);
    let accuracy = |text: &str| text.split("## Rewards").next().unwrap().to_owned();
    assert_eq!(accuracy(&again.stdout), accuracy(&outcome.stdout));
    assert!(!again.stderr.contains("episode 16 of 16"), "{}", again.stderr);

    // An agent that learned for another reward is not taken for this one.
    for more in [&["--content", "1"][..], &["--seed", "2"], &["--evenly"]] {
        let other = run(&[&command[..], more].concat());
        let says = format!("`{}` was", &more[0][2..]);
        assert!(other.code == Some(1) && other.stderr.contains(&says), "{other:?}");
    }
}

#[test]
fn attackers_that_learn_meanwhile_are_the_same_when_a_run_goes_on() {
    let place = Place::new();
    place.file("in.csv", records(180));
    let more = [&QUICK[..], &["--episodes", "64", "--rounds", "1"]].concat();
    let outcome = train(&place, "model", &more);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("attacker 1 of 1 learns from what the agent writes"), "{}", outcome.stderr);
    let agent = |out: &str| std::fs::read(place.path(out).join("ete-anon").join("agent.safetensors")).unwrap();
    let first = agent("model");
    // As if it had been stopped before the model was written: the attacker learns again, from the agent as it was then.
    std::fs::remove_dir_all(place.path("model").join("ete-anon")).unwrap();
    let resumed = train(&place, "model", &[&more[..], &["--resume"]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(agent("model"), first);
    let without = train(&place, "without", &[&QUICK[..], &["--episodes", "64", "--rounds", "0"]].concat());
    assert_eq!(without.code, Some(0), "{}", without.stderr);
    assert_ne!(agent("without"), first, "what is hidden from another attacker is another thing");
}

#[test]
fn mistakes_are_found_before_anything_is_trained() {
    let place = Place::new();
    place.file("in.csv", records(60));
    let refused = |more: &[&str], says: &str| {
        let outcome = train(&place, "model", &[&QUICK[..], more].concat());
        assert!(matches!(outcome.code, Some(1 | 2)), "{more:?}: {outcome:?}");
        assert!(outcome.stderr.contains(says), "{more:?}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("wonderful") && !outcome.stdout.contains("wonderful"), "{outcome:?}");
        assert!(!std::path::Path::new(&place.name("model")).exists(), "{more:?}: training began");
    };
    refused(&["--alpha", "1.5"], "`alpha` is 1.5; it must be from 0 to 1");
    refused(&["--alpha", "nan"], "`alpha` is NaN");
    refused(&["--labels", "bad,good"], "there are 0 authors with such labels");
    refused(&["--labels", "neg,neg"], "both labels are the same");
    refused(&["--labels", "neg"], "write them as `neg,pos`");
    refused(&["--label-column", "mood"], "`--label-column`");
    refused(&["--author-column", "writer"], "`--author-column`");
    refused(&["--reach", "0"], "`reach` is 0");
    refused(&["--content", "101"], "`content` is 101; it must be from 0 to 100");
    refused(&["--agent", "paper", "--rounds", "2"], "`--rounds` means nothing for this agent");
    refused(&["--agent", "literal", "--rounds", "2"], "`--rounds` means nothing for this agent");
    refused(&["--agent", "literal", "--discount", "1.5"], "`discount` is 1.5; it must be between 0 and 1");
    refused(&["--rounds", "101"], "`rounds` is 101; it must be from 0 to 100");
    refused(&["--agent", "none", "--evenly"], "`--evenly` means nothing for this agent");
    refused(&["--agent", "none", "--content", "1"], "`--content` means nothing for this agent");
    refused(&["--ranges", "meant"], "`--ranges` means nothing for this agent");
    refused(&["--discount", "0.5"], "`--discount` means nothing for this agent");
    refused(&["--agent", "paper", "--discount", "1.5"], "`discount` is 1.5; it must be between 0 and 1");
    refused(&["--explore", "1,0,1"], "`--explore` means nothing for this agent");
    refused(&["--agent", "paper", "--explore", "1,0"], "write them as `1,0.05,0.6`");
    refused(&["--agent", "paper", "--explore", "1,0,-1"], "`explore`");
    refused(&["--agent", "none", "--episodes", "3"], "`--episodes` means nothing for this agent");
    refused(&["--episodes", "0"], "`episodes` is 0");
    place.file("in.csv", "author,label,text\n".to_owned() + &"ann,pos,a fine day\nann,neg,a bad day\n".repeat(20));
    refused(&[], "there are 1 authors with such labels");
    place.file("in.csv", "author,label,text\n".to_owned() + &"ann,pos,a fine day\nbob,pos,a fine day\n".repeat(20));
    refused(&[], "no record to learn from has the label `neg`");
    let two = "ann,pos,a fine day\nann,neg,a bad day\nbob,pos,a fine day\nbob,neg,a bad day\n".repeat(10);
    place.file("in.csv", "author,label,text\n".to_owned() + &two + "cat,pos,a fine day\ncat,neg,a bad day\n");
    refused(&[], "1 of 3 authors have fewer than 4 sequences to learn from");
    place.file("in.csv", records(9));
    refused(&[], "authors have fewer than 4 sequences to learn from");
    place.file("in.csv", "text\n".to_owned() + &"a fine day\n".repeat(20));
    refused(&[], "`author`");
    let private = ["--private", "noise=1,clip=1,delta=1e-3"];
    let (data, out) = (place.name("in.csv"), place.name("model"));
    let outcome = run(&[&["train", "ete-anon", "--data", &data, "--out", &out], &private[..]].concat());
    assert!(outcome.code == Some(1) && outcome.stderr.contains("learns from exact texts"), "{outcome:?}");
}
