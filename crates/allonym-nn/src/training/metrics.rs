//! The speed of a run, and its metrics in a file of JSON Lines.

use crate::error::NnError;
use allonym_text::TrainingDetails;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A line of the file.
#[derive(Serialize)]
struct Line<'a> {
    step: u64,
    #[serde(flatten)]
    details: &'a TrainingDetails,
}

/// Measures speed.
pub(super) struct Clock {
    start: Instant,
    steps: u64,
    tokens: u64,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), steps: 0, tokens: 0 }
    }

    /// Counts a step; returns tokens in a second, and the time that so many more steps take.
    pub(super) fn tick(&mut self, tokens: usize, more: u64) -> (f64, Duration) {
        self.steps += 1;
        self.tokens += tokens as u64;
        let seconds = self.start.elapsed().as_secs_f64();
        let left = Duration::try_from_secs_f64(seconds / self.steps as f64 * more as f64).unwrap_or(Duration::MAX);
        (self.tokens as f64 / seconds.max(1e-9), left)
    }
}

/// A file with a line for each step.
pub(super) struct Metrics {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Metrics {
    /// Begins a file, or goes on with one after `step`: what it has about later steps will be made again.
    pub(super) fn open(directory: &Path, step: u64) -> Result<Self, NnError> {
        let path = directory.join("metrics.jsonl");
        let former = if step == 0 { String::new() } else { fs::read_to_string(&path).unwrap_or_default() };
        let of_line = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?.get("step")?.as_u64();
        let kept = former.lines().filter(|line| of_line(line).is_some_and(|of| of <= step));
        let begin = || {
            let mut file = BufWriter::new(File::create(&path)?);
            for line in kept {
                writeln!(file, "{line}")?;
            }
            Ok(file)
        };
        let file = begin().map_err(NnError::file(&path))?;
        Ok(Self { path, file })
    }

    pub(super) fn write(&mut self, step: u64, details: &TrainingDetails) -> Result<(), NnError> {
        let line = Line { step, details };
        let line = serde_json::to_string(&line).map_err(|error| NnError::broken(&self.path, error.to_string()))?;
        writeln!(self.file, "{line}").map_err(NnError::file(&self.path))
    }

    pub(super) fn flush(&mut self) -> Result<(), NnError> {
        self.file.flush().map_err(NnError::file(&self.path))
    }
}
