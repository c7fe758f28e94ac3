//! How well an attacker did: accuracy, macro F1, AUC and top-5, each with an interval and with what blind guessing reaches.

mod area;
mod bootstrap;
mod judged;

pub use area::{area_under_curve, found_at};
pub use bootstrap::{Interval, RESAMPLES, resampled};
pub use judged::{Judged, Measures, f1_of_classes};
