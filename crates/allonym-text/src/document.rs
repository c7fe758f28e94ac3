//! A text with its tokens and sentences.

use crate::normalise::{Normalised, normalise};
use crate::sentence::sentences;
use crate::tokenise::tokenise;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A text that has been brought into plain form and cut into tokens. Every token knows where it stood in the original.
#[derive(Clone, Default)]
pub struct Document {
    plain: Normalised,
    tokens: Vec<Range<usize>>,
    sentences: Vec<Range<usize>>,
    truncated: bool,
}

/// A token of a document.
#[derive(Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// The token in plain form, in the writer's case.
    pub text: &'a str,
    /// Its bytes in the original text.
    pub span: Range<usize>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text is somebody's.
        write!(f, "Document({} tokens)", self.len())
    }
}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({:?})", self.span)
    }
}

impl<'a> Token<'a> {
    /// The form by which a vocabulary knows the token: lower-case.
    pub fn key(&self) -> Cow<'a, str> {
        key(self.text)
    }
}

/// The form by which a vocabulary knows a token: lower-case.
pub fn key(token: &str) -> Cow<'_, str> {
    let changes = token.bytes().any(|b| b.is_ascii_uppercase() || b >= 0x80);
    if changes { Cow::Owned(token.to_lowercase()) } else { Cow::Borrowed(token) }
}

impl Document {
    /// Reads a whole text.
    ///
    /// ```
    /// let document = allonym_text::Document::read("It wasn\u{2019}t bad.");
    /// let tokens: Vec<_> = document.tokens().map(|token| (token.text, token.span)).collect();
    /// assert_eq!(tokens, [("It", 0..2), ("was", 3..6), ("n't", 6..11), ("bad", 12..15), (".", 15..16)]);
    /// ```
    pub fn read(original: &str) -> Self {
        Self::read_up_to(original, usize::MAX)
    }

    /// Reads at most the first `limit` tokens of a text; the rest is as if it had not been written.
    pub fn read_up_to(original: &str, limit: usize) -> Self {
        // A token has at most a few hundred bytes, but for an address: this much text holds `limit` of them, and a
        // huge text need not be looked at whole.
        let enough = limit.saturating_mul(1024).max(1 << 16).min(original.len());
        let end = original.floor_char_boundary(enough);
        let first = Self::read_some(&original[..end], limit);
        if first.len() < limit {
            return first;
        }
        let truncated = first.truncated || !original[end..].trim().is_empty();
        match first.tokens().last() {
            // Read again without the rest, which may have had a say in what is a look-alike.
            Some(last) if last.span.end < original.len() => {
                Self { truncated, ..Self::read_some(&original[..last.span.end], limit) }
            }
            _ => first,
        }
    }

    fn read_some(original: &str, limit: usize) -> Self {
        let plain = normalise(original);
        // English has a token about every five bytes; a huge text may grow its list as it goes.
        let mut tokens = Vec::with_capacity((plain.as_str().len() / 5 + 1).min(limit).min(1 << 16));
        let mut found = tokenise(plain.as_str());
        tokens.extend(found.by_ref().take(limit));
        let truncated = found.next().is_some();
        let sentences = sentences(plain.as_str(), &tokens);
        Self { plain, tokens, sentences, truncated }
    }

    /// Whether the text has more tokens than were read.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// How many tokens the document has.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the document has no token.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The tokens in order.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = Token<'_>> {
        let mut last_end = 0;
        self.tokens.iter().map(move |plain| {
            let origin = self.plain.origin(plain.clone());
            // One character may stand for several tokens (`㏂` is `a.m.`): the first of them takes its bytes.
            let start = origin.start.max(last_end);
            let end = origin.end.max(start);
            last_end = end;
            Token { text: &self.plain.as_str()[plain.clone()], span: start..end }
        })
    }

    /// The sentences, as ranges of token indices.
    pub fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_more_tokens_than_were_read_is_truncated() {
        for (limit, truncated) in [(2, true), (3, false), (4, false)] {
            assert_eq!(Document::read_up_to("one two three  ", limit).is_truncated(), truncated, "{limit}");
        }
        let huge = "word ".repeat(1 << 15);
        assert!(Document::read_up_to(&huge, 10).is_truncated());
        assert!(!Document::read(&huge).is_truncated());
    }

    #[test]
    fn spans_cut_the_bytes_that_were_typed() {
        let original = "“Cafe\u{301}” is\u{A0}fine…";
        let cut: Vec<&str> = Document::read(original).tokens().map(|t| &original[t.span]).collect();
        assert_eq!(cut, ["“", "Cafe\u{301}", "”", "is", "fine", "…"]);
    }

    #[test]
    fn reading_up_to_a_limit_sees_nothing_of_the_rest() {
        let document = Document::read_up_to("one two three. Four", 2);
        assert_eq!(document.tokens().map(|t| t.text).collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(document.sentences(), std::slice::from_ref(&(0..2)));
    }

    #[test]
    fn what_is_left_out_has_no_say() {
        // A Russian word further on would make the first word Russian.
        let alone: Vec<String> = Document::read_up_to("сору x", 1).tokens().map(|t| t.text.to_owned()).collect();
        let followed: Vec<String> =
            Document::read_up_to("сору x мама", 1).tokens().map(|t| t.text.to_owned()).collect();
        assert_eq!(alone, followed);
    }

    #[test]
    fn debug_does_not_show_the_text() {
        let document = Document::read("a canary");
        let shown = format!("{document:?} {:?} {:?}", document.tokens().next(), crate::normalise("canary"));
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[test]
    fn the_key_of_a_token_is_lower_case() {
        assert_eq!(key("WASN'T"), "wasn't");
        assert_eq!(key("Über"), "über");
        assert!(matches!(key("plain"), Cow::Borrowed(_)));
    }
}
