//! `allonym completions`: completion scripts for shells.

use super::{Cli, print};
use allonym::Failure;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

const AFTER_HELP: &str = "\
Examples:
  allonym completions bash > ~/.local/share/bash-completion/completions/allonym
  allonym completions fish > ~/.config/fish/completions/allonym.fish";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "allonym", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
