//! What the papers measured, measured again: on their kind of data, with bounds that hold.
//!
//! The data stays where it is: these functions read it, and write figures.

mod adept;
mod adept_report;
mod classifier;
mod curves;
mod dpvg;
mod dpvg_figures;
mod dpvg_report;
mod er_ae;
mod er_ae_report;
mod ete_anon;
mod ete_anon_report;
mod examples;
mod intents;
mod polarity;
mod systems;

pub use adept::{AdeptReproduction, reproduce_adept};
pub use adept_report::{AdeptFigures, AutoEncoder, DataSet, Row};
pub use classifier::{IntentClassifier, Membership, membership_of};
pub use curves::{Curve, Point};
pub use dpvg::{Advantage, Difference, DpvgFigures, DpvgReproduction, SystemRow, reproduce_dpvg};
pub use dpvg_figures::{Heat, LossPoint};
pub use er_ae::{AttackRow, ErAeFigures, ErAeReproduction, TableRow, reproduce_er_ae};
pub use er_ae_report::markdown;
pub use ete_anon::{EteAnonFigures, EteAnonReproduction, EteAnonRow, reproduce_ete_anon};
pub use examples::{Candidates, Examples, Good};
pub use intents::{Intents, Part};
pub use polarity::{CLASSIFIERS, Polarity};
