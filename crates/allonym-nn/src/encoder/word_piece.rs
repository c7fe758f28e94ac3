//! WordPiece as BERT's uncased models use it (Devlin et al., 2019).
//!
//! Text is cleaned, ideographs become words of their own, accents go, letters become small, punctuation is split off. Each word
//! is then cut from the left into the longest pieces that the vocabulary has. Control tokens are never read from a text:
//! `[SEP]` in a sentence is a word between brackets. Categories of characters are those of current Unicode; Hugging Face's tables
//! are older, so that a thousand rare marks and signs are cut differently there.

use super::weights::read;
use crate::error::NnError;
use std::collections::HashMap;
use std::path::Path;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Longer words are unknown, as in BERT.
const LONGEST_WORD: usize = 100;

/// A vocabulary of word pieces.
pub struct WordPiece {
    /// Pieces that begin a word.
    first: HashMap<String, u32>,
    /// Pieces that continue one, without their `##`.
    next: HashMap<String, u32>,
    longest: usize,
    unknown: u32,
    start: u32,
    end: u32,
    size: usize,
}

impl WordPiece {
    /// Reads a vocabulary, one piece a line (`vocab.txt`).
    ///
    /// # Errors
    /// When the file cannot be read, is not UTF-8, or lacks `[UNK]`, `[CLS]` or `[SEP]`.
    pub fn open(path: &Path) -> Result<Self, NnError> {
        let text = String::from_utf8(read(path)?).map_err(|_| NnError::unusable(path, "is not UTF-8"))?;
        Self::of(text.lines()).map_err(|piece| NnError::unusable(path, format!("has no piece `{piece}`")))
    }

    /// A vocabulary of the given pieces; if one of the three that must be there is missing, its name.
    fn of<'a>(pieces: impl Iterator<Item = &'a str>) -> Result<Self, &'static str> {
        let (mut first, mut next) = (HashMap::new(), HashMap::new());
        let (mut size, mut longest) = (0, 0);
        for (piece, id) in pieces.zip(0..) {
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => next.insert(rest.to_owned(), id),
                _ => first.insert(piece.to_owned(), id),
            };
            longest = longest.max(piece.len());
            size += 1;
        }
        let special = |piece: &'static str| first.get(piece).copied().ok_or(piece);
        let (unknown, start, end) = (special("[UNK]")?, special("[CLS]")?, special("[SEP]")?);
        Ok(Self { first, next, longest, unknown, start, end, size })
    }

    /// How many pieces there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The tokens of a text between `[CLS]` and `[SEP]`, at most `most` of them in all.
    pub fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let room = most.saturating_sub(1).max(1);
        let mut tokens = vec![self.start];
        let mut word = String::new();
        for c in text.chars().flat_map(cleaned).nfd().filter(is_no_accent).flat_map(char::to_lowercase) {
            if c.is_whitespace() || is_punctuation(c) || is_ideograph(c) {
                self.cut(&word, &mut tokens);
                word.clear();
                if !c.is_whitespace() {
                    self.cut(c.encode_utf8(&mut [0; 4]), &mut tokens);
                }
                if tokens.len() >= room {
                    break;
                }
            } else {
                word.push(c);
            }
        }
        self.cut(&word, &mut tokens);
        tokens.truncate(room);
        tokens.push(self.end);
        tokens
    }

    /// Cuts a word into pieces, or calls it unknown.
    fn cut(&self, word: &str, tokens: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = tokens.len();
        let mut rest = if word.chars().count() > LONGEST_WORD { "" } else { word };
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.first } else { &self.next };
            let ends = (1..=rest.len().min(self.longest)).rev().filter(|end| rest.is_char_boundary(*end));
            let found = ends.map(|end| (end, pieces.get(&rest[..end]))).find(|(_, id)| id.is_some());
            let Some((end, Some(id))) = found else {
                tokens.truncate(before);
                break;
            };
            tokens.push(*id);
            rest = &rest[end..];
        }
        if tokens.len() == before {
            tokens.push(self.unknown);
        }
    }
}

/// A character as it goes into the tokeniser, if it does: control characters are left out, spaces are equal.
fn cleaned(c: char) -> Option<char> {
    match c.general_category() {
        _ if matches!(c, '\t' | '\n' | '\r') => Some(' '),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse => None,
        _ if c == char::REPLACEMENT_CHARACTER => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

fn is_no_accent(c: &char) -> bool {
    c.is_ascii() || c.general_category() != GeneralCategory::NonspacingMark
}

/// Punctuation, and what ASCII counts among it: `$+<=>^|~` and the grave accent.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks of ideographs that BERT separates.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0xF900..=0xFAFF | 0x20000..=0x2A6DF | 0x2A700..=0x2CEAF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECES: [&str; 16] = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "cafe", "!", "日", "本", "a", "##a", "runn",
        "##ing", "sep",
    ];

    fn pieces(text: &str) -> Vec<&'static str> {
        let vocabulary = WordPiece::of(PIECES.into_iter()).unwrap();
        let tokens = vocabulary.tokens(text, 256);
        assert_eq!((tokens[0], *tokens.last().unwrap()), (2, 3));
        tokens[1..tokens.len() - 1].iter().map(|token| PIECES[*token as usize]).collect()
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        assert_eq!(pieces("unaffable running"), ["un", "##aff", "##able", "runn", "##ing"]);
        // One letter that no piece has makes the whole word unknown.
        assert_eq!(pieces("unaffablex un"), ["[UNK]", "un"]);
    }

    #[test]
    fn capitals_and_accents_go() {
        assert_eq!(pieces("CAFÉ Cafe\u{301}"), ["cafe", "cafe"]);
    }

    #[test]
    fn punctuation_and_ideographs_are_words() {
        assert_eq!(pieces("un!a日本a"), ["un", "!", "a", "日", "本", "a"]);
    }

    #[test]
    fn control_characters_vanish_and_spaces_are_equal() {
        assert_eq!(pieces("u\u{0}n\u{AD}\u{200B}\ta\u{3000}a\u{2028}a\u{FFFD}"), ["un", "a", "a", "a"]);
        assert!(pieces("").is_empty() && pieces(" \n").is_empty());
    }

    #[test]
    fn a_word_of_a_hundred_and_one_letters_is_unknown() {
        assert_eq!(pieces(&"a".repeat(100)).len(), 100);
        assert_eq!(pieces(&"a".repeat(101)), ["[UNK]"]);
    }

    #[test]
    fn a_text_cannot_write_control_tokens() {
        assert_eq!(pieces("[SEP]"), ["[UNK]", "sep", "[UNK]"]);
    }

    #[test]
    fn the_end_is_kept_when_a_text_is_too_long() {
        let vocabulary = WordPiece::of(PIECES.into_iter()).unwrap();
        assert_eq!(vocabulary.tokens("a a a a a a a", 5), [2, 11, 11, 11, 3]);
        assert_eq!(vocabulary.tokens("aaaaaaa", 5), [2, 11, 12, 12, 3]);
        assert_eq!(vocabulary.tokens("a a a", 5), [2, 11, 11, 11, 3]);
    }

    #[test]
    fn a_vocabulary_without_its_control_tokens_is_refused() {
        assert_eq!(WordPiece::of(["[UNK]", "[SEP]"].into_iter()).err(), Some("[CLS]"));
    }
}
