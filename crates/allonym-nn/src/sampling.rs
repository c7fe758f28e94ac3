//! Which examples are in a step.
//!
//! Private training draws each example by a coin of its own ([`Poisson`]): that is what the accountant counts. Plain training goes through all examples
//! once an epoch, in batches of about equal length ([`Epochs`]).

use crate::error::NnError;
use allonym_dp::{Entropy, Purpose};

/// Poisson sampling: in every step each example is drawn with the same chance, whatever happens to the others.
///
/// Batches differ in size, and may be empty. Both are part of the guarantee: how many examples were drawn must not be
/// shown, nor divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poisson {
    examples: usize,
    /// The chance in units of 2^-64.
    threshold: u128,
}

impl Poisson {
    /// Steps with `batch` examples on average. The chance is rounded down to a multiple of 2^-64, so that it is at most what the accountant is
    /// told.
    ///
    /// # Errors
    /// When the batch is zero or larger than the number of examples.
    pub fn new(examples: usize, batch: usize) -> Result<Self, NnError> {
        if batch == 0 || batch > examples {
            let allowed = "at least 1, and at most the number of examples";
            return Err(NnError::Setting { setting: "batch", value: batch.to_string(), allowed });
        }
        Ok(Self { examples, threshold: ((batch as u128) << 64) / examples as u128 })
    }

    /// The chance of an example to be drawn, rounded up.
    pub fn rate(&self) -> f64 {
        let rate = self.threshold as f64 / 2_f64.powi(64);
        (rate * (1.0 + f64::EPSILON)).min(1.0)
    }

    /// The examples of a step, each decided by 64 random bits. Asking twice gives the same ones.
    pub fn draw(&self, entropy: &Entropy, step: u64) -> Vec<usize> {
        let mut rng = entropy.stream(Purpose::Sampling, step);
        (0..self.examples).filter(|_| u128::from(rng.bits()) < self.threshold).collect()
    }
}

/// Batches whose lengths are similar are cut from so many batches' worth of examples: enough that little is wasted, and
/// few enough that which examples meet in a batch changes from epoch to epoch.
const POOL: usize = 64;

/// Passes over all examples in a new order each time.
#[derive(Clone, Debug)]
pub struct Epochs {
    lengths: Vec<usize>,
    batch: usize,
}

impl Epochs {
    /// Batches of examples of the given lengths; the last one of a pool may be smaller.
    ///
    /// # Errors
    /// When there are no examples or the batch is zero.
    pub fn new(lengths: Vec<usize>, batch: usize) -> Result<Self, NnError> {
        if lengths.is_empty() {
            return Err(NnError::Setting { setting: "examples", value: "0".into(), allowed: "1 or more" });
        }
        if batch == 0 {
            return Err(NnError::Setting { setting: "batch", value: "0".into(), allowed: "1 or more" });
        }
        Ok(Self { lengths, batch })
    }

    /// How many batches an epoch has.
    pub fn batches(&self) -> usize {
        self.lengths.len().div_ceil(self.batch)
    }

    /// The batches of an epoch; each example is in one of them. The same entropy and epoch give the same batches.
    pub fn order(&self, entropy: &Entropy, epoch: u64) -> Vec<Vec<usize>> {
        let mut rng = entropy.stream(Purpose::Sampling, epoch);
        let mut examples: Vec<usize> = (0..self.lengths.len()).collect();
        rng.shuffle(&mut examples);
        // Pools hold whole batches, so only the last batch of all can be smaller.
        for pool in examples.chunks_mut(POOL.saturating_mul(self.batch)) {
            pool.sort_by_key(|example| self.lengths[*example]);
        }
        let mut batches: Vec<Vec<usize>> = examples.chunks(self.batch).map(<[usize]>::to_vec).collect();
        rng.shuffle(&mut batches);
        batches
    }
}

/// Cuts a batch into parts of at most so many tokens, or of one example where that alone has more.
pub(crate) fn parts(batch: &[usize], length: impl Fn(usize) -> usize, tokens: usize) -> Vec<&[usize]> {
    let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0_usize);
    for (place, example) in batch.iter().enumerate() {
        let more = length(*example);
        if place > start && sum.saturating_add(more) > tokens {
            parts.push(&batch[start..place]);
            (start, sum) = (place, 0);
        }
        sum = sum.saturating_add(more);
    }
    if start < batch.len() {
        parts.push(&batch[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_dp::statistics::assert_distribution;

    #[test]
    fn every_example_is_drawn_with_the_stated_chance() {
        let (poisson, entropy) = (Poisson::new(5, 1).unwrap(), Entropy::reproducible(1));
        let mut counts = [[0_u64; 2]; 5];
        for step in 0..40_000 {
            let drawn = poisson.draw(&entropy, step);
            (0..5).for_each(|example| counts[example][usize::from(drawn.contains(&example))] += 1);
        }
        counts.iter().for_each(|counts| assert_distribution(counts, &[0.8, 0.2]));
        assert!(poisson.rate() >= 0.2 && poisson.rate() < 0.2 + 1e-15);
    }

    #[test]
    fn a_batch_of_everything_is_everything() {
        let poisson = Poisson::new(7, 7).unwrap();
        assert_eq!((poisson.rate(), poisson.draw(&Entropy::reproducible(2), 3).len()), (1.0, 7));
    }

    #[test]
    fn batches_that_cannot_be_drawn_are_refused() {
        assert!(Poisson::new(3, 0).is_err() && Poisson::new(3, 4).is_err() && Poisson::new(0, 0).is_err());
        assert!(Epochs::new(vec![], 1).is_err() && Epochs::new(vec![1], 0).is_err());
    }

    #[test]
    fn an_epoch_has_every_example_once_and_the_next_another_order() {
        let lengths: Vec<usize> = (0..1003).map(|i| 1 + (i * 7919) % 97).collect();
        let epochs = Epochs::new(lengths, 10).unwrap();
        let entropy = Entropy::reproducible(3);
        let order = epochs.order(&entropy, 0);
        assert_eq!((order.len(), epochs.batches()), (101, 101));
        assert!(order.iter().filter(|batch| batch.len() == 10).count() == 100);
        let mut all: Vec<usize> = order.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..1003).collect::<Vec<_>>());
        assert_eq!(order, epochs.order(&entropy, 0));
        assert_ne!(order, epochs.order(&entropy, 1));
    }

    #[test]
    fn lengths_within_a_batch_are_similar_and_batches_come_in_no_order_of_length() {
        let lengths: Vec<usize> = (0..6400).map(|i| 1 + (i * 7919) % 100).collect();
        let order = Epochs::new(lengths.clone(), 100).unwrap().order(&Entropy::reproducible(4), 0);
        let spread = |batch: &Vec<usize>| {
            let of = |example: &usize| lengths[*example];
            batch.iter().map(of).max().unwrap() - batch.iter().map(of).min().unwrap()
        };
        // 64 batches share 100 lengths: two or three each.
        assert!(order.iter().all(|batch| spread(batch) <= 3));
        let first: Vec<usize> = order.iter().map(|batch| lengths[batch[0]]).collect();
        assert!(!first.is_sorted());
    }

    #[test]
    fn parts_keep_to_the_limit_where_they_can() {
        let lengths = [3, 3, 3, 9, 1, 1];
        let parts = parts(&[0, 1, 2, 3, 4, 5], |example| lengths[example], 6);
        assert_eq!(parts, [&[0, 1][..], &[2], &[3], &[4, 5]]);
        assert!(super::parts(&[], |_| 1, 6).is_empty());
    }
}
