//! The most frequent words of some texts, and what share of a text each of them has.

use crate::error::EvalError;
use allonym_text::Document;
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Texts that are read at once.
const BATCH: usize = 512;

/// Words with their places, the most frequent first. Parts of contractions (`n't`) are words, punctuation is not.
#[derive(Clone, Debug)]
pub struct FrequentWords {
    words: Vec<String>,
    places: HashMap<String, u32>,
}

impl FrequentWords {
    /// Finds the most frequent words of texts; of equals the first in the alphabet.
    ///
    /// # Errors
    /// When there are no texts, or no word in them.
    pub fn fit<Text: AsRef<str> + Sync>(texts: &[Text], most: usize) -> Result<Self, EvalError> {
        if texts.is_empty() {
            return Err(EvalError::NoTexts);
        }
        let mut found: HashMap<String, u64> = HashMap::new();
        for batch in texts.chunks(BATCH) {
            let counted: Vec<HashMap<String, u64>> = batch.par_iter().map(|text| count(text.as_ref())).collect();
            for (word, count) in counted.into_iter().flatten() {
                *found.entry(word).or_default() += count;
            }
        }
        let mut ranked: Vec<(String, u64)> = found.into_iter().collect();
        ranked.sort_unstable_by(|(a, count_a), (b, count_b)| count_b.cmp(count_a).then_with(|| a.cmp(b)));
        ranked.truncate(most);
        if ranked.is_empty() {
            return Err(EvalError::NoFeatures);
        }
        let words: Vec<String> = ranked.into_iter().map(|(word, _)| word).collect();
        let places = words.iter().cloned().zip(0..).collect();
        Ok(Self { words, places })
    }

    /// The words, the most frequent first.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// How often each word occurs in a text, and how many words the text has, known or not.
    pub fn counts(&self, text: &str) -> (Vec<u32>, u32) {
        let (mut counts, mut all) = (vec![0; self.words.len()], 0);
        each(text, |word, _| {
            all += 1;
            if let Some(place) = self.places.get(word) {
                counts[*place as usize] += 1;
            }
        });
        (counts, all)
    }

    /// Where each word stands in a text, in bytes.
    pub fn spans(&self, text: &str) -> Vec<Vec<Range<usize>>> {
        let mut spans = vec![Vec::new(); self.words.len()];
        each(text, |word, span| {
            if let Some(place) = self.places.get(word) {
                spans[*place as usize].push(span);
            }
        });
        spans
    }
}

fn each(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    for token in Document::read(text).tokens() {
        let key = token.key();
        if key.chars().any(char::is_alphabetic) {
            take(&key, token.span);
        }
    }
}

fn count(text: &str) -> HashMap<String, u64> {
    let mut counts = HashMap::new();
    each(text, |word, _| match counts.get_mut(word) {
        Some(count) => *count += 1,
        None => drop(counts.insert(word.to_owned(), 1)),
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_words_and_where_they_stand() {
        let words = FrequentWords::fit(&["The cat, the dog.", "THE cat isn't b"], 3).unwrap();
        assert_eq!(words.words(), ["the", "cat", "b"], "of equals the first in the alphabet");
        // Four words, of which `dog` is not known; a comma is no word.
        assert_eq!(words.counts("cat, cat dog The"), (vec![1, 2, 0], 4));
        assert_eq!(words.spans("cat, cat"), [vec![], vec![0..3, 5..8], vec![]]);
    }

    #[test]
    fn texts_without_words_are_refused() {
        assert!(matches!(FrequentWords::fit(&["!", "12"], 3), Err(EvalError::NoFeatures)));
        assert!(matches!(FrequentWords::fit(&[] as &[&str], 3), Err(EvalError::NoTexts)));
    }
}
