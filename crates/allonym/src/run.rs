//! Carries a file through the pipeline: reader, workers and writer side by side, in bounded memory.

use crate::explain::Explanations;
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::reserve::{Reserved, Seen, reserve};
use crate::settings::Checked;
use crate::summary::Summary;
use allonym_dp::{Purpose, Released};
use allonym_io::{Batch, IoError, Progress, Reader, Report, Rest, Writer, is_stream};
use allonym_text::{Activity, CancelToken, Event, Observer, Stage, Unit};
use std::sync::mpsc::sync_channel;

/// Batches that may wait between two stages.
const WAITING: usize = 2;

/// Reports how far a reader is, and how many records are done.
pub(crate) fn report(observer: &dyn Observer, stage: Stage<'_>, progress: &Progress, records: u64) {
    observer.event(&Event::Progress(allonym_text::Progress {
        stage,
        done: progress.done(),
        total: progress.total,
        unit: Unit::Input,
        records: Some(records),
        training: None,
    }));
}

/// The stage in which costs are reserved.
pub(crate) const RESERVING: Stage<'static> = Stage { activity: Activity::Reserving, label: "reserving" };
/// The stage in which records are released, or inspected by a dry run.
pub(crate) const RELEASING: Stage<'static> = Stage { activity: Activity::Releasing, label: "releasing" };

pub(crate) fn open(checked: &Checked) -> Result<Box<dyn Reader>, Failure> {
    Ok(allonym_io::open(&checked.settings.input, checked.format, checked.table, &checked.columns, &checked.limits)?)
}

/// Releases a whole file.
///
/// # Errors
/// When a record cannot be read or the output cannot be written; then nothing appears under the output's name.
pub fn run(checked: &Checked, observer: &dyn Observer, cancel: &CancelToken) -> Result<Summary, Failure> {
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
    let (reserved, seen) = match &settings.ledger {
        None => (None, None),
        Some(path) => {
            let (reserved, seen, _) = reserve(checked, &pipeline, path, false, observer, cancel)?;
            (Some(reserved), Some(seen))
        }
    };
    if let Some(path) = &settings.explain {
        let explanations = Explanations::create(path);
        pipeline.explain(explanations.map_err(|failure| say_what_was_spent(failure, reserved.as_ref()))?);
    }
    let report = stages(reader, writer, seen, &pipeline, (observer, cancel))
        .map_err(|failure| say_what_was_spent(failure, reserved.as_ref()))?;
    let explained = pipeline.explained();
    let mut summary = Summary::new(checked, report, &pipeline, reserved, false)?;
    // The release stands and its price must be told.
    summary.warnings.extend(explained.err());
    summary.for_owner = pipeline.unsuited();
    Ok(summary)
}

/// A run that fails after it reserved has spent: perhaps something left.
fn say_what_was_spent(mut failure: Failure, reserved: Option<&Reserved>) -> Failure {
    if let Some((ledger, entry)) = reserved.and_then(|reserved| Some((&reserved.ledger, reserved.entry?))) {
        failure.hint.push_str(&format!("; the price of this run stays in the ledger `{ledger}`, entry {entry}"));
    }
    failure
}

/// Reads a whole file and says what a release would carry and cost, without drawing or writing anything.
///
/// # Errors
/// When a record cannot be read.
pub fn dry_run(checked: &Checked, observer: &dyn Observer, cancel: &CancelToken) -> Result<Summary, Failure> {
    let pipeline = Pipeline::for_run(checked)?;
    if let Some(path) = &checked.settings.ledger {
        let (reserved, _, report) = reserve(checked, &pipeline, path, true, observer, cancel)?;
        let mut summary = Summary::new(checked, report, &pipeline, Some(reserved), true)?;
        summary.for_owner = pipeline.unsuited();
        return Ok(summary);
    }
    let mut reader = open(checked)?;
    let progress = reader.progress();
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        pipeline.look(&batch.texts);
        report(observer, RELEASING, &progress, batch.first - 1 + batch.texts.len() as u64);
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
    (observer, cancel): (&dyn Observer, &CancelToken),
) -> Result<Report, Failure> {
    let progress = reader.progress();
    std::thread::scope(|scope| {
        let (to_workers, from_reader) = sync_channel::<Batch>(WAITING);
        let (to_writer, from_workers) = sync_channel::<(Rest, Vec<Released<String>>)>(WAITING);
        let reading = scope.spawn(move || -> Result<Report, Failure> {
            while let Some(batch) = reader.next()? {
                cancel.check()?;
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
            if cancel.is_cancelled() {
                break; // the reader says so
            }
            let records = first - 1 + texts.len() as u64;
            if to_writer.send((rest, pipeline.release(&texts))).is_err() {
                break;
            }
            report(observer, RELEASING, &progress, records);
        }
        drop(to_writer);
        let report = join(reading);
        let writer = join(writing)?;
        // Only a file that was read to its end is put in its place.
        let report = report?;
        cancel.check()?;
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
