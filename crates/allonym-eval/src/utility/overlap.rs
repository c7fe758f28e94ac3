//! Words that both versions have.

use crate::features::is_function_word;
use crate::utility::tokens;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// What became of the words, added up over all texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Words {
    /// Tokens of the originals.
    pub original: u64,
    /// Tokens of the release.
    pub released: u64,
    /// Content words of the originals: words with a letter that are no function words.
    pub content: u64,
    /// Those of them that the release of the same text has too, in any place.
    pub content_kept: u64,
    /// Tokens that stand at the same place in both.
    pub in_place: u64,
}

impl Words {
    /// The share of content words that were kept; nothing without content words.
    pub fn content_share(&self) -> Option<f64> {
        (self.content > 0).then(|| self.content_kept as f64 / self.content as f64)
    }

    /// Released tokens for each original one.
    pub fn length_ratio(&self) -> Option<f64> {
        (self.original > 0).then(|| self.released as f64 / self.original as f64)
    }
}

/// Compares each text with its release.
pub fn words_kept(original: &[&str], released: &[&str]) -> Words {
    let add = |a: Words, b: Words| Words {
        original: a.original + b.original,
        released: a.released + b.released,
        content: a.content + b.content,
        content_kept: a.content_kept + b.content_kept,
        in_place: a.in_place + b.in_place,
    };
    original.par_iter().zip(released).map(|(o, r)| of_pair(&tokens(o), &tokens(r))).reduce(Words::default, add)
}

fn of_pair(original: &[String], released: &[String]) -> Words {
    let mut left: HashMap<&str, u64> = HashMap::new();
    released.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut words = Words { original: original.len() as u64, released: released.len() as u64, ..Words::default() };
    for word in original.iter().filter(|word| word.chars().any(char::is_alphabetic) && !is_function_word(word)) {
        words.content += 1;
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            words.content_kept += 1;
        }
    }
    words.in_place = original.iter().zip(released).filter(|(a, b)| a == b).count() as u64;
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let words = words_kept(&["The cat saw the other cat."], &["a cat slept"]);
        // Content: cat, saw, cat; one `cat` is left over for them.
        assert_eq!((words.original, words.released, words.content, words.content_kept), (7, 3, 3, 1));
        assert_eq!(words.in_place, 1);
        assert_eq!(Words::default().content_share(), None);
    }
}
