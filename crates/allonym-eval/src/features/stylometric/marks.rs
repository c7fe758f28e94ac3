//! Quirks of typing that are seen in the characters: repetition, spacing, emoticons.

use super::share;
use super::sheet::{Group, Sheet};

/// What was counted.
#[derive(Default)]
pub(super) struct Marks {
    characters: u32,
    sentence_ends: u32,
    commas: u32,
    stretched_letters: u32,
    exclamation_runs: u32,
    question_runs: u32,
    mixed_runs: u32,
    two_dots: u32,
    three_dots: u32,
    more_dots: u32,
    spaces_after_end: u32,
    spaces_elsewhere: u32,
    no_space_after_comma: u32,
    no_space_after_end: u32,
    space_before_mark: u32,
    double_dash: u32,
    spaced_hyphen: u32,
    smiles: u32,
    frowns: u32,
    winks: u32,
    tongues: u32,
    noses: u32,
    hearts: u32,
    emoji: u32,
}

impl Marks {
    /// One pass over runs of the same character, with the characters before and after.
    pub(super) fn read(text: &str) -> Self {
        let mut read = Self::default();
        let mut rest = text;
        let mut before = None;
        while let Some(character) = rest.chars().next() {
            let length = rest.chars().take_while(|next| *next == character).count();
            let after = &rest[length * character.len_utf8()..];
            read.characters += length as u32;
            read.run(character, length as u32, before, after);
            if length == 1 && before.is_none_or(|before: char| !before.is_alphanumeric()) {
                read.emoticon(rest);
            }
            before = Some(character);
            rest = after;
        }
        read
    }

    fn run(&mut self, character: char, length: u32, before: Option<char>, after: &str) {
        let next = after.chars().next();
        let spaced = before == Some(' ') && length == 1;
        match character {
            '!' | '?' => {
                self.sentence_ends += 1;
                let runs = if character == '!' { &mut self.exclamation_runs } else { &mut self.question_runs };
                *runs += u32::from(length > 1);
                self.mixed_runs += u32::from(matches!(next, Some('!' | '?')));
                self.space_before_mark += u32::from(spaced);
            }
            '.' => {
                self.sentence_ends += u32::from(length == 1);
                self.two_dots += u32::from(length == 2);
                self.three_dots += u32::from(length == 3);
                self.more_dots += u32::from(length > 3);
                let glued = before.is_some_and(char::is_lowercase) && next.is_some_and(char::is_uppercase);
                self.no_space_after_end += u32::from(length == 1 && glued);
                self.space_before_mark += u32::from(spaced && next.is_none_or(char::is_whitespace));
            }
            ',' => {
                self.commas += length;
                self.no_space_after_comma += u32::from(next.is_some_and(char::is_alphabetic));
                self.space_before_mark += u32::from(spaced);
            }
            ' ' if length > 1 && next.is_some_and(|next| !next.is_whitespace()) => match before {
                Some('.' | '!' | '?') => self.spaces_after_end += 1,
                Some(before) if !before.is_whitespace() => self.spaces_elsewhere += 1,
                _ => {}
            },
            '-' => {
                self.double_dash += u32::from(length == 2);
                self.spaced_hyphen += u32::from(spaced && next == Some(' '));
            }
            _ if character.is_alphabetic() => self.stretched_letters += u32::from(length > 2),
            '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' => self.emoji += length,
            _ => {}
        }
    }

    /// Eyes, perhaps a nose, a mouth, and then no letter.
    fn emoticon(&mut self, rest: &str) {
        let bytes = rest.as_bytes();
        let at = |place: usize| bytes.get(place).copied().unwrap_or(b' ');
        if at(0) == b'<' && at(1) == b'3' && !at(2).is_ascii_alphanumeric() {
            self.hearts += 1;
            return;
        }
        let happy_letters = matches!(at(0), b'x' | b'X') && at(1) == b'D';
        if !matches!(at(0), b':' | b';' | b'=') && !happy_letters {
            return;
        }
        let nose = matches!(at(1), b'-' | b'^' | b'\'' | b'o');
        let mouth = at(1 + usize::from(nose));
        if at(2 + usize::from(nose)).is_ascii_alphanumeric() {
            return;
        }
        let counted = match (at(0), mouth) {
            (b';', b')' | b'D' | b']') => &mut self.winks,
            (_, b')' | b'D' | b']') => &mut self.smiles,
            (_, b'(' | b'[' | b'/' | b'|') => &mut self.frowns,
            (_, b'P' | b'p') => &mut self.tongues,
            _ => return,
        };
        *counted += 1;
        self.noses += u32::from(nose);
    }

    pub(super) fn fill(&self, sheet: &mut impl Sheet) {
        let all = self.characters;
        let faces = self.smiles + self.frowns + self.winks + self.tongues;
        let mut put = |name: &str, about: &str, value| sheet.put(Group::Idiosyncratic, name, about, value);
        put(
            "stretched-letters",
            "letters three times or more in a row (`sooo`), per character",
            share(self.stretched_letters, all),
        );
        put("exclamation-runs", "runs of exclamation marks, per character", share(self.exclamation_runs, all));
        put("question-runs", "runs of question marks, per character", share(self.question_runs, all));
        put("mixed-runs", "`?!` and `!?`, per character", share(self.mixed_runs, all));
        put("two-dots", "two dots, per character", share(self.two_dots, all));
        put("three-dots", "three dots, per character", share(self.three_dots, all));
        put("more-dots", "four dots or more, per character", share(self.more_dots, all));
        put(
            "double-space-after-end",
            "two spaces or more after `.`, `!` or `?`, as a share of these marks",
            share(self.spaces_after_end, self.sentence_ends),
        );
        put("double-space", "two spaces or more elsewhere in a line, per character", share(self.spaces_elsewhere, all));
        put(
            "no-space-after-comma",
            "commas with a letter after them, as a share of commas",
            share(self.no_space_after_comma, self.commas),
        );
        put(
            "no-space-after-end",
            "full stops between a small letter and a capital, as a share of `.`, `!` and `?`",
            share(self.no_space_after_end, self.sentence_ends),
        );
        put(
            "space-before-mark",
            "a space before `,`, `.`, `!` or `?`, per character",
            share(self.space_before_mark, all),
        );
        put("double-hyphen", "`--`, per character", share(self.double_dash, all));
        put("spaced-hyphen", "a hyphen between spaces, per character", share(self.spaced_hyphen, all));
        put("smiles", "`:)` and its like, per character", share(self.smiles, all));
        put("frowns", "`:(` and its like, per character", share(self.frowns, all));
        put("winks", "`;)` and its like, per character", share(self.winks, all));
        put("tongues", "`:P` and its like, per character", share(self.tongues, all));
        put("noses", "faces with a nose (`:-)`), as a share of faces", share(self.noses, faces));
        put("hearts", "`<3`, per character", share(self.hearts, all));
        put("emoji", "emoji, per character", share(self.emoji, all));
    }
}
