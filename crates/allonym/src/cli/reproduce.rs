//! `allonym reproduce`: measures what a paper measured.

use super::interrupt::Interrupt;
use super::reproduce_adept::{self, Adept};
use super::reproduce_dpvg::{self, Dpvg};
use super::reproduce_er_ae::{self, ErAe};
use super::reproduce_ete_anon::{self, EteAnon};
use allonym::Failure;
use clap::{Args, Subcommand};

/// Measure again what a paper measured, with bounds that hold
#[derive(Debug, Args)]
pub(super) struct Reproduce {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, Subcommand)]
enum Paper {
    /// ER-AE (NAACL 2021, and its first version): similarity, attacks and change of style for every system and epsilon
    #[command(after_help = reproduce_er_ae::AFTER_HELP)]
    ErAe(Box<ErAe>),
    /// ADePT (EACL 2021): intents and membership from texts whose latent vectors were noised
    #[command(after_help = reproduce_adept::AFTER_HELP)]
    Adept(Box<Adept>),
    /// DPvG (2021): what classifiers learn from synthetic texts, who can be found in them, and what one record changes
    #[command(after_help = reproduce_dpvg::AFTER_HELP)]
    Dpvg(Box<Dpvg>),
    /// ETE-Anon (2021): authors and sentiments in texts that agents changed, with and without them
    #[command(after_help = reproduce_ete_anon::AFTER_HELP)]
    EteAnon(Box<EteAnon>),
}

impl Reproduce {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        match self.paper {
            Paper::ErAe(command) => command.run(interrupt),
            Paper::Adept(command) => command.run(interrupt),
            Paper::Dpvg(command) => command.run(interrupt),
            Paper::EteAnon(command) => command.run(interrupt),
        }
    }
}
