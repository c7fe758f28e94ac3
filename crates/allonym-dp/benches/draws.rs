//! Draws a second from a vocabulary of 20,000, given scores, on one core, beside OpenDP and numpy in the same run.
//!
//! `PEER_PYTHON` names an interpreter with opendp and numpy. Rounds of ours and theirs alternate, so that both see the
//! same machine.

use allonym_dp::mechanism::{CATALOGUE, Mechanism, Parameters};
use allonym_dp::{Draw, PrivacyRng, PublicContext};
use allonym_text::Private;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const OUTCOMES: u32 = 20_000;
const ROUNDS: usize = 3;

fn main() {
    // `cargo test` runs benchmarks too, to see that they still work: one short round, no peer.
    let trial = !std::env::args().any(|argument| argument == "--bench");
    let seconds = if trial { 0.001 } else { 0.5 };
    let mut scores = vec![0.04 / (OUTCOMES - 5) as f32; OUTCOMES as usize];
    scores[..5].copy_from_slice(&[0.55, 0.20, 0.14, 0.04, 0.03]);
    let mechanisms: Vec<Box<dyn Mechanism>> = CATALOGUE
        .iter()
        .map(|entry| {
            let parameters =
                if entry.parameters.is_empty() { Parameters::default() } else { Parameters::of_epsilon(6.0) };
            entry.build(&parameters, OUTCOMES).expect("a mechanism at epsilon 6")
        })
        .collect();
    let mut ours = vec![Vec::new(); mechanisms.len()];
    let mut peers: [Vec<f64>; 2] = Default::default();
    for _ in 0..if trial { 1 } else { ROUNDS } {
        for (mechanism, rates) in mechanisms.iter().zip(&mut ours) {
            rates.push(rate(&**mechanism, &scores, seconds));
        }
        if let Some([opendp, numpy]) = (!trial).then(peer).flatten() {
            peers[0].push(opendp);
            peers[1].push(numpy);
        }
    }
    println!("draws a second from {OUTCOMES} outcomes, given scores, one core, median of rounds");
    let opendp = (!peers[0].is_empty()).then(|| median(&mut peers[0]));
    for (mechanism, rates) in mechanisms.iter().zip(&mut ours) {
        let rate = median(rates);
        let ratio = opendp.map_or(String::new(), |peer| format!("{:>10.0} x OpenDP", rate / peer));
        println!("  {:<22}{rate:>14.0}{ratio}", mechanism.name());
    }
    match opendp {
        Some(rate) => {
            println!("  {:<22}{rate:>14.0}", "OpenDP noisy_max");
            println!("  {:<22}{:>14.0}", "numpy choice (floats)", median(&mut peers[1]));
            println!("OpenDP and numpy ran in turns with us, in this run, {} rounds each", peers[0].len());
        }
        None => println!("  peers: not measured (`pip install opendp numpy`, and name the interpreter in PEER_PYTHON)"),
    }
}

fn rate(mechanism: &dyn Mechanism, scores: &[f32], seconds: f64) -> f64 {
    let mut rng = PrivacyRng::reproducible(1);
    let start = Instant::now();
    let mut draws = 0;
    while start.elapsed().as_secs_f64() < seconds {
        for _ in 0..16 {
            black_box(mechanism.draw(Private::new(black_box(scores)), &PublicContext::NONE, &mut rng));
        }
        draws += 16;
    }
    f64::from(draws) / start.elapsed().as_secs_f64()
}

fn peer() -> Option<[f64; 2]> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/draws.py");
    let python = std::env::var("PEER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python).arg(script).arg("0.5").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut rates = text.split_whitespace().map_while(|word| word.parse().ok());
    Some([rates.next()?, rates.next()?])
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
