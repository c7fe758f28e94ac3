//! Cuts a plain text into tokens in the manner of the Penn Treebank, as the papers do.
//!
//! Punctuation stands apart, contractions are split (`do` `n't`, `I` `'m`, `can` `not`), and URLs, e-mail addresses,
//! numbers, emoji, ellipses and dotted abbreviations stay whole. Two things differ from the Treebank on purpose: quotes
//! keep their form, so that every token is a piece of the text, and a full stop is split off inside a text too, not
//! only at its end.
//!
//! A token depends only on the stretch between two spaces in which it stands, and never on upper or lower case. The
//! detokeniser relies on both.

use crate::fold::is_pictographic;
use crate::lexicon::{clitic_at_end, double_word, is_abbreviation, is_apostrophe_word, is_clitic, is_domain};
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Iterates over the tokens of a text in plain form, as byte ranges, without allocating.
///
/// ```
/// let text = "It was great, wasn't it?";
/// let tokens: Vec<&str> = allonym_text::tokenise(text).map(|span| &text[span]).collect();
/// assert_eq!(tokens, ["It", "was", "great", ",", "was", "n't", "it", "?"]);
/// ```
pub fn tokenise(plain: &str) -> Tokens<'_> {
    Tokens { text: plain, at: 0 }
}

/// The tokens of a text; see [`tokenise`].
#[derive(Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl std::fmt::Debug for Tokens<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text is somebody's.
        write!(f, "Tokens(at byte {})", self.at)
    }
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && is_space(bytes[self.at]) {
            self.at += 1;
        }
        if self.at == bytes.len() {
            return None;
        }
        let start = self.at;
        self.at = token_end(self.text, start);
        Some(start..self.at)
    }
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The most bytes of a word, give or take a character; a longer one is cut. It also bounds how far the tokeniser looks
/// ahead, so that no text takes more than time in proportion to its length.
const LONGEST_WORD: usize = 256;

/// Bytes that continue a word whatever stands around them.
static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|b| IS_WORD[*b as usize])
}

fn is_digit(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(u8::is_ascii_digit)
}

/// The character at a byte that is not ASCII, if it continues a word.
fn wide_word_char(text: &str, at: usize) -> Option<char> {
    text[at..].chars().next().filter(|c| !c.is_ascii() && (c.is_alphanumeric() || is_combining_mark(*c)))
}

fn starts_word(text: &str, at: usize) -> bool {
    is_word(text.as_bytes(), at) || (at < text.len() && wide_word_char(text, at).is_some())
}

/// Where the token that starts here ends.
fn token_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let first = bytes[start];
    if IS_WORD[first as usize] {
        return word_token_end(text, start);
    }
    let glued = start > 0 && !is_space(bytes[start - 1]);
    match first {
        b'.' if bytes.get(start + 1) == Some(&b'.') => run_end(bytes, start),
        b'.' if !(glued && is_word(bytes, start - 1)) && is_digit(bytes, start + 1) => word_token_end(text, start + 1),
        b'-' if bytes.get(start + 1) == Some(&b'-') => run_end(bytes, start),
        b'-' if !glued && is_digit(bytes, start + 1) => word_token_end(text, start + 1),
        b'\'' => apostrophe_token_end(text, start),
        0..0x80 => start + 1,
        _ => wide_token_end(text, start),
    }
}

fn run_end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().take_while(|b| **b == bytes[start]).count()
}

/// An apostrophe alone, a clitic that lost its word, a word such as `'em`, or a decade such as `'90s`.
fn apostrophe_token_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    if is_digit(bytes, start + 1) && is_digit(bytes, start + 2) {
        return word_token_end(text, start + 1);
    }
    let letters = bytes[start + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let end = start + 1 + letters;
    let token = &text[start..end];
    if starts_word(text, end) || letters == 0 {
        return start + 1;
    }
    if let Some(split) = double_word(token) {
        return start + split;
    }
    if is_clitic(token) || is_apostrophe_word(token) { end } else { start + 1 }
}

/// A token that does not start with an ASCII character.
fn wide_token_end(text: &str, start: usize) -> usize {
    let Some(c) = text[start..].chars().next() else { return text.len() };
    if is_pictographic(c) {
        let picture = text[start..].graphemes(true).next().unwrap_or_default();
        return start + picture.len();
    }
    if wide_word_char(text, start).is_some() { word_token_end(text, start) } else { start + c.len_utf8() }
}

