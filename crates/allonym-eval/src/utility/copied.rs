//! Runs of words that stand in one set of texts and in another.

use super::tokens;
use crate::features::hash_of;
use rayon::prelude::*;
use std::collections::HashSet;

/// All runs of so many words of some texts, without capitals. A run is known by a 64-bit hash.
#[derive(Clone, Debug)]
pub struct Runs {
    length: usize,
    known: HashSet<u64>,
}

impl Runs {
    /// The runs of texts.
    pub fn of(texts: &[&str], length: usize) -> Self {
        let each: Vec<Vec<u64>> = texts.par_iter().map(|text| runs(text, length)).collect();
        Self { length, known: each.into_iter().flatten().collect() }
    }

    /// How many different runs of other texts are among them, and not among those of a third set.
    pub fn copied(&self, texts: &[&str], unless: &Self) -> usize {
        let each: Vec<Vec<u64>> = texts.par_iter().map(|text| runs(text, self.length)).collect();
        let found: HashSet<u64> = each.into_iter().flatten().filter(|run| self.known.contains(run)).collect();
        found.iter().filter(|run| !unless.known.contains(run)).count()
    }

    /// For each text the share of its runs that are among them; 0 for a text that is too short to have any.
    pub fn share(&self, texts: &[&str]) -> Vec<f64> {
        let share = |text: &&str| {
            let runs = runs(text, self.length);
            runs.iter().filter(|run| self.known.contains(run)).count() as f64 / runs.len().max(1) as f64
        };
        texts.par_iter().map(share).collect()
    }
}

fn runs(text: &str, length: usize) -> Vec<u64> {
    let mut words = tokens(text);
    words.retain(|word| word.starts_with(char::is_alphanumeric));
    words.windows(length.max(1)).map(|run| hash_of(&run.join(" "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_whatever_stands_between_the_words() {
        let originals = Runs::of(&["The cat, sat on the mat.", "a dog ran"], 3);
        let none = Runs::of(&[], 3);
        // `cat sat on` and `sat on the`; `on the rug` is new.
        assert_eq!(originals.copied(&["cat sat on the rug"], &none), 2);
        let public = Runs::of(&["sat on the floor"], 3);
        assert_eq!(originals.copied(&["cat sat on the rug"], &public), 1);
        assert_eq!(originals.share(&["cat sat on the rug", "cat"]), [2.0 / 3.0, 0.0]);
        assert_eq!(originals.copied(&["dog cat ran"], &none), 0, "not across texts");
    }
}
