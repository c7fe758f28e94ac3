//! Records in and out: CSV, TSV, JSON Lines, Parquet, plain text; other columns pass untouched.
//!
//! Reading and writing stream in batches of bounded size. A writer takes texts of the exit types only ([`ExitText`]), so an original
//! cannot be written by oversight.
#![forbid(unsafe_code)]

mod columns;
mod csv;
mod delimited;
mod error;
mod files;
mod format;
mod input;
mod json_lines;
mod key;
mod line;
mod lines;
mod new_table;
mod output;
mod parquet;
mod row;
mod shuffle;
mod shuffle_columns;
mod unfinished;
mod values;

pub use columns::{Columns, Report};
pub use delimited::{push_cell, push_row};
pub use error::IoError;
pub use format::{Compression, Format, is_stream};
pub use input::{Progress, read_text, unpack_text};
pub use key::Key;
pub use new_table::NewTable;
pub use output::{Output, real_path, same_file};
pub use row::{Row, RowShape};
pub use unfinished::{begin_unfinished, end_unfinished, remove_unfinished};
pub use values::Values;

use allonym_dp::{ExitText, PrivacyRng};
use allonym_text::Private;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use input::Input;
use std::path::{Path, PathBuf};

/// How much is held in memory at once.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest record, in bytes.
    pub record_bytes: usize,
    /// The most records of a batch.
    pub batch_records: usize,
    /// The most bytes of a batch, give or take one record.
    pub batch_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { record_bytes: 256 << 20, batch_records: 4096, batch_bytes: 4 << 20 }
    }
}

/// Some records: their texts, and what else they are made of.
#[derive(Debug)]
pub struct Batch {
    /// The number of the first record, counted from 1.
    pub first: u64,
    /// The original texts.
    pub texts: Vec<Private<String>>,
    /// Who the records are and who wrote them, if [`Columns::keys`] asks for it; else empty.
    pub keys: Vec<Private<Key>>,
    /// For each record the values of [`Columns::values`], as far as it has them; empty when none are asked for.
    pub values: Vec<Values>,
    /// Everything else, for the writer.
    pub rest: Rest,
}

/// What records are made of besides their texts. Opaque: it goes from a reader to its writer.
#[derive(Debug)]
pub enum Rest {
    /// Encoded rows with a hole for the text.
    Rows(Vec<Row>),
    /// Arrow columns without the text.
    Columns(RecordBatch),
    /// File names.
    Names(Vec<PathBuf>),
}

impl Rest {
    fn into_rows(self) -> Result<Vec<Row>, IoError> {
        match self {
            Self::Rows(rows) => Ok(rows),
            _ => Err(IoError::OtherFormat),
        }
    }

    fn into_columns(self) -> Result<RecordBatch, IoError> {
        match self {
            Self::Columns(batch) => Ok(batch),
            _ => Err(IoError::OtherFormat),
        }
    }

    fn into_names(self) -> Result<Vec<PathBuf>, IoError> {
        match self {
            Self::Names(names) => Ok(names),
            _ => Err(IoError::OtherFormat),
        }
    }
}

/// What a writer must know of the input to write the same format.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A row format.
    Rows(RowShape),
    /// Parquet: the schema of the output, and the place of the text in it.
    Columns {
        /// All columns that leave.
        schema: SchemaRef,
        /// Which of them is the text.
        text: usize,
    },
    /// A directory.
    Files {
        /// How many files there are.
        count: usize,
    },
}

/// Reads records in batches.
pub trait Reader: Send {
    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// When the input cannot be read or a record is not what it should be.
    fn next(&mut self) -> Result<Option<Batch>, IoError>;

    /// What the writer must know.
    fn shape(&self) -> Shape;

    /// What was read so far, and what passes.
    fn report(&self) -> &Report;

    /// A handle that tells how far the reader has come.
    fn progress(&self) -> Progress;
}

/// Writes records in the format of their input.
pub trait Writer: Send {
    /// Writes a batch: what the reader gave, with released texts in place of the originals.
    ///
    /// # Errors
    /// When the operating system refuses.
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError>;

