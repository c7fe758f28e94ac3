//! The loop of ETE-Anon's agent, beside the same loop in PyTorch and scikit-learn in the same run: a number of the context is drawn anew, the text is decoded, two
//! classifiers judge it, and the Q-network learns a step.
//!
//! `PEER_PYTHON` names an interpreter with torch and scikit-learn. Rounds of ours and theirs alternate, each in a process of its own. Parameters are random, so every text has
//! all its twenty words on both sides. The agent `literal` does what the peer does; `paper` also looks at what is expected of every text. Our memory of transitions is full, as it is after 400 of the paper's 5,000 episodes; theirs does the same work whatever it holds. Theirs takes one episode at a time, as the paper does; with `together` it runs fifteen of them side by side, as ours does.

use allonym_dp::PrivacyRng;
use allonym_models::ete_anon::{
    AgentSettings, AutoEncoder, Chance, Judge, JudgedClass, Judges, Preset, QAgent, QSettings, Subject, Text, TextWorld,
};
use allonym_nn::unit;
use allonym_text::Vocabulary;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const THREADS: usize = 2;
const ROUNDS: usize = 3;
const AUTHORS: usize = 50;
const SECONDS: f64 = 10.0;
const AGENTS: [&str; 2] = ["literal", "paper"];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(place) = arguments.iter().position(|argument| argument == "--size") {
        let (rate, memory) = measure(&arguments[place + 1], SECONDS, &agent(&arguments[place + 2]));
        return println!("{rate} {memory}");
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        // `cargo test` runs benchmarks too, to see that they still work.
        for name in AGENTS {
            let few = QSettings { hidden: 8, side_by_side: 1, steps: 2, batch: 2, ..agent(name) };
            assert!(measure("small", 0.0, &few).0 > 0.0);
        }
        return;
    }
    println!(
        "{:<8}{:<12}{:<10}{:>10}{:>10}{:>8}{:>8}{:>10}",
        "size", "peer", "agent", "ours/s", "peer/s", "ratio", "MB", "peer MB"
    );
    for size in ["small", "paper"] {
        for side_by_side in [1, QSettings::default().side_by_side] {
            let (mut ours, mut theirs) = ([Vec::new(), Vec::new()], Vec::new());
            for _ in 0..ROUNDS {
                for (ours, name) in ours.iter_mut().zip(AGENTS) {
                    ours.extend(figures(Command::new(&arguments[0]).args(["--size", size, name])));
                }
                theirs.extend(peer(size, side_by_side));
            }
            let peer = if side_by_side == 1 { "one by one" } else { "together" };
            let (their_rate, their_memory) = middle(theirs);
            for (ours, name) in ours.into_iter().zip(AGENTS) {
                let (rate, memory) = middle(ours);
                println!(
                    "{size:<8}{peer:<12}{name:<10}{rate:>10.1}{their_rate:>10.1}{:>8.2}{memory:>8.0}{their_memory:>10.0}",
                    rate / their_rate
                );
            }
        }
    }
}

fn agent(name: &str) -> QSettings {
    match AgentSettings::find(name) {
        Some(AgentSettings::Paper(settings)) => settings,
        _ => panic!("no agent `{name}` that learns so"),
    }
}

fn middle(mut results: Vec<(f64, f64)>) -> (f64, f64) {
    results.sort_by(|a, b| a.0.total_cmp(&b.0));
    results.get(results.len() / 2).copied().unwrap_or((f64::NAN, f64::NAN))
}

fn peer(size: &str, side_by_side: usize) -> Option<(f64, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/ete_anon.py");
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let (preset, settings) = sizes(size);
    let numbers = [settings.layers, settings.cells, settings.words, preset.vocabulary, AUTHORS, side_by_side, THREADS];
    let numbers = numbers.map(|number| number.to_string());
    figures(Command::new(python).arg(script).args(numbers).arg(SECONDS.to_string()))
}

fn figures(command: &mut Command) -> Option<(f64, f64)> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn sizes(name: &str) -> (&'static Preset, allonym_models::ete_anon::AutoEncoderSettings) {
    let preset = Preset::find(name).expect("a preset");
    (preset, preset.settings())
}

/// Texts decoded, judged and learned from in a second, and the largest memory in MB.
fn measure(size: &str, seconds: f64, settings: &QSettings) -> (f64, f64) {
    let (preset, shape) = sizes(size);
    let vocabulary = Arc::new(Vocabulary::english(preset.vocabulary).expect("a public vocabulary"));
    let rng = &mut PrivacyRng::reproducible(1);
    let (cells, tokens) = (shape.cells, shape.max_tokens);
    let model = AutoEncoder::new(shape, vocabulary.clone(), None, rng).expect("a model");
    let texts: Vec<Text> = (0..200)
        .map(|_| (0..tokens).map(|_| 4 + rng.below(u64::from(vocabulary.ids()) - 4) as u32).collect())
        .collect();
    let subjects = (0..200).map(|text| Subject { author: text % AUTHORS as u32, positive: text % 2 == 0 }).collect();
    let (sentiment, authors) = (judge(2, &vocabulary, rng), judge(AUTHORS, &vocabulary, rng));
    let judges = Judges { sentiment, authors, others: Vec::new(), alpha: 0.5 };
    let world = TextWorld::new(&model, judges, &texts, subjects).expect("a world");
    let mut agent = QAgent::new(settings.clone(), cells, 1).expect("an agent");
    // What the target network says of a transition is computed once, so a memory that is not full would flatter.
    let filling = if seconds > 0.0 { settings.replay.div_ceil(settings.steps) } else { 1 };
    agent.remember_at_random(&world, filling, rng).expect("a memory");
    let mut each = || {
        let before = agent.episodes();
        agent.group(&world, THREADS).expect("episodes");
        (agent.episodes() - before) * settings.steps
    };
    // The first finds everything cold.
    each();
    let (mut decoded, start) = (0, Instant::now());
    while decoded == 0 || start.elapsed().as_secs_f64() < seconds {
        decoded += each();
    }
    (decoded as f64 / start.elapsed().as_secs_f64(), memory())
}

fn judge(classes: usize, vocabulary: &Vocabulary, rng: &mut PrivacyRng) -> Judge {
    let ids = vocabulary.ids() as usize;
    let mut class = |_| JudgedClass {
        weights: (0..ids).map(|_| unit(rng.bits()) as f32 - 0.5).collect(),
        offset: 0.0,
        chance: Chance { slope: -1.0, offset: 0.0 },
    };
    let classes: Vec<JudgedClass> = (0..classes).map(&mut class).collect();
    Judge::new(vec![1.0; ids], &classes).expect("a judge")
}

/// The largest memory of this process so far, in MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}
