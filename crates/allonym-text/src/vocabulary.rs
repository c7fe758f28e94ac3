//! The list of tokens that a release is made of.
//!
//! It is public: whoever holds a release may hold the list, so it must not be counted from private texts (a rare word
//! in it says that somebody wrote that word). A list that was counted from them all the same carries the mark
//! `private` in its first line for ever.

use crate::detokenise::detokenise;
use crate::document::{Document, key};
use crate::normalise::normalise;
use crate::private::Private;
use crate::tokenise::tokenise;
use std::collections::HashMap;
use thiserror::Error;

/// The special tokens, which have the first ids: padding, an unknown word, the start and the end of a text.
pub const SPECIAL: [&str; 4] = ["<pad>", "<unk>", "<start>", "<end>"];
/// The id of padding.
pub const PAD: u32 = 0;
/// The id of every word that is not in the vocabulary.
pub const UNKNOWN: u32 = 1;
/// The id of the start of a text.
pub const START: u32 = 2;
/// The id of the end of a text.
pub const END: u32 = 3;

/// The id of a token in a vocabulary. Networks use the same number as a row of their tables; outcomes of a draw are numbered
/// differently, and have a type of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(u32);

impl TokenId {
    /// The end of a text.
    pub const END: Self = Self(END);
    /// Every word that is not in the vocabulary.
    pub const UNKNOWN: Self = Self(UNKNOWN);

    /// The token of an id.
    pub const fn new(id: u32) -> Self {
        Self(id)
    }

    /// The id as a number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

const MAGIC: &str = "allonym-vocabulary 1 ";
static ENGLISH: &str = include_str!("../data/english.txt");

/// Where the words of a vocabulary come from, which every guarantee depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A public list: it says nothing about anybody's text.
    Public,
    /// Counted from private texts: its contents leak.
    Private,
}

impl Origin {
    /// The word for it in a vocabulary file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// A consent that cannot be given by oversight: the words of these texts may become known.
#[derive(Clone, Copy, Debug)]
pub struct WordsMayLeak;

/// An ordered list of tokens with ids, in the form in which each is usually written.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    words: Vec<Box<str>>,
    ids: HashMap<Box<str>, u32>,
    origin: Origin,
}

/// Why a vocabulary could not be read. Lines are named, not quoted: the list may be private.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum VocabularyError {
    /// The first line is not that of a vocabulary file.
    #[error("the first line is not `{MAGIC}public` or `{MAGIC}private`")]
    Header,
    /// A line is not one token.
    #[error("line {line} is not one token of normalised text")]
    NotAToken {
        /// The line, counted from 1.
        line: usize,
    },
    /// A token stands there twice (upper and lower case count as the same).
    #[error("line {line} repeats line {first}")]
    Repeated {
        /// The line, counted from 1.
        line: usize,
        /// The line that has the token first.
        first: usize,
    },
    /// Too few tokens to choose from.
    #[error("{words} words are too few; at least 2 are needed")]
    TooFew {
        /// How many there are.
        words: usize,
    },
    /// More tokens asked for than there are.
    #[error("{asked} words were asked for; the list has {words}")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        words: usize,
    },
}

impl Vocabulary {
    /// The most frequent `size` words of the English list that comes with the program.
    ///
    /// # Errors
    /// When `size` is under 2 or the list is shorter.
    pub fn english(size: usize) -> Result<Self, VocabularyError> {
        Self::parse(ENGLISH)?.truncated(size)
    }

    /// How many words the English list has.
    pub fn english_size() -> usize {
        ENGLISH.lines().count() - 1
    }

    /// Reads a vocabulary file.
    ///
    /// # Errors
    /// When the file is not a vocabulary, or a line is not a token that the tokeniser would find again.
    pub fn parse(file: &str) -> Result<Self, VocabularyError> {
        let mut lines = file.lines();
        let origin = match lines.next().and_then(|header| header.strip_prefix(MAGIC)) {
            Some("public") => Origin::Public,
            Some("private") => Origin::Private,
            _ => return Err(VocabularyError::Header),
        };
        Self::from_words(lines, origin)
    }

