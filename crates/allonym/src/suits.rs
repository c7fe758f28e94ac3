//! Which texts a model was not made for: another language, code, a table; and which are longer than what is drawn of them.
//!
//! The counts are exact, and for the owner of the texts alone.

use allonym_text::vocabulary::UNKNOWN;
use allonym_text::{Document, Private, Vocabulary};
use std::sync::atomic::{AtomicU64, Ordering};

/// Fewer tokens than this say nothing about a text's language.
const FEW: usize = 8;
/// The least part of a text's tokens that are words of the vocabulary, in English prose: usually it is four fifths and more.
const LEAST: f64 = 0.5;

/// Counts of texts.
#[derive(Debug, Default)]
pub(crate) struct Suits {
    foreign: AtomicU64,
    cut: AtomicU64,
}

impl Suits {
    /// Looks at a text of which at most so many tokens are drawn.
    pub(crate) fn look(&self, text: &Private<String>, vocabulary: &Vocabulary, max_tokens: usize) {
        let document = text.as_ref().map(|text| Document::read_up_to(text, max_tokens));
        self.count(document.as_ref(), vocabulary);
    }

    /// Looks at a text as it was read.
    pub(crate) fn count(&self, document: Private<&Document>, vocabulary: &Vocabulary) {
        let (foreign, cut) = document
            .map(|document| judge(document, vocabulary))
            .declassify("counts of unsuitable texts, told to their owner");
        self.foreign.fetch_add(u64::from(foreign), Ordering::Relaxed);
        self.cut.fetch_add(u64::from(cut), Ordering::Relaxed);
    }

    /// What the owner is told; `priced` where each token has a price.
    pub(crate) fn told(&self, priced: bool) -> Vec<String> {
        let mut told = Vec::new();
        let texts = |count: u64, one: &str, more: &str| match count {
            1 => format!("1 text {one}"),
            _ => format!("{count} texts {more}"),
        };
        match self.foreign.load(Ordering::Relaxed) {
            0 => {}
            count => told.push(format!(
                "{} few English words (another language, code, a table?): the model was not made for that, and what came out has little to do with it (an exact count, for you alone)",
                texts(count, "has", "have")
            )),
        }
        match self.cut.load(Ordering::Relaxed) {
            0 => {}
            count => told.push(format!(
                "{} longer than what is {}: the rest was left out; {} (an exact count, for you alone)",
                texts(count, "is", "are"),
                if priced { "drawn" } else { "read" },
                if priced { "`--max-tokens` draws more, at a price" } else { "`--max-tokens` reads more" }
            )),
        }
        told
    }
}

/// Whether a text is not of the vocabulary's language, and whether it was truncated.
fn judge(document: &Document, vocabulary: &Vocabulary) -> (bool, bool) {
    let (mut tokens, mut words) = (0_usize, 0_usize);
    for token in document.tokens() {
        tokens += 1;
        let is_word = token.text.chars().any(char::is_alphabetic);
        words += usize::from(is_word && vocabulary.id(token.text) != UNKNOWN);
    }
    (tokens >= FEW && (words as f64) < LEAST * tokens as f64, document.is_truncated())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(text: &str) -> bool {
        judge(&Document::read_up_to(text, 50), &Vocabulary::english(10_000).unwrap()).0
    }

    #[test]
    fn english_prose_suits_and_other_things_do_not() {
        assert!(!foreign("The food was great, and we will come back with our friends next summer!"));
        assert!(!foreign("Felix watches an actor, Mr. Smith, who rehearses \"Hamlet\" in an old theatre."));
        assert!(foreign("Das Essen war großartig, und wir kommen nächsten Sommer gern mit unseren Freunden wieder."));
        assert!(foreign("Это совсем другой язык, не правда ли, и здесь его никто не понимает."));
        assert!(foreign("for (int i = 0; i < n; ++i) { x[i] += a[i] * b[i]; } // =="));
        assert!(foreign("12.5 | 13.7 | 9 | 44\n1.2 | 7 | 8.8 | 3\n4 | 4 | 2 | 1"));
        assert!(!foreign("Gut!"), "too short to tell");
    }

    #[test]
    fn longer_texts_are_counted() {
        let (suits, vocabulary) = (Suits::default(), Vocabulary::english(1000).unwrap());
        suits.look(&Private::new("one two three".to_owned()), &vocabulary, 2);
        suits.look(&Private::new("one two".to_owned()), &vocabulary, 2);
        assert!(
            suits.told(true)[0].starts_with("1 text is longer") && suits.told(true).len() == 1,
            "{:?}",
            suits.told(true)
        );
    }
}