    /// Completes the output. Without it nothing appears under the target's name.
    ///
    /// # Errors
    /// When the operating system refuses.
    fn finish(self: Box<Self>) -> Result<(), IoError>;
}

/// How the rows of a CSV or TSV file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Whether the first row names the columns; else they are named 1, 2, ..
    pub header: bool,
    /// What stands between two cells; the format's own if not given. An ASCII character that is neither a quote nor a line break.
    pub delimiter: Option<u8>,
}

impl Default for Table {
    fn default() -> Self {
        Self { header: true, delimiter: None }
    }
}

/// Opens an input.
///
/// # Errors
/// When it cannot be read, is not of the format, or lacks a column.
pub fn open(
    path: &Path,
    format: Format,
    table: Table,
    columns: &Columns,
    limits: &Limits,
) -> Result<Box<dyn Reader>, IoError> {
    let delimiter = table.delimiter.unwrap_or(if format == Format::Tsv { b'\t' } else { b',' });
    Ok(match format {
        Format::Csv | Format::Tsv => {
            Box::new(csv::CsvReader::open(Input::open(path)?, delimiter, table.header, columns, limits)?)
        }
        Format::Jsonl => Box::new(json_lines::JsonLinesReader::open(Input::open(path)?, columns, limits)),
        Format::Lines => Box::new(lines::LinesReader::open(Input::open(path)?, columns, limits)),
        Format::Parquet => Box::new(parquet::ParquetReader::open(path, columns, limits)?),
        Format::Files => Box::new(files::FilesReader::open(path, columns, limits)?),
    })
}

/// Checks that writing to `target` would not destroy the input or mislead about the format.
///
/// # Errors
/// When it would.
pub fn check_target(input: &Path, target: &Path, format: Format, in_place: bool) -> Result<(), IoError> {
    // `< file` and `-o file` may be the same file too.
    let input = if is_stream(input) { Path::new("/dev/stdin") } else { input };
    if is_stream(target) {
        if format == Format::Files {
            return Err(IoError::Kind { name: "standard output".into(), found: "a stream", expected: "a directory" });
        }
        return Ok(());
    }
    if same_file(input, target) && !in_place {
        return Err(IoError::OverInput { name: target.display().to_string() });
    }
    let directory = output::directory_of(target);
    if !directory.is_dir() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(IoError::Write { name: target.display().to_string(), source: missing });
    }
    let packed_otherwise =
        target.extension().is_some_and(|ending| ["bz2", "xz", "zip", "7z", "br"].iter().any(|e| ending == *e));
    let packed_parquet = format == Format::Parquet && Compression::of_path(target) != Compression::None;
    if packed_otherwise || packed_parquet {
        return Err(IoError::UnknownFormat { name: target.display().to_string() });
    }
    match Format::of_path(target) {
        Some(named) if named != format => Err(IoError::FormatChange {
            name: target.display().to_string(),
            input: format.name(),
            output: named.name(),
        }),
        _ => Ok(()),
    }
}

/// Prepares an output for records of the given shape, in their order or shuffled.
///
/// # Errors
/// When the target cannot be written.
pub fn create(
    target: &Path,
    shape: Shape,
    shuffle: Option<PrivacyRng>,
    input_bytes: Option<u64>,
) -> Result<Box<dyn Writer>, IoError> {
    let compression = Compression::of_path(target);
    Ok(match (shape, shuffle) {
        (Shape::Files { count }, mut rng) => Box::new(files::FilesWriter::create(target, count, rng.as_mut())?),
        (Shape::Rows(shape), None) => Box::new(row::RowWriter::new(Output::create(target, compression)?, shape)),
        (Shape::Rows(shape), Some(rng)) => {
            let output = Output::create(target, compression)?;
            Box::new(shuffle::ShuffledRows::new(output, shape, rng, target, input_bytes)?)
        }
        (Shape::Columns { schema, text }, None) => Box::new(parquet::ParquetWriter::create(target, schema, text)?),
        (Shape::Columns { schema, text }, Some(rng)) => {
            Box::new(shuffle_columns::ShuffledColumns::create(target, schema, text, rng, input_bytes)?)
        }
    })
}
