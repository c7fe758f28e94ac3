//! Plain text, a record a line.

use crate::columns::{Columns, Report};
use crate::error::IoError;
use crate::input::{Input, Progress};
use crate::line::LineSplitter;
use crate::row::{Encode, Row, RowShape};
use crate::{Batch, Limits, Reader, Rest, Shape};
use allonym_text::Private;

/// Reads lines as records.
pub(crate) struct LinesReader {
    lines: LineSplitter,
    report: Report,
    limits: Limits,
    /// How many values are asked for; a line has none.
    values: usize,
}

impl LinesReader {
    pub(crate) fn open(input: Input, columns: &Columns, limits: &Limits) -> Self {
        let lines = LineSplitter::new(input, limits.record_bytes);
        Self { lines, report: Report::default(), limits: limits.clone(), values: columns.values.len() }
    }
}

impl Reader for LinesReader {
    fn next(&mut self) -> Result<Option<Batch>, IoError> {
        let first = self.report.records + 1;
        let (mut texts, mut bytes) = (Vec::new(), 0);
        while texts.len() < self.limits.batch_records && bytes < self.limits.batch_bytes {
            let record = self.report.records + 1;
            let Some(line) = self.lines.advance(record)? else { break };
            let text = std::str::from_utf8(line).map_err(|error| IoError::NotUtf8 {
                record,
                column: "text".into(),
                offset: error.valid_up_to(),
            })?;
            bytes += text.len();
            texts.push(Private::new(text.to_owned()));
            self.report.records = record;
        }
        let rows = vec![Row::default(); texts.len()];
        let values = match self.values {
            0 => Vec::new(),
            count => texts.iter().map(|_| Private::new(vec![None; count])).collect(),
        };
        Ok((!texts.is_empty()).then_some(Batch { first, texts, keys: Vec::new(), values, rest: Rest::Rows(rows) }))
    }

    fn shape(&self) -> Shape {
        Shape::Rows(RowShape { header: Vec::new(), encode: Encode::Plain, newline: b"\n" })
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn progress(&self) -> Progress {
        self.lines.input.progress.clone()
    }
}
