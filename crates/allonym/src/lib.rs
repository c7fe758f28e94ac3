//! Release text without releasing its author.
//!
//! This is the facade: [`Settings`] describe a run completely, [`Pipeline`] turns original texts into released ones
//! on all cores, and [`run`] carries a file through it. The program `allonym`, and later the server and
//! the bindings, call the same functions.
#![forbid(unsafe_code)]

mod bundled;
pub mod conformance;
mod corpus;
pub mod demo;
pub mod entities;
pub mod evaluation;
mod explain;
mod failure;
pub mod method;
mod owner;
mod pipeline;
pub mod reproduce;
mod reserve;
mod resumable;
mod run;
mod settings;
mod shown;
mod spending;
mod suits;
mod summary;
pub mod synthesis;
pub mod training;

pub use bundled::bundled_model;
pub use failure::Failure;
pub use method::{Form, Method, MethodSettings};
pub use pipeline::Pipeline;

pub use run::{dry_run, run};
pub use settings::{Checked, Settings};
pub use shown::{Pair, check_showable, shown};
pub use spending::{Accounting, Reserved};
pub use summary::{Roles, Summary};

pub use allonym_dp as dp;
pub use allonym_entities as names;
pub use allonym_eval as eval;
pub use allonym_io as io;
pub use allonym_ledger as ledger;
pub use allonym_models as models;
pub use allonym_nn as nn;
pub use allonym_text as text;
pub use allonym_text::{
    Activity, CancelToken, Cancelled, Cost, Event, Observer, Prefixed, Progress, Recorder, Silent, Stage,
    TrainingDetails, Unit, Warning, WarningCode,
};
