//! Time and memory of a reservation of a million records (or as many as the argument says), with an author for every ten.
//!
//! `cargo run --release -p allonym-ledger --example million`

use allonym_ledger::{Cost, Ledger, Limit, Reservation, Scope};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let records: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |n| n.parse())?;
    let place = tempfile::tempdir_in(".")?;
    let path = place.path().join("million.ledger");
    let mut ledger = Ledger::create(&path, "million")?;
    ledger.set_limit(Limit { scope: Scope::Record, epsilon: 2.0, delta: 0.0 })?;
    ledger.set_limit(Limit { scope: Scope::Author, epsilon: 25.0, delta: 0.0 })?;
    let input = || (0..records).map(|i| (i.to_string(), Some(format!("author {}", i / 10))));
    for (number, what) in [(1, "first"), (2, "second"), (2, "the same key"), (3, "refused")] {
        let start = Instant::now();
        let reservation =
            Reservation { key: [number; 16], what: "random 1", cost: Cost::Bounded { epsilon: 1.0, delta: 0.0 } };
        let outcome = ledger.reserve(&reservation, input());
        println!(
            "{what}: {:.2} s, processor {:.2} s in all, peak {}",
            start.elapsed().as_secs_f64(),
            processor(),
            peak()
        );
        if let Err(error) = outcome {
            println!("  {error}\n  {}", error.hint());
        }
    }
    let start = Instant::now();
    let verification = ledger.verify(None)?;
    println!("verify: {:.2} s, processor {:.2} s in all, peak {}", start.elapsed().as_secs_f64(), processor(), peak());
    assert_eq!(verification.broken, None);
    let start = Instant::now();
    ledger.summary()?;
    println!("summary: {:.2} s", start.elapsed().as_secs_f64());
    println!("file: {} MB", std::fs::metadata(&path)?.len() / 1_000_000);
    Ok(())
}

/// The most memory this process has held so far, where Linux tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned()
}

/// Processor seconds of this process so far, where Linux tells; a busy machine makes the clock run ahead of them.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat.split(' ').map(|field| field.parse().unwrap_or(0.0)).collect();
    // User and system time, in hundredths of a second.
    fields.get(13..15).map_or(0.0, |times| times.iter().sum::<f64>() / 100.0)
}
