//! Carries a file through the pipeline: reader, workers and writer side by side, in bounded memory.

use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::settings::Checked;
use crate::summary::Summary;
use allonym_dp::{Purpose, Released};
use allonym_io::{Batch, IoError, Progress, Reader, Report, Rest, Writer, is_stream};
use std::sync::mpsc::sync_channel;

/// Batches that may wait between two stages.
const WAITING: usize = 2;

/// Told about progress: how far the reader is, and how many records are done.
pub type OnProgress<'a> = &'a mut dyn FnMut(&Progress, u64);

fn open(checked: &Checked) -> Result<Box<dyn Reader>, Failure> {
    let has_header = !checked.settings.no_header;
    Ok(allonym_io::open(&checked.settings.input, checked.format, has_header, &checked.columns, &checked.limits)?)
}

/// Releases a whole file.
///
/// # Errors
/// When a record cannot be read or the output cannot be written; then nothing appears under the output's name.
pub fn run(checked: &Checked, on_progress: OnProgress<'_>) -> Result<Summary, Failure> {
    let settings = &checked.settings;
    let pipeline = Pipeline::new(checked)?;
    let reader = open(checked)?;
    let shuffle = settings.shuffle.then(|| pipeline.stream(Purpose::Shuffle));
    let size =
        (!is_stream(&settings.input)).then(|| std::fs::metadata(&settings.input).ok()).flatten().map(|m| m.len());
    let writer = allonym_io::create(&settings.output, reader.shape(), shuffle, size)?;
    let report = stages(reader, writer, &pipeline, on_progress)?;
    Summary::new(checked, report, &pipeline, false)
}

/// Reads a whole file and says what a release would carry and cost, without drawing or writing anything.
///
/// # Errors
/// When a record cannot be read.
pub fn dry_run(checked: &Checked, on_progress: OnProgress<'_>) -> Result<Summary, Failure> {
    let pipeline = Pipeline::new(checked)?;
    let mut reader = open(checked)?;
    let progress = reader.progress();
    while let Some(batch) = reader.next()? {
        on_progress(&progress, batch.first - 1 + batch.texts.len() as u64);
    }
    Summary::new(checked, reader.report().clone(), &pipeline, true)
}

/// Runs the three stages; the first error of any of them ends all and is returned.
fn stages(
    mut reader: Box<dyn Reader>,
    mut writer: Box<dyn Writer>,
    pipeline: &Pipeline<'_>,
    on_progress: OnProgress<'_>,
) -> Result<Report, Failure> {
    let progress = reader.progress();
    std::thread::scope(|scope| {
        let (to_workers, from_reader) = sync_channel::<Batch>(WAITING);
        let (to_writer, from_workers) = sync_channel::<(Rest, Vec<Released<String>>)>(WAITING);
        let reading = scope.spawn(move || -> Result<Report, IoError> {
            while let Some(batch) = reader.next()? {
                if to_workers.send(batch).is_err() {
                    break; // the writer has failed; its error is the one that counts
                }
            }
            Ok(reader.report().clone())
        });
        let writing = scope.spawn(move || -> Result<Box<dyn Writer>, IoError> {
            for (rest, texts) in from_workers {
                writer.write(rest, texts)?;
            }
            Ok(writer)
        });
        for Batch { first, texts, rest } in from_reader {
            let records = first - 1 + texts.len() as u64;
            if to_writer.send((rest, pipeline.release(&texts))).is_err() {
                break;
            }
            on_progress(&progress, records);
        }
        drop(to_writer);
        let report = join(reading);
        let writer = join(writing)?;
        // Only a file that was read to its end is put in its place.
        let report = report?;
        writer.finish()?;
        Ok(report)
    })
}

fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
