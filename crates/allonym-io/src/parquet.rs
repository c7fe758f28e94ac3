//! Parquet: columns other than the text pass as they are; the file's own metadata stays behind.

use crate::columns::{Columns, Ids, Report};
use crate::error::{IoError, name_of};
use crate::format::{Compression, is_stream};
use crate::input::{Progress, open_file};
use crate::key::{self, Key};
use crate::output::Output;
use crate::values::{self, Values};
use crate::{Batch, Limits, Reader, Rest, Shape, Writer};
use allonym_dp::{Exit, ExitText};
use allonym_text::Private;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A row group is encoded in memory before it is written: this bounds it.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Reads the rows of a Parquet file.
pub(crate) struct ParquetReader {
    name: String,
    batches: ParquetRecordBatchReader,
    columns: Columns,
    /// The columns that leave, in their order.
    schema: SchemaRef,
    /// The place of the text among the columns that leave.
    text: usize,
    /// The places of the columns that leave, the text, the id and the author among those that are read.
    leaving: Vec<usize>,
    text_read: usize,
    id: Option<usize>,
    author: Option<usize>,
    values: Vec<Option<usize>>,
    ids: Ids,
    report: Report,
    progress: Progress,
    record_bytes: usize,
}

impl ParquetReader {
    pub(crate) fn open(path: &Path, columns: &Columns, limits: &Limits) -> Result<Self, IoError> {
        if is_stream(path) {
            return Err(IoError::NeedsFile { format: "Parquet" });
        }
        let name = name_of(path);
        let file = open_file(path)?;
        let stored = load(&file, ArrowReaderOptions::new(), &name)?;
        let header: Vec<String> = stored.schema().fields().iter().map(|field| field.name().clone()).collect();
        let place = columns.check(&header)?;
        check_text_type(stored.schema().field(place))?;

        // The text is read as plain strings, however it is stored (dictionary, large, view).
        let as_stored = stored.schema();
        let fields: Vec<FieldRef> =
            as_stored.fields().iter().enumerate().map(|(i, f)| if i == place { plain(f) } else { bare(f) }).collect();
        let wanted = Arc::new(Schema::new_with_metadata(fields.clone(), as_stored.metadata().clone()));
        let metadata = load(&file, ArrowReaderOptions::new().with_schema(wanted), &name)?;

        let leaving: Vec<usize> = (0..header.len()).filter(|i| *i == place || columns.carries(&header[*i])).collect();
        let schema = Arc::new(Schema::new(leaving.iter().map(|i| fields[*i].clone()).collect::<Vec<_>>()));
        let text = leaving.iter().position(|i| *i == place).unwrap_or_default();
        // A ledger asks for the id and the author also where they stay behind.
        let (id, author) = columns.places(&header);
        let (id, author) = (id.filter(|i| columns.keys || leaving.contains(i)), author.filter(|_| columns.keys));
        for place in [id, author].into_iter().flatten().filter(|_| columns.keys) {
            let field = as_stored.field(place);
            if !key::can_name(field.data_type()) {
                let found = field.data_type().to_string();
                return Err(IoError::NotANameColumn { column: field.name().clone(), found });
            }
        }
        let values = columns.value_places(&header);
        let mut reading: Vec<usize> =
            leaving.iter().copied().chain(id).chain(author).chain(values.iter().copied().flatten()).collect();
        reading.sort_unstable();
        reading.dedup();
        let read_at = |place: usize| reading.iter().position(|i| *i == place).unwrap_or_default();
        let (id, author, text_read) = (id.map(read_at), author.map(read_at), read_at(place));
        let leaving: Vec<usize> = leaving.into_iter().map(read_at).collect();
        let values = values.into_iter().map(|place| place.map(read_at)).collect();

        let rows = metadata.metadata().file_metadata().num_rows().max(0) as u64;
        let bytes: i64 = metadata.metadata().row_groups().iter().map(|group| group.total_byte_size()).sum();
        let row_bytes = (bytes.max(0) as u64 / rows.max(1)).max(1) as usize;
        // Texts that repeat are stored once, so their stored size says little: take few of them at a time.
        let repeats = |group: &RowGroupMetaData| group.columns().iter().any(|c| c.dictionary_page_offset().is_some());
        let most = if metadata.metadata().row_groups().iter().any(repeats) { 256 } else { limits.batch_records };
        let batch = (limits.batch_bytes / row_bytes).clamp(1, most.min(limits.batch_records));
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
        let mask = ProjectionMask::roots(builder.parquet_schema(), reading);
        let batches = builder.with_projection(mask).with_batch_size(batch).build().map_err(|_| damaged(&name, 1))?;

        let mut report = Report::default();
        report.note_columns(header.iter().map(String::as_str), columns);
        let described = as_stored.fields().iter().any(|field| !field.metadata().is_empty());
        if !as_stored.metadata().is_empty() || described {
            report.remarks.push("the file's own metadata was left out".into());
        }
        let progress = Progress::of_total(Some(rows));
        Ok(Self {
            name,
            batches,
            columns: columns.clone(),
            schema,
            text,
            leaving,
            text_read,
            id,
            author,
            values,
            ids: Ids::new(),
            report,
            progress,
            record_bytes: limits.record_bytes,
        })
    }

