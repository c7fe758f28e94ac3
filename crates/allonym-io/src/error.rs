//! What can go wrong between a file and a record. Messages name files, records, lines, columns and offsets, and never
//! quote a text.

use std::io;
use std::path::Path;
use thiserror::Error;

/// An error while reading or writing records.
#[derive(Debug, Error)]
pub enum IoError {
    /// The operating system refused to read.
    #[error("cannot read {name}: {}", plain(source))]
    Read {
        /// The file's name.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The operating system refused to write.
    #[error("cannot write {name}: {}", plain(source))]
    Write {
        /// The file's name.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// A batch was handed to a writer of another format than its reader's.
    #[error("a batch is of another format than the output")]
    OtherFormat,
    /// The reader of our output has gone away.
    #[error("the reader of the output has gone away")]
    BrokenPipe,
    /// A directory where a file was expected, or the other way round.
    #[error("{name} is {found}, not {expected}")]
    Kind {
        /// The file's name.
        name: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// The format cannot be told from the name.
    #[error("cannot tell the format of {name} from its name")]
    UnknownFormat {
        /// The file's name.
        name: String,
    },
    /// The contents are not of the format.
    #[error("{name} is not {format}: {why}")]
    NotTheFormat {
        /// The file's name.
        name: String,
        /// The format that was expected.
        format: &'static str,
        /// What was found.
        why: String,
    },
    /// The formats of input and output differ.
    #[error("the output {name} looks like {output}, but the input is {input}")]
    FormatChange {
        /// The output's name.
        name: String,
        /// The input's format.
        input: &'static str,
        /// The output's format.
        output: &'static str,
    },
    /// The format needs a file, not a pipe.
    #[error("{format} cannot be read from standard input")]
    NeedsFile {
        /// The format.
        format: &'static str,
    },
    /// Nothing to read.
    #[error("{name} is empty: there is no header")]
    Empty {
        /// The file's name.
        name: String,
    },
    /// A column is missing.
    // The first row may be a record and not a header, so its cells are not quoted; a name that is nearly the one asked for is.
    #[error("there is no column `{column}` among the {there}{}", suggestion(similar.as_deref()))]
    MissingColumn {
        /// The column asked for.
        column: String,
        /// How many columns there are.
        there: usize,
        /// One whose name is the same but for case and spaces.
        similar: Option<String>,
        /// The flag that names it.
        flag: &'static str,
    },
    /// A header of one cell that looks like several.
    #[error("the header is one cell, with `{}` in it", delimiter.escape_default())]
    OtherDelimiter {
        /// What probably stands between the cells.
        delimiter: char,
    },
    /// A column name that occurs twice.
    #[error("column `{column}` occurs twice")]
    RepeatedColumn {
        /// The column.
        column: String,
    },
    /// A record without the text column.
    #[error("record {record} has no `{column}`")]
    MissingField {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
    },
    /// A record with the text column twice: one of them would pass unchanged.
    #[error("record {record} has `{column}` twice")]
    RepeatedField {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
    },
    /// The text is not a string.
    #[error("record {record}: `{column}` is {found}, not a string")]
    NotText {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
        /// What it is.
        found: &'static str,
    },
    /// A record that a ledger could not know again.
    #[error("record {record} has no id in `{column}`, and the ledger knows records by their ids")]
    NoId {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
    },
    /// An id or an author that is neither a string nor a number.
    #[error("record {record}: `{column}` is {found}, which names nobody")]
    NotAName {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
        /// What it is.
        found: &'static str,
    },
    /// An id's or author's column of a Parquet file of a type with several spellings for a value.
    #[error("column `{column}` has type {found}, whose values name nobody")]
    NotANameColumn {
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// The text column of a Parquet file has another type.
    #[error("column `{column}` has type {found}, not a string type")]
    NotTextColumn {
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// Bytes that are not UTF-8.
    #[error("record {record}: column `{column}` is not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// The record, counted from 1.
        record: u64,
        /// The column.
        column: String,
        /// The first bad byte within the cell.
        offset: usize,
    },
    /// A quote that is never closed.
    #[error("record {record}: the quote opened on line {line} is never closed")]
    UnclosedQuote {
        /// The record, counted from 1.
        record: u64,
        /// The line, counted from 1.
        line: u64,
    },
    /// Something between a closing quote and the next delimiter.
    #[error("record {record}: there is something after a closing quote on line {line}")]
    AfterQuote {
        /// The record, counted from 1.
        record: u64,
        /// The line, counted from 1.
        line: u64,
    },
    /// A row with more or fewer cells than the header.
    #[error("record {record} on line {line} has {found} cells; the header has {expected}")]
    Ragged {
        /// The record, counted from 1.
        record: u64,
        /// The line, counted from 1.
        line: u64,
        /// The cells found.
        found: usize,
        /// The cells of the header.
        expected: usize,
    },
    /// A record that is larger than the limit.
    #[error("record {record}, from line {line} on, is larger than {} MiB", limit >> 20)]
    TooLarge {
        /// The record, counted from 1.
        record: u64,
        /// The line on which it begins.
        line: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// A line that is not a JSON object. The parser's own words would quote the text, so only the place is given.
    #[error("record {record} is not a JSON object: error at byte {offset} of the line")]
    NotJson {
        /// The record, counted from 1.
        record: u64,
        /// Where in the line.
        offset: usize,
    },
    /// Writing would destroy the input.
    #[error("the output {name} is the input")]
    OverInput {
        /// The file's name.
        name: String,
    },
    /// The output directory is in use.
    #[error("the output directory {name} exists and is not empty")]
    DirectoryInUse {
        /// The directory's name.
        name: String,
    },
}

impl IoError {
    pub(crate) fn read(name: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let name = name.into();
        move |source| Self::Read { name, source }
    }

    pub(crate) fn write(name: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let name = name.into();
        move |source| match source.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::Write { name, source },
        }
    }

    /// Whether the error is a refusal to do harm rather than a failure.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::OverInput { .. } | Self::DirectoryInUse { .. })
    }

    /// What the person who sees the error can do.
    pub fn hint(&self) -> String {
        let hint = match self {
            Self::Read { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "check the path; `-` reads standard input",
                io::ErrorKind::PermissionDenied => "you need permission to read the file",
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
                    "the file is damaged or was cut short; no output was written"
                }
                _ => "no output was written",
            },
            Self::Write { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull => {
                    "free some space or write elsewhere; no half-written file was left behind"
                }
                io::ErrorKind::PermissionDenied => "you need permission to write in that directory",
                io::ErrorKind::NotFound => "the output's directory must exist",
                _ => "no half-written file was left behind",
            },
            Self::BrokenPipe => "the output was cut short by its reader",
            Self::OtherFormat => "give the writer batches of the reader whose shape it was made for",
            Self::Kind { expected: "a directory", .. } => "`--format files` takes a directory of .txt files",
            Self::Kind { .. } => "a directory of .txt files is read with `--format files`",
            Self::UnknownFormat { .. } => {
                "name the format with `--format csv|tsv|jsonl|parquet|lines|files`; outputs may end in .gz or .zst"
            }
            Self::NotTheFormat { .. } => "check the file, or name another format with `--format`",
            Self::FormatChange { .. } => {
                "the output has the input's format: give it that ending, or name the input's format with `--format`"
            }
            Self::NeedsFile { .. } => "save it to a file first: its index is at the end",
            Self::Empty { .. } => "it has not even a header: check that it is the right file",
            Self::MissingColumn { flag: "--drop", .. } => {
                "`--drop` must name columns that are there: a misspelt one would let another pass"
            }
            Self::MissingColumn { flag, .. } if *flag != "--text-column" => {
                return format!(
                    "name the column with `{flag}`; a file without header needs `--no-header`, its columns are 1, 2, .."
                );
            }
            Self::NoId { .. } => "give every record an id of its own, or name their column with `--id-column`",
            Self::NotAName { .. } | Self::NotANameColumn { .. } => {
                "ids and authors are strings or whole numbers; name their columns with `--id-column` and `--author-column`"
            }
            Self::MissingColumn { .. } | Self::MissingField { .. } => {
                "name the text with `--text-column`; a file without header needs `--no-header`, its columns are 1, 2, .."
            }
            Self::OtherDelimiter { delimiter: '\t' } => "cells between tabs are read with `--format tsv`",
            Self::OtherDelimiter { delimiter } => {
                return format!("perhaps the cells stand between `{delimiter}`: try `--delimiter '{delimiter}'`");
            }
            Self::RepeatedColumn { .. } | Self::RepeatedField { .. } => {
                "rename one of them: the other would be released as it is"
            }
            Self::NotText { .. } | Self::NotTextColumn { .. } => {
                "name the column that holds the text with `--text-column`"
            }
            Self::NotUtf8 { .. } => "convert the file to UTF-8 first, for example with `iconv -f latin1 -t utf-8`",
            Self::UnclosedQuote { .. } | Self::AfterQuote { .. } => {
                "inside a quoted cell a quote is written twice: \"\""
            }
            Self::Ragged { .. } => "a cell with a delimiter or a line break must be quoted",
            Self::TooLarge { .. } => {
                "perhaps a quote is never closed; else split the record or raise `--max-record-mib`"
            }
            Self::NotJson { .. } => "each line must be one JSON object",
            Self::OverInput { .. } => "choose another output, or pass `--in-place` to replace the input",
            Self::DirectoryInUse { .. } => "choose a directory that does not exist yet",
        };
        hint.to_owned()
    }
}

fn suggestion(similar: Option<&str>) -> String {
    similar.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The operating system's message without Rust's "(os error N)".
fn plain(source: &io::Error) -> String {
    let text = source.to_string();
    match text.rfind(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        // Without a number there is only a kind, which Rust names in its own way.
        None if source.kind() == io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        None => text,
    }
}

/// A file's name for messages.
pub(crate) fn name_of(path: &Path) -> String {
    path.display().to_string()
}
