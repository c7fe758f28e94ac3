//! Every place where a private value is opened, and every place where an exit type is made, with its reason. A new one must be
//! added here, by hand, and looked at.

use std::path::Path;

/// Calls that open a private value, with the reason they give.
const DECLASSIFIED: &[(&str, &str)] = &[
    ("allonym-dp/src/exit/for_owner.rs", "shown to its owner: the terminal, or a file of mode 0600"),
    ("allonym-dp/src/exit/released.rs", "a mechanism draws from it"),
    ("allonym-dp/src/exit/rewritten.rs", "a rewriter reads it: no bound is promised, and the statement says so"),
    ("allonym-dp/src/exit/rewritten.rs", "a rewriter reads it: no bound is promised, and the statement says so"),
    ("allonym-dp/src/terms.rs", "length `public`: the number of tokens is declared part of the release"),
    ("allonym-nn/src/training/model.rs", "DP trainer: clipped and noised"),
    ("allonym-nn/src/training/model.rs", "unprotected training, the card says so"),
    ("allonym-text/src/private.rs", "an example"),
    ("allonym-text/src/vocabulary.rs", "a counted vocabulary: its owner consented, and it is marked"),
    (
        "allonym/src/corpus.rs",
        "training without noise: the card says that nothing is protected, unless the texts are public",
    ),
    (
        "allonym/src/corpus.rs",
        "training without noise: the card says that nothing is protected, unless the texts are public",
    ),
    ("allonym/src/entities/generalize.rs", "generalize: how many names there are, told to their owner"),
    ("allonym/src/entities/generalize.rs", "generalize: names to look for in other records of the same owner"),
    ("allonym/src/entities/generalize.rs", "generalize: whether another tool's line fits its record"),
    ("allonym/src/entities/generalize.rs", "generalize: whether the input changed between two passes"),
    ("allonym/src/entities/mode.rs", "generalize: forms that a noisy count named"),
    ("allonym/src/entities/mode.rs", "generalize: how many records share each form, told to their owner"),
    ("allonym/src/entities/mode.rs", "generalize: how many records share each form, told to their owner"),
    ("allonym/src/entities/mode.rs", "generalize: k-anonymous, an exact count decides, and the statement says so"),
    ("allonym/src/entities/texts.rs", "a test"),
    ("allonym/src/evaluation/load.rs", "evaluation: classes of records, on their owner's machine"),
    ("allonym/src/evaluation/load.rs", "evaluation: on its owner's machine"),
    ("allonym/src/spending.rs", "the ledger keeps keyed hashes of ids and authors"),
    ("allonym/src/suits.rs", "counts of unsuitable texts, told to their owner"),
    (
        "allonym/src/synthesis/labels.rs",
        "synthesis: whether any text has a known word, told to their owner instead of a run",
    ),
    (
        "allonym/src/synthesis/labels.rs",
        "synthesis: which labels there are and how they are written is declared public by the statement",
    ),
    ("allonym/src/training/basis.rs", "training without noise: authors decide who is in which part of the split"),
    ("allonym/src/training/basis.rs", "training without noise: exact figures in a report for the owner"),
    ("allonym/src/training/basis.rs", "training: the owner declared the texts public"),
];

/// Calls that make an exit type: what is called, where, and why that is right.
const EXITS: &[(&str, &str, &str)] = &[
    ("ForOwner::show(", "allonym/src/cli/reading.rs", "`tokenize` and `entities` show the owner how a text is read"),
    ("ForOwner::show(", "allonym/src/explain.rs", "`--explain` writes a private file"),
    ("ForOwner::show(", "allonym/src/shown.rs", "`--show` prints on the terminal"),
    ("ForOwner::show(", "allonym/src/synthesis/write.rs", "`--not-private` texts go into a file of their owner"),
    ("Released::by_mechanism", "allonym-dp/src/release.rs", "the release loop: every token was drawn by a mechanism"),
    ("Released::by_mechanism", "allonym-dp/src/terms.rs", "the longest length, which tells nothing"),
    ("Synthetic::from_dp_outputs(", "allonym/src/synthesis/write.rs", "asks whether there is a bound"),
    (
        "Synthetic::from_dp_outputs(",
        "allonym/src/synthesis/write.rs",
        "written by a DP-trained model, or from noisy counts",
    ),
    (
        "rewrite(",
        "allonym/src/entities/generalize.rs",
        "names are replaced, and the rest passes: the statement says so",
    ),
    ("rewrite_batch(", "allonym/src/method/agent.rs", "ETE-Anon's agent: measured only, and the statement says so"),
    (
        "rewrite_batch(",
        "allonym/src/method/rewriter.rs",
        "a rewriter of any crate: the statement says that nothing is promised",
    ),
    ("rewrite_batch(", "allonym/src/method/vectors.rs", "RLTA's agent: measured only, and the statement says so"),
];

fn sources(directory: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The code of every file of the workspace, without comments and unit tests.
fn code() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    let read = |file: std::path::PathBuf| {
        let name = file.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
        (name, std::fs::read_to_string(&file).unwrap())
    };
    files.into_iter().map(read).collect()
}

/// A text without its comments and unit tests.
fn without_comments_and_tests(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_declassification_is_known() {
    let mut found = Vec::new();
    for (name, text) in code() {
        for call in text.split(".declassify(").skip(1) {
            let argument = call.trim_start();
            let reason = match argument.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next().unwrap(),
                None => {
                    // A constant of the same file.
                    let constant = argument.split(')').next().unwrap();
                    let definition = text.split(&format!("const {constant}: &str = \"")).nth(1).expect("a reason");
                    definition.split('"').next().unwrap()
                }
            };
            found.push((name.clone(), reason.to_owned()));
        }
    }
    found.sort();
    let known: Vec<(String, String)> =
        DECLASSIFIED.iter().map(|(file, reason)| ((*file).into(), (*reason).into())).collect();
    assert_eq!(found, known);
}

#[test]
fn every_maker_of_an_exit_type_is_known() {
    let makers = [
        "Released::by_mechanism",
        "rewrite_batch(",
        "rewrite(",
        "Synthetic::from_released(",
        "Synthetic::from_dp_outputs(",
        "ForOwner::show(",
    ];
    let mut found = Vec::new();
    for (name, text) in code() {
        let text = without_comments_and_tests(&text);
        for maker in makers {
            let calls = text.match_indices(maker).filter(|(at, _)| {
                let before = text[..*at].chars().next_back();
                // A call by its own name: not a method, a definition or the end of another word.
                !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') && !text[..*at].ends_with("fn ")
            });
            found.extend(calls.map(|_| (maker.to_owned(), name.clone())));
        }
    }
    found.sort();
    let known: Vec<(String, String)> = EXITS.iter().map(|(maker, file, _)| ((*maker).into(), (*file).into())).collect();
    assert_eq!(found, known);
}
