//! The same shuffle for Parquet: buckets of Arrow rows, spilled as Arrow streams.

use crate::error::{IoError, name_of};
use crate::parquet::{ParquetWriter, assemble, refused};
use crate::shuffle::{MEMORY, buckets_for, spill_directory, spill_file};
use crate::{Rest, Writer};
use allonym_dp::{ExitText, PrivacyRng};
use arrow_array::{RecordBatch, UInt32Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek};
use std::path::{Path, PathBuf};

/// Rows that are written at once.
const SLICE: usize = 4096;

#[derive(Default)]
struct Bucket {
    batches: Vec<RecordBatch>,
    spilled: Option<StreamWriter<BufWriter<File>>>,
}

/// A writer that keeps rows until all are there and writes them in random order.
pub(crate) struct ShuffledColumns {
    writer: ParquetWriter,
    name: String,
    schema: SchemaRef,
    text: usize,
    rng: PrivacyRng,
    buckets: Vec<Bucket>,
    directory: PathBuf,
    in_memory: usize,
}

impl ShuffledColumns {
    pub(crate) fn create(
        target: &Path,
        schema: SchemaRef,
        text: usize,
        rng: PrivacyRng,
        input_bytes: Option<u64>,
    ) -> Result<Self, IoError> {
        // Few rows of a batch fall into each bucket, and each costs an Arrow batch: no more buckets than needed.
        let buckets = (0..buckets_for(input_bytes).min(128)).map(|_| Bucket::default()).collect();
        let writer = ParquetWriter::create(target, schema.clone(), text)?;
        let directory = spill_directory(target);
        Ok(Self { writer, name: name_of(target), schema, text, rng, buckets, directory, in_memory: 0 })
    }

    fn spill(&mut self) -> Result<(), IoError> {
        for bucket in self.buckets.iter_mut().filter(|bucket| !bucket.batches.is_empty()) {
            if bucket.spilled.is_none() {
                let file = BufWriter::new(spill_file(&self.directory)?);
                bucket.spilled = Some(StreamWriter::try_new(file, &self.schema).map_err(|e| refused(&self.name, e))?);
            }
            let rows = concat_batches(&self.schema, &bucket.batches).map_err(|e| refused(&self.name, e))?;
            if let Some(stream) = &mut bucket.spilled {
                stream.write(&rows).map_err(|e| refused(&self.name, e))?;
            }
            bucket.batches.clear();
        }
        self.in_memory = 0;
        Ok(())
    }

    /// All rows of a bucket, in random order.
    fn shuffled(&mut self, bucket: Bucket) -> Result<RecordBatch, ArrowError> {
        let mut batches = Vec::new();
        if let Some(stream) = bucket.spilled {
            let mut file = stream.into_inner()?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.rewind()?;
            for batch in StreamReader::try_new(BufReader::new(file), None)? {
                batches.push(batch?);
            }
        }
        batches.extend(bucket.batches);
        let rows = concat_batches(&self.schema, &batches)?;
        let mut order: Vec<u32> = (0..rows.num_rows() as u32).collect();
        self.rng.shuffle(&mut order);
        take_record_batch(&rows, &UInt32Array::from(order))
    }
}

impl Writer for ShuffledColumns {
    fn write(&mut self, rest: Rest, texts: Vec<ExitText>) -> Result<(), IoError> {
        let batch =
            assemble(&self.schema, self.text, &rest.into_columns()?, texts).map_err(|e| refused(&self.name, e))?;
        let mut chosen: Vec<Vec<u32>> = vec![Vec::new(); self.buckets.len()];
        for row in 0..batch.num_rows() as u32 {
            chosen[self.rng.below(self.buckets.len() as u64) as usize].push(row);
        }
        for (bucket, rows) in self.buckets.iter_mut().zip(chosen) {
            if !rows.is_empty() {
                let part = take_record_batch(&batch, &UInt32Array::from(rows)).map_err(|e| refused(&self.name, e))?;
                self.in_memory += part.get_array_memory_size();
                bucket.batches.push(part);
            }
        }
        if self.in_memory > MEMORY { self.spill() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), IoError> {
        for bucket in std::mem::take(&mut self.buckets) {
            let rows = self.shuffled(bucket).map_err(|e| refused(&self.name, e))?;
            for start in (0..rows.num_rows()).step_by(SLICE) {
                self.writer.write_batch(&rows.slice(start, SLICE.min(rows.num_rows() - start)))?;
            }
        }
        self.writer.close()
    }
}
