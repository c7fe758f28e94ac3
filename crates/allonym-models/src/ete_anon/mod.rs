//! ETE-Anon (Bale, Klement and Hamsioglu 2021): an auto-encoder of short sequences, and an agent that changes its context.
//!
//! A recurrent encoder reads a sequence of at most twenty words; what its layers hold then, the context, is where the decoder begins to write. An agent
//! changes numbers of the context so that what is written tells less of its author to an attacker and as much of its sentiment to an analyst.
//! Nothing of this is a guarantee: it is measured.

mod actions;
mod agent;
mod auto_encoder;
mod content;
mod decode;
mod expected;
mod files;
mod judge;
mod model;
mod moves;
mod network;
mod noised;
mod policy;
mod progressed;
mod q_learning;
mod q_network;
mod q_settings;
mod q_steps;
mod replay;
mod reward;
mod settings;
mod shaping;
mod slopes;
mod state;
#[cfg(test)]
mod tests;
mod world;

pub use actions::Ranges;
pub use agent::{Agent, AgentSettings, Learner};
pub use auto_encoder::{AutoEncoder, Text};
pub use decode::Reconstruction;
pub use judge::{Chance, Judge, JudgedClass};
pub use model::{Aim, EteAnon, Measured};
pub use moves::Moves;
pub use policy::{PolicyAgent, PolicySettings};
pub use progressed::Progressed;
pub use q_learning::QAgent;
pub use q_settings::QSettings;
pub use reward::{Judges, Reward, Subject};
pub use settings::{AutoEncoderSettings, PRESETS, Preset, Sizes};
pub use world::{TextWorld, World};
