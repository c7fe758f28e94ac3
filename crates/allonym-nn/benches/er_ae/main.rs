//! Training and generating with the network of ER-AE, beside PyTorch and Opacus in the same run.
//!
//! `BENCH_TEXT` names a file with a sentence a line, whose lengths are used (without it, lengths are made up); `PEER_PYTHON` names an
//! interpreter with torch (and opacus). Rounds of ours and theirs alternate, each in a process of its own, so that both see the same
//! machine and memory can be told apart.

mod model;

use allonym_dp::PrivacyRng;
use allonym_nn::loss::top;
use allonym_nn::optimiser::{Adam, AdamSettings};
use allonym_nn::{Into, Matrix, engine, multiply};
use model::{ErAe, SIZES, Size};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const BATCH: usize = 128;
const THREADS: usize = 2;
const ROUNDS: usize = 3;
const TASKS: [&str; 6] = ["train-equal", "train-real", "private-equal", "private-real", "generate-1", "generate-64"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--task") {
        return one(&arguments[place + 1], &arguments[place + 2]);
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        // `cargo test` runs benchmarks too, to see that they still work.
        let tiny = Size { name: "tiny", cells: 8, vocabulary: 50, width: 6 };
        let found: Vec<f64> = TASKS.iter().map(|task| measure(tiny, task, 0.001).0).collect();
        assert!(found.iter().all(|rate| *rate > 0.0));
        return;
    }
    let peak = peak();
    println!("{}: a large product reaches {peak:.0} GFLOP/s on {THREADS} threads\n", engine::current().name());
    println!(
        "{:<8}{:<16}{:>12}{:>12}{:>8}{:>10}{:>10}{:>8}",
        "size", "task", "ours/s", "peer/s", "ratio", "MB", "peer MB", "ratio"
    );
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    for size in SIZES {
        for task in TASKS {
            if !format!("{} {task}", size.name).contains(&only) {
                continue;
            }
            let mut results: BTreeMap<bool, Vec<(f64, f64)>> = BTreeMap::new();
            for _ in 0..ROUNDS {
                results.entry(true).or_default().extend(ours(size, task));
                results.entry(false).or_default().extend(peer(size, task));
            }
            let [ours, peer] = [true, false].map(|who| middle(results.remove(&who).unwrap_or_default()));
            let Some((rate, memory)) = ours else { continue };
            let (theirs, their_memory) = peer.unwrap_or((f64::NAN, f64::NAN));
            println!(
                "{:<8}{task:<16}{rate:>12.0}{theirs:>12.0}{:>8.2}{memory:>10.0}{their_memory:>10.0}{:>8.2}",
                size.name,
                rate / theirs,
                memory / their_memory
            );
            if task == "train-equal" {
                let reached = rate * ErAe::new(size).operations() / 1e9;
                println!("{:<24}{reached:>9.0} GFLOP/s, {:.0} % of the product's", "", 100.0 * reached / peak);
            }
        }
    }
}

fn middle(mut results: Vec<(f64, f64)>) -> Option<(f64, f64)> {
    results.sort_by(|a, b| a.0.total_cmp(&b.0));
    results.get(results.len() / 2).copied()
}

/// GFLOP/s of a product of large square matrices: what the machine can do.
fn peak() -> f64 {
    let size = 2048;
    let (a, b) = (Matrix::of(size, size, vec![0.5_f32; size * size]), Matrix::of(size, size, vec![0.25; size * size]));
    let mut c = Matrix::zeros(size, size);
    let best = (0..8).map(|_| {
        let start = Instant::now();
        multiply(c.view_mut(), Into::Replace, a.view(), b.view(), THREADS);
        start.elapsed().as_secs_f64()
    });
    2.0 * (size as f64).powi(3) / best.fold(f64::INFINITY, f64::min) / 1e9
}

fn ours(size: Size, task: &str) -> Option<(f64, f64)> {
    let program = std::env::current_exe().ok()?;
    figures(Command::new(program).args(["--task", size.name, task]))
}

fn peer(size: Size, task: &str) -> Option<(f64, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/er_ae.py");
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let numbers = [size.cells, size.vocabulary, size.width, BATCH, THREADS].map(|number| number.to_string());
    let lengths = lengths().iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    figures(Command::new(python).arg(script).arg(task).args(numbers).arg(lengths))
}

fn figures(command: &mut Command) -> Option<(f64, f64)> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn one(size: &str, task: &str) {
    let size = SIZES.into_iter().find(|known| known.name == size).expect("a size");
    let (rate, memory) = measure(size, task, 4.0);
    println!("{rate} {memory}");
}

/// Lengths of sentences: of the text that is given, or made up with the same spread.
fn lengths() -> Vec<usize> {
    let wanted = 8 * BATCH;
    if let Some(text) = std::env::var("BENCH_TEXT").ok().and_then(|path| std::fs::read_to_string(path).ok()) {
        let words = text.lines().map(|line| line.split_whitespace().count().clamp(1, 50));
        return words.take(wanted).collect();
    }
    let mut rng = PrivacyRng::reproducible(4);
    (0..wanted).map(|_| 1 + (rng.below(25) + rng.below(25)) as usize).collect()
}

/// Tokens a second and the largest memory in MB.
fn measure(size: Size, task: &str, seconds: f64) -> (f64, f64) {
    let mut model = ErAe::new(size);
    let mut rng = PrivacyRng::reproducible(2);
    let mut text = |length: usize| (0..length).map(|_| rng.below(size.vocabulary as u64) as u32).collect::<Vec<u32>>();
    let lengths = lengths();
    let mean = lengths.iter().sum::<usize>() / lengths.len();
    let (kind, variant) = task.split_once('-').expect("a task");
    if kind == "generate" {
        let count: usize = variant.parse().expect("a number");
        let texts: Vec<Vec<u32>> = (0..count).map(|_| text(mean)).collect();
        let (latent, mut states) = model.encode(&texts, THREADS);
        let (mut before, mut best) = (vec![1; count], Vec::new());
        let (mut tokens, start) = (0, Instant::now());
        while tokens == 0 || start.elapsed().as_secs_f64() < seconds {
            let logits = model.next(&before, &latent, &mut states, THREADS);
            for (row, before) in before.iter_mut().enumerate() {
                top(logits.row(row), 1, &mut best);
                *before = best[0];
            }
            tokens += count;
        }
        return (tokens as f64 / start.elapsed().as_secs_f64(), memory());
    }
    let batches: Vec<Vec<Vec<u32>>> = match variant {
        "equal" => vec![(0..BATCH).map(|_| text(mean)).collect()],
        _ => lengths.chunks_exact(BATCH).map(|part| part.iter().map(|length| text(*length)).collect()).collect(),
    };
    let mut adam = Adam::new(model.store.values().len(), AdamSettings::default()).unwrap();
    let (mut tokens, mut start) = (0, Instant::now());
    for round in 0.. {
        let batch = &batches[round % batches.len()];
        let (_, gradients) = model.step(batch, kind == "private", THREADS);
        let gradients = match kind {
            "private" => gradients.clipped(&model.store, 1.0).sum,
            _ => gradients.into_values(),
        };
        adam.step(model.store.values_mut(), &gradients, 0.001, THREADS);
        if round == 0 {
            // The first step finds everything cold.
            start = Instant::now();
            continue;
        }
        tokens += batch.iter().map(Vec::len).sum::<usize>();
        if round % batches.len() == 0 && start.elapsed().as_secs_f64() >= seconds {
            break;
        }
    }
    (tokens as f64 / start.elapsed().as_secs_f64(), memory())
}

/// The largest memory of this process so far, in MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