/// The end of the first token of the word, number or address that starts here.
fn word_token_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    // Most words are letters between two spaces, and of those nothing more need be asked.
    let run = start + bytes[start..].iter().take(LONGEST_WORD).take_while(|b| IS_WORD[**b as usize]).count();
    if run > start && bytes.get(run).is_none_or(|b| is_space(*b)) {
        return start + double_word(&text[start..run]).unwrap_or(run - start);
    }
    let end = match word_end(text, start, run) {
        Extent::Whole(end) => return end,
        Extent::Word(end) => end,
    };
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') && is_abbreviation(&text[start..end]) {
        return end + 1;
    }
    // Without an apostrophe inside, the word is the run that was scanned first.
    start
        + if end == run { double_word(&text[start..end]).unwrap_or(end - start) } else { first_part(&text[start..end]) }
}

/// How long the first part of a word is, once its clitics and a second half are split off.
fn first_part(word: &str) -> usize {
    let mut base = word;
    while let Some(clitic) = clitic_at_end(base) {
        base = &base[..base.len() - clitic.len()];
    }
    double_word(base).unwrap_or(base.len())
}

enum Extent {
    /// An address, which is never split.
    Whole(usize),
    /// A word or a number.
    Word(usize),
}

/// How far a word reaches: letters, digits, and what may stand inside of one. `at` is where its first run of them ends.
fn word_end(text: &str, start: usize, mut at: usize) -> Extent {
    let bytes = text.as_bytes();
    while at < bytes.len() && at - start < LONGEST_WORD {
        let byte = bytes[at];
        if IS_WORD[byte as usize] {
            at += 1;
            continue;
        }
        if is_space(byte) || at == start && byte < 0x80 {
            break;
        }
        let inside = match byte {
            b'\'' | b'-' => starts_word(text, at + 1),
            b',' => is_digit(bytes, at - 1) && is_digit(bytes, at + 1),
            b':' if bytes[at..].starts_with(b"://") && is_word(bytes, at + 3) => {
                return Extent::Whole(address_end(bytes, start, at + 3));
            }
            b':' => is_digit(bytes, at - 1) && is_digit(bytes, at + 1),
            b'/' if is_domain_name(&text[start..at]) => return Extent::Whole(address_end(bytes, start, at)),
            b'/' => is_word(bytes, at + 1),
            b'@' | b'+' => match mail_end(bytes, start, at) {
                Some(end) => return Extent::Whole(end),
                None => false,
            },
            b'.' if bytes[start..at].eq_ignore_ascii_case(b"www") && is_word(bytes, at + 1) => {
                return Extent::Whole(address_end(bytes, start, at));
            }
            b'.' => is_inner_stop(text, start, at),
            0x80.. => match wide_word_char(text, at) {
                Some(c) => {
                    at += c.len_utf8();
                    continue;
                }
                None => false,
            },
            _ => false,
        };
        if !inside {
            break;
        }
        at += 1;
    }
    Extent::Word(at)
}

/// Whether a full stop belongs to a number, a dotted abbreviation, a domain or a mail address around it.
fn is_inner_stop(text: &str, start: usize, at: usize) -> bool {
    let bytes = text.as_bytes();
    if !is_word(bytes, at + 1) {
        return false;
    }
    if is_digit(bytes, at - 1) && is_digit(bytes, at + 1) {
        return true;
    }
    let label = bytes[start..at].iter().rev().take_while(|b| **b != b'.').count();
    let letters = bytes[at - 1].is_ascii_alphabetic() && bytes[at + 1].is_ascii_alphabetic();
    if letters && label == 1 && !starts_word(text, at + 2) {
        return true;
    }
    let in_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'.' | b'-');
    let name = bytes[start..].iter().take(LONGEST_WORD).take_while(in_name).count();
    let name = text[start..start + name].trim_end_matches(['.', '-']);
    is_domain_name(name) || mail_end(bytes, start, at).is_some()
}

/// Whether a name is dotted labels that end in a top-level domain.
fn is_domain_name(name: &str) -> bool {
    let Some((host, domain)) = name.rsplit_once('.') else { return false };
    is_domain(domain) && host.split('.').all(|label| !label.is_empty())
}

