//! Groups tokens into sentences.
//!
//! A sentence ends at a full stop, a question or exclamation mark with the closing quotes and brackets after it, or at
//! a blank line. Abbreviations, initials and ellipses end one only when a capital follows, titles never.

use crate::lexicon::is_title;
use std::ops::Range;

/// The sentences of a plain text, as ranges of token indices that cover every token.
pub(crate) fn sentences(plain: &str, tokens: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut index = 0;
    let bytes = plain.as_bytes();
    while index < tokens.len() {
        // Most tokens end no sentence, and their last byte and the gap after them say so.
        let token = &tokens[index];
        let gap = tokens.get(index + 1).map_or(0, |next| next.start - token.end);
        if gap < 2 && !matches!(bytes[token.end - 1], b'.' | b'!' | b'?') {
            index += 1;
            continue;
        }
        let last = end_of_closers(plain, tokens, index);
        if last + 1 < tokens.len() && ends_here(plain, tokens, index, last) {
            sentences.push(start..last + 1);
            start = last + 1;
        }
        index = last + 1;
    }
    if start < tokens.len() {
        sentences.push(start..tokens.len());
    }
    sentences
}

/// The last token of a sentence end that begins at `index`: `?!"` is one end.
fn end_of_closers(plain: &str, tokens: &[Range<usize>], index: usize) -> usize {
    if ending(&plain[tokens[index].clone()]) == Ending::None {
        return index;
    }
    let mut last = index;
    while let Some(next) = tokens.get(last + 1) {
        let adjacent = next.start == tokens[last].end;
        let token = &plain[next.clone()];
        if !adjacent || !matches!(token, "\"" | "'" | ")" | "]" | "!" | "?" | ".") {
            break;
        }
        last += 1;
    }
    last
}

#[derive(PartialEq, Eq)]
enum Ending {
    None,
    Certain,
    BeforeCapital,
}

fn ending(token: &str) -> Ending {
    match token {
        "." | "!" | "?" => Ending::Certain,
        _ if token.starts_with("..") => Ending::BeforeCapital,
        _ if token.len() > 2 && token.ends_with('.') && !is_title(token) => Ending::BeforeCapital,
        _ => Ending::None,
    }
}

fn ends_here(plain: &str, tokens: &[Range<usize>], index: usize, last: usize) -> bool {
    let next = &plain[tokens[last + 1].clone()];
    let gap = &plain[tokens[last].end..tokens[last + 1].start];
    if gap.matches('\n').count() >= 2 {
        return true;
    }
    let lower_follows = next.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase);
    match ending(&plain[tokens[index].clone()]) {
        Ending::None => false,
        Ending::BeforeCapital => !lower_follows,
        // "Really?" he said. / J. Smith
        Ending::Certain if lower_follows && matches!(&plain[tokens[last].clone()], "\"" | "'" | ")" | "]") => false,
        Ending::Certain => !is_initial(plain, tokens, index),
    }
}

/// Whether the full stop at `index` follows the single capital letter of a name.
fn is_initial(plain: &str, tokens: &[Range<usize>], index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return false };
    let letter = &plain[tokens[before].clone()];
    &plain[tokens[index].clone()] == "."
        && letter.len() == 1
        && letter != "I"
        && letter.as_bytes()[0].is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenise::tokenise;

    #[track_caller]
    fn cut(barred: &str) {
        let expected: Vec<&str> = barred.split('|').map(str::trim).collect();
        let text = barred.replace('|', "");
        let tokens: Vec<_> = tokenise(&text).collect();
        let found: Vec<&str> =
            sentences(&text, &tokens).iter().map(|s| &text[tokens[s.start].start..tokens[s.end - 1].end]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn stops_and_marks_end_sentences() {
        cut("It was good.| I liked it!| Did you?!| so did i.| Yes");
    }

    #[test]
    fn closing_quotes_belong_to_the_sentence_they_close() {
        cut("He said \"no.\"| (Really?)| \"Why?\" she asked.");
    }

    #[test]
    fn abbreviations_and_initials_do_not_end_a_sentence() {
        cut("Mr. J. Smith came at 5 p.m. and left.| He lives in the U.S.| We do not.");
    }

    #[test]
    fn an_ellipsis_ends_a_sentence_before_a_capital() {
        cut("well... maybe...| But no.");
    }

    #[test]
    fn a_blank_line_ends_a_sentence() {
        cut("a heading|\n\nand a text");
    }
}
