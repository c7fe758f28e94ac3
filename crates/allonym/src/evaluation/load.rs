//! Files of records, read whole for the owner's own evaluation.

use crate::failure::Failure;
use allonym_eval::report::Source;
use allonym_io::{Columns, Format, Limits, Table, open};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

/// How files are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) format: Option<Format>,
    pub(crate) table: Table,
    pub(crate) text_column: String,
    pub(crate) id_column: String,
    pub(crate) author_column: String,
    pub(crate) label_column: String,
}

/// The records of a file. Texts are originals or releases: nothing of them is shown unless the owner asks.
pub(crate) struct Loaded {
    pub(crate) source: Source,
    pub(crate) texts: Vec<String>,
    /// The values of each column that was asked for and is there.
    pub(crate) values: HashMap<String, Vec<Option<String>>>,
}

impl Loaded {
    /// Reads a file, with the values of some columns; those that the user named must be there.
    pub(crate) fn read(path: &Path, reading: &Reading, wanted: &[String], named: &[String]) -> Result<Self, Failure> {
        let format = Format::settle(reading.format, path)?;
        let mut values: Vec<String> = vec![reading.id_column.clone()];
        values.extend(wanted.iter().filter(|column| **column != reading.id_column).cloned());
        let columns = Columns {
            text: reading.text_column.clone(),
            id: reading.id_column.clone(),
            author: reading.author_column.clone(),
            label: reading.label_column.clone(),
            required: named.to_vec(),
            values: values.clone(),
            ..Columns::default()
        };
        let mut reader = open(path, format, reading.table, &columns, &Limits::default())?;
        let (mut texts, mut columns) = (Vec::new(), vec![Vec::new(); values.len()]);
        while let Some(batch) = reader.next()? {
            texts.extend(batch.texts.into_iter().map(|text| text.declassify("evaluation: on its owner's machine")));
            for record in batch.values {
                let record = record.declassify("evaluation: classes of records, on their owner's machine");
                columns.iter_mut().zip(record).for_each(|(column, value)| column.push(value));
            }
        }
        if texts.is_empty() {
            let message = format!("{} has no records", path.display());
            return Err(Failure::new(message, "give a file with texts"));
        }
        let there = |(_, column): &(String, Vec<Option<String>>)| column.iter().any(Option::is_some);
        let source = Source {
            name: path.file_name().map_or_else(|| "-".to_owned(), |name| printable(&name.to_string_lossy())),
            sha256: hash(path),
            records: texts.len(),
        };
        Ok(Self { source, texts, values: values.into_iter().zip(columns).filter(there).collect() })
    }

    /// The values of a column, if it is there.
    pub(crate) fn column(&self, name: &str) -> Option<&[Option<String>]> {
        self.values.get(name).map(Vec::as_slice)
    }
}

/// A name without characters that would move a cursor or begin a line.
pub fn printable(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

/// The SHA-256 of a file; none for a directory or a stream.
pub(crate) fn hash(path: &Path) -> Option<String> {
    // A pipe that was read has nothing more to give, and would be waited for.
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = std::fs::File::open(path).ok()?;
    let (mut digest, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            count => digest.update(&buffer[..count]),
        }
    }
    let mut hex = String::new();
    digest.finalize().iter().for_each(|byte| {
        let _ = write!(hex, "{byte:02x}");
    });
    Some(hex)
}
