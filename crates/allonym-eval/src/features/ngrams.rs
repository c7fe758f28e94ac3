//! The n-grams of a text, as scikit-learn cuts them.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What n-grams are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Words of two or more letters, digits or underscores.
    Words,
    /// Characters; runs of white space count as one space.
    Characters,
}

/// Which n-grams are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ngrams {
    /// Words or characters.
    pub unit: Unit,
    /// The shortest.
    pub shortest: usize,
    /// The longest.
    pub longest: usize,
    /// Whether case does not count.
    pub lower_case: bool,
}

impl Ngrams {
    /// Words and pairs of words.
    pub const WORDS: Self = Self { unit: Unit::Words, shortest: 1, longest: 2, lower_case: true };
    /// Three to five characters.
    pub const CHARACTERS: Self = Self { unit: Unit::Characters, shortest: 3, longest: 5, lower_case: true };

    /// Calls with every n-gram of a text, in the order of their beginnings; words of an n-gram stand between single spaces.
    pub fn each(&self, text: &str, scratch: &mut Scratch, mut take: impl FnMut(&str)) {
        scratch.prepare(text, *self, |_, _| {});
        let Scratch { text, bounds, .. } = scratch;
        // Each unit has a beginning and an end; an n-gram goes from the beginning of its first to the end of its last.
        for length in self.shortest..=self.longest {
            for units in bounds.windows(length) {
                take(&text[units[0].0 as usize..units[length - 1].1 as usize]);
            }
        }
    }

    /// The same, with the bytes of the text as it was given that each n-gram comes from: lower case may be longer or shorter, and a
    /// run of white space is one space.
    pub fn each_with_span(&self, text: &str, mut take: impl FnMut(&str, Range<usize>)) {
        let mut scratch = Scratch::default();
        let mut sources: Vec<Range<usize>> = Vec::new();
        scratch.prepare(text, *self, |range, same| match sources.last_mut() {
            Some(last) if same => last.end = range.end,
            _ => sources.push(range),
        });
        let origins = if self.lower_case { origins(text) } else { Vec::new() };
        let original = |range: Range<usize>| match self.lower_case {
            true => origins[range.start].start as usize..origins[range.end - 1].end as usize,
            false => range,
        };
        for length in self.shortest..=self.longest {
            for (units, sources) in scratch.bounds.windows(length).zip(sources.windows(length)) {
                let ngram = &scratch.text[units[0].0 as usize..units[length - 1].1 as usize];
                take(ngram, original(sources[0].start..sources[length - 1].end));
            }
        }
    }
}

/// For each byte of a text in lower case, the bytes of the character it comes from.
fn origins(text: &str) -> Vec<Range<u32>> {
    let mut origins = Vec::with_capacity(text.len());
    for (start, character) in text.char_indices() {
        let from = start as u32..(start + character.len_utf8()) as u32;
        // A string has one rule more than its characters: a capital sigma ends a word as another small one. It is no longer.
        let bytes = character.to_lowercase().map(char::len_utf8).sum();
        origins.extend(std::iter::repeat_n(from, bytes));
    }
    origins
}

/// A text that was cut into units; used again for the next.
#[derive(Debug, Default)]
pub struct Scratch {
    text: String,
    bounds: Vec<(u32, u32)>,
}

impl Scratch {
    /// Cuts a text. `source` hears which bytes of it, in lower case if it is, a unit comes from; and whether it is the unit before that
    /// goes on.
    fn prepare(&mut self, text: &str, ngrams: Ngrams, mut source: impl FnMut(Range<usize>, bool)) {
        self.text.clear();
        self.bounds.clear();
        let lowered;
        let text = if ngrams.lower_case {
            lowered = text.to_lowercase();
            &lowered
        } else {
            text
        };
        match ngrams.unit {
            Unit::Characters => {
                let mut spaces = 0;
                for (at, character) in text.char_indices() {
                    spaces = if character.is_whitespace() { spaces + 1 } else { 0 };
                    // As scikit-learn has it: two or more become one space, one stays what it is.
                    match spaces {
                        0 | 1 => self.text.push(character),
                        2 => {
                            self.text.pop();
                            self.text.push(' ');
                        }
                        _ => {}
                    }
                    source(at..at + character.len_utf8(), spaces > 1);
                }
                let ends = self.text.char_indices().map(|(start, c)| (start as u32, (start + c.len_utf8()) as u32));
                self.bounds.extend(ends);
            }
            Unit::Words => {
                for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                    if word.chars().nth(1).is_none() {
                        continue;
                    }
                    if !self.text.is_empty() {
                        self.text.push(' ');
                    }
                    let start = self.text.len() as u32;
                    self.text.push_str(word);
                    self.bounds.push((start, self.text.len() as u32));
                    let at = word.as_ptr() as usize - text.as_ptr() as usize;
                    source(at..at + word.len(), false);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ngrams: Ngrams, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        ngrams.each(text, &mut Scratch::default(), |ngram| found.push(ngram.to_owned()));
        found
    }

    #[test]
    fn characters_with_single_spaces() {
        let ngrams = Ngrams { shortest: 2, longest: 3, ..Ngrams::CHARACTERS };
        assert_eq!(all(ngrams, "Ab \t\nÇ"), ["ab", "b ", " ç", "ab ", "b ç"]);
        assert_eq!(all(ngrams, "a\tb"), ["a\t", "\tb", "a\tb"]);
        assert!(all(ngrams, "a").is_empty() && all(ngrams, "").is_empty());
    }

    #[test]
    fn words_of_two_letters_or_more() {
        assert_eq!(all(Ngrams::WORDS, "I was_not (the) 1st, x"), ["was_not", "the", "1st", "was_not the", "the 1st"]);
    }
    fn spans(ngrams: Ngrams, text: &str) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        ngrams.each_with_span(text, |ngram, span| found.push((ngram.to_owned(), &text[span])));
        found
    }

    #[test]
    fn spans_are_those_of_the_text_as_it_was_given() {
        let ngrams = Ngrams { shortest: 2, longest: 2, ..Ngrams::CHARACTERS };
        let found = spans(ngrams, "ẞa \t\nÇd");
        // A capital sharp s is three bytes long, a small one two.
        let expected = [("ßa", "ẞa"), ("a ", "a \t\n"), (" ç", " \t\nÇ"), ("çd", "Çd")];
        assert_eq!(found, expected.map(|(ngram, span)| (ngram.to_owned(), span)));
        let words = spans(Ngrams::WORDS, "İt was, (WAS) ΟΔΟΣ");
        let expected =
            [("was", "was"), ("was", "WAS"), ("οδος", "ΟΔΟΣ"), ("was was", "was, (WAS"), ("was οδος", "WAS) ΟΔΟΣ")];
        let expected = expected.map(|(ngram, span)| (ngram.to_owned(), span));
        assert!(expected.iter().all(|pair| words.contains(pair)), "{words:?}");
    }

    #[test]
    fn n_grams_with_spans_are_the_same_n_grams() {
        for ngrams in [Ngrams::WORDS, Ngrams::CHARACTERS, Ngrams { lower_case: false, ..Ngrams::CHARACTERS }] {
            let text = "The  İstanbul\u{a0} ẞtraße, x ΣΑΣ\n\nend";
            let plain = all(ngrams, text);
            let names: Vec<String> = spans(ngrams, text).into_iter().map(|(ngram, _)| ngram).collect();
            assert_eq!(plain, names);
        }
    }
}
