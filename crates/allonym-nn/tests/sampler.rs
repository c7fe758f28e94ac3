//! Does the sampler draw what the accountant counts? Batches of a fixed size, of an epoch, or with a smaller last one look the same in
//! the model and are much cheaper to attack: only their sizes and what comes together give them away.

use allonym_dp::statistics::{FALSE_ALARM, chi_squared_tail, g_statistic};
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_nn::sampling::{Epochs, Poisson};

const EXAMPLES: usize = 22;
const BATCH: usize = 5;
const STEPS: u64 = 40_000;

/// The examples of a step.
type Sampler = fn(u64) -> Vec<usize>;

/// The chance of so many examples in a Poisson sample.
fn binomial(count: usize) -> f64 {
    let rate = BATCH as f64 / EXAMPLES as f64;
    let ways: f64 = (0..count).map(|i| (EXAMPLES - i) as f64 / (i + 1) as f64).product();
    ways * rate.powi(count as i32) * (1.0 - rate).powi((EXAMPLES - count) as i32)
}

/// What is wrong with a sampler, at one false alarm in a million.
fn audit(sampler: Sampler) -> Vec<&'static str> {
    let rate = BATCH as f64 / EXAMPLES as f64;
    let pairs = [(1.0 - rate) * (1.0 - rate), (1.0 - rate) * rate, rate * (1.0 - rate), rate * rate];
    // Sizes 0 to 10, and larger.
    let mut sizes = [0_u64; 12];
    let [mut together, mut in_turn] = [[0_u64; 4]; 2];
    let mut before = false;
    for step in 0..STEPS {
        let drawn = sampler(step);
        sizes[drawn.len().min(11)] += 1;
        let [first, second] = [0, 1].map(|example| drawn.contains(&example));
        together[2 * usize::from(first) + usize::from(second)] += 1;
        // Pairs of steps that do not overlap.
        if step % 2 == 1 {
            in_turn[2 * usize::from(before) + usize::from(first)] += 1;
        }
        before = first;
    }
    let mut of_sizes: Vec<f64> = (0..11).map(binomial).collect();
    of_sizes.push(1.0 - of_sizes.iter().sum::<f64>());
    let wrong =
        |counts: &[u64], law: &[f64]| chi_squared_tail(g_statistic(counts, law), counts.len() - 1) < FALSE_ALARM / 3.0;
    let mut found = Vec::new();
    found.extend(wrong(&sizes, &of_sizes).then_some("the sizes of batches"));
    found.extend(wrong(&together, &pairs).then_some("two examples in a batch"));
    found.extend(wrong(&in_turn, &pairs).then_some("an example in two steps"));
    found
}

fn order(number: u64) -> Vec<usize> {
    let mut examples: Vec<usize> = (0..EXAMPLES).collect();
    Entropy::reproducible(3).stream(Purpose::Sampling, number).shuffle(&mut examples);
    examples
}

const MUTANTS: [(&str, &str, Sampler); 6] = [
    ("batches of a fixed size", "the sizes of batches", |step| order(step)[..BATCH].to_vec()),
    ("a shuffled epoch with a partial last batch", "the sizes of batches", |step| {
        let batches = EXAMPLES.div_ceil(BATCH) as u64;
        let place = (step % batches) as usize;
        order(step / batches)[place * BATCH..((place + 1) * BATCH).min(EXAMPLES)].to_vec()
    }),
    ("a shuffled epoch without its last batch", "the sizes of batches", |step| {
        let batches = (EXAMPLES / BATCH) as u64;
        let place = (step % batches) as usize;
        order(step / batches)[place * BATCH..(place + 1) * BATCH].to_vec()
    }),
    ("the sample of an epoch used again", "an example in two steps", |step| {
        Poisson::new(EXAMPLES, BATCH).unwrap().draw(&Entropy::reproducible(1), step / 4)
    }),
    ("an example that is drawn with its neighbour", "two examples in a batch", |step| {
        let mut rng = PrivacyRng::reproducible(step);
        let half = (0..EXAMPLES as u64 / 2).filter(|_| rng.below(EXAMPLES as u64) < BATCH as u64);
        half.flat_map(|pair| [2 * pair as usize, 2 * pair as usize + 1]).collect()
    }),
    ("empty batches drawn again", "the sizes of batches", |step| {
        let sampling = Poisson::new(EXAMPLES, BATCH).unwrap();
        let mut tries = (0..).map(|try_| sampling.draw(&Entropy::reproducible(try_), step));
        tries.find(|batch| !batch.is_empty()).unwrap()
    }),
];

#[test]
fn poisson_samples_pass() {
    let sampler: Sampler = |step| Poisson::new(EXAMPLES, BATCH).unwrap().draw(&Entropy::reproducible(1), step);
    assert!(audit(sampler).is_empty(), "{:?}", audit(sampler));
}

#[test]
fn the_batches_of_plain_training_would_be_caught() {
    let sampler: Sampler = |step| {
        let epochs = Epochs::new(vec![1; EXAMPLES], BATCH).unwrap();
        let batches = epochs.batches() as u64;
        epochs.order(&Entropy::reproducible(2), step / batches)[(step % batches) as usize].clone()
    };
    assert!(audit(sampler).contains(&"the sizes of batches"));
}

#[test]
fn every_mutant_is_caught_by_the_check_that_is_meant_for_it() {
    for (name, check, sampler) in MUTANTS {
        let found = audit(sampler);
        assert!(found.contains(&check), "{name}: {found:?}");
    }
}
