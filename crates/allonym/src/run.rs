//! Carries a file through the pipeline: reader, workers and writer side by side, in bounded memory.

use crate::explain::Explanations;
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::reserve::{Seen, reserve};
use crate::settings::Checked;
use crate::spending::Accounting;
use crate::summary::Summary;
use allonym_dp::{Purpose, Released};
use allonym_io::{Batch, IoError, Progress, Reader, Report, Rest, Writer, is_stream};
use std::sync::mpsc::sync_channel;

/// Batches that may wait between two stages.
const WAITING: usize = 2;

/// What a run does with the records it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Their price is written into the ledger.
    Reserving,
    /// They are released, or looked at by a dry run.
    Releasing,
}

/// Told about progress: what is done, how far the reader is, and how many records are done.
pub type OnProgress<'a> = &'a mut dyn FnMut(Stage, &Progress, u64);

pub(crate) fn open(checked: &Checked) -> Result<Box<dyn Reader>, Failure> {
    Ok(allonym_io::open(&checked.settings.input, checked.format, checked.table, &checked.columns, &checked.limits)?)
}

/// Releases a whole file.
///
/// # Errors
/// When a record cannot be read or the output cannot be written; then nothing appears under the output's name.
pub fn run(checked: &Checked, on_progress: OnProgress<'_>) -> Result<Summary, Failure> {
    let settings = &checked.settings;
    let mut pipeline = Pipeline::for_run(checked)?;
    // A promise that cannot be computed is found before anything is drawn.
    pipeline.guarantee()?;
    let reader = open(checked)?;
    let shuffle = settings.shuffle.then(|| pipeline.stream(Purpose::Shuffle));
    let size =
        (!is_stream(&settings.input)).then(|| std::fs::metadata(&settings.input).ok()).flatten().map(|m| m.len());
    let writer = allonym_io::create(&settings.output, reader.shape(), shuffle, size)?;
    // The output can be written: now the price is reserved, and only then is anything drawn.
    let (accounting, seen) = match &settings.ledger {
        None => (Accounting::Unaccounted, None),
        Some(path) => {
            let (reserved, seen, _) = reserve(checked, &pipeline, path, false, on_progress)?;
            (Accounting::Reserved(reserved), Some(seen))
        }
    };
    if let Some(path) = &settings.explain {
        let explanations = Explanations::create(path);
        pipeline.explain(explanations.map_err(|failure| accounting.told(failure))?);
    }
    let report = stages(reader, writer, seen, &pipeline, on_progress).map_err(|failure| accounting.told(failure))?;
    let explained = pipeline.explained();
    let mut summary = Summary::new(checked, report, &pipeline, accounting.reserved().cloned(), false)?;
    // The release stands and its price must be told.
    summary.warnings.extend(explained.err());
    summary.for_owner = pipeline.unsuited();
    Ok(summary)
}

/// Reads a whole file and says what a release would carry and cost, without drawing or writing anything.
///
/// # Errors
/// When a record cannot be read.
pub fn dry_run(checked: &Checked, on_progress: OnProgress<'_>) -> Result<Summary, Failure> {
    let pipeline = Pipeline::for_run(checked)?;
    if let Some(path) = &checked.settings.ledger {
        let (reserved, _, report) = reserve(checked, &pipeline, path, true, on_progress)?;
        let mut summary = Summary::new(checked, report, &pipeline, Some(reserved), true)?;
        summary.for_owner = pipeline.unsuited();
        return Ok(summary);
    }
    let mut reader = open(checked)?;
    let progress = reader.progress();
    while let Some(batch) = reader.next()? {
        pipeline.look(&batch.texts);
        on_progress(Stage::Releasing, &progress, batch.first - 1 + batch.texts.len() as u64);
    }
    let mut summary = Summary::new(checked, reader.report().clone(), &pipeline, None, true)?;
    summary.for_owner = pipeline.unsuited();
    Ok(summary)
}

/// Runs the three stages; the first error of any of them ends all and is returned.
fn stages(
    mut reader: Box<dyn Reader>,
    mut writer: Box<dyn Writer>,
    mut seen: Option<Seen>,
    pipeline: &Pipeline<'_>,
    on_progress: OnProgress<'_>,
) -> Result<Report, Failure> {
    let progress = reader.progress();
    std::thread::scope(|scope| {
        let (to_workers, from_reader) = sync_channel::<Batch>(WAITING);
        let (to_writer, from_workers) = sync_channel::<(Rest, Vec<Released<String>>)>(WAITING);
        let reading = scope.spawn(move || -> Result<Report, Failure> {
            while let Some(batch) = reader.next()? {
                if let Some(seen) = &mut seen {
                    seen.admit(&batch)?;
                }
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
        for Batch { first, texts, rest, .. } in from_reader {
            let records = first - 1 + texts.len() as u64;
            if to_writer.send((rest, pipeline.release(&texts))).is_err() {
                break;
            }
            on_progress(Stage::Releasing, &progress, records);
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
