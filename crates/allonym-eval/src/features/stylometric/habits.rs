//! Quirks that are seen in the words: misspellings, variants of spelling, contractions, capitals.

use super::lists::{VARIANTS, known};
use super::misspellings::MISSPELLINGS;
use super::share;
use super::sheet::{Group, Sheet};
use super::words::{is_clitic, is_word};
use allonym_text::Document;

/// What was counted.
pub(super) struct Habits {
    tokens: u32,
    words: u32,
    sentences: u32,
    misspellings: Vec<u32>,
    /// For each kind of variant the American and the British forms.
    variants: [[u32; 2]; VARIANTS.len()],
    contractions: u32,
    no_apostrophe: u32,
    spoken: u32,
    shorthand: u32,
    all_caps: u32,
    mixed_case: u32,
    small_i: u32,
    any_i: u32,
    small_beginnings: u32,
    joined_beginnings: u32,
    capitals_inside: u32,
    ands: u32,
    ands_after_comma: u32,
}

impl Habits {
    pub(super) fn read(document: &Document) -> Self {
        let mut read = Self {
            tokens: document.len() as u32,
            words: 0,
            sentences: document.sentences().len() as u32,
            misspellings: vec![0; MISSPELLINGS.len()],
            variants: Default::default(),
            contractions: 0,
            no_apostrophe: 0,
            spoken: 0,
            shorthand: 0,
            all_caps: 0,
            mixed_case: 0,
            small_i: 0,
            any_i: 0,
            small_beginnings: 0,
            joined_beginnings: 0,
            capitals_inside: 0,
            ands: 0,
            ands_after_comma: 0,
        };
        let mut beginnings = document.sentences().iter().map(|sentence| sentence.start).peekable();
        // A sentence may begin with a quote: its beginning is its first word.
        let mut beginning = false;
        let mut last = None;
        for (at, token) in document.tokens().enumerate() {
            beginning |= beginnings.next_if_eq(&at).is_some();
            let key = token.key();
            let glued = last.as_ref().is_some_and(|(_, end)| *end == token.span.start);
            read.contractions += u32::from(is_clitic(&key));
            // The tokeniser cuts `gonna`, `wanna` and `gotta` in two.
            read.spoken += u32::from(glued && matches!(&*key, "na" | "ta"));
            if is_word(&key) {
                read.word(token.text, &key, beginning, last.as_ref().is_some_and(|(comma, _)| *comma));
                beginning = false;
            }
            last = Some((token.text == ",", token.span.end));
        }
        read
    }

    fn word(&mut self, text: &str, key: &str, beginning: bool, after_comma: bool) {
        self.words += 1;
        let known = known(key);
        if let Some(place) = known.misspelling {
            self.misspellings[place] += 1;
        }
        if let Some((kind, british)) = known.variant {
            self.variants[kind][usize::from(british)] += 1;
        }
        self.no_apostrophe += u32::from(known.no_apostrophe);
        self.spoken += u32::from(known.spoken);
        self.shorthand += u32::from(known.shorthand);
        self.any_i += u32::from(key == "i");
        self.small_i += u32::from(text == "i");
        self.ands += u32::from(key == "and");
        self.ands_after_comma += u32::from(key == "and" && after_comma);
        let capital = text.starts_with(char::is_uppercase);
        let inside = text.chars().skip(1).filter(|c| c.is_uppercase()).count();
        let all = capital && inside > 0 && !text.chars().any(char::is_lowercase);
        self.all_caps += u32::from(all);
        self.mixed_case += u32::from(inside > 0 && !all);
        if beginning {
            self.small_beginnings += u32::from(text.starts_with(char::is_lowercase));
            self.joined_beginnings += u32::from(matches!(key, "and" | "but" | "so" | "or" | "because"));
        } else {
            self.capitals_inside += u32::from(capital && key != "i");
        }
    }

    pub(super) fn fill(&self, sheet: &mut impl Sheet) {
        let (words, tokens, sentences) = (self.words, self.tokens, self.sentences);
        let group = Group::Idiosyncratic;
        let misspelt: u32 = self.misspellings.iter().sum();
        sheet.put(group, "misspellings", "misspellings of our list, as a share of words", share(misspelt, words));
        for (word, count) in MISSPELLINGS.iter().zip(&self.misspellings) {
            sheet.put_listed(group, "misspelling", word, "share of words:", share(*count, words));
        }
        for ((name, ..), [american, british]) in VARIANTS.iter().zip(&self.variants) {
            sheet.put_listed(group, "british", name, "British spellings, share of words, kind", share(*british, words));
            sheet.put_listed(
                group,
                "american",
                name,
                "American spellings, share of words, kind",
                share(*american, words),
            );
        }
        let mut put = |name: &str, about: &str, value| sheet.put(group, name, about, value);
        put("contractions", "contractions, as a share of tokens", share(self.contractions, tokens));
        put(
            "no-apostrophe",
            "contractions without an apostrophe (`dont`), as a share of words",
            share(self.no_apostrophe, words),
        );
        put("spoken-forms", "`gonna`, `kinda` and their like, as a share of words", share(self.spoken, words));
        put(
            "shorthand",
            "shorthand and sounds of messages (`u`, `haha`), as a share of words",
            share(self.shorthand, words),
        );
        put("all-caps", "words of capitals, two or more, as a share of words", share(self.all_caps, words));
        put("mixed-case", "words with a capital inside (`iPod`), as a share of words", share(self.mixed_case, words));
        put("small-i", "`i` for `I`, as a share of both", share(self.small_i, self.any_i));
        put(
            "small-beginnings",
            "sentences that begin with a small letter, share",
            share(self.small_beginnings, sentences),
        );
        put(
            "joined-beginnings",
            "sentences that begin with `and`, `but`, `so`, `or` or `because`, share",
            share(self.joined_beginnings, sentences),
        );
        put(
            "capitals-inside",
            "capitalised words inside sentences, as a share of words",
            share(self.capitals_inside, words),
        );
        put("comma-and", "`and` after a comma, as a share of every `and`", share(self.ands_after_comma, self.ands));
    }
}
