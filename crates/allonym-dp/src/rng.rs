//! Randomness for releases: ChaCha20, keyed by the operating system.
//!
//! One [`Entropy`] per run holds the key; each record gets a stream of its own, numbered by its place in the input. Two
//! records never share random words, and the result of a run does not depend on how records are spread over threads.
//! A key chosen by the user ([`Entropy::reproducible`]) is for tests and papers: whoever knows it can undo the release,
//! so the guarantee of such a run says that it is not private.

use crate::error::DpError;
use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use std::fmt;
use zeroize::Zeroizing;

/// The key of a run, from which every record's random stream is made. Wiped from memory when dropped, as the streams are;
/// copies that the compiler makes on the stack in between are not.
pub struct Entropy {
    key: Zeroizing<[u8; 32]>,
    reproducible: bool,
}

impl Entropy {
    /// Takes a key from the operating system: the only source for a real release.
    ///
    /// # Errors
    /// When the operating system has no randomness to give. There is no fallback.
    pub fn from_os() -> Result<Self, DpError> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(|_| DpError::NoEntropy)?;
        Ok(Self { key, reproducible: false })
    }

    /// By a seed, if there is one; else from the operating system.
    ///
    /// # Errors
    /// When there is no seed and the operating system has no randomness to give.
    pub fn of_seed(seed: Option<u64>) -> Result<Self, DpError> {
        seed.map_or_else(Self::from_os, |seed| Ok(Self::reproducible(seed)))
    }

    /// Derives a key from a number, for tests and repeatable experiments. Releases made with it are not private.
    pub fn reproducible(seed: u64) -> Self {
        let mut key = Zeroizing::new([0; 32]);
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self { key, reproducible: true }
    }

    /// The random stream of one purpose and one record.
    ///
    /// Asking twice for the same stream gives the same words: a caller asks once for each record it releases.
    pub fn stream(&self, purpose: Purpose, index: u64) -> PrivacyRng {
        // 8 bits of purpose and 56 of index; 2^56 records do not occur.
        assert!(index < 1 << 56, "a run has fewer than 2^56 records");
        let mut rng = ChaCha20Rng::from_seed(*self.key);
        rng.set_stream((purpose as u64) << 56 | index);
        PrivacyRng { rng, reproducible: self.reproducible }
    }

    /// Whether the key was chosen by the user, which voids the privacy of what is drawn with it.
    pub fn is_reproducible(&self) -> bool {
        self.reproducible
    }
}

impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entropy(..)")
    }
}

/// What a stream is used for; streams of different purposes never overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Drawing the release of a record.
    Record = 0,
    /// Shuffling the rows of a file.
    Shuffle = 1,
    /// Synthetic data and experiments, where nothing private is drawn.
    Synthetic = 2,
    /// Audits, where nothing private is drawn either.
    Audit = 3,
    /// The key under which a ledger keeps the price of a run.
    Reservation = 4,
    /// Choosing the examples of a training step.
    Sampling = 5,
    /// The noise of a training step.
    Noise = 6,
    /// What a model itself draws while it is trained: dropout, wrong answers.
    Training = 7,
    /// Noise on counts.
    Counts = 8,
}

/// A stream of random words for one record. Not `Clone`: a copy would use the same words twice.
pub struct PrivacyRng {
    rng: ChaCha20Rng,
    reproducible: bool,
}

impl PrivacyRng {
    /// A stream with a fresh key from the operating system.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn from_os() -> Result<Self, DpError> {
        Ok(Entropy::from_os()?.stream(Purpose::Record, 0))
    }

    /// A repeatable stream for tests; see [`Entropy::reproducible`].
    pub fn reproducible(seed: u64) -> Self {
        Entropy::reproducible(seed).stream(Purpose::Record, 0)
    }

    /// Whether the stream comes from a key that the user chose.
    pub fn is_reproducible(&self) -> bool {
        self.reproducible
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// A uniform integer in `0..bound`, exactly: words that would favour some results are drawn again.
    ///
    /// # Panics
    /// When `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a draw needs at least one outcome");
        // The top `2^64 mod bound` words are refused, so each result has the same number of words.
        let last_fair = u64::MAX - (u64::MAX % bound + 1) % bound;
        loop {
            let word = self.bits();
            if word <= last_fair {
                return word % bound;
            }
        }
    }

    /// A uniform integer in `0..bound`, exactly, for bounds of up to 127 bits.
    ///
    /// # Panics
    /// When `bound` is zero or needs 128 bits.
    pub fn below_wide(&mut self, bound: u128) -> u128 {
        assert!(bound > 0 && bound >> 127 == 0, "a draw needs at least one outcome and at most 2^127");
        if let Ok(small) = u64::try_from(bound) {
            return u128::from(self.below(small));
        }
        // As many bits as the bound has, until they are below it: at least every second time.
        let spare = bound.leading_zeros();
        loop {
            let word = ((u128::from(self.bits()) << 64) | u128::from(self.bits())) >> spare;
            if word < bound {
                return word;
            }
        }
    }

    /// Puts items in a uniformly random order (Fisher and Yates, exact draws).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }
}