/// Where a web address ends: at a space or quote, less the punctuation that closes the sentence around it.
fn address_end(bytes: &[u8], start: usize, from: usize) -> usize {
    let length = bytes[from..].iter().take_while(|b| !is_space(**b) && !matches!(b, b'"' | b'<' | b'>')).count();
    let mut end = from + length;
    while end > start
        && matches!(bytes[end - 1], b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b')' | b']' | b'}' | b'*')
    {
        end -= 1;
    }
    end
}

/// Where the mail address that starts at `start` ends, if the text from there is one.
fn mail_end(bytes: &[u8], start: usize, from: usize) -> Option<usize> {
    let local = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'+' | b'-' | b'%');
    let sign = from + bytes[from..].iter().take(LONGEST_WORD).take_while(|b| local(b)).count();
    if sign == start || bytes.get(sign) != Some(&b'@') || !bytes[start..sign].iter().all(local) {
        return None;
    }
    let in_host = |b: &&u8| b.is_ascii_alphanumeric() || matches!(**b, b'.' | b'-');
    let host = bytes[sign + 1..].iter().take(LONGEST_WORD).take_while(in_host).count();
    let mut end = sign + 1 + host;
    while end > sign + 1 && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    let host = &bytes[sign + 1..end];
    let dot = memchr::memchr(b'.', host)?;
    (dot > 0).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        tokenise(text).map(|span| &text[span]).collect()
    }

    /// Asserts that a text is cut at the bars.
    #[track_caller]
    fn cut(barred: &str) {
        let expected: Vec<&str> = barred.split('|').map(str::trim).collect();
        let text = barred.replace('|', "");
        assert_eq!(tokens(&text), expected);
    }

    #[test]
    fn contractions_are_split_as_in_the_treebank() {
        cut("do|n't| I|'m| we|'re| they|'ve| she|'ll| he|'d| John|'s| can|not| gon|na| lem|me");
        cut("should|n't|'ve| wo|n't| CA|N'T| 't|was| 'em| o'clock");
    }

    #[test]
    fn punctuation_stands_apart() {
        cut("Well|,| (|so| it| [|was|]|)| ;| 50|%| of| $|5|!|!|?| \"|Yes|\"| 'quoted|'"
            .replace("'quoted", "'|quoted")
            .as_str());
    }

    #[test]
    fn words_with_hyphens_and_slashes_stay_whole() {
        cut("a| well-known| and/or| state-of-the-art| thing| --| really| -");
    }

    #[test]
    fn numbers_stay_whole() {
        cut("1,000.50| 3.14| 10:30| 1990s| '90s| 3rd| -5| .5| 2-3| 24/7|.");
    }

    #[test]
    fn addresses_stay_whole_without_the_punctuation_after_them() {
        cut("see| https://example.org/a?b=c&d=(e|)|.| www.example.com|,| example.co.uk/x|!| at| example.com|.");
        cut("mail| first.last+tag@mail.example.org|.| or| <|a@b.de|>| not| @|home");
    }

    #[test]
    fn ellipses_and_dashes_stay_whole() {
        cut("well|...| no|..| yes|....| a|--|b|---|c");
    }

    #[test]
    fn emoji_stay_whole() {
        cut("nice|👩\u{200D}👧|👍🏽| 🇩🇪|🇫🇷|!");
    }

    #[test]
    fn abbreviations_keep_their_stop_and_sentences_lose_theirs() {
        cut("Mr.| Smith| of| the| U.S.| came| at| 5| p.m.| etc.| and| left|.");
        cut("great|.|But| no|.| So| did| I|.");
    }

    #[test]
    fn other_scripts_are_words() {
        cut("café| naïve|,| мама|!| 中文|。");
    }

    #[test]
    fn case_does_not_move_a_boundary() {
        for text in ["can't", "mr. gonna i'm", "www.example.com.", "e.g. u.s.a.", "'twas 'em 'LL cannot've"] {
            let upper = text.to_uppercase();
            assert_eq!(tokenise(text).collect::<Vec<_>>(), tokenise(&upper).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn a_text_of_nothing_has_no_tokens() {
        assert!(tokens("").is_empty());
        assert!(tokens(" \n\t ").is_empty());
    }
}
