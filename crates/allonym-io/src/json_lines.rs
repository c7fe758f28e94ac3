//! JSON Lines: an object a line. Values other than the text keep their bytes, so numbers keep their digits.

use crate::columns::{Columns, Ids, Report};
use crate::error::IoError;
use crate::input::{Input, Progress};
use crate::key::{self, Key};
use crate::line::LineSplitter;
use crate::row::{Encode, Row, RowShape};
use crate::values::{self, Values};
use crate::{Batch, Limits, Reader, Rest, Shape};
use allonym_text::Private;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// An object as a list, in its order, with values as they stand in the line.
struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((key, value)) = map.next_entry::<FieldName<'de>, &'de RawValue>()? {
                    fields.push((key.0, value));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct FieldName<'a>(#[serde(borrow)] Cow<'a, str>);

/// Reads objects as records.
pub(crate) struct JsonLinesReader {
    lines: LineSplitter,
    columns: Columns,
    line_number: u64,
    ids: Ids,
    report: Report,
    limits: Limits,
}

impl JsonLinesReader {
    pub(crate) fn open(input: Input, columns: &Columns, limits: &Limits) -> Self {
        let lines = LineSplitter::new(input, limits.record_bytes);
        let (ids, report) = (Ids::new(), Report::default());
        Self { lines, columns: columns.clone(), line_number: 0, ids, report, limits: limits.clone() }
    }

    /// Columns that the user named must occur in the first batch, before anything of it is written: a misspelt name would
    /// let the column pass that was meant.
    fn check_named_columns(&self, seen: &HashSet<String>) -> Result<(), IoError> {
        for column in self.columns.expected() {
            if !seen.contains(column) {
                return Err(self.columns.missing(column, seen.iter().map(String::as_str)));
            }
        }
        Ok(())
    }
}

/// Who the record is. Which of two values says so must not be guessed.
fn key_of(fields: &[(Cow<'_, str>, &RawValue)], record: u64, columns: &Columns) -> Result<Private<Key>, IoError> {
    let only = |is: &dyn Fn(&str) -> bool| {
        let mut found = fields.iter().filter(|(name, _)| is(name));
        match (found.next(), found.next()) {
            (Some((name, _)), Some(_)) => Err(IoError::RepeatedField { record, column: name.to_string() }),
            (Some((name, value)), None) => key::of_json(value, record, name),
            _ => Ok(None),
        }
    };
    let id = only(&|name| name == columns.id)?;
    let author = match only(&|name| name == columns.author)? {
        Some(author) => Some(author),
        None => only(&|name| name != columns.author && columns.is_author(name))?,
    };
    Key::new(id.as_deref(), author.as_deref(), record, columns)
}

fn values_of(fields: &[(Cow<'_, str>, &RawValue)], record: u64, columns: &Columns) -> Result<Values, IoError> {
    let of = |column: &String| match fields.iter().find(|(name, _)| name == column) {
        Some((_, value)) => values::of_json(value, record, column),
        None => Ok(None),
    };
    columns.values.iter().map(of).collect::<Result<_, _>>().map(Private::new)
}

/// The object of a line; the parser's message is left out because it may quote the text.
fn parse(line: &[u8], record: u64) -> Result<Object<'_>, IoError> {
    let text = std::str::from_utf8(line).map_err(|error| IoError::NotUtf8 {
        record,
        column: "(the line)".into(),
        offset: error.valid_up_to(),
    })?;
    serde_json::from_str(text).map_err(|error| IoError::NotJson { record, offset: error.column() })
}

/// The text of a record; null counts as an empty text, since whether there is a text is private too.
fn text_of(value: &RawValue, record: u64, column: &str) -> Result<Private<String>, IoError> {
    let found = match value.get().as_bytes().first() {
        Some(b'"') => {
            // The line is valid JSON; what can still fail is an escape of half a character.
            return serde_json::from_str(value.get()).map(Private::new).map_err(|error| IoError::NotUtf8 {
                record,
                column: column.to_owned(),
                offset: error.column(),
            });
        }
        Some(b'n') => return Ok(Private::new(String::new())),
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "true or false",
        _ => "a number",
    };
    Err(IoError::NotText { record, column: column.to_owned(), found })
}

impl Reader for JsonLinesReader {
    fn next(&mut self) -> Result<Option<Batch>, IoError> {
        let first = self.report.records + 1;
        let (mut rows, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        while rows.len() < self.limits.batch_records && bytes < self.limits.batch_bytes {
            self.line_number += 1;
            let Some(line) = self.lines.advance(self.line_number)? else { break };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let record = self.report.records + 1;
            let Object(fields) = parse(line, record)?;
            bytes += line.len();
            if self.columns.keys {
                keys.push(key_of(&fields, record, &self.columns)?);
            }
            if !self.columns.values.is_empty() {
                values.push(values_of(&fields, record, &self.columns)?);
            }
            let mut text = None;
            let mut row = Row::builder();
            let mut separator: &[u8] = b"{";
            for (key, value) in &fields {
                let is_text = *key == self.columns.text;
                if !is_text && !self.columns.carries(key) {
                    continue;
                }
                row.push(separator);
                separator = b",";
                row.push(serde_json::Value::from(key.as_ref()).to_string().as_bytes());
                row.push(b":");
                if is_text {
                    if text.is_some() {
                        return Err(IoError::RepeatedField { record, column: self.columns.text.clone() });
                    }
                    text = Some(text_of(value, record, &self.columns.text)?);
                    row.hole();
                } else {
                    row.push(value.get().as_bytes());
                }
                if *key == self.columns.id {
                    self.ids.note(value.get().as_bytes());
                }
            }
            row.push(b"}");
            let Some(text) = text else {
                return Err(IoError::MissingField { record, column: self.columns.text.clone() });
            };
            if first == 1 {
                for (key, _) in &fields {
                    if !seen.contains(key.as_ref()) {
                        seen.insert(key.to_string());
                    }
                }
            }
            self.report.note_columns(fields.iter().map(|(key, _)| key.as_ref()), &self.columns);
            rows.push(row.finish());
            texts.push(text);
            self.report.records = record;
        }
        if first == 1 && !rows.is_empty() {
            self.check_named_columns(&seen)?;
        }
        self.report.repeated_ids = self.ids.repeated();
        Ok((!rows.is_empty()).then_some(Batch { first, texts, keys, values, rest: Rest::Rows(rows) }))
    }

    fn shape(&self) -> Shape {
        Shape::Rows(RowShape { header: Vec::new(), encode: Encode::Json, newline: b"\n" })
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn progress(&self) -> Progress {
        self.lines.input.progress.clone()
    }
}
