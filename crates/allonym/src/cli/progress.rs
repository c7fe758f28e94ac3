//! Progress with rate and time left, on a terminal only.

use allonym::Stage;
use allonym::io::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// A bar on standard error, or one that is not drawn where nobody looks.
fn on_terminal() -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(None, target)
}

/// How far a run is.
pub(super) struct Bar {
    bar: ProgressBar,
    stage: Option<Stage>,
}

impl Bar {
    pub(super) fn new() -> Self {
        Self { bar: on_terminal(), stage: None }
    }

    /// Shows how far the reader is and how many records are done.
    pub(super) fn update(&mut self, stage: Stage, progress: &Progress, records: u64) {
        if self.stage != Some(stage) {
            self.stage = Some(stage);
            self.bar.reset();
            let template = if progress.total.is_some() {
                "{bar:30} {percent:>3} %  {msg}  {eta} left"
            } else {
                "{spinner} {msg}  {elapsed}"
            };
            if let Some(total) = progress.total {
                self.bar.set_length(total);
            }
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style);
            }
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
        self.bar.set_position(progress.done());
        let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
        let doing = if stage == Stage::Reserving { "reserved for " } else { "" };
        self.bar.set_message(format!("{doing}{records} records, {:.0} a second", records as f64 / seconds));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line on standard error that says what is being done; where it is not a terminal, a line now and then.
pub(super) struct Doing(ProgressBar, Cell<Option<Instant>>);

impl Doing {
    pub(super) fn new() -> Self {
        let bar = on_terminal();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar, Cell::new(None))
    }

    pub(super) fn says(&self, what: &str) {
        let due = self.1.get().is_none_or(|last| last.elapsed() >= NOW_AND_THEN);
        if self.0.is_hidden() && due && self.1.replace(Some(Instant::now())).is_some() {
            super::tell(&format!("{what}\n"));
        }
        self.0.set_message(what.to_owned());
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How far training is: a bar on a terminal, and a line now and then elsewhere, since it takes hours.
pub(super) struct Training {
    bar: ProgressBar,
    stage: String,
    last: std::time::Instant,
    smooth: Option<f64>,
}

/// Where nobody looks, what is being done is said so often.
const NOW_AND_THEN: Duration = Duration::from_secs(10);
/// And how far training is.
const EVERY: Duration = Duration::from_secs(60);

impl Training {
    pub(super) fn new() -> Self {
        Self { bar: on_terminal(), stage: String::new(), last: std::time::Instant::now(), smooth: None }
    }

    pub(super) fn update(&mut self, stage: &str, made: Option<&allonym::nn::training::Progress>) {
        if [allonym::training::PRICE, allonym::training::WARNING].iter().any(|begin| stage.starts_with(begin)) {
            self.bar.suspend(|| super::tell(&format!("{stage}\n")));
            return;
        }
        let begins = self.stage != stage;
        if begins {
            (self.stage, self.smooth) = (stage.to_owned(), None);
            let template = if made.is_some() { "{bar:30} {percent:>3} %  {msg}" } else { "{spinner} {msg}  {elapsed}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style);
            }
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
        let Some(made) = made else {
            self.bar.set_message(stage.to_owned());
            if self.bar.is_hidden() && begins {
                super::tell(&format!("{stage}\n"));
            }
            return;
        };
        if let Some(loss) = made.loss {
            self.smooth = Some(self.smooth.map_or(loss, |smooth| 0.98 * smooth + 0.02 * loss));
        }
        let mut line = format!("{stage}: step {} of {}, epoch {}", made.step, made.steps, made.epoch);
        if let Some(loss) = self.smooth {
            line.push_str(&format!(", loss {loss:.2}"));
        }
        if let Some(validation) = made.validation {
            line.push_str(&format!(", validation {validation:.3}"));
        }
        if let Some(speed) = made.tokens_per_second {
            line.push_str(&format!(", {speed:.0} tokens a second"));
        }
        line.push_str(&format!(", {} left", indicatif::HumanDuration(made.left)));
        self.bar.set_length(made.steps);
        self.bar.set_position(made.step);
        let due = begins || self.last.elapsed() >= EVERY || made.validation.is_some() || made.step == made.steps;
        if self.bar.is_hidden() && due {
            self.last = std::time::Instant::now();
            super::tell(&format!("{line}\n"));
        }
        self.bar.set_message(line);
    }
}

impl Drop for Training {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
