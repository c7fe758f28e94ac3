//! RLTA from a file to released vectors: what it needs is asked for at once, nothing is promised, and what was measured is said.

mod common;

use common::{Outcome, Place, run};

/// A sentiment in one word, a gender in another, and ages.
fn records(count: usize) -> String {
    let row = |i: usize| {
        let (label, word) = [("neg", "terrible"), ("pos", "wonderful"), ("neutral", "usual")][i % 3];
        let (gender, habit) = [("female", "husband"), ("male", "wife")][i / 3 % 2];
        format!("a{},{label},{gender},{},my {habit} had a {word} day at work\n", i % 7, 18 + i * 7 % 40)
    };
    "author,label,gender,age,text\n".to_owned() + &(0..count).map(row).collect::<String>()
}

const QUICK: [&str; 10] =
    ["--vocabulary-size", "3000", "--steps", "20", "--threads", "1", "--cells", "8", "--episodes", "64"];

fn train(place: &Place, out: &str, more: &[&str]) -> Outcome {
    let (data, out) = (place.name("in.csv"), place.name(out));
    run(&[&["train", "rlta", "--data", &data, "--out", &out, "--public"], &QUICK[..], more].concat())
}

#[test]
fn vectors_are_released_and_nothing_is_promised() {
    let place = Place::new();
    place.file("in.csv", records(180));
    let outcome = train(&place, "model", &[]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for said in [
        "60 left out",
        "to be hidden: gender (female, male)",
        "to be hidden: age (below",
        "as they were",
        "changed at random",
        "changed by the agent",
        "no formal guarantee",
    ] {
        assert!(outcome.stdout.contains(said), "{said}: {}", outcome.stdout);
    }
    let curve = place.read("model/training/agent/curve.jsonl");
    assert_eq!(train(&place, "again", &[]).code, Some(0));
    assert_eq!(place.read("again/training/agent/curve.jsonl"), curve, "one seed, one curve");

    place.file("few.csv", records(6));
    let (few, out, model) = (place.name("few.csv"), place.name("out.csv"), place.name("model"));
    let command = ["anonymize", &few, "-o", &out, "--model", &model];
    let texts = run(&[&command[..], &["--method", "agent"]].concat());
    assert!(texts.code == Some(2) && texts.stderr.contains("`--form vector`"), "{texts:?}");
    let unnamed = run(&command);
    assert!(unnamed.code == Some(2) && unnamed.stderr.contains("`--method agent --form vector`"), "{unnamed:?}");
    let released = run(&[&command[..], &["--method", "agent", "--form", "vector"]].concat());
    assert_eq!(released.code, Some(0), "{}", released.stderr);
    let said = released.stderr + &released.stdout;
    for part in ["no formal guarantee", "measured when the model was made", "gender", "no text is written"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let written = place.read("out.csv");
    let first = written.lines().nth(1).unwrap();
    let vector = &first[first.find('[').unwrap()..=first.rfind(']').unwrap()];
    assert_eq!(serde_json::from_str::<Vec<f32>>(vector).unwrap().len(), 16, "{first}");
    assert!(!written.contains("terrible") && !written.contains("husband"), "{written}");
    let header = written.lines().next().unwrap();
    assert!(!header.contains("gender") && !header.contains("age") && header.contains("label"), "{header}");
    assert!(said.contains("left behind: author, gender, age"), "{said}");
    assert!(said.contains("equal texts: this agent draws nothing"), "{said}");
    let evaluated = run(&["evaluate", "--original", &few, "--released", &out]);
    assert!(evaluated.code == Some(2) && evaluated.stderr.contains("vectors of numbers"), "{evaluated:?}");
}

#[test]
fn mistakes_are_found_before_anything_is_trained() {
    let place = Place::new();
    place.file("in.csv", records(60));
    for (more, said) in [
        (&["--alpha", "1.5"][..], "from 0 to 1"),
        (&["--attributes", "label"], "kept as the label and hidden"),
        (&["--attributes", "nowhere"], "--attributes"),
        (&["--attributes", "gender,gender"], "`gender` is named twice"),
        (&["--attributes", "author"], "names the author"),
        (&["--author-column", "writer"], "--author-column"),
        (&["--attributes", "text"], "the text itself"),
        (&["--labels", "good,bad"], "no record to learn from has the label"),
        (&["--labels", "neg,neg"], "both labels are the same"),
    ] {
        let outcome = train(&place, "none", more);
        assert!(matches!(outcome.code, Some(1 | 2)) && outcome.stderr.contains(said), "{more:?}: {outcome:?}");
        assert!(!std::path::Path::new(&place.name("none")).exists(), "{more:?}");
    }
}
