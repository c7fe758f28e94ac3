//! A record of a row format with its text cut out, and the writer that puts the release in its place.

use crate::delimited::push_cell;
use crate::error::IoError;
use crate::output::Output;
use crate::{Rest, Writer};
use allonym_dp::{Exit, ExitText};

/// An encoded row, less its text: what stands before the text and what stands after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    bytes: Vec<u8>,
    hole: usize,
}

impl Row {
    /// The encoded row without its text.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Builds a row by appending; [`RowBuilder::hole`] marks where the text goes.
    pub(crate) fn builder() -> RowBuilder {
        RowBuilder { row: Self::default() }
    }
}

pub(crate) struct RowBuilder {
    row: Row,
}

impl RowBuilder {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.row.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn hole(&mut self) {
        self.row.hole = self.row.bytes.len();
    }

    pub(crate) fn finish(self) -> Row {
        self.row
    }
}

/// How a text is written into its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encode {
    /// A cell, quoted where it must be.
    Cell {
        /// What stands between two cells.
        delimiter: u8,
    },
    /// A JSON string.
    Json,
    /// As it is: a released text has no line break, since the detokeniser writes spaces only.
    Plain,
}

impl Encode {
    fn push(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::Cell { delimiter } => push_cell(text, delimiter, out),
            Self::Json => out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes()),
            Self::Plain => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// How a row format writes: what comes first, how a text is encoded, what ends a row.
#[derive(Clone, Debug)]
pub struct RowShape {
    pub(crate) header: Vec<u8>,
    pub(crate) encode: Encode,
    pub(crate) newline: &'static [u8],
}

impl RowShape {
    /// Encodes a whole row with its released text.
    pub(crate) fn fill(&self, row: &Row, text: &ExitText, out: &mut Vec<u8>) {
        self.fill_with(row, text.text(), out);
    }

    /// Encodes a whole row with a text of any kind: for releases by [`RowShape::fill`], and for files of the texts' owner.
    pub(crate) fn fill_with(&self, row: &Row, text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&row.bytes[..row.hole]);
        self.encode.push(text, out);
        out.extend_from_slice(&row.bytes[row.hole..]);
        out.extend_from_slice(self.newline);
    }
}

/// Writes rows in the order in which they come.
pub(crate) struct RowWriter {
    output: Output,
    shape: RowShape,
    buffer: Vec<u8>,
    /// Whether the header is written: not before the first row, since a run may still be refused.
    begun: bool,
}

impl RowWriter {
    pub(crate) fn new(output: Output, shape: RowShape) -> Self {
        Self { output, shape, buffer: Vec::new(), begun: false }
    }
}

impl Writer for RowWriter {
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError> {
        let rows = rest.into_rows()?;
        debug_assert_eq!(rows.len(), texts.len());
        self.buffer.clear();
        if !std::mem::replace(&mut self.begun, true) {
            self.buffer.extend_from_slice(&self.shape.header);
        }
        for (row, text) in rows.iter().zip(&texts) {
            self.shape.fill(row, text, &mut self.buffer);
        }
        self.output.write(&self.buffer)
    }

    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        if !self.begun {
            self.output.write(&self.shape.header)?;
        }
        self.output.finish()
    }
}