    fn from_words<'a>(list: impl Iterator<Item = &'a str>, origin: Origin) -> Result<Self, VocabularyError> {
        let mut words = Vec::new();
        let mut ids = HashMap::new();
        for (index, word) in list.enumerate() {
            let line = index + 2;
            if !is_token(word) {
                return Err(VocabularyError::NotAToken { line });
            }
            let id = (SPECIAL.len() + index) as u32;
            if let Some(first) = ids.insert(key(word).into(), id) {
                return Err(VocabularyError::Repeated { line, first: first as usize - SPECIAL.len() + 2 });
            }
            words.push(word.into());
        }
        if words.len() < 2 {
            return Err(VocabularyError::TooFew { words: words.len() });
        }
        Ok(Self { words, ids, origin })
    }

    /// Counts the most frequent tokens of private texts. The result is marked for ever, since its contents leak.
    ///
    /// # Errors
    /// When fewer than two different tokens occur.
    pub fn counted_from_private_texts(
        documents: impl IntoIterator<Item = Private<Document>>,
        size: usize,
        _consent: WordsMayLeak,
    ) -> Result<Self, VocabularyError> {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for document in documents {
            for token in document.declassify("a counted vocabulary: its owner consented, and it is marked").tokens() {
                *counts.entry(token.key().into_owned()).or_default() += 1;
            }
        }
        let mut counted: Vec<(String, u64)> = counts.into_iter().filter(|(word, _)| is_token(word)).collect();
        counted.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Self::from_words(counted.iter().take(size).map(|(word, _)| word.as_str()), Origin::Private)
    }

    /// The first `size` words.
    ///
    /// # Errors
    /// When `size` is under 2 or there are fewer words.
    pub fn truncated(mut self, size: usize) -> Result<Self, VocabularyError> {
        if size < 2 {
            return Err(VocabularyError::TooFew { words: size });
        }
        if size > self.words.len() {
            return Err(VocabularyError::TooMany { asked: size, words: self.words.len() });
        }
        for word in self.words.drain(size..) {
            self.ids.remove(&*key(&word));
        }
        Ok(self)
    }

    /// The contents of a vocabulary file; [`Vocabulary::parse`] reads it again.
    pub fn to_file(&self) -> String {
        let mut file = format!("{MAGIC}{}\n", self.origin.name());
        for word in &self.words {
            file.push_str(word);
            file.push('\n');
        }
        file
    }

    /// How many ids there are: words and special tokens.
    pub fn ids(&self) -> u32 {
        (SPECIAL.len() + self.words.len()) as u32
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Whether the list is public.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The id of a token in any case; [`UNKNOWN`] if it is not in the list.
    pub fn id(&self, token: &str) -> u32 {
        self.ids.get(&*key(token)).copied().unwrap_or(UNKNOWN)
    }

    /// The text of released tokens: a function of the tokens and of this list alone.
    pub fn text(&self, tokens: &[TokenId]) -> String {
        detokenise(tokens.iter().filter_map(|token| self.word(token.get())))
    }

    /// The word with this id in the form in which it is usually written; `None` for special and foreign ids.
    pub fn word(&self, id: u32) -> Option<&str> {
        (id as usize).checked_sub(SPECIAL.len()).and_then(|index| self.words.get(index)).map(|word| &**word)
    }
}

/// Whether the tokeniser finds a word again exactly, as one token of normalised text.
fn is_token(word: &str) -> bool {
    normalise(word).as_str() == word && tokenise(word).eq(std::iter::once(0..word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_english_list_can_be_read() {
        let vocabulary = Vocabulary::english(Vocabulary::english_size()).unwrap();
        assert_eq!(vocabulary.origin(), Origin::Public);
        assert_eq!(vocabulary.words(), 20_000);
        for word in ["the", "I", "n't", ".", "...", "good"] {
            assert_ne!(vocabulary.id(word), UNKNOWN, "{word}");
        }
    }

    #[test]
    fn a_smaller_list_holds_the_most_frequent_words() {
        let large = Vocabulary::english(1000).unwrap();
        let small = Vocabulary::english(100).unwrap();
        assert_eq!(small.ids(), 104);
        assert!((4..104).all(|id| small.word(id) == large.word(id)));
        let cut = large.word(500).unwrap();
        assert_eq!(small.id(cut), UNKNOWN);
    }

    #[test]
    fn a_file_reads_back_as_it_was() {
        let vocabulary = Vocabulary::english(50).unwrap();
        let again = Vocabulary::parse(&vocabulary.to_file()).unwrap();
        assert_eq!(again.words, vocabulary.words);
        assert_eq!(again.origin, Origin::Public);
    }

    #[test]
    fn case_does_not_matter_for_an_id() {
        let vocabulary = Vocabulary::english(200).unwrap();
        assert_eq!(vocabulary.id("THE"), vocabulary.id("the"));
        assert_eq!(vocabulary.word(vocabulary.id("i")), Some("I"));
    }

    #[test]
    fn special_and_foreign_ids_have_no_word() {
        let vocabulary = Vocabulary::english(10).unwrap();
        for id in [PAD, UNKNOWN, START, END, 14, u32::MAX] {
            assert_eq!(vocabulary.word(id), None);
        }
    }

    #[test]
    fn broken_files_are_refused_by_line() {
        let parse = |file: &str| Vocabulary::parse(file).unwrap_err();
        assert_eq!(parse("hello\nworld\n"), VocabularyError::Header);
        assert_eq!(parse(""), VocabularyError::Header);
        assert_eq!(parse("allonym-vocabulary 1 public\nhello\ntwo words\n"), VocabularyError::NotAToken { line: 3 });
        assert_eq!(parse("allonym-vocabulary 1 public\ndon't\nno\n"), VocabularyError::NotAToken { line: 2 });
        assert_eq!(parse("allonym-vocabulary 1 public\na\nb\nA\n"), VocabularyError::Repeated { line: 4, first: 2 });
        assert_eq!(parse("allonym-vocabulary 1 public\na\n"), VocabularyError::TooFew { words: 1 });
    }

    #[test]
    fn a_list_counted_from_private_texts_is_marked_for_ever() {
        let document = Document::read("the cat and the dog");
        let counted = Vocabulary::counted_from_private_texts([Private::new(document)], 2, WordsMayLeak).unwrap();
        assert_eq!(counted.word(4), Some("the"));
        assert_eq!(counted.to_file(), "allonym-vocabulary 1 private\nthe\nand\n");
        assert_eq!(Vocabulary::parse(&counted.to_file()).unwrap().origin(), Origin::Private);
    }
}
