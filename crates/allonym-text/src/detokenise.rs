//! Writes tokens as text again: spacing and capitals as a function of the tokens alone.
//!
//! The writer's own spacing and capitals are a fingerprint, so nothing of them may come back. Two tokens are written
//! together only where the tokeniser would cut them apart again at the same place; this is checked for every pair, so
//! `tokenise(detokenise(tokens)) == tokens` holds by construction.

use crate::lexicon::{are_halves, is_clitic};
use crate::tokenise::tokenise;

/// Tokens that may be written together without a space, at most. Longer runs get a space, so that the check stays cheap.
const LONGEST_CHUNK: usize = 16;

/// Writes tokens as a text, with spaces, quotes and capitals where English has them.
///
/// ```
/// let text = allonym_text::detokenise(["it", "was", "n't", "bad", ",", "(", "he", "said", ")", "."]);
/// assert_eq!(text, "It wasn't bad, (he said).");
/// ```
pub fn detokenise<'a>(tokens: impl IntoIterator<Item = &'a str>) -> String {
    let mut writer = Writer::default();
    for token in tokens {
        writer.push(token);
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Where the tokens written without a space since the last one begin in `text`.
    chunk: Vec<usize>,
    previous: String,
    open_double: bool,
    open_single: bool,
    /// Whether the next word does not begin a sentence.
    inside_sentence: bool,
}

impl Writer {
    fn push(&mut self, token: &str) {
        let (joins_left, role) = self.place(token);
        let start = self.text.len();
        if joins_left && self.chunk.len() < LONGEST_CHUNK && self.joined_is_cut_again(token) {
            self.chunk.push(start);
        } else {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.chunk.clear();
            self.chunk.push(self.text.len());
        }
        self.write_cased(token);
        self.remember(token, role);
    }

    /// Whether a token should stand close to the one before it, and what it is if it is a quote.
    fn place(&self, token: &str) -> (bool, Quote) {
        let role = match token {
            "\"" if self.open_double => Quote::Closing,
            "\"" => Quote::Opening,
            "'" if self.open_single || self.previous.ends_with('s') => Quote::Closing,
            "'" => Quote::Opening,
            _ => Quote::None,
        };
        let previous = self.previous.as_str();
        let after_opener = match previous {
            "(" | "[" | "{" | "$" | "£" | "€" | "#" | "@" => true,
            "\"" => self.open_double,
            "'" => self.open_single,
            _ => false,
        };
        let closer = role == Quote::Closing
            || matches!(token, "." | "," | "!" | "?" | ":" | ";" | ")" | "]" | "}" | "%")
            || token.starts_with("..");
        let word = previous.ends_with(|c: char| c.is_alphanumeric());
        let joins = after_opener || closer || (word && is_clitic(token)) || are_halves(previous, token);
        (joins && !previous.is_empty(), role)
    }

    /// Whether the tokeniser finds the same tokens when this one is written right after the chunk.
    fn joined_is_cut_again(&self, token: &str) -> bool {
        let Some(&from) = self.chunk.first() else { return false };
        let mut joined = String::with_capacity(self.text.len() - from + token.len());
        joined.push_str(&self.text[from..]);
        joined.push_str(token);
        let starts = self.chunk.iter().map(|start| start - from).chain([self.text.len() - from]);
        tokenise(&joined).map(|span| span.start).eq(starts)
    }

    fn write_cased(&mut self, token: &str) {
        let begins = !self.inside_sentence && token.starts_with(char::is_alphabetic);
        if begins && !token.contains(char::is_uppercase) {
            let mut characters = token.chars();
            if let Some(first) = characters.next() {
                // Only letters with one capital: a longer one (ß, SS) would change the word.
                let mut capital = first.to_uppercase();
                let capital = if capital.len() == 1 { capital.next().unwrap_or(first) } else { first };
                // And only where the small letter comes back: that of the micro sign's capital is another.
                let capital = if capital.to_lowercase().eq([first]) { capital } else { first };
                self.text.push(capital);
                self.text.push_str(characters.as_str());
            }
        } else {
            self.text.push_str(token);
        }
    }

    fn remember(&mut self, token: &str, role: Quote) {
        match (token, role) {
            ("\"", _) => self.open_double = role == Quote::Opening,
            ("'", Quote::Opening) => self.open_single = true,
            ("'", _) => self.open_single = false,
            ("." | "!" | "?", _) => self.inside_sentence = false,
            _ if token.contains(char::is_alphanumeric) => self.inside_sentence = true,
            _ => {}
        }
        self.previous.clear();
        self.previous.push_str(token);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Opening,
    Closing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn written(spaced: &str, expected: &str) {
        let text = detokenise(spaced.split(' '));
        assert_eq!(text, expected);
        let again: Vec<String> = tokenise(&text).map(|span| text[span].to_lowercase()).collect();
        let tokens: Vec<String> = spaced.split(' ').map(str::to_lowercase).collect();
        assert_eq!(again, tokens);
    }

    #[test]
    fn sentences_read_as_english() {
        written("it was great , was n't it ? yes , I 'm sure .", "It was great, wasn't it? Yes, I'm sure.");
        written("he paid $ 5 ( 50 % ) ; we can not go ...", "He paid $5 (50%); we cannot go...");
        written(
            "\" no , \" she said . \" why ? \"",
            "\"No, \"she said. \" why? \"".replace(", \"she", ",\" she").replace("\" why? \"", "\"Why?\"").as_str(),
        );
    }

    #[test]
    fn single_quotes_open_and_close() {
        written("the ' best ' dogs ' food", "The 'best' dogs' food");
    }

    #[test]
    fn tokens_that_would_melt_together_are_kept_apart() {
        written("$ $ 5", "$$5");
        written("n't n't 's", "N'tn't's");
        written(". 5 . . a", ". 5. . A");
        written("etc. ... .", "Etc. ... .");
    }

    #[test]
    fn a_long_run_of_marks_is_still_cut_the_same() {
        let marks = vec!["!"; 100];
        let text = detokenise(marks.iter().copied());
        assert_eq!(tokenise(&text).count(), 100);
    }

    #[test]
    fn surface_forms_of_names_are_kept() {
        written("on Monday I met NASA .", "On Monday I met NASA.");
    }
}
