//! Carries a file through the pipeline: reader, workers and writer side by side, in bounded memory.

use crate::explain::Explanations;
use crate::failure::Failure;
use crate::method::{Corpus, RecordError};
use crate::pipeline::Pipeline;
use crate::reserve::{Seen, reserve};
use crate::settings::Checked;
use crate::spending::Accounting;
use crate::summary::Summary;
use allonym_dp::{ExitText, Purpose};
use allonym_io::{Batch, IoError, Progress, Reader, Report, Rest, Writer, is_stream};
use allonym_text::{Activity, CancelToken, Event, Observer, Private, Stage, Unit};
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

/// Prepares the method of a run; one that needs all texts reads the input once before.
fn prepare(checked: &Checked) -> Result<Pipeline, Failure> {
    let (seed, threads) = (checked.settings.seed, checked.settings.threads);
    if !checked.method.needs_corpus() {
        return Pipeline::with_method(checked.method.clone(), seed, threads);
    }
    if is_stream(&checked.settings.input) {
        let message = format!("`{}` reads the texts twice, and a stream can be read once", checked.method.name());
        return Err(Failure::new(message, "write it into a file first"));
    }
    Pipeline::prepared(checked.method.clone(), seed, threads, &mut File { reader: open(checked)? })
}

/// The texts of the input, before anything is released.
struct File {
    reader: Box<dyn Reader>,
}

impl Corpus for File {
    fn next_batch(&mut self) -> Result<Option<Vec<Private<String>>>, Failure> {
        Ok(self.reader.next()?.map(|batch| batch.texts))
    }
}

/// Releases a whole file.
///
/// # Errors
/// When a record cannot be read or the output cannot be written; then nothing appears under the output's name.
pub fn run(checked: &Checked, observer: &dyn Observer, cancel: &CancelToken) -> Result<Summary, Failure> {
    let settings = &checked.settings;
    let mut pipeline = prepare(checked)?;
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
            let (reserved, seen, _) = reserve(checked, &pipeline, path, false, observer, cancel)?;
            (Accounting::Reserved(reserved), Some(seen))
        }
    };
    if let Some(path) = &settings.explain {
        let explanations = Explanations::create(path);
        let explanations = explanations.map_err(|failure| accounting.told(failure))?;
        pipeline.report_mut().explanations = Some(explanations);
    }
    let report =
        stages(reader, writer, seen, &pipeline, (observer, cancel)).map_err(|failure| accounting.told(failure))?;
    let explained = pipeline.report_mut().explanations.take().map_or(Ok(()), Explanations::finish);
    let mut summary = Summary::new(checked, report, &pipeline, accounting.reserved().cloned(), false)?;
    // The release stands and its price must be told.
    summary.warnings.extend(explained.err());
    summary.for_owner = pipeline.advice();
    Ok(summary)
}

/// Reads a whole file and says what a release would carry and cost, without drawing or writing anything.
///
/// # Errors
/// When a record cannot be read.
pub fn dry_run(checked: &Checked, observer: &dyn Observer, cancel: &CancelToken) -> Result<Summary, Failure> {
    let pipeline = prepare(checked)?;
    if let Some(path) = &checked.settings.ledger {
        let (reserved, _, report) = reserve(checked, &pipeline, path, true, observer, cancel)?;
        let mut summary = Summary::new(checked, report, &pipeline, Some(reserved), true)?;
        summary.for_owner = pipeline.advice();
        return Ok(summary);
    }
    let mut reader = open(checked)?;
    let progress = reader.progress();
    while let Some(batch) = reader.next()? {
        cancel.check()?;
        pipeline.inspect(&batch.texts);
        report(observer, RELEASING, &progress, batch.first - 1 + batch.texts.len() as u64);
    }
    let mut summary = Summary::new(checked, reader.report().clone(), &pipeline, None, true)?;
    summary.for_owner = pipeline.advice();
    Ok(summary)
}

/// Runs the three stages; the first error of any of them ends all and is returned.
fn stages(
    mut reader: Box<dyn Reader>,
    mut writer: Box<dyn Writer>,
    mut seen: Option<Seen>,
    pipeline: &Pipeline,
    (observer, cancel): (&dyn Observer, &CancelToken),
) -> Result<Report, Failure> {
    let progress = reader.progress();
    std::thread::scope(|scope| {
        let (to_workers, from_reader) = sync_channel::<Batch>(WAITING);
        let (to_writer, from_workers) = sync_channel::<(Rest, Vec<ExitText>)>(WAITING);
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
        let mut failed = None;
        for Batch { first, texts, rest, .. } in from_reader.iter() {
            if cancel.is_cancelled() {
                break; // the reader says so
            }
            let records = first - 1 + texts.len() as u64;
            let released: Result<Vec<ExitText>, (u64, RecordError)> =
                (first..).zip(pipeline.release(&texts)).map(|(record, text)| text.map_err(|e| (record, e))).collect();
            match released {
                Ok(released) => {
                    if to_writer.send((rest, released)).is_err() {
                        break; // the writer has failed; its error is the one that counts
                    }
                }
                Err((record, error)) => {
                    let hint = "nothing was written; please report this";
                    failed = Some(Failure::new(format!("record {record}: {error}"), hint));
                    break;
                }
            }
            report(observer, RELEASING, &progress, records);
        }
        drop((to_writer, from_reader));
        let report = join(reading);
        let writer = join(writing)?;
        // Only a file that was read to its end is put in its place.
        let report = report?;
        if let Some(failure) = failed {
            return Err(failure);
        }
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
