//! Canaries: does a private step hide an example whose gradient is a million times as long as the clip?
//!
//! The step runs many times with the canary and without. From what comes out, the audit chooses the most telling event on one half of
//! the runs and measures it on the other. A step with noise sigma hides an example as two normal laws at distance 1/sigma
//! hide which one was drawn; a larger distance than that, but for one false alarm in a million, is a leak. Test doubles with known
//! bugs show that the audit can fail.

use allonym_dp::accountant::special::normal_tail;
use allonym_dp::clopper_pearson::bounds;
use allonym_dp::statistics::FALSE_ALARM;
use allonym_dp::{Entropy, PrivacyRng};
use allonym_nn::optimiser::{Adam, AdamSettings, PrivateSettings, PrivateStep, Sgd};
use allonym_nn::{Clipped, Gradients, Matrix, Rows, Slot, Store};
use std::sync::Arc;

const NOISE: f64 = 2.0;
const CLIP: f64 = 10.0;
const EXPECTED: f64 = 4.0;
const RUNS: u64 = 40_000;
/// Parameters of each of the two: a weight and a table of vectors.
const HALF: usize = 32;

/// The gradient of an example: of the weight, then of the table.
type Example = [f32; 2 * HALF];

/// A step: from the gradients of a batch to the change of the parameters. The last argument numbers the runs.
type Step = fn(&[Example], u64) -> Vec<f64>;

/// An example whose gradient has two numbers that are not zero.
fn example(weight: f32, table: f32) -> Example {
    let mut gradient = [0.0; 2 * HALF];
    (gradient[0], gradient[HALF]) = (weight, table);
    gradient
}

fn private_step(run: u64) -> PrivateStep {
    let settings = PrivateSettings { noise: NOISE, clip: CLIP, delta: 1e-5, owner_only: false, beside: None };
    PrivateStep::new(settings, EXPECTED, Entropy::reproducible(11), run).unwrap()
}

/// Adds `deviation` times a normal number to all.
fn noised(mut values: Vec<f64>, deviation: f64, run: u64) -> Vec<f64> {
    let noise: Vec<f64> = private_step(run).of_none(values.len(), 1).into_values();
    values.iter_mut().zip(noise).for_each(|(v, n)| *v += deviation * n * EXPECTED / (NOISE * CLIP));
    values
}

struct Parameters {
    store: Store<f32>,
    weight: Slot,
    table: Slot,
}

fn parameters() -> Parameters {
    let (mut store, mut rng) = (Store::new(), PrivacyRng::reproducible(1));
    let weight = store.add("weight", 1, HALF, 0.0, &mut rng).unwrap();
    let table = store.add("table", 1, HALF, 0.0, &mut rng).unwrap();
    Parameters { store, weight, table }
}

/// The sum that the real code makes of a batch.
fn clipped(batch: &[Example], clip: f64) -> Clipped<f32> {
    let Parameters { store, weight, table } = parameters();
    let (count, rows) = (batch.len(), Rows::Examples(batch.len()));
    let part = |of: fn(&Example) -> &[f32]| Matrix::of(count, HALF, batch.iter().flat_map(of).copied().collect());
    let mut gradients = Gradients::private(&store, count, 1);
    let ones = Arc::new(Matrix::of(count, 1, vec![1.0; count]));
    gradients.weight(weight, None, ones, &Arc::new(part(|e| &e[..HALF])), &rows);
    gradients.table(table, Arc::new(part(|e| &e[HALF..])), &Arc::new(vec![0; count]), &rows);
    gradients.clipped(&store, clip)
}

fn dp_sgd(batch: &[Example], run: u64) -> Vec<f64> {
    let noised = private_step(run).noised(clipped(batch, CLIP), 1);
    let mut moved = vec![0.0; 2 * HALF];
    Sgd::new(moved.len(), 0.0).step(&mut moved, &noised, 1.0);
    moved.into_iter().map(f64::from).collect()
}