    /// Notes the ids of a batch, and hands out the keys of its records if somebody wants them.
    fn keys(&mut self, batch: &RecordBatch, first: u64) -> Result<Vec<Private<Key>>, IoError> {
        let names = |place: Option<usize>| place.map(|place| key::of_column(batch.column(place))).unwrap_or_default();
        let (ids, authors) = (names(self.id), names(self.author));
        let at = |names: &[Option<Vec<u8>>], row: usize| names.get(row).cloned().flatten();
        let mut keys = Vec::new();
        for row in 0..batch.num_rows() {
            let id = at(&ids, row);
            if let Some(id) = &id {
                self.ids.note(id);
            }
            if self.columns.keys {
                let author = at(&authors, row);
                keys.push(Key::new(id.as_deref(), author.as_deref(), first + row as u64, &self.columns)?);
            }
        }
        Ok(keys)
    }

    fn values(&self, batch: &RecordBatch) -> Vec<Values> {
        if self.values.is_empty() {
            return Vec::new();
        }
        let of = |place: &Option<usize>| place.map(|place| values::of_column(batch.column(place)));
        let columns: Vec<Option<Vec<Option<String>>>> = self.values.iter().map(of).collect();
        let of_row = |row: usize| columns.iter().map(|column| column.as_ref().and_then(|c| c[row].clone())).collect();
        (0..batch.num_rows()).map(|row| Private::new(of_row(row))).collect()
    }
}

fn load(file: &File, options: ArrowReaderOptions, name: &str) -> Result<ArrowReaderMetadata, IoError> {
    ArrowReaderMetadata::load(file, options).map_err(|_| IoError::NotTheFormat {
        name: name.to_owned(),
        format: "Parquet",
        why: "its index cannot be read".into(),
    })
}

fn damaged(name: &str, record: u64) -> IoError {
    let why = format!("a page at or after record {record} cannot be read");
    IoError::NotTheFormat { name: name.to_owned(), format: "Parquet", why }
}

fn check_text_type(field: &Field) -> Result<(), IoError> {
    let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match field.data_type() {
        kind if is_text(kind) => Ok(()),
        DataType::Dictionary(_, values) if is_text(values) => Ok(()),
        other => Err(IoError::NotTextColumn { column: field.name().clone(), found: other.to_string() }),
    }
}

/// The field of a released text: a plain string.
fn plain(field: &Field) -> FieldRef {
    Arc::new(Field::new(field.name(), DataType::Utf8, field.is_nullable()))
}

/// A field that passes, without its own metadata, and with room in its dictionary for the values of the whole file.
fn bare(field: &Field) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Dictionary(_, values) => DataType::Dictionary(Box::new(DataType::Int32), values.clone()),
        other => other.clone(),
    };
    Arc::new(Field::new(field.name(), kind, field.is_nullable()))
}

