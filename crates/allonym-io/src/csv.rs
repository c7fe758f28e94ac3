//! CSV and TSV: cells other than the text keep their bytes, quotes included.

use crate::columns::{Columns, Ids, Report};
use crate::delimited::{Splitter, Step};
use crate::error::IoError;
use crate::input::{Input, Progress};
use crate::key::Key;
use crate::row::{Encode, Row, RowShape};
use crate::values::{self, Values};
use crate::{Batch, Limits, Reader, Rest, Shape};
use allonym_text::Private;

/// Reads delimited records.
pub(crate) struct CsvReader {
    splitter: Splitter,
    columns: Columns,
    delimiter: u8,
    header: Vec<String>,
    text: usize,
    id: Option<usize>,
    author: Option<usize>,
    values: Vec<Option<usize>>,
    carried: Vec<bool>,
    /// The first record of a file without a header, which was read to count its cells.
    waiting: bool,
    shape: RowShape,
    ids: Ids,
    report: Report,
    limits: Limits,
}

impl CsvReader {
    pub(crate) fn open(
        input: Input,
        delimiter: u8,
        has_header: bool,
        columns: &Columns,
        limits: &Limits,
    ) -> Result<Self, IoError> {
        let marked = input.marked;
        let mut splitter = Splitter::new(input, delimiter, limits.record_bytes);
        if splitter.advance(0)? == Step::End {
            return Err(IoError::Empty { name: splitter.input().name.clone() });
        }
        let header =
            if has_header { header_of(&splitter)? } else { (1..=splitter.len()).map(|n| n.to_string()).collect() };
        if header.iter().any(|name| name.contains('\r')) {
            let why = "its lines end in carriage returns alone, or its header has one".into();
            return Err(IoError::NotTheFormat { name: splitter.input().name.clone(), format: "CSV", why });
        }
        let text = columns.check(&header).map_err(|error| suspect_delimiter(error, &header))?;
        let carried: Vec<bool> = header.iter().map(|name| columns.carries(name)).collect();
        let mut report = Report::default();
        report.note_columns(header.iter().map(String::as_str), columns);
        let shape = RowShape {
            header: if marked { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() },
            encode: Encode::Cell { delimiter },
            newline: splitter.newline(),
        };
        let (id, author) = columns.places(&header);
        let mut reader = Self {
            splitter,
            columns: columns.clone(),
            delimiter,
            text,
            id,
            author,
            values: columns.value_places(&header),
            carried,
            waiting: !has_header,
            shape,
            ids: Ids::new(),
            report,
            limits: limits.clone(),
            header,
        };
        if has_header {
            let line = reader.line(|reader, out| out.push(reader.splitter.raw_cell(reader.text)));
            reader.shape.header.extend_from_slice(line.bytes());
            reader.shape.header.extend_from_slice(reader.shape.newline);
        }
        Ok(reader)
    }

    /// The current record as bytes, without the columns that stay behind; `place_text` writes or marks the text's place.
    fn line(&self, place_text: impl Fn(&Self, &mut crate::row::RowBuilder)) -> Row {
        let mut row = Row::builder();
        let mut first = true;
        for (index, carried) in self.carried.iter().enumerate() {
            if index != self.text && !carried {
                continue;
            }
            if !first {
                row.push(&[self.delimiter]);
            }
            first = false;
            if index == self.text {
                place_text(self, &mut row);
            } else {
                row.push(self.splitter.raw_cell(index));
            }
        }
        row.finish()
    }

    fn text(&self, record: u64) -> Result<Private<String>, IoError> {
        match String::from_utf8(self.splitter.cell(self.text).into_owned()) {
            Ok(text) => Ok(Private::new(text)),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                Err(IoError::NotUtf8 { record, column: self.columns.text.clone(), offset })
            }
        }
    }
}

/// A whole header in one cell was probably written with another delimiter.
fn suspect_delimiter(error: IoError, header: &[String]) -> IoError {
    let [only] = header else { return error };
    match [';', '\t', '|', ','].into_iter().find(|delimiter| only.contains(*delimiter)) {
        Some(other) => IoError::OtherDelimiter { delimiter: other },
        None => error,
    }
}

impl CsvReader {
    fn key(&self, record: u64) -> Result<Private<Key>, IoError> {
        let [id, author] = [self.id, self.author].map(|place| place.map(|place| self.splitter.cell(place)));
        Key::new(id.as_deref(), author.as_deref(), record, &self.columns)
    }

    fn values(&self, record: u64) -> Result<Values, IoError> {
        let of = |(place, column): (&Option<usize>, &String)| match place {
            Some(place) => values::of_bytes(&self.splitter.cell(*place), record, column),
            None => Ok(None),
        };
        self.values.iter().zip(&self.columns.values).map(of).collect::<Result<_, _>>().map(Private::new)
    }
}

fn header_of(splitter: &Splitter) -> Result<Vec<String>, IoError> {
    (0..splitter.len())
        .map(|index| {
            String::from_utf8(splitter.cell(index).into_owned()).map_err(|_| IoError::NotTheFormat {
                name: splitter.input().name.clone(),
                format: "UTF-8 text",
                why: format!("the name of column {} is not UTF-8", index + 1),
            })
        })
        .collect()
}

impl Reader for CsvReader {
    fn next(&mut self) -> Result<Option<Batch>, IoError> {
        let first = self.report.records + 1;
        let (mut rows, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while rows.len() < self.limits.batch_records && bytes < self.limits.batch_bytes {
            let record = self.report.records + 1;
            if !std::mem::take(&mut self.waiting) && self.splitter.advance(record)? == Step::End {
                break;
            }
            if self.splitter.is_blank() && self.header.len() > 1 {
                continue;
            }
            let (found, expected) = (self.splitter.len(), self.header.len());
            if found != expected {
                return Err(IoError::Ragged { record, line: self.splitter.first_line(), found, expected });
            }
            let text = self.text(record)?;
            if let Some(id) = self.id {
                self.ids.note(&self.splitter.cell(id));
            }
            if self.columns.keys {
                keys.push(self.key(record)?);
            }
            if !self.columns.values.is_empty() {
                values.push(self.values(record)?);
            }
            bytes += self.splitter.bytes();
            rows.push(self.line(|_, row| row.hole()));
            texts.push(text);
            self.report.records = record;
        }
        self.report.repeated_ids = self.ids.repeated();
        Ok((!rows.is_empty()).then_some(Batch { first, texts, keys, values, rest: Rest::Rows(rows) }))
    }

    fn shape(&self) -> Shape {
        Shape::Rows(self.shape.clone())
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn progress(&self) -> Progress {
        self.splitter.input().progress.clone()
    }
}
