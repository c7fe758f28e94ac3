//! Sequences whose authors and sentiments are known.

use super::super::parts::{Parts, Shares};
use super::settings::EteAnonTraining;
use crate::corpus::{Corpus, Wanted};
use crate::failure::Failure;
use allonym_models::ete_anon::{AutoEncoder, Subject, Text};
use allonym_text::Document;
use std::collections::BTreeMap;

/// An attacker must have seen so many sequences of an author.
const FEWEST: usize = 4;

/// A sequence of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sequence {
    /// Its ids, with the end.
    pub(crate) ids: Text,
    /// Its tokens between single spaces, for classifiers that know more words than the auto-encoder.
    pub(crate) words: String,
    /// Whose it is, and what it says.
    pub(crate) subject: Subject,
    /// Whether it is the beginning of its record, and not the end.
    pub(crate) first: bool,
}

/// The sequences of a file, split as the auto-encoder's are.
pub(crate) struct Known {
    /// Authors, those with the most records first.
    pub(crate) authors: Vec<String>,
    /// What classifiers and agents learn from.
    pub(crate) training: Vec<Sequence>,
    /// What nobody has seen.
    pub(crate) test: Vec<Sequence>,
    /// Records whose label is neither of the two, or whose author is not among those that are attacked.
    pub(crate) left_out: usize,
}

impl Known {
    /// Reads the records of the authors that have most of them.
    ///
    /// # Errors
    /// When there is no author or no label, only one author, or only one of the two labels.
    pub(crate) fn read(settings: &EteAnonTraining, auto_encoder: &AutoEncoder) -> Result<Self, Failure> {
        let (basis, label) = (&settings.basis, &settings.label_column);
        let reading = basis.reading(label);
        let needed = [basis.author_column.clone(), label.clone()];
        let wanted = Wanted { values: &needed, named: &needed, keys: false };
        let loaded = Corpus::read(&basis.data, &reading, &wanted)?.for_training_without_noise();
        let column = |name: &str| loaded.column(name).ok_or_else(|| nothing_in(name));
        let (authors, labels) = (column(&basis.author_column)?, column(label)?);
        let parts = Parts::by_shares(loaded.texts.len(), Some(authors), Shares::USUAL, basis.seed);
        let sentiment = |record: usize| settings.labels.iter().position(|known| labels[record].as_ref() == Some(known));
        let names = most(settings.authors, authors, |record| sentiment(record).is_some());
        if names.len() < 2 {
            return Err(Failure::new(
                format!("there are {} authors with such labels: an attacker needs two to choose from", names.len()),
                "give records of several authors; `--labels` names the two labels",
            ));
        }
        let place_of: BTreeMap<&str, u32> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), i as u32)).collect();
        let of = |records: &[usize]| -> Vec<Sequence> {
            let known = records.iter().filter_map(|record| {
                let author = place_of.get(authors[*record].as_deref()?)?;
                Some((*record, Subject { author: *author, positive: sentiment(*record)? == 1 }))
            });
            known.flat_map(|(record, subject)| sequences(&loaded.texts[record], subject, auto_encoder)).collect()
        };
        let (training, test) = (of(&parts.training), of(&parts.test));
        for (positive, label) in [(false, &settings.labels[0]), (true, &settings.labels[1])] {
            if !training.iter().any(|sequence| sequence.subject.positive == positive) {
                return Err(Failure::new(
                    format!("no record to learn from has the label `{label}` in `{}`", settings.label_column),
                    "name the two labels with `--labels NEGATIVE,POSITIVE`",
                ));
            }
        }
        let of_author =
            |author: usize| training.iter().filter(|sequence| sequence.subject.author as usize == author).count();
        let enough = (0..names.len()).filter(|author| of_author(*author) >= FEWEST).count();
        if enough < names.len() {
            return Err(Failure::new(
                format!(
                    "{} of {} authors have fewer than {FEWEST} sequences to learn from: an attacker cannot know them",
                    names.len() - enough,
                    names.len()
                ),
                match enough {
                    0 | 1 => "give more records of each author".to_owned(),
                    _ => format!("attack fewer of them with `--authors {enough}`, or give more records"),
                },
            ));
        }
        if test.is_empty() {
            return Err(Failure::new("there is no record to test with", "give more records"));
        }
        let used = (0..authors.len()).filter(|record| {
            sentiment(*record).is_some() && authors[*record].as_deref().is_some_and(|name| place_of.contains_key(name))
        });
        let left_out = authors.len() - used.count();
        Ok(Self { authors: names, training, test, left_out })
    }
}

impl Known {
    /// The share of test sequences that have the commonest author, and the commonest sentiment.
    pub(crate) fn commonest(&self) -> [f64; 2] {
        let share = |of: &dyn Fn(&Sequence) -> u32| {
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            self.test.iter().for_each(|sequence| *counts.entry(of(sequence)).or_default() += 1);
            counts.into_values().max().unwrap_or(0) as f64 / self.test.len().max(1) as f64
        };
        [share(&|sequence| sequence.subject.author), share(&|sequence| u32::from(sequence.subject.positive))]
    }
}

fn nothing_in(column: &str) -> Failure {
    Failure::new(
        format!("the column `{column}` is empty"),
        "agents are rewarded by authors and sentiments: both must be known",
    )
}

/// The authors with most records that count, the largest first; of equals the one whose name comes first.
fn most(count: usize, authors: &[Option<String>], counts: impl Fn(usize) -> bool) -> Vec<String> {
    let mut records: BTreeMap<&str, usize> = BTreeMap::new();
    for (record, author) in authors.iter().enumerate().filter(|(record, _)| counts(*record)) {
        if let Some(author) = author.as_deref().filter(|author| !author.is_empty()) {
            *records.entry(author).or_default() += usize::from(record < authors.len());
        }
    }
    let mut names: Vec<(&str, usize)> = records.into_iter().collect();
    names.sort_by_key(|(name, records)| (std::cmp::Reverse(*records), *name));
    names.into_iter().take(count).map(|(name, _)| name.to_owned()).collect()
}

fn sequences(text: &str, subject: Subject, auto_encoder: &AutoEncoder) -> Vec<Sequence> {
    let document = Document::read(text);
    let tokens: Vec<&str> = document.tokens().map(|token| token.text).collect();
    let most = auto_encoder.shape().max_tokens.min(tokens.len());
    let words = [tokens[..most].join(" "), tokens[tokens.len() - most..].join(" ")];
    let both = auto_encoder.sequences(&document).into_iter().zip(words).enumerate();
    both.map(|(place, (ids, words))| Sequence { ids, words, subject, first: place == 0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_with_most_records_come_first() {
        let authors: Vec<Option<String>> = ["b", "a", "c", "b", "", "a", "c", "c"]
            .map(|name| Some(name.to_owned()))
            .into_iter()
            .chain([None])
            .collect();
        assert_eq!(most(2, &authors, |_| true), ["c", "a"]);
        assert_eq!(most(9, &authors, |record| record < 4), ["b", "a", "c"]);
    }
}