fn dp_adam(batch: &[Example], run: u64) -> Vec<f64> {
    let noised = private_step(run).noised(clipped(batch, CLIP), 1);
    let mut moved = vec![0.0; 2 * HALF];
    // A large epsilon lets the size of a gradient show, not only its sign.
    let settings = AdamSettings { epsilon: 1.0, ..AdamSettings::default() };
    Adam::new(moved.len(), settings).unwrap().step(&mut moved, &noised, 1.0, 1);
    moved.into_iter().map(f64::from).collect()
}

/// Wide sums of raw gradients, each times a factor that the norm decides.
fn sum_of(batch: &[Example], factor: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sum = vec![0.0; 2 * HALF];
    for example in batch {
        let factor = factor(norm(example));
        sum.iter_mut().zip(example).for_each(|(sum, v)| *sum += factor * f64::from(*v));
    }
    sum
}

fn norm(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt()
}

fn cut(norm: f64) -> f64 {
    (CLIP / norm).min(1.0)
}

fn divided(mut values: Vec<f64>, by: f64) -> Vec<f64> {
    values.iter_mut().for_each(|v| *v /= by);
    values
}

const MUTANTS: [(&str, Step); 9] = [
    ("the mean is clipped instead of each example", |batch, run| {
        let mean = divided(sum_of(batch, |_| 1.0), EXPECTED);
        let length = mean.iter().map(|v| v * v).sum::<f64>().sqrt();
        noised(divided(mean, 1.0 / cut(length)), NOISE * CLIP / EXPECTED, run)
    }),
    ("nothing is clipped", |batch, run| divided(noised(sum_of(batch, |_| 1.0), NOISE * CLIP, run), EXPECTED)),
    ("noise without the clip", |batch, run| divided(noised(sum_of(batch, cut), NOISE, run), EXPECTED)),
    ("noise divided by the batch twice", |batch, run| {
        divided(noised(sum_of(batch, cut), NOISE * CLIP / EXPECTED, run), EXPECTED)
    }),
    ("no noise in the table", |batch, run| {
        let mut sum = noised(sum_of(batch, cut), NOISE * CLIP, run);
        sum[HALF..].copy_from_slice(&sum_of(batch, cut)[HALF..]);
        divided(sum, EXPECTED)
    }),
    ("the table is left out of the clipping", |batch, run| {
        let mut sum = vec![0.0; 2 * HALF];
        for example in batch {
            let factor = cut(norm(&example[..HALF]));
            for (place, value) in example.iter().enumerate() {
                sum[place] += f64::from(*value) * if place < HALF { factor } else { 1.0 };
            }
        }
        divided(noised(sum, NOISE * CLIP, run), EXPECTED)
    }),
    ("weight and table are clipped each by itself", |batch, run| {
        let mut sum = vec![0.0; 2 * HALF];
        for example in batch {
            for side in [0..HALF, HALF..2 * HALF] {
                let factor = cut(norm(&example[side.clone()]).max(1e-9));
                side.for_each(|place| sum[place] += f64::from(example[place]) * factor);
            }
        }
        divided(noised(sum, NOISE * CLIP, run), EXPECTED)
    }),
    ("divided by the actual batch", |batch, run| {
        divided(noised(sum_of(batch, cut), NOISE * CLIP, run), batch.len().max(1) as f64)
    }),
    ("second moment of raw gradients", |batch, run| {
        let noised = divided(noised(sum_of(batch, cut), NOISE * CLIP, run), EXPECTED);
        let raw = divided(sum_of(batch, |_| 1.0), EXPECTED);
        noised.iter().zip(raw).map(|(noised, raw)| -noised / (raw.abs() + 1.0)).collect()
    }),
];

