//! Training models on a file: which records, which stages, and what is left in the model's directory.
//!
//! ```text
//! OUT/er-ae/      the model: parameters, words, vectors, card          (`anonymize --model OUT`)
//! OUT/ae-dp/      the same before the embedding reward                 (`anonymize --model OUT/ae-dp`)
//! OUT/adept/      a model of `train adept`
//! OUT/auto-encoder/  the first part of `train ete-anon`
//! OUT/ete-anon/   with its agent
//! OUT/rlta/       a model of `train rlta`
//! OUT/fluent/     a model of `train fluent`
//! OUT/training/   checkpoints and losses of all stages: for its owner
//! OUT/settings.toml, OUT/report.json
//! ```

mod adept;
mod adept_settings;
mod basis;
mod directory;
mod er_ae;
mod er_ae_settings;
pub(crate) mod ete_anon;
mod fluent;
mod fluent_settings;
mod parts;
mod rlta;
mod stage;

pub(crate) use basis::{WITHHELD, threads_or_cores};
pub(crate) use directory::{begin, check_out, owners_alone};

pub use adept::{AdeptReport, train_adept};
pub use adept_settings::AdeptTraining;
pub use basis::Basis;
pub use er_ae::{Report, StageReport, train_er_ae};
pub use er_ae_settings::ErAeTraining;
pub use ete_anon::{EteAnonReport, EteAnonTraining, Found, FoundIn, Learned, Right, train_ete_anon};
pub use fluent::{FluentReport, train_fluent};
pub use fluent_settings::FluentTraining;
pub use parts::{Parts, Shares};
pub use rlta::{OfVectors, RltaReport, RltaRow, RltaTraining, train_rlta};
