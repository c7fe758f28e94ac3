//! Texts by their labels.

use super::settings::{Names, SynthesisSettings};
use crate::corpus::{Corpus, Wanted};
use crate::entities::{GeneralizeSettings, Mode, generalised};
use crate::evaluation::load::Reading;
use crate::failure::Failure;
use crate::suits::Suits;
use allonym_io::{Format, Key, Table};
use allonym_models::language_model::Text;
use allonym_text::vocabulary::{END, SPECIAL, START};
use allonym_text::{Document, Private, Vocabulary};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// More labels than this are no labels.
const MOST: usize = 50;

/// A label of fewer records may be no label but something that a record says.
const FEWEST: usize = 10;

/// The examples of each label, one a record.
pub(super) struct Labelled {
    /// By label; an empty name where there is none.
    pub(super) texts: BTreeMap<String, Private<Vec<Text>>>,
    /// Ids and authors of all records, where a ledger needs them.
    pub(super) keys: Vec<Private<Key>>,
    /// The format of the data.
    pub(super) format: Format,
    /// For the directory of the training.
    pub(super) hash: Option<String>,
    /// What the owner should know.
    pub(super) warnings: Vec<String>,
}

impl Labelled {
    pub(super) fn read(settings: &SynthesisSettings, vocabulary: &Vocabulary) -> Result<Self, Failure> {
        let label = settings.label_column.clone();
        let reading = Reading {
            format: settings.format,
            table: Table::default(),
            text_column: settings.text_column.clone(),
            // Without a ledger no record is looked up; the first column that is asked for stands for the id.
            id_column: match (&settings.id_column, &label, &settings.ledger) {
                (Some(id), ..) => id.clone(),
                (None, Some(label), None) => label.clone(),
                (None, ..) => "id".into(),
            },
            author_column: settings.author_column.clone().unwrap_or_else(|| "author".into()),
            label_column: label.clone().unwrap_or_else(|| "label".into()),
        };
        let wanted: Vec<String> = label.clone().into_iter().collect();
        let named: Vec<String> = wanted.iter().chain(&settings.author_column).cloned().collect();
        let keys = settings.ledger.is_some();
        let corpus = Corpus::read(&settings.data, &reading, &Wanted { values: &wanted, named: &named, keys })?;
        let generalised = |mode| {
            let how = GeneralizeSettings { mode, k: settings.k, ..GeneralizeSettings::default() };
            generalised(&corpus.texts, &how).map(Cow::Owned)
        };
        let texts: Cow<'_, [Private<String>]> = match settings.names {
            Names::Stay => Cow::Borrowed(&corpus.texts),
            Names::Public => generalised(Mode::Public)?,
            Names::KAnonymous if settings.k as usize > corpus.len() => {
                let message = format!("`k` is {}, and there are {} records", settings.k, corpus.len());
                return Err(Failure::refusal(message, "choose a smaller `--k`, or `--names public`"));
            }
            Names::KAnonymous => generalised(Mode::KAnonymous)?,
        };
        let suits = Suits::default();
        texts.par_iter().for_each(|text| suits.look(text, vocabulary, usize::MAX - 1));
        let warnings = suits.told(true);
        let example = |text: &Private<String>| text.as_ref().map(|text| example(text, vocabulary, settings.max_tokens));
        let examples: Vec<Private<Text>> = texts.par_iter().map(example).collect();
        let labels = match &label {
            None => vec![String::new(); examples.len()],
            Some(column) => labels_of(column, corpus.column(column), examples.len())?,
        };
        let unknown = examples.iter().all(has_no_word);
        let mut texts: BTreeMap<String, Vec<Private<Text>>> = BTreeMap::new();
        labels.into_iter().zip(examples).for_each(|(label, text)| texts.entry(label).or_default().push(text));
        if label.is_some() && texts.len() == 1 {
            let message = "all records have one label";
            return Err(Failure::new(message, "leave out `--label-column`, and all records are learned as one kind"));
        }
        if label.is_some() && texts.values().any(|texts| texts.len() < FEWEST) {
            let message = "a label has fewer than 10 records, and labels are written as they are";
            return Err(Failure::refusal(
                message,
                "name a column whose values are shared by many, or join rare labels",
            ));
        }
        if texts.len() > MOST {
            let message = format!("there are {} labels, and labels are not protected", texts.len());
            return Err(Failure::refusal(message, format!("name a column with at most {MOST} different values")));
        }
        if unknown {
            let message = "no text has a word that is known here";
            return Err(Failure::new(message, "the words are English; check the column of the text and its language"));
        }
        let texts = texts.into_iter().map(|(label, texts)| (label, Private::together(texts))).collect();
        Ok(Self { texts, keys: corpus.keys, format: corpus.format, hash: corpus.hash, warnings })
    }
}

/// The label of every record.
fn labels_of(column: &str, values: Option<&[Private<Option<String>>]>, records: usize) -> Result<Vec<String>, Failure> {
    let labels: Option<Vec<String>> =
        values.filter(|values| values.len() == records).and_then(|values| values.iter().map(label_of).collect());
    labels.ok_or_else(|| {
        Failure::new(
            format!("column `{column}` has no label for some of the {records} records, or for all"),
            "give every record a label, or leave out `--label-column`",
        )
    })
}

/// A label, out of its record: the one place where synthesis opens something without noise.
fn label_of(value: &Private<Option<String>>) -> Option<String> {
    let label = value
        .clone()
        .declassify("synthesis: which labels there are and how they are written is declared public by the statement");
    label.filter(|label| !label.trim().is_empty())
}

/// Whether a text is no more than its start and its end, which stand in every text.
fn has_no_word(text: &Private<Text>) -> bool {
    let none = text.as_ref().map(|text| text.iter().all(|id| (*id as usize) < SPECIAL.len()));
    none.declassify("synthesis: whether any text has a known word, told to their owner instead of a run")
}

/// The first tokens of a text between start and end. A text that is cut has no end: it was not over.
fn example(text: &str, vocabulary: &Vocabulary, max_tokens: usize) -> Text {
    let document = Document::read_up_to(text, max_tokens + 1);
    let mut ids: Text = [START].into_iter().chain(document.tokens().map(|t| vocabulary.id(t.text))).collect();
    if ids.len() > max_tokens + 1 {
        ids.truncate(max_tokens + 1);
    } else {
        ids.push(END);
    }
    ids
}
