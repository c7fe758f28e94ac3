//! Events of long work: progress, warnings and privacy cost, for whoever shows or records them.
//!
//! An event never carries the text of a record. It names files, columns, labels' positions, stages and counts.

use serde::Serialize;
use std::sync::Mutex;
use std::time::Duration;

/// Receives the events of long work. The reference is shared, so worker threads can report too.
pub trait Observer: Sync {
    /// Receives one event.
    fn event(&self, event: &Event<'_>);

    /// Reports that a stage begins.
    fn begin(&self, activity: Activity, label: &str) {
        self.event(&Event::Begin(Stage { activity, label }));
    }

    /// Reports a warning.
    fn warn(&self, code: WarningCode, message: &str) {
        self.event(&Event::Warning(&Warning { code, message: message.to_owned() }));
    }
}

/// What long work reports.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage begins.
    Begin(Stage<'a>),
    /// Part of a stage is done.
    Progress(Progress<'a>),
    /// The owner of the data should know something. The work continues.
    Warning(&'a Warning),
    /// Privacy budget is about to be spent.
    Cost(&'a Cost),
}

/// A stage of long work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage<'a> {
    /// The kind of work, for programs.
    pub activity: Activity,
    /// The stage in words, for people.
    pub label: &'a str,
}

/// Kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Activity {
    /// Files are read.
    Reading,
    /// A first pass over the input counts records or reserves their cost in the ledger.
    Reserving,
    /// Records are released, or inspected by a dry run.
    Releasing,
    /// Private data is counted with noise.
    Counting,
    /// Model parameters are fitted.
    Training,
    /// Texts are generated.
    Writing,
    /// An attacker learns or is tested.
    Attacking,
    /// Figures are computed.
    Measuring,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The stage.
    pub stage: Stage<'a>,
    /// Units done.
    pub done: u64,
    /// Units in all, if that is known.
    pub total: Option<u64>,
    /// The unit of `done` and `total`.
    pub unit: Unit,
    /// Records done, where the unit is another one.
    pub records: Option<u64>,
    /// Details of a training step.
    pub training: Option<TrainingDetails>,
}

/// Units of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Unit {
    /// Input as stored: bytes of a stream, rows of a table, or files of a directory.
    Input,
    /// Records.
    Records,
    /// Texts that were generated.
    Texts,
    /// Steps of an optimizer.
    Steps,
    /// Passes over the data.
    Epochs,
    /// Episodes of reinforcement learning.
    Episodes,
}

/// Details of a training step. Values that are private are not there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrainingDetails {
    /// Epochs completed or begun.
    pub epoch: u64,
    /// The learning rate of the step.
    pub rate: f64,
    /// The mean loss of the step's examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The mean loss of the validation examples, in steps that evaluated them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<f64>,
    /// Training throughput.
    #[serde(skip)]
    pub tokens_per_second: Option<f64>,
    /// Estimated time to the end.
    #[serde(skip)]
    pub left: Duration,
}

/// Something that the owner of the data should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable across versions, for programs.
    pub code: WarningCode,
    /// For people.
    pub message: String,
}

/// Kinds of warnings. The kebab-case name is stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningCode {
    /// The texts differ from those the model or vocabulary was made for.
    UnsuitedTexts,
    /// The noise hides much of what there is to learn.
    LostInNoise,
    /// The ledger has no limit, or does not know an author.
    Ledger,
}

/// Privacy budget that is about to be spent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The privacy loss; `None` if it is unbounded, or was reported before.
    pub epsilon: Option<f64>,
    /// The probability that the loss is larger.
    pub delta: f64,
    /// What the bound protects, for example `record`.
    pub unit: &'static str,
    /// The cost in words: what is spent and how.
    pub explanation: String,
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event<'_>) {}
}

/// Passes events on with a prefix before the labels of their stages.
pub struct Prefixed<'a> {
    next: &'a dyn Observer,
    prefix: String,
}

impl<'a> Prefixed<'a> {
    /// An observer in front of another one.
    pub fn before(next: &'a dyn Observer, prefix: impl Into<String>) -> Self {
        Self { next, prefix: prefix.into() }
    }
}

impl Observer for Prefixed<'_> {
    fn event(&self, event: &Event<'_>) {
        let label = |stage: &Stage<'_>| format!("{}{}", self.prefix, stage.label);
        match event {
            Event::Begin(stage) => self.next.begin(stage.activity, &label(stage)),
            Event::Progress(progress) => {
                let stage = Stage { label: &label(&progress.stage), ..progress.stage };
                self.next.event(&Event::Progress(Progress { stage, ..*progress }));
            }
            Event::Warning(_) | Event::Cost(_) => self.next.event(event),
        }
    }
}

/// Collects warnings and costs, and passes all events on.
pub struct Recorder<'a> {
    next: &'a dyn Observer,
    collected: Mutex<(Vec<Warning>, Vec<Cost>)>,
}

impl<'a> Recorder<'a> {
    /// A recorder in front of another observer.
    pub fn before(next: &'a dyn Observer) -> Self {
        Self { next, collected: Mutex::default() }
    }

    /// The warnings so far, in their order.
    pub fn warnings(&self) -> Vec<Warning> {
        self.collected().0.clone()
    }

    /// The costs so far, in their order.
    pub fn costs(&self) -> Vec<Cost> {
        self.collected().1.clone()
    }

    fn collected(&self) -> std::sync::MutexGuard<'_, (Vec<Warning>, Vec<Cost>)> {
        self.collected.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for Recorder<'static> {
    fn default() -> Self {
        Self::before(&Silent)
    }
}

impl Observer for Recorder<'_> {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Warning(warning) => self.collected().0.push((*warning).clone()),
            Event::Cost(cost) => self.collected().1.push((*cost).clone()),
            Event::Begin(_) | Event::Progress(_) => {}
        }
        self.next.event(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(epsilon: f64) -> Cost {
        Cost { epsilon: Some(epsilon), delta: 1e-6, unit: "record", explanation: format!("epsilon {epsilon}") }
    }

    #[test]
    fn a_recorder_collects_warnings_and_costs_of_all_threads() {
        let recorder = Recorder::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    recorder.begin(Activity::Reading, "reading");
                    recorder.warn(WarningCode::LostInNoise, "little is left");
                    recorder.event(&Event::Cost(&cost(1.0)));
                });
            }
        });
        assert_eq!((recorder.warnings().len(), recorder.costs().len()), (4, 4));
        assert_eq!(recorder.warnings()[0].message, "little is left");
    }

    #[test]
    fn a_recorder_passes_all_events_on() {
        let outer = Recorder::default();
        let inner = Recorder::before(&outer);
        inner.warn(WarningCode::UnsuitedTexts, "one");
        inner.event(&Event::Cost(&cost(2.0)));
        assert_eq!((outer.warnings(), outer.costs()), (inner.warnings(), vec![cost(2.0)]));
    }
}
