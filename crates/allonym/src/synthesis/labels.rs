//! Texts by their labels.

use super::settings::{Names, SynthesisSettings};
use crate::entities::{GeneralizeSettings, Mode, generalised};
use crate::evaluation::load::{Loaded, Reading};
use crate::failure::Failure;
use crate::suits::Suits;
use allonym_io::Table;
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
    pub(super) texts: BTreeMap<String, Vec<Text>>,
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
            // No record is looked up here; the first column that is asked for stands for the id.
            id_column: label.clone().unwrap_or_else(|| "id".into()),
            author_column: "author".into(),
            label_column: label.clone().unwrap_or_else(|| "label".into()),
        };
        let wanted: Vec<String> = label.clone().into_iter().collect();
        let loaded = Loaded::read(&settings.data, &reading, &wanted, &wanted)?;
        let generalised = |mode| {
            let how = GeneralizeSettings { mode, k: settings.k, ..GeneralizeSettings::default() };
            generalised(&loaded.texts, &how).map(Cow::Owned)
        };
        let texts: Cow<'_, [String]> = match settings.names {
            Names::Stay => Cow::Borrowed(&loaded.texts),
            Names::Public => generalised(Mode::Public)?,
            Names::KAnonymous if settings.k as usize > loaded.texts.len() => {
                let message = format!("`k` is {}, and there are {} records", settings.k, loaded.texts.len());
                return Err(Failure::refusal(message, "choose a smaller `--k`, or `--names public`"));
            }
            Names::KAnonymous => generalised(Mode::KAnonymous)?,
        };
        let suits = Suits::default();
        texts.par_iter().for_each(|text| suits.look(&Private::new(text.clone()), vocabulary, usize::MAX - 1));
        let warnings = suits.told(true);
        let examples: Vec<Text> = texts.par_iter().map(|text| example(text, vocabulary, settings.max_tokens)).collect();
        let labels = match &label {
            None => vec![String::new(); examples.len()],
            Some(column) => labels_of(column, loaded.column(column), examples.len())?,
        };
        let mut texts: BTreeMap<String, Vec<Text>> = BTreeMap::new();
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
        // The start and the end stand in every text.
        if texts.values().flatten().all(|text| text.iter().all(|id| (*id as usize) < SPECIAL.len())) {
            let message = "no text has a word that is known here";
            return Err(Failure::new(message, "the words are English; check the column of the text and its language"));
        }
        Ok(Self { texts, hash: loaded.source.sha256, warnings })
    }
}

/// The label of every record.
fn labels_of(column: &str, values: Option<&[Option<String>]>, records: usize) -> Result<Vec<String>, Failure> {
    let labels: Option<Vec<String>> = values
        .filter(|values| values.len() == records)
        .and_then(|values| values.iter().map(|value| value.clone().filter(|label| !label.trim().is_empty())).collect());
    labels.ok_or_else(|| {
        Failure::new(
            format!("column `{column}` has no label for some of the {records} records, or for all"),
            "give every record a label, or leave out `--label-column`",
        )
    })
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
