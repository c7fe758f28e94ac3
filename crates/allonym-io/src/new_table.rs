//! A table that has no input: a column of texts, and public cells beside each.

use crate::delimited::{push_cell, push_row};
use crate::error::IoError;
use crate::format::{Compression, Format, is_stream};
use crate::output::Output;
use crate::row::{Encode, Row, RowShape};
use crate::{Rest, Shape};
use allonym_dp::ForOwner;
use std::path::Path;

/// The columns of a new table: the text's first, then at most a few public ones.
#[derive(Clone, Debug)]
pub struct NewTable {
    text: String,
    others: Vec<String>,
    json: bool,
}

impl NewTable {
    /// A table with these columns: CSV, or JSON Lines for every other format.
    pub fn new(format: Format, text: &str, others: &[&str]) -> Self {
        let others = others.iter().map(|column| (*column).to_owned()).collect();
        Self { text: text.to_owned(), others, json: format != Format::Csv }
    }

    /// How a writer writes it.
    pub fn shape(&self) -> Shape {
        if self.json {
            return Shape::Rows(RowShape { header: Vec::new(), encode: Encode::Json, newline: b"\n" });
        }
        let mut header = Vec::new();
        push_row(std::iter::once(&*self.text).chain(self.others.iter().map(String::as_str)), b',', &mut header);
        Shape::Rows(RowShape { header, encode: Encode::Cell { delimiter: b',' }, newline: b"\n" })
    }

    /// Rows with a hole for their texts, from the public cells of each.
    pub fn rows<'a>(&self, cells: impl IntoIterator<Item = Vec<&'a str>>) -> Rest {
        Rest::Rows(cells.into_iter().map(|cells| if self.json { self.object(&cells) } else { line(&cells) }).collect())
    }

    /// Writes the table with texts that must not leave into a file that only its owner can read; or, if the target is a stream, to the
    /// owner's terminal.
    ///
    /// # Errors
    /// When the target cannot be written.
    pub fn write_for_owner<'a>(
        &self,
        target: &Path,
        texts: ForOwner<Vec<String>>,
        cells: impl IntoIterator<Item = Vec<&'a str>>,
    ) -> Result<(), IoError> {
        let (Shape::Rows(shape), Rest::Rows(rows)) = (self.shape(), self.rows(cells)) else { return Ok(()) };
        let mut output = match is_stream(target) {
            true => Output::create(target, Compression::None)?,
            false => Output::create_for_owner(target)?,
        };
        let mut bytes = shape.header.clone();
        for (row, text) in rows.iter().zip(texts.for_terminal_or_private_file()) {
            shape.fill_with(row, &text, &mut bytes);
        }
        output.write(&bytes)?;
        output.finish()
    }

    /// An object with its keys in order.
    fn object(&self, cells: &[&str]) -> Row {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut members: Vec<(&str, Option<&str>)> = vec![(&self.text, None)];
        members.extend(self.others.iter().zip(cells).map(|(column, cell)| (column.as_str(), Some(*cell))));
        members.sort_by_key(|(column, _)| *column);
        let mut row = Row::builder();
        for (place, (column, cell)) in members.into_iter().enumerate() {
            row.push(if place == 0 { b"{" } else { b"," });
            row.push(quoted(column).as_bytes());
            row.push(b":");
            match cell {
                Some(cell) => row.push(quoted(cell).as_bytes()),
                None => row.hole(),
            }
        }
        row.push(b"}");
        row.finish()
    }
}

/// A line whose first cell is the text.
fn line(cells: &[&str]) -> Row {
    let mut row = Row::builder();
    row.hole();
    for cell in cells {
        let mut bytes = vec![b','];
        push_cell(cell, b',', &mut bytes);
        row.push(&bytes);
    }
    row.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn bytes(table: &NewTable, cells: &[&str]) -> String {
        let Shape::Rows(shape) = table.shape() else { panic!("a row format") };
        let Rest::Rows(rows) = table.rows([cells.to_vec()]) else { panic!("rows") };
        String::from_utf8([shape.header, rows[0].bytes().to_vec()].concat()).unwrap()
    }

    #[test]
    fn a_row_has_a_hole_where_the_text_goes() {
        let csv = NewTable::new(Format::Csv, "text", &["label"]);
        assert_eq!(bytes(&csv, &["so, so"]), "text,label\n,\"so, so\"");
        let json = NewTable::new(Format::Jsonl, "text", &["label"]);
        assert_eq!(bytes(&json, &["a"]), "{\"label\":\"a\",\"text\":}");
    }
}
