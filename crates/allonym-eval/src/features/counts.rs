//! How often each n-gram occurs in each text.
//!
//! An n-gram is known by a 64-bit hash while texts are counted. Two of a million different ones fall together with a chance of
//! about 3e-8; the map keeps a name for each.

use super::ngrams::{Ngrams, Scratch};
use std::hash::{BuildHasherDefault, Hasher};

/// A hash of an n-gram, which is already as random as it will be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A map from hashes.
pub(crate) type HashMap<V> = std::collections::HashMap<u64, V, BuildHasherDefault<AsItIs>>;

/// A hash of a short string: eight bytes at a time, multiplied and folded.
pub(crate) fn hash(text: &str) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ text.len() as u64;
    let mut mix = |word: u64| {
        let product = u128::from(state ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93_a076_1d64_78bd_642f);
        state = (product as u64) ^ ((product >> 64) as u64);
    };
    let mut parts = text.as_bytes().chunks_exact(8);
    for part in &mut parts {
        mix(u64::from_le_bytes(part.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    last[..parts.remainder().len()].copy_from_slice(parts.remainder());
    mix(u64::from_le_bytes(last));
    mix(0x2545_f491_4f6c_dd1d);
    state
}

/// The different n-grams of a text with their counts, in the order of their hashes.
pub(crate) fn of_text(ngrams: Ngrams, text: &str, scratch: &mut Scratch, hashes: &mut Vec<u64>) -> Vec<(u64, u32)> {
    hashes.clear();
    ngrams.each(text, scratch, |ngram| hashes.push(hash(ngram)));
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_thousand_strings_have_different_hashes() {
        let mut hashes: Vec<u64> = (0..100_000).map(|i| hash(&format!("{i:x}"))).collect();
        hashes.extend((0..100_000).map(|i| hash(&format!(" {i:x} the long one"))));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 200_000);
    }

    #[test]
    fn counts_add_up() {
        let (mut scratch, mut hashes) = (Scratch::default(), Vec::new());
        let ngrams = Ngrams { shortest: 1, longest: 1, ..Ngrams::CHARACTERS };
        let counts = of_text(ngrams, "banana", &mut scratch, &mut hashes);
        let of = |text| counts.iter().find(|(h, _)| *h == hash(text)).map(|(_, count)| *count);
        assert_eq!((of("a"), of("b"), of("n"), of("c")), (Some(3), Some(1), Some(2), None));
    }
}
