//! How long the noise of a private step takes: nanoseconds a number, for 24 million parameters.

use allonym_dp::Entropy;
use allonym_nn::optimiser::{PrivateSettings, PrivateStep};
use std::time::Instant;

fn main() {
    let settings = PrivateSettings { noise: 1.0, clip: 1.0, delta: 1e-6, owner_only: false, beside: None };
    let Ok(entropy) = Entropy::from_os() else { return };
    let Ok(mut step) = PrivateStep::new(settings, 64.0, entropy, 0) else { return };
    let count = 24_000_000;
    for threads in [1, 2] {
        for _ in 0..3 {
            let sum = vec![0.0_f32; count];
            let start = Instant::now();
            let noised = step.noised(allonym_nn::Clipped { sum: sum.into(), norms: Vec::new() }, threads);
            let nanoseconds = start.elapsed().as_nanos() as f64 / count as f64;
            println!("{threads} threads: {nanoseconds:.2} ns a number ({})", noised[0]);
        }
    }
}
