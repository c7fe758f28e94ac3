//! The n-grams of a text, as scikit-learn cuts them.

use serde::{Deserialize, Serialize};

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
        scratch.prepare(text, *self);
        let Scratch { text, bounds } = scratch;
        // Each unit has a beginning and an end; an n-gram goes from the beginning of its first to the end of its last.
        for length in self.shortest..=self.longest {
            for units in bounds.windows(length) {
                take(&text[units[0].0 as usize..units[length - 1].1 as usize]);
            }
        }
    }
}

/// A text that was cut into units; used again for the next.
#[derive(Debug, Default)]
pub struct Scratch {
    text: String,
    bounds: Vec<(u32, u32)>,
}

impl Scratch {
    fn prepare(&mut self, text: &str, ngrams: Ngrams) {
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
                for character in text.chars() {
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
}
