//! How a text is laid out: sentences, paragraphs, lines, greetings, quotations.

use super::sheet::{Group, Sheet};
use super::words::{is_address, is_word};
use super::{damped, mean_and_deviation, share};
use allonym_text::Document;

/// Words with which letters and posts begin.
const GREETINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "dear",
    "greetings",
    "howdy",
    "hiya",
    "hallo",
    "yo",
    "morning",
    "evening",
    "afternoon",
    "welcome",
];
/// Words with which they end.
const SIGN_OFFS: &[&str] = &[
    "regards",
    "cheers",
    "sincerely",
    "love",
    "best",
    "wishes",
    "thanks",
    "thank",
    "yours",
    "xoxo",
    "xo",
    "xx",
    "xxx",
    "bye",
    "goodbye",
    "later",
    "ciao",
    "cya",
    "ttyl",
    "goodnight",
    "night",
    "peace",
    "respectfully",
    "faithfully",
];
/// How many words at either end are looked at.
const ENDS: usize = 4;

/// What was counted.
#[derive(Default)]
pub(super) struct Structure {
    characters: u32,
    tokens: u32,
    words: u32,
    /// Words of each sentence.
    sentences: Vec<u32>,
    questions: u32,
    exclamations: u32,
    trailing_off: u32,
    unended: u32,
    lines: u32,
    blank: u32,
    indented: u32,
    listed: u32,
    cited: u32,
    trailing_space: u32,
    /// Characters of each paragraph.
    paragraphs: Vec<u32>,
    urls: u32,
    mails: u32,
    tags: u32,
    mentions: u32,
    greeting: bool,
    sign_off: bool,
    in_quotes: u32,
    in_parentheses: u32,
}

impl Structure {
    pub(super) fn read(text: &str, document: &Document) -> Self {
        let mut read = Self { tokens: document.len() as u32, ..Self::default() };
        read.read_lines(text);
        read.read_enclosed(text);
        read.read_tokens(document);
        read
    }

    fn read_lines(&mut self, text: &str) {
        let mut in_paragraph = false;
        for line in text.lines() {
            self.lines += 1;
            let content = line.trim();
            if content.is_empty() {
                self.blank += 1;
                in_paragraph = false;
                continue;
            }
            let length = content.chars().count() as u32;
            match self.paragraphs.last_mut() {
                Some(paragraph) if in_paragraph => *paragraph += length,
                _ => self.paragraphs.push(length),
            }
            in_paragraph = true;
            self.indented += u32::from(line.starts_with(char::is_whitespace));
            self.trailing_space += u32::from(line.ends_with(char::is_whitespace));
            self.cited += u32::from(content.starts_with('>'));
            let number = content.trim_start_matches(|c: char| c.is_ascii_digit());
            let numbered = number.len() < content.len() && number.starts_with(['.', ')']);
            let bullet = ["* ", "- ", "\u{2022}"].iter().any(|bullet| content.starts_with(bullet));
            self.listed += u32::from(numbered || bullet);
        }
    }

    /// Text between double quotes and in parentheses, each up to the end of its line.
    fn read_enclosed(&mut self, text: &str) {
        let (mut quoted, mut depth) = (false, 0_u32);
        for character in text.chars() {
            self.characters += 1;
            match character {
                '"' => quoted = !quoted,
                '\u{201c}' => quoted = true,
                '\u{201d}' => quoted = false,
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '\n' => (quoted, depth) = (false, 0),
                _ => {
                    self.in_quotes += u32::from(quoted);
                    self.in_parentheses += u32::from(depth > 0);
                }
            }
        }
    }

