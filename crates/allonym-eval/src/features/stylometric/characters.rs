//! Characters: how many of each, in one pass.

use super::sheet::{Group, Sheet};
use super::{damped, share};

/// Special characters with their names.
const SPECIAL: &[(char, &str)] = &[
    ('~', "tilde"),
    ('@', "at"),
    ('#', "hash"),
    ('$', "dollar"),
    ('%', "percent"),
    ('^', "caret"),
    ('&', "ampersand"),
    ('*', "asterisk"),
    ('_', "underscore"),
    ('=', "equals"),
    ('+', "plus"),
    ('<', "less"),
    ('>', "greater"),
    ('[', "left-bracket"),
    (']', "right-bracket"),
    ('{', "left-brace"),
    ('}', "right-brace"),
    ('/', "slash"),
    ('\\', "backslash"),
    ('|', "bar"),
    ('`', "backtick"),
];

/// Punctuation marks with their names; those of typography, which a keyboard does not have, last.
const MARKS: &[(char, &str)] = &[
    (',', "comma"),
    ('.', "full-stop"),
    ('?', "question"),
    ('!', "exclamation"),
    (':', "colon"),
    (';', "semicolon"),
    ('\'', "apostrophe"),
    ('"', "quote"),
    ('(', "left-parenthesis"),
    (')', "right-parenthesis"),
    ('-', "hyphen"),
    ('\u{2018}', "left-single-curly-quote"),
    ('\u{2019}', "right-single-curly-quote"),
    ('\u{201c}', "left-curly-quote"),
    ('\u{201d}', "right-curly-quote"),
    ('\u{2013}', "en-dash"),
    ('\u{2014}', "em-dash"),
    ('\u{2026}', "ellipsis"),
];

/// Where the typographic marks begin in [`MARKS`].
const TYPOGRAPHIC: usize = 11;

/// What was counted.
pub(super) struct Characters {
    all: u32,
    ascii: [u32; 128],
    typographic: [u32; MARKS.len() - TYPOGRAPHIC],
    letters: u32,
    upper: u32,
    digits: u32,
    white: u32,
    /// Letters beyond a to z.
    foreign: u32,
    /// Neither letters, digits, white space nor a character that has a name here.
    other: u32,
}

impl Characters {
    pub(super) fn read(text: &str) -> Self {
        let mut read = Self {
            all: 0,
            ascii: [0; 128],
            typographic: Default::default(),
            letters: 0,
            upper: 0,
            digits: 0,
            white: 0,
            foreign: 0,
            other: 0,
        };
        for character in text.chars() {
            read.all += 1;
            if character.is_ascii() {
                read.ascii[character as usize] += 1;
                read.letters += u32::from(character.is_ascii_alphabetic());
                read.upper += u32::from(character.is_ascii_uppercase());
                read.digits += u32::from(character.is_ascii_digit());
                read.white += u32::from(character.is_ascii_whitespace());
            } else if character.is_alphabetic() {
                read.letters += 1;
                read.foreign += 1;
                read.upper += u32::from(character.is_uppercase());
            } else if character.is_whitespace() {
                read.white += 1;
            } else if let Some(place) = MARKS[TYPOGRAPHIC..].iter().position(|(mark, _)| *mark == character) {
                read.typographic[place] += 1;
            } else {
                read.other += 1;
            }
        }
        read
    }

    fn of(&self, character: char) -> u32 {
        self.ascii[character as usize]
    }

    /// The lexical features.
    pub(super) fn fill(&self, sheet: &mut impl Sheet) {
        let all = self.all;
        let mut put = |name: &str, about: &str, value| sheet.put(Group::Lexical, name, about, value);
        put("characters", "characters: ln(1 + number)", damped(all));
        put("letters", "letters, as a share of characters", share(self.letters, all));
        put("upper-case", "upper-case letters, as a share of letters", share(self.upper, self.letters));
        put("digits", "digits, as a share of characters", share(self.digits, all));
        put("white-space", "white space, as a share of characters", share(self.white, all));
        put("spaces", "spaces, as a share of white space", share(self.of(' '), self.white));
        put("tabs", "tabs, as a share of white space", share(self.of('\t'), self.white));
        put("foreign-letters", "letters beyond a to z, as a share of letters", share(self.foreign, self.letters));
        put("other-characters", "symbols and emoji beyond ASCII, as a share of characters", share(self.other, all));
        for lower in 'a'..='z' {
            let count = self.of(lower) + self.of(lower.to_ascii_uppercase());
            let letter = lower.encode_utf8(&mut [0; 4]).to_owned();
            sheet.put_listed(Group::Lexical, "letter", &letter, "share of letters:", share(count, self.letters));
        }
        for (character, name) in SPECIAL {
            let value = share(self.of(*character), all);
            sheet.put_listed(Group::Lexical, "special", name, "share of characters:", value);
        }
    }

    /// The punctuation marks.
    pub(super) fn fill_marks(&self, sheet: &mut impl Sheet) {
        let count = |place: usize| match place.checked_sub(TYPOGRAPHIC) {
            None => self.of(MARKS[place].0),
            Some(place) => self.typographic[place],
        };
        let total: u32 = (0..MARKS.len()).map(count).sum();
        sheet.put(Group::Syntactic, "marks", "punctuation marks, as a share of characters", share(total, self.all));
        for (place, (_, name)) in MARKS.iter().enumerate() {
            let value = share(count(place), self.all);
            sheet.put_listed(Group::Syntactic, "mark", name, "share of characters:", value);
        }
    }
}
