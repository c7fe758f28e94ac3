//! Every place where private text is taken out of its type, with its reason. A new one must be added here, by hand,
//! and looked at.

use std::path::Path;

const KNOWN: &[(&str, &str)] = &[
    ("allonym-dp/src/release.rs", "length `public`: the number of tokens is declared part of the release"),
    ("allonym-dp/src/released.rs", "a mechanism draws from it"),
    ("allonym-dp/src/released.rs", "generalised: all but names passes, and the statement says so"),
    ("allonym-dp/src/released.rs", "rewritten by an agent: nothing is promised, and the statement says so"),
    ("allonym-nn/src/training/model.rs", "DP trainer: clipped and noised"),
    ("allonym-nn/src/training/model.rs", "unprotected training, the card says so"),
    ("allonym-text/src/private.rs", "an example"),
    ("allonym-text/src/vocabulary.rs", "a counted vocabulary: its owner consented, and it is marked"),
    ("allonym/src/cli/entities.rs", "entities: shown to the text's owner"),
    ("allonym/src/cli/tokenize.rs", "tokenize: shown to the text's owner"),
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
    ("allonym/src/explain.rs", "explain: the owner asked for a file that tells the originals, and it says so"),
    ("allonym/src/shown.rs", "shown to their owner, who asked"),
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

#[test]
fn every_declassification_is_known() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
        for call in text.split(".declassify(").skip(1) {
            let reason = call.trim_start().strip_prefix('"').expect("a reason in quotes").split('"').next().unwrap();
            found.push((name.clone(), reason.to_owned()));
        }
    }
    found.sort();
    let known: Vec<(String, String)> = KNOWN.iter().map(|(file, reason)| ((*file).into(), (*reason).into())).collect();
    assert_eq!(found, known);
}
