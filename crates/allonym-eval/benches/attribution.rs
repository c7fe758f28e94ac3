//! Character 3- to 5-grams with TF-IDF and a linear support vector machine, beside scikit-learn in the same run; and stylometric features.
//!
//! `BENCH_TEXTS` names a file with an author, a tab and a text on each line (without it, texts are made up); `PEER_PYTHON` an interpreter with
//! scikit-learn. Rounds of ours and theirs alternate, each in a process of its own, so that both see the same machine and memory can be
//! told apart. Four fifths of each author's texts are learned from, the rest is told apart. `BENCH_JOBS` lets scikit-learn train classes side by side.

use allonym_eval::attack::Split;
use allonym_eval::classify::{LinearSvm, SvmSettings};
use allonym_eval::features::{TfIdf, TfIdfSettings, stylometric};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--one") {
        let found = ours(&read(Path::new(&arguments[place + 1])));
        println!("{}", found.map(|figure| figure.to_string()).join(" "));
        return;
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        // `cargo test` runs benchmarks too, to see that they still work.
        assert!(ours(&made_up(4, 10))[3] > 0.5);
        return;
    }
    let file = std::env::var_os("BENCH_TEXTS").map_or_else(|| write(&made_up(50, 200)), PathBuf::from);
    let texts = read(&file);
    println!("{} texts of {} authors, median of {ROUNDS} rounds", texts.len(), authors(&texts).1);
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let program = std::env::current_exe().expect("a program");
        mine.extend(figures(Command::new(program).arg("--one").arg(&file)));
        theirs.extend(peer(&file));
    }
    println!("{:<16}{:>12}{:>12}{:>10}", "", "Allonym", "peer", "ratio");
    for (place, what) in ["fit, s", "predict, s", "memory, MB", "accuracy, %"].into_iter().enumerate() {
        let (ours, peer) = (median(&mine, place), median(&theirs, place));
        println!("{what:<16}{ours:>12.2}{peer:>12.2}{:>10.2}", peer / ours);
    }
    let start = Instant::now();
    let many: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).cycle().take(10_000).collect();
    let features: usize = many.par_iter().map(|text| stylometric(text).len()).sum();
    println!("{} stylometric features of 10,000 texts: {:.2} s", features / 10_000, start.elapsed().as_secs_f64());
}

/// Seconds to learn and to predict, the largest memory in MB, and the accuracy in percent.
fn ours(texts: &[(String, String)]) -> [f64; 4] {
    let (classes, _) = authors(texts);
    let split = Split::by_class(&classes, 0.2, 1).expect("a split");
    let of = |places: &[usize]| -> (Vec<&str>, Vec<u32>) {
        places.iter().map(|place| (texts[*place].1.as_str(), classes[*place])).unzip()
    };
    let ((learned, of_learned), (tested, of_tested)) = (of(&split.learn), of(&split.test));
    let start = Instant::now();
    let features = TfIdf::fit(TfIdfSettings::default(), &learned).expect("features");
    let rows = features.transform(&learned);
    let machine = LinearSvm::fit(SvmSettings::default(), &rows, &of_learned, "authors").expect("a machine");
    let fit = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let guesses = machine.predict(&features.transform(&tested)).expect("guesses");
    let predict = start.elapsed().as_secs_f64();
    let hits = guesses.iter().zip(&of_tested).filter(|(guess, truth)| guess == truth).count();
    [fit, predict, memory(), 100.0 * hits as f64 / of_tested.len() as f64]
}

fn authors(texts: &[(String, String)]) -> (Vec<u32>, usize) {
    let mut names: Vec<&str> = texts.iter().map(|(author, _)| author.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let number = |author: &str| names.binary_search(&author).unwrap_or_default() as u32;
    (texts.iter().map(|(author, _)| number(author)).collect(), names.len())
}

/// Texts of authors who prefer some words.
fn made_up(authors: usize, each: usize) -> Vec<(String, String)> {
    let mut rng = allonym_dp::PrivacyRng::reproducible(1);
    let mut texts = Vec::new();
    for author in 0..authors {
        for _ in 0..each {
            let word = |rng: &mut allonym_dp::PrivacyRng| {
                let preferred = rng.below(5) == 0;
                let number = if preferred { author as u64 * 7 + rng.below(7) } else { rng.below(3000) };
                format!("w{:x}o", number * 2_654_435_761 % 1_000_003)
            };
            let words: Vec<String> = (0..120).map(|_| word(&mut rng)).collect();
            texts.push((format!("a{author}"), words.join(" ")));
        }
    }
    texts
}

fn write(texts: &[(String, String)]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("attribution-{}.tsv", std::process::id()));
    let lines: String = texts.iter().map(|(author, text)| format!("{author}\t{text}\n")).collect();
    std::fs::write(&path, lines).expect("a place for texts");
    path
}

fn read(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).expect("a file of texts");
    text.lines().filter_map(|line| line.split_once('\t')).map(|(a, t)| (a.to_owned(), t.to_owned())).collect()
}

fn peer(file: &Path) -> Option<[f64; 4]> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/attribution.py");
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    figures(Command::new(python).arg(script).arg(file))
}

fn figures(command: &mut Command) -> Option<[f64; 4]> {
    let output = command.output().ok()?;
    let numbers: Vec<f64> =
        String::from_utf8(output.stdout).ok()?.split_whitespace().map_while(|word| word.parse().ok()).collect();
    numbers.try_into().ok()
}

fn median(rounds: &[[f64; 4]], place: usize) -> f64 {
    let mut values: Vec<f64> = rounds.iter().map(|round| round[place]).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The largest memory of this process so far, in MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