/// z with `normal_tail(z)` = p.
fn tail_inverse(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if normal_tail(middle) > p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// What the audit looks at: the canary's own direction, its two parameters, and the length of the whole change.
fn looks(change: &[f64]) -> [f64; 4] {
    let length = change.iter().map(|v| v * v).sum::<f64>().sqrt();
    [change[0], change[HALF], change[0] + change[HALF], length]
}

/// How often an event is seen in runs with the canary and in runs without: look `look`, above or below `at`.
fn seen(runs: &[[f64; 4]], (look, above, at): (usize, bool, f64)) -> u64 {
    runs.iter().filter(|looks| if above { looks[look] > at } else { looks[look] < at }).count() as u64
}

/// The distance of two normal laws that would show an event as often as it was shown, bounded from below.
fn distance(with: u64, without: u64, runs: u64, confidence: f64) -> f64 {
    let (low, _) = bounds(with, runs, confidence).unwrap();
    let (_, high) = bounds(without, runs, confidence).unwrap();
    if low <= 0.0 || high >= 1.0 { 0.0 } else { (tail_inverse(high) - tail_inverse(low)).max(0.0) }
}

/// A lower bound of the distance between the laws with and without a canary; exceeds the truth once in a million audits.
fn audit(step: Step, others: &[Example], canary: Example) -> f64 {
    let with: Vec<Example> = others.iter().copied().chain([canary]).collect();
    let [with, without] = [(&with[..], 0), (others, RUNS)]
        .map(|(batch, first)| (0..RUNS).map(|run| looks(&step(batch, first + run))).collect::<Vec<_>>());
    let half = RUNS as usize / 2;
    let mut best = (0.0, (0, true, 0.0));
    for look in 0..4 {
        let mut sorted: Vec<f64> = with[..half].iter().chain(&without[..half]).map(|looks| looks[look]).collect();
        sorted.sort_by(f64::total_cmp);
        for at in (1..20).map(|part| sorted[part * sorted.len() / 20]) {
            for above in [false, true] {
                let event = (look, above, at);
                let [a, b] = [&with, &without].map(|runs| seen(&runs[..half], event));
                let found = distance(a, b, half as u64, 0.999);
                if found > best.0 {
                    best = (found, event);
                }
            }
        }
    }
    let [a, b] = [&with, &without].map(|runs| seen(&runs[half..], best.1));
    // Two bounds, each of which may fail.
    distance(a, b, half as u64, 1.0 - FALSE_ALARM / 2.0)
}

/// Others in the batch: two small ones, and one as long as the canary in the opposite direction.
fn others() -> Vec<Example> {
    vec![example(0.3, -0.1), example(-0.2, 0.4), example(-1e6, 0.0)]
}

fn canaries() -> [Example; 3] {
    [example(1e6, 1e6), example(1e6, 0.0), example(0.0, 1e6)]
}

#[test]
fn the_real_step_hides_a_canary_and_no_more_than_it_must() {
    for canary in canaries() {
        let found = audit(dp_sgd, &others(), canary);
        println!("DP-SGD: distance {found:.3} of {:.3}", 1.0 / NOISE);
        // An audit that finds nothing would prove nothing.
        assert!(found <= 1.0 / NOISE && found > 0.6 / NOISE, "{found}");
        let found = audit(dp_adam, &others(), canary);
        println!("DP-Adam: distance {found:.3} of {:.3}", 1.0 / NOISE);
        assert!(found <= 1.0 / NOISE, "{found}");
    }
}

#[test]
fn the_real_step_hides_whether_a_batch_was_empty() {
    let found = audit(
        |batch, run| {
            if batch.is_empty() { private_step(run).of_none(2 * HALF, 1).into_values() } else { dp_sgd(batch, run) }
        },
        &[],
        example(-1e6, 0.0),
    );
    assert!(found <= 1.0 / NOISE && found > 0.6 / NOISE, "{found}");
}

#[test]
fn every_mutant_is_caught() {
    for (name, step) in MUTANTS {
        // Some show one kind of canary only; the first that shows is enough.
        let found = canaries().into_iter().map(|canary| audit(step, &others(), canary));
        let caught = found.into_iter().find(|found| *found > 1.0 / NOISE);
        println!("{name}: distance {caught:.3?} of {:.3}", 1.0 / NOISE);
        assert!(caught.is_some(), "{name} is not caught");
    }
}
