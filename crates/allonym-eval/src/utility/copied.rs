//! Runs of words, and sentences, that stand in one set of texts and in another.

use crate::features::hash_of;
use allonym_text::Document;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// What of a text is looked for elsewhere, without capitals and without what stands between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Every run of so many words.
    Run(usize),
    /// Every sentence of at least so many words.
    Sentence(usize),
}

/// All pieces of some texts. A piece is known by a 64-bit hash.
#[derive(Clone, Debug)]
pub struct Pieces {
    piece: Piece,
    known: HashSet<u64>,
}

/// What was found of some texts in two sets of others, each piece once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Pieces of the first set that stand neither in the second nor in a third, which is public.
    pub learned: Vec<String>,
    /// How many are of the second set alone: what is found by chance, if it has as many texts as the first.
    pub control: usize,
    /// How many are in both, and not public.
    pub both: usize,
    /// How many of either are public.
    pub public: usize,
}

impl Pieces {
    /// The pieces of texts.
    pub fn of(texts: &[&str], piece: Piece) -> Self {
        let each: Vec<Vec<String>> = texts.par_iter().map(|text| pieces(text, piece)).collect();
        Self { piece, known: each.iter().flatten().map(|words| hash_of(words)).collect() }
    }

    /// Looks for pieces of what was written in texts that were learned from, in others that were not, and in public ones.
    ///
    /// # Panics
    /// When the sets have pieces of different kinds.
    pub fn copied(written: &[&str], learned: &Self, others: &Self, public: &Self) -> Copied {
        let piece = learned.piece;
        assert!(others.piece == piece && public.piece == piece, "pieces of one kind");
        let each: Vec<Vec<String>> = written.par_iter().map(|text| pieces(text, piece)).collect();
        let different: BTreeMap<u64, String> =
            each.into_iter().flatten().map(|words| (hash_of(&words), words)).collect();
        let mut found = Copied::default();
        for (hash, words) in different {
            let [learned, others, public] = [learned, others, public].map(|set| set.known.contains(&hash));
            match (learned, others) {
                (false, false) => {}
                _ if public => found.public += 1,
                (true, true) => found.both += 1,
                (false, true) => found.control += 1,
                (true, false) => found.learned.push(words),
            }
        }
        found.learned.sort_unstable();
        found
    }

    /// For each text the share of its pieces that are among them; 0 for a text that has none.
    pub fn share(&self, texts: &[&str]) -> Vec<f64> {
        let share = |text: &&str| {
            let pieces = pieces(text, self.piece);
            let known = pieces.iter().filter(|words| self.known.contains(&hash_of(words))).count();
            known as f64 / pieces.len().max(1) as f64
        };
        texts.par_iter().map(share).collect()
    }
}

fn pieces(text: &str, piece: Piece) -> Vec<String> {
    let document = Document::read(text);
    let words: Vec<Option<String>> = document
        .tokens()
        .map(|token| token.key())
        .map(|key| key.starts_with(char::is_alphanumeric).then(|| key.into_owned()))
        .collect();
    match piece {
        Piece::Run(length) => only(&words).windows(length.max(1)).map(|run| run.join(" ")).collect(),
        Piece::Sentence(least) => {
            let sentences = document.sentences().iter().map(|sentence| only(&words[sentence.clone()]));
            sentences.filter(|words| words.len() >= least.max(1)).map(|words| words.join(" ")).collect()
        }
    }
}

fn only(words: &[Option<String>]) -> Vec<&str> {
    words.iter().flatten().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Pieces {
        Pieces::of(&[], Piece::Run(3))
    }

    #[test]
    fn runs_are_found_whatever_stands_between_the_words() {
        let learned = Pieces::of(&["The cat, sat on the mat.", "a dog ran"], Piece::Run(3));
        let found = |written| Pieces::copied(&[written], &learned, &none(), &none()).learned;
        // `on the rug` is new.
        assert_eq!(found("Cat sat on the rug"), ["cat sat on", "sat on the"]);
        assert!(found("dog cat ran").is_empty(), "not across texts");
        assert_eq!(learned.share(&["cat sat on the rug", "cat"]), [2.0 / 3.0, 0.0]);
    }

    #[test]
    fn what_others_say_too_is_no_copy() {
        let of = |text| Pieces::of(&[text], Piece::Run(2));
        let written = ["a b c d e f", "a b"];
        // a b, b c, c d, d e, e f: learned has the first three, others c d and d e, b c and d e are public.
        let found = Pieces::copied(&written, &of("a b c d"), &of("c d e"), &Pieces::of(&["b c", "d e"], Piece::Run(2)));
        assert_eq!(found, Copied { learned: vec!["a b".into()], control: 0, both: 1, public: 2 });
        let other = Pieces::copied(&written, &of("x y"), &of("c d e"), &of("x y"));
        assert_eq!((other.control, other.both), (2, 0));
    }

    #[test]
    fn sentences_are_found_whole() {
        let learned = Pieces::of(&["I liked it a lot. We left."], Piece::Sentence(3));
        let written = ["We left. i liked it -- a lot!", "We say that I liked it a lot."];
        let of_none = Pieces::of(&[], Piece::Sentence(3));
        let found = Pieces::copied(&written, &learned, &of_none, &of_none);
        assert_eq!(found.learned, ["i liked it a lot"], "two words are too few, and a part is not the whole");
    }
}
