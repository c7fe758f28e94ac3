//! `allonym reproduce`: what the papers measured, measured again.

use super::reproduce_er_ae::{AFTER_HELP, ErAe};
use allonym::Failure;
use clap::{Args, Subcommand};

/// Measure again what a paper measured
#[derive(Debug, Args)]
pub(super) struct Reproduce {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, Subcommand)]
enum Paper {
    /// ER-AE: similarity, attacks and change of style for every system and epsilon of its papers
    #[command(after_help = AFTER_HELP)]
    ErAe(Box<ErAe>),
}

impl Reproduce {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.paper {
            Paper::ErAe(command) => command.run(),
        }
    }
}
