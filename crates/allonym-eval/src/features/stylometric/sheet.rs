//! A sheet takes the features of a text one after the other. The same lines of code give the catalogue its names and a text its numbers,
//! so the two cannot fall out of step.

use serde::Serialize;

/// A kind of feature, as the literature divides them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Characters and words: how many, how long, how varied.
    Lexical,
    /// Punctuation and function words.
    Syntactic,
    /// How the text is laid out.
    Structural,
    /// Slips and quirks.
    Idiosyncratic,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 4] = [Self::Lexical, Self::Syntactic, Self::Structural, Self::Idiosyncratic];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Syntactic => "syntactic",
            Self::Structural => "structural",
            Self::Idiosyncratic => "idiosyncratic",
        }
    }
}

/// A feature of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feature {
    /// A name that does not change.
    pub name: String,
    /// Its kind.
    pub group: Group,
    /// What it says of a text, for people.
    pub about: String,
}

/// What takes features.
pub(super) trait Sheet {
    /// Takes a feature: its kind, its name, what it says, and its number.
    fn put(&mut self, group: Group, name: &str, about: &str, value: f32);

    /// Takes a feature of a list: a prefix and a word make its name, the description has the word at its end.
    fn put_listed(&mut self, group: Group, prefix: &str, word: &str, about: &str, value: f32);
}

/// Keeps the names.
#[derive(Default)]
pub(super) struct Names {
    pub(super) features: Vec<Feature>,
}

impl Sheet for Names {
    fn put(&mut self, group: Group, name: &str, about: &str, _value: f32) {
        self.features.push(Feature { name: name.to_owned(), group, about: about.to_owned() });
    }

    fn put_listed(&mut self, group: Group, prefix: &str, word: &str, about: &str, value: f32) {
        self.put(group, &format!("{prefix}-{word}"), &format!("{about} `{word}`"), value);
    }
}

/// Keeps the numbers.
pub(super) struct Values {
    pub(super) values: Vec<f32>,
}

impl Sheet for Values {
    fn put(&mut self, _group: Group, _name: &str, _about: &str, value: f32) {
        self.values.push(value);
    }

    fn put_listed(&mut self, _group: Group, _prefix: &str, _word: &str, _about: &str, value: f32) {
        self.values.push(value);
    }
}