    fn read_tokens(&mut self, document: &Document) {
        let keys: Vec<_> = document.tokens().map(|token| token.key()).collect();
        for (at, key) in keys.iter().enumerate() {
            let mail = key.contains('@') && key.contains('.');
            self.mails += u32::from(mail);
            self.urls += u32::from(!mail && is_address(key));
            let word_follows = keys.get(at + 1).is_some_and(|next| next.starts_with(char::is_alphabetic));
            self.tags += u32::from(key.starts_with('#') && (key.len() > 1 || word_follows));
            self.mentions += u32::from(!mail && key.starts_with('@') && (key.len() > 1 || word_follows));
        }
        for sentence in document.sentences() {
            let tokens = &keys[sentence.clone()];
            let words = tokens.iter().filter(|key| is_word(key)).count() as u32;
            self.sentences.push(words);
            self.words += words;
            // Closing quotes and brackets stand after the mark.
            let end = tokens.iter().rev().find(|key| !matches!(&***key, "\"" | "'" | ")" | "]"));
            let Some(end) = end else { continue };
            self.questions += u32::from(end.starts_with('?'));
            self.exclamations += u32::from(end.starts_with('!'));
            self.trailing_off += u32::from(end.starts_with(".."));
            self.unended += u32::from(!end.starts_with(['.', '!', '?', '\u{2026}']));
        }
        let words: Vec<&str> = keys.iter().map(|key| &**key).filter(|key| is_word(key)).collect();
        self.greeting = words.iter().take(ENDS).any(|word| GREETINGS.contains(word));
        self.sign_off = words.iter().rev().take(ENDS).any(|word| SIGN_OFFS.contains(word));
    }

    pub(super) fn fill(&self, sheet: &mut impl Sheet) {
        let (sentences, paragraphs) = (self.sentences.len() as u32, self.paragraphs.len() as u32);
        let written = self.lines - self.blank;
        let (mean, deviation) = mean_and_deviation(&self.sentences);
        let (length, length_deviation) = mean_and_deviation(&self.paragraphs);
        let longest = self.sentences.iter().max().copied().unwrap_or(0);
        let mut put = |name: &str, about: &str, value| sheet.put(Group::Structural, name, about, value);
        put("sentences", "sentences: ln(1 + number)", damped(sentences));
        put("sentence-length", "mean number of words in a sentence", mean);
        put("sentence-length-deviation", "standard deviation of the number of words in a sentence", deviation);
        put("longest-sentence", "words in the longest sentence: ln(1 + number)", damped(longest));
        put("questions", "sentences that end in a question mark, share", share(self.questions, sentences));
        put("exclamations", "sentences that end in an exclamation mark, share", share(self.exclamations, sentences));
        put("trailing-off", "sentences that end in dots, share", share(self.trailing_off, sentences));
        put("unended", "sentences without a mark at their end, share", share(self.unended, sentences));
        put("paragraphs", "paragraphs, with a blank line between them: ln(1 + number)", damped(paragraphs));
        put("paragraph-length", "mean length of a paragraph in characters: ln(1 + length)", damped(length));
        put("paragraph-length-deviation", "its standard deviation: ln(1 + deviation)", damped(length_deviation));
        put("paragraph-sentences", "mean number of sentences in a paragraph", share(sentences, paragraphs));
        put(
            "paragraph-words",
            "mean number of words in a paragraph: ln(1 + number)",
            damped(share(self.words, paragraphs)),
        );
        put("lines", "lines: ln(1 + number)", damped(self.lines));
        put(
            "line-length",
            "mean number of characters in a line: ln(1 + number)",
            damped(share(self.characters, self.lines)),
        );
        put("blank-lines", "blank lines, as a share of lines", share(self.blank, self.lines));
        put(
            "indented-lines",
            "lines that begin with white space, as a share of lines with text",
            share(self.indented, written),
        );
        put(
            "listed-lines",
            "lines that begin with a bullet or number, as a share of lines with text",
            share(self.listed, written),
        );
        put("cited-lines", "lines that begin with `>`, as a share of lines with text", share(self.cited, written));
        put(
            "trailing-space",
            "lines with white space at their end, as a share of lines with text",
            share(self.trailing_space, written),
        );
        put("greeting", "1 when a greeting is among the first four words", f32::from(u8::from(self.greeting)));
        put("sign-off", "1 when a farewell is among the last four words", f32::from(u8::from(self.sign_off)));
        put("urls", "web addresses, as a share of tokens", share(self.urls, self.tokens));
        put("mail-addresses", "mail addresses, as a share of tokens", share(self.mails, self.tokens));
        put("hash-tags", "`#` before a word, as a share of tokens", share(self.tags, self.tokens));
        put("mentions", "`@` before a word, as a share of tokens", share(self.mentions, self.tokens));
        put("quoted-text", "characters between double quotes, share", share(self.in_quotes, self.characters));
        put("parenthesised-text", "characters in parentheses, share", share(self.in_parentheses, self.characters));
    }
}