impl Reader for ParquetReader {
    fn next(&mut self) -> Result<Option<Batch>, IoError> {
        let first = self.report.records + 1;
        let Some(batch) = self.batches.next() else { return Ok(None) };
        let batch = batch.map_err(|_| damaged(&self.name, first))?;
        let keys = self.keys(&batch, first)?;
        let values = self.values(&batch);
        let Some(strings) = batch.column(self.text_read).as_string_opt::<i32>() else {
            return Err(IoError::NotTextColumn { column: self.columns.text.clone(), found: "unknown".into() });
        };
        if let Some(place) = strings.iter().position(|text| text.is_some_and(|text| text.len() > self.record_bytes)) {
            return Err(IoError::TooLarge {
                record: first + place as u64,
                line: first + place as u64,
                limit: self.record_bytes,
            });
        }
        // A missing text counts as an empty one, since whether there is a text is private too.
        let texts = strings.iter().map(|text| Private::new(text.unwrap_or_default().to_owned())).collect();
        self.report.records += batch.num_rows() as u64;
        self.report.repeated_ids = self.ids.repeated();
        self.progress.add(batch.num_rows() as u64);
        let mut rest = batch.project(&self.leaving).map_err(|_| damaged(&self.name, first))?;
        rest.remove_column(self.text);
        Ok(Some(Batch { first, texts, keys, values, rest: Rest::Columns(rest) }))
    }

    fn shape(&self) -> Shape {
        Shape::Columns { schema: self.schema.clone(), text: self.text }
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn progress(&self) -> Progress {
        self.progress.clone()
    }
}

/// Puts released texts among the columns that pass.
pub(crate) fn assemble(
    schema: &SchemaRef,
    text: usize,
    rest: &RecordBatch,
    texts: Vec<ExitText>,
) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let rows = texts.len();
    let released: ArrayRef = Arc::new(StringArray::from_iter_values(texts.into_iter().map(ExitText::into_text)));
    let mut arrays = rest.columns().to_vec();
    arrays.insert(text, released);
    RecordBatch::try_new_with_options(schema.clone(), arrays, &RecordBatchOptions::new().with_row_count(Some(rows)))
}

/// Writes rows as they come.
pub(crate) struct ParquetWriter {
    name: String,
    writer: ArrowWriter<Output>,
    schema: SchemaRef,
    text: usize,
}

impl ParquetWriter {
    pub(crate) fn create(target: &Path, schema: SchemaRef, text: usize) -> Result<Self, IoError> {
        let output = Output::create(target, Compression::None)?;
        let name = name_of(target);
        let properties = WriterProperties::builder()
            .set_compression(Codec::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_created_by("allonym".into())
            .build();
        let writer = ArrowWriter::try_new(output, schema.clone(), Some(properties)).map_err(|e| refused(&name, e))?;
        Ok(Self { name, writer, schema, text })
    }

    pub(crate) fn write_batch(&mut self, batch: &RecordBatch) -> Result<(), IoError> {
        self.writer.write(batch).map_err(|error| refused(&self.name, error))
    }

    pub(crate) fn close(self) -> Result<(), IoError> {
        let output = self.writer.into_inner().map_err(|error| refused(&self.name, error))?;
        output.finish()
    }
}

/// A refusal of the operating system, dug out of the library's error.
pub(crate) fn refused(name: &str, error: impl std::error::Error + Send + Sync + 'static) -> IoError {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            let copy = io.raw_os_error().map_or_else(|| io.kind().into(), std::io::Error::from_raw_os_error);
            return IoError::write(name)(copy);
        }
        source = inner.source();
    }
    IoError::write(name)(std::io::Error::other("the Parquet writer failed"))
}

impl Writer for ParquetWriter {
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError> {
        let batch =
            assemble(&self.schema, self.text, &rest.into_columns()?, texts).map_err(|e| refused(&self.name, e))?;
        self.write_batch(&batch)
    }

    fn finish(self: Box<Self>) -> Result<(), IoError> {
        self.close()
    }
}
