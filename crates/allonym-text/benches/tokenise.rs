//! How fast texts are read, beside NLTK's tokeniser on the same file in the same run.
//!
//! `cargo bench -p allonym-text` reads the reviews of `fixtures/`, repeated to a few megabytes; `BENCH_TEXT=FILE` names
//! another file (a record a line). NLTK is run by `PEER_PYTHON` (default `python3`), turn by turn with our own rounds,
//! so that both see the same machine. One core each.

use allonym_text::{Document, normalise, tokenise};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const ROUNDS: usize = 5;
const BYTES: usize = 4 << 20;

fn main() {
    // `cargo test` runs benchmarks too, to see that they still work: one short round, no peer.
    let trial = !std::env::args().any(|argument| argument == "--bench");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = corpus(&root, if trial { 1 << 16 } else { BYTES });
    let lines: Vec<&str> = text.lines().collect();
    let megabytes = text.len() as f64 / 1e6;
    let rounds = if trial { 1 } else { ROUNDS };
    let file = std::env::temp_dir().join(format!("allonym-bench-{}.txt", std::process::id()));
    if !trial {
        std::fs::write(&file, &text).expect("a temporary file");
    }

    let plain: Vec<_> = lines.iter().map(|line| normalise(line)).collect();
    let (mut read, mut cut, mut peer) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        read.push(seconds(|| lines.iter().map(|line| Document::read(line).tokens().len()).sum()));
        cut.push(seconds(|| plain.iter().map(|line| tokenise(line.as_str()).count()).sum()));
        if !trial {
            peer.extend(nltk(&root, &file));
        }
    }
    let _ = std::fs::remove_file(&file);

    println!("{megabytes:.1} MB in {} records, one core, median of {rounds} rounds", lines.len());
    let ours = median(&mut read);
    println!("  read (normalise, tokenise, sentences)  {:8.1} MB/s", megabytes / ours);
    println!("  tokenise alone                         {:8.1} MB/s", megabytes / median(&mut cut));
    if peer.is_empty() {
        println!("  NLTK: not measured (`pip install nltk`, and name the interpreter in PEER_PYTHON)");
    } else {
        let peer = median(&mut peer);
        println!("  NLTKWordTokenizer (tokenise only)      {:8.2} MB/s", megabytes / peer);
        println!("  read is {:.0} times as fast as NLTK's tokeniser", peer / ours);
    }
}

/// The text to read: the file that was named, or the shipped reviews, repeated.
fn corpus(root: &Path, bytes: usize) -> String {
    let named = std::env::var_os("BENCH_TEXT").map(PathBuf::from);
    let path = named.unwrap_or_else(|| root.join("fixtures/reviews.csv"));
    let once = std::fs::read_to_string(&path).expect("a text to read");
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(&once);
    }
    text.truncate(text.floor_char_boundary(bytes));
    text
}

fn seconds(work: impl FnOnce() -> usize) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn nltk(root: &Path, file: &Path) -> Option<f64> {
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).arg(root.join("benches/peers/tokenise_nltk.py")).arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.split_whitespace().next()?.parse().ok()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
