//! The training loop, plain and private, for every model.
//!
//! A [`Model`] says how the losses of some examples are computed; the loop does the rest: batches, steps, learning rates, validation, metrics,
//! checkpoints, and what is promised at the end. A run can be stopped at any step and gone on with. All that is drawn is a
//! function of the seed and the number of the step, so with a seed and on one thread a resumed run ends with the same bits
//! as one that was never stopped. A private run without a seed draws from a key that is never written down, and from
//! a new one when it is resumed.
//!
//! # What private training shows
//!
//! Parameters, what the optimiser remembers, and numbers of steps: all computed from noised sums. The losses of a private run are exact, so they are
//! neither reported nor recorded unless the owner asks (`owner-only`); nor is the size of a batch or the number of its tokens. Private
//! validation data is refused. A gradient that is no number counts as none, and stops nothing.

mod account;
mod metrics;
mod model;
mod resume;
mod run;
mod schedule;
mod settings;
mod step;
#[cfg(test)]
mod tests;
mod trainer;

pub use account::protection;
pub use model::{Data, Examples, Model, Standing};
pub use run::{Ended, Outcome, Run, train};
pub use schedule::{Decay, Schedule};
pub use settings::{Plan, TrainingSettings};
