//! Sentences a second through all-MiniLM-L6-v2 on one thread and on two, beside sentence-transformers in the same run.
//!
//! `ALLONYM_MINILM` names the model's directory, `ALLONYM_SENTENCES` a file with a sentence on each line, `PEER_PYTHON` an
//! interpreter with sentence-transformers. Rounds of ours and theirs alternate, so that both see the same machine. On a machine
//! that is shared with others, the figures of one thread are the fairer ones: threads that share each product wait for
//! each other, threads with texts of their own do not.

use allonym_nn::encoder::{Bert, SentenceEncoder};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const ROUNDS: usize = 3;

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // `cargo test` runs benchmarks too, to see that they still work: a small model, one round, no peer.
    if !std::env::args().any(|argument| argument == "--bench") {
        let encoder = Bert::open(&here.join("tests/fixtures/tiny_bert")).expect("the small model of the tests");
        println!("{:.0} sentences a second through a toy", rate(&encoder, &["the cat sat on the mat"], 2));
        return;
    }
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(model), Some(file)) = (named("ALLONYM_MINILM"), named("ALLONYM_SENTENCES")) else {
        println!("not measured: ALLONYM_MINILM and ALLONYM_SENTENCES must name a model and a file of sentences");
        return;
    };
    let encoder = Bert::open(&model).expect("a model");
    let text = std::fs::read_to_string(&file).expect("a file of sentences");
    let sentences: Vec<&str> = text.lines().collect();
    let tokens: usize = sentences.iter().map(|sentence| encoder.tokens(sentence).len()).sum();
    println!("{} sentences, {tokens} tokens; sentences a second, median of {ROUNDS} rounds", sentences.len());
    for threads in [1, 2] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(rate(&encoder, &sentences, threads));
            theirs.extend(peer(here, &model, &file, threads));
        }
        let ours = median(&mut ours);
        println!("  threads: {threads}\n    {:<22}{ours:>10.1}", "Allonym");
        if theirs.is_empty() {
            println!("    peer: not measured (`pip install sentence-transformers`, interpreter in PEER_PYTHON)");
        } else {
            let theirs = median(&mut theirs);
            println!("    {:<22}{theirs:>10.1}\n    {:<22}{:>10.2}", "sentence-transformers", "ratio", ours / theirs);
        }
    }
}

fn rate(encoder: &Bert, sentences: &[&str], threads: usize) -> f64 {
    let start = Instant::now();
    black_box(encoder.encode(black_box(sentences), threads).expect("vectors"));
    sentences.len() as f64 / start.elapsed().as_secs_f64()
}

fn peer(here: &Path, model: &Path, sentences: &Path, threads: usize) -> Option<f64> {
    let script = here.join("../../benches/peers/encoder.py");
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).arg(script).args([model, sentences]).arg(threads.to_string()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