#[cfg(test)]
impl PrivacyRng {
    /// The first word of the stream, again and again: for test doubles that misuse randomness, and nothing else.
    pub(crate) fn first_word_for_mutant(&mut self) -> u64 {
        let position = self.rng.get_word_pos();
        self.rng.set_word_pos(0);
        let word = self.rng.next_u64();
        self.rng.set_word_pos(position);
        word
    }
}

impl fmt::Debug for PrivacyRng {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivacyRng(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::assert_distribution;

    #[test]
    fn every_integer_below_the_bound_is_equally_likely() {
        let mut rng = PrivacyRng::reproducible(1);
        let mut counts = [0u64; 7];
        for _ in 0..200_000 {
            counts[rng.below(7) as usize] += 1;
        }
        assert_distribution(&counts, &[1.0 / 7.0; 7]);
    }

    #[test]
    fn a_bound_just_above_a_power_of_two_is_not_biased() {
        // Without rejection, words of 64 bits modulo 3 * 2^62 would give results below 2^62 twice as often:
        // 1/2, 1/4, 1/4 instead of thirds.
        let mut rng = PrivacyRng::reproducible(2);
        let mut counts = [0u64; 3];
        for _ in 0..100_000 {
            counts[(rng.below(3 << 62) >> 62) as usize] += 1;
        }
        assert_distribution(&counts, &[1.0 / 3.0; 3]);
    }

    #[test]
    fn wide_bounds_are_fair_too() {
        let mut rng = PrivacyRng::reproducible(5);
        let mut counts = [0u64; 3];
        for _ in 0..60_000 {
            counts[(rng.below_wide(3 << 100) >> 100) as usize] += 1;
        }
        assert_distribution(&counts, &[1.0 / 3.0; 3]);
    }

    #[test]
    fn a_bound_of_one_has_one_outcome() {
        assert_eq!(PrivacyRng::reproducible(3).below(1), 0);
    }

    #[test]
    fn the_largest_bound_is_accepted() {
        assert!(PrivacyRng::reproducible(3).below(u64::MAX) < u64::MAX);
    }

    #[test]
    fn a_seed_repeats_its_stream() {
        let words = |seed| {
            let mut rng = PrivacyRng::reproducible(seed);
            [rng.bits(), rng.bits(), rng.bits()]
        };
        assert_eq!(words(7), words(7));
        assert_ne!(words(7), words(8));
    }

    #[test]
    fn records_and_purposes_do_not_share_words() {
        let entropy = Entropy::reproducible(7);
        let first = |purpose, index| entropy.stream(purpose, index).bits();
        let words = [
            first(Purpose::Record, 0),
            first(Purpose::Record, 1),
            first(Purpose::Shuffle, 0),
            first(Purpose::Synthetic, 0),
        ];
        for (i, a) in words.iter().enumerate() {
            assert!(words[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn two_runs_on_system_entropy_differ() {
        let word = || PrivacyRng::from_os().unwrap().bits();
        assert_ne!(word(), word()); // equal once in 2^64 runs
    }

    #[test]
    fn debug_shows_neither_key_nor_state() {
        assert_eq!(format!("{:?}", Entropy::reproducible(7)), "Entropy(..)");
        assert_eq!(format!("{:?}", PrivacyRng::reproducible(7)), "PrivacyRng(..)");
    }

    #[test]
    fn every_order_of_a_shuffle_is_equally_likely() {
        let mut rng = PrivacyRng::reproducible(4);
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut counts = [0u64; 6];
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            counts[orders.iter().position(|o| *o == items).unwrap()] += 1;
        }
        assert_distribution(&counts, &[1.0 / 6.0; 6]);
    }
}
