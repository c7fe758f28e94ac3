//! Events on standard error: a bar on a terminal, and a line now and then elsewhere.

use allonym::{Activity, Event, Observer, Progress, TrainingDetails, Unit};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a stage is named where standard error is not a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// Every stage: the work takes hours.
    EveryStage,
    /// At most one in ten seconds.
    NowAndThen,
}

const NOW_AND_THEN: Duration = Duration::from_secs(10);
/// How often the steps of training are reported where standard error is not a terminal.
const EVERY: Duration = Duration::from_secs(60);

/// Shows events to the person at the terminal.
pub(super) struct Terminal {
    bar: ProgressBar,
    lines: Lines,
    shown: Mutex<Shown>,
}

/// What is on display.
#[derive(Default)]
struct Shown {
    stage: Option<(Activity, String)>,
    /// When the last line was printed, or the first was left out.
    last: Option<Instant>,
    /// The loss, smoothed over steps.
    smooth: Option<f64>,
    /// Tenths of the texts of a stage.
    tenths: u64,
}

impl Terminal {
    pub(super) fn new(lines: Lines) -> Self {
        let visible = std::io::stderr().is_terminal();
        let target = if visible { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { bar: ProgressBar::with_draw_target(None, target), lines, shown: Mutex::default() }
    }

    /// Changes the form of the bar when a stage begins; returns whether it does.
    fn begins(&self, shown: &mut Shown, activity: Activity, label: &str, template: &str) -> bool {
        if shown.stage.as_ref().is_some_and(|(known, name)| *known == activity && name == label) {
            return false;
        }
        *shown = Shown { stage: Some((activity, label.to_owned())), last: shown.last, ..Shown::default() };
        self.bar.reset();
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.enable_steady_tick(Duration::from_millis(200));
        true
    }

    /// A line for a stage or for its progress.
    fn line(&self, shown: &mut Shown, text: &str, news: bool) {
        let due = match self.lines {
            Lines::EveryStage => news,
            // The first stage is over at once.
            Lines::NowAndThen => match shown.last {
                None => {
                    shown.last = Some(Instant::now());
                    false
                }
                Some(last) => last.elapsed() >= NOW_AND_THEN,
            },
        };
        if self.bar.is_hidden() && due {
            shown.last = Some(Instant::now());
            super::tell(&format!("{text}\n"));
        }
        self.bar.set_message(text.to_owned());
    }

    /// How far a reader is: where standard error is not a terminal, it is quiet.
    fn records(&self, shown: &mut Shown, progress: &Progress<'_>, records: u64) {
        let template = match progress.total {
            Some(_) => "{bar:30} {percent:>3} %  {msg}  {eta} left",
            None => "{spinner} {msg}  {elapsed}",
        };
        self.begins(shown, progress.stage.activity, progress.stage.label, template);
        if let Some(total) = progress.total {
            self.bar.set_length(total);
        }
        self.bar.set_position(progress.done);
        let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
        let doing = if progress.stage.activity == Activity::Reserving { "reserved for " } else { "" };
        self.bar.set_message(format!("{doing}{records} records, {:.0} per second", records as f64 / seconds));
    }

    fn training(&self, shown: &mut Shown, progress: &Progress<'_>, details: &TrainingDetails) {
        let label = progress.stage.label;
        let begins = self.begins(shown, progress.stage.activity, label, "{bar:30} {percent:>3} %  {msg}");
        if let Some(loss) = details.loss {
            shown.smooth = Some(shown.smooth.map_or(loss, |smooth| 0.98 * smooth + 0.02 * loss));
        }
        let steps = progress.total.unwrap_or(progress.done);
        let mut line = format!("{label}: step {} of {steps}, epoch {}", progress.done, details.epoch);
        if let Some(loss) = shown.smooth {
            line.push_str(&format!(", loss {loss:.2}"));
        }
        if let Some(validation) = details.validation {
            line.push_str(&format!(", validation {validation:.3}"));
        }
        if let Some(speed) = details.tokens_per_second {
            line.push_str(&format!(", {speed:.0} tokens per second"));
        }
        line.push_str(&format!(", {} left", indicatif::HumanDuration(details.left)));
        self.bar.set_length(steps);
        self.bar.set_position(progress.done);
        let due = begins
            || details.validation.is_some()
            || progress.done == steps
            || shown.last.is_none_or(|last| last.elapsed() >= EVERY);
        if self.bar.is_hidden() && due {
            shown.last = Some(Instant::now());
            super::tell(&format!("{line}\n"));
        }
        self.bar.set_message(line);
    }

    /// Texts or records of a stage: a line for each tenth.
    fn counted(&self, shown: &mut Shown, progress: &Progress<'_>, total: u64) {
        self.begins(shown, progress.stage.activity, progress.stage.label, "{spinner} {msg}  {elapsed}");
        let tenths = 10 * progress.done / total.max(1);
        let news = tenths > shown.tenths && progress.done < total;
        shown.tenths = tenths.max(shown.tenths);
        self.line(shown, &format!("{}: {} of {total}", progress.stage.label, progress.done), news);
    }

    fn begun(&self, shown: &mut Shown, activity: Activity, label: &str) {
        let begins = self.begins(shown, activity, label, "{spinner} {msg}  {elapsed}");
        self.line(shown, label, begins);
    }
}

impl Observer for Terminal {
    fn event(&self, event: &Event<'_>) {
        let shown = &mut *self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Begin(stage) => self.begun(shown, stage.activity, stage.label),
            Event::Warning(warning) => self.bar.suspend(|| super::tell(&format!("warning: {}\n", warning.message))),
            Event::Cost(cost) => {
                self.bar.suspend(|| super::tell(&format!("cost per {}: {}\n", cost.unit, cost.explanation)));
            }
            Event::Progress(progress) => match (progress.unit, progress.records, &progress.training, progress.total) {
                (_, _, Some(details), _) => self.training(shown, progress, details),
                (_, Some(records), None, _) => self.records(shown, progress, records),
                (Unit::Texts | Unit::Records, None, None, Some(total)) => self.counted(shown, progress, total),
                // The label has the numbers.
                _ => self.begun(shown, progress.stage.activity, progress.stage.label),
            },
            _ => {}
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
