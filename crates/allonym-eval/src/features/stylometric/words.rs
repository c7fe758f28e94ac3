//! Words: how many, how long, how varied; and the function words.
//!
//! A word is a token with a letter or digit at its beginning that is no address; the tail of a contraction (`n't`, `'ll`) is a token,
//! and part of no count of words. N words, V different ones, of which V1 occur once and V2 twice.

use super::sheet::{Group, Sheet};
use super::{damped, mean_and_deviation, share};
use crate::features::{FUNCTION_WORDS, hash_of};
use allonym_text::Document;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The place of each function word in the order of the catalogue.
static PLACES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| function_words().zip(0..).collect());

/// From this length on, lengths count as one.
const LONGEST: usize = 20;

fn function_words() -> impl Iterator<Item = &'static str> {
    FUNCTION_WORDS.iter().flat_map(|(_, words)| words.iter().copied())
}

/// Whether a token is a web or mail address.
pub(super) fn is_address(token: &str) -> bool {
    token.contains("://") || token.starts_with("www.") || (token.contains('@') && token.contains('.'))
}

/// Whether a lower-case token is the tail of a contraction.
pub(super) fn is_clitic(key: &str) -> bool {
    key == "n't" || (key.starts_with('\'') && key.len() > 1)
}

/// Whether a lower-case token is a word.
pub(super) fn is_word(key: &str) -> bool {
    key.starts_with(char::is_alphanumeric) && !is_clitic(key) && !is_address(key)
}

/// What was counted.
pub(super) struct Words {
    tokens: u32,
    lengths: Vec<u32>,
    syllable_like: u32,
    numbers: u32,
    capitalised: u32,
    hyphenated: u32,
    /// How often each different word occurs.
    occurrences: Vec<u32>,
    function_words: Vec<u32>,
}

impl Words {
    pub(super) fn read(document: &Document) -> Self {
        let mut read = Self {
            tokens: document.len() as u32,
            lengths: Vec::with_capacity(document.len()),
            syllable_like: 0,
            numbers: 0,
            capitalised: 0,
            hyphenated: 0,
            occurrences: Vec::new(),
            function_words: vec![0; PLACES.len()],
        };
        let mut hashes = Vec::with_capacity(document.len());
        for token in document.tokens() {
            let key = token.key();
            if let Some(place) = PLACES.get(&*key) {
                read.function_words[*place] += 1;
            }
            if !is_word(&key) {
                continue;
            }
            read.lengths.push(key.chars().count() as u32);
            read.numbers += u32::from(key.starts_with(|c: char| c.is_ascii_digit()));
            read.capitalised += u32::from(token.text.starts_with(char::is_uppercase));
            read.hyphenated += u32::from(key.contains('-'));
            read.syllable_like += vowel_groups(&key);
            hashes.push(hash_of(&key));
        }
        hashes.sort_unstable();
        read.occurrences = hashes.chunk_by(|a, b| a == b).map(|same| same.len() as u32).collect();
        read
    }

    /// The lexical features.
    pub(super) fn fill(&self, sheet: &mut impl Sheet) {
        let words = self.lengths.len() as u32;
        let longer = |than: u32| self.lengths.iter().filter(|length| **length > than).count() as u32;
        let (mean, deviation) = mean_and_deviation(&self.lengths);
        let mut put = |name: &str, about: &str, value| sheet.put(Group::Lexical, name, about, value);
        put("words", "words: ln(1 + number)", damped(words));
        put("word-length", "mean length of words, in characters", mean);
        put("word-length-deviation", "standard deviation of the length of words", deviation);
        put("short-words", "words of up to three characters, as a share of words", share(words - longer(3), words));
        put("long-words", "words of more than six characters, as a share of words", share(longer(6), words));
        put(
            "vowel-groups",
            "groups of vowels in a word (nearly its syllables), mean",
            share(self.syllable_like, words),
        );
        put("number-words", "words that begin with a digit, as a share of words", share(self.numbers, words));
        put("capitalised-words", "words with a capital, as a share of words", share(self.capitalised, words));
        put("hyphenated-words", "words with a hyphen, as a share of words", share(self.hyphenated, words));
        for length in 1..=LONGEST {
            let same = |found: &&u32| (**found as usize).min(LONGEST) == length;
            let value = share(self.lengths.iter().filter(same).count() as u32, words);
            let name = length.to_string() + if length == LONGEST { "+" } else { "" };
            sheet.put_listed(Group::Lexical, "words-of-length", &name, "share of words, of length", value);
        }
        self.fill_richness(sheet);
    }

    /// How varied the vocabulary is.
    fn fill_richness(&self, sheet: &mut impl Sheet) {
        let (n, v) = (self.lengths.len() as f64, self.occurrences.len() as f64);
        let occurring = |times: u32| self.occurrences.iter().filter(|count| **count == times).count() as f64;
        let (once, twice) = (occurring(1), occurring(2));
        let sum = |of: &dyn Fn(f64) -> f64| self.occurrences.iter().map(|count| of(f64::from(*count))).sum::<f64>();
        let entropy = sum(&|count| -count / n * (count / n).log2()).max(0.0);
        let some = |value: f64| if n > 0.0 { value as f32 } else { 0.0 };
        let mut put = |name: &str, about: &str, value| sheet.put(Group::Lexical, name, about, value);
        put("type-token", "different words, as a share of words: V/N", share(v, n));
        put("guiraud", "Guiraud's R: V / sqrt(N)", share(v, n.sqrt()));
        put("hapax-legomena", "words that occur once, as a share of words: V1/N", share(once, n));
        put("hapax-share", "words that occur once, as a share of different words: V1/V", share(once, v));
        put("dislegomena", "words that occur twice, as a share of words: V2/N", share(twice, n));
        put("sichel", "Sichel's S: V2/V", share(twice, v));
        put(
            "yule",
            "Yule's K: 10,000 (sum of squared occurrences - N) / N^2",
            share(1e4 * (sum(&|c| c * c) - n), n * n),
        );
        put(
            "simpson",
            "Simpson's D: the chance that two words of the text are the same",
            share(sum(&|c| c * (c - 1.0)), n * (n - 1.0)),
        );
        // With V + 1, it exists for a text in which every word occurs once.
        put("honore", "Honoré's R: 100 ln N / (1 - V1 / (V + 1))", some(100.0 * n.ln() / (1.0 - once / (v + 1.0))));
        put("brunet", "Brunet's W: N to the power V^-0.172", some(n.powf(v.powf(-0.172))));
        put("entropy", "entropy of words, in bits", some(entropy));
        put(
            "entropy-share",
            "entropy of words, as a share of the most there can be",
            share(entropy, n.max(1.0).log2()),
        );
    }

    /// The function words.
    pub(super) fn fill_function_words(&self, sheet: &mut impl Sheet) {
        let total: u32 = self.function_words.iter().sum();
        let value = share(total, self.tokens);
        sheet.put(Group::Syntactic, "function-words", "function words, as a share of tokens", value);
        for (word, count) in function_words().zip(&self.function_words) {
            sheet.put_listed(Group::Syntactic, "function", word, "share of tokens:", share(*count, self.tokens));
        }
    }
}

/// How many runs of vowels a word has.
fn vowel_groups(word: &str) -> u32 {
    let vowel = |byte: &u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let bytes = word.as_bytes();
    (0..bytes.len()).filter(|at| vowel(&bytes[*at]) && (*at == 0 || !vowel(&bytes[at - 1]))).count() as u32
}
