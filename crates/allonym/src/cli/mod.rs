//! The command line, one file a subcommand.
//!
//! Data goes to standard output, everything else to standard error. Exit 0: done; 1: refused; 2: wrong usage or failure.

mod anonymize;
mod completions;
mod demo;
mod environment;
mod progress;
mod tokenize;
mod vocabulary;

use allonym::Failure;
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  allonym anonymize reviews.csv -o released.csv        release the column `text` of a file
  allonym anonymize --dry-run reviews.csv              what would pass, and what it would cost
  printf 'Was it good?\\n' | allonym tokenize           tokens with their places
  allonym demo --authors 20 --texts 50 --out demo.csv  a corpus to try things on

Every flag can also be given as ALLONYM_FLAG in the environment (--max-tokens: ALLONYM_MAX_TOKENS).
Exit status: 0 done, 1 refused, 2 wrong usage or failure.";

/// Release text without releasing its author.
#[derive(Debug, Parser)]
#[command(name = "allonym", version, after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Anonymize(Box<anonymize::Anonymize>),
    Tokenize(tokenize::Tokenize),
    Vocabulary(vocabulary::MakeVocabulary),
    Demo(demo::MakeDemo),
    Completions(completions::Completions),
}

/// Parses the command line and runs the subcommand.
pub(crate) fn main() -> ExitCode {
    if let Err(failure) = environment::check(&Cli::command()) {
        return report(&failure);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = match cli.command {
        Command::Anonymize(command) => command.run(),
        Command::Tokenize(command) => command.run(),
        Command::Vocabulary(command) => command.run(),
        Command::Demo(command) => command.run(),
        Command::Completions(command) => command.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn report(failure: &Failure) -> ExitCode {
    if failure.broken_pipe {
        // `allonym .. | head` has what it wanted.
        return ExitCode::SUCCESS;
    }
    eprintln!("{failure}");
    ExitCode::from(if failure.refused { 1 } else { 2 })
}

/// Prints help and version as they are, and usage errors with a hint in our form.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help that nobody reads to its end is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let text = text.split("\nFor more information").next().unwrap_or(&text).trim_end();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprintln!("{text}");
    } else {
        let asked = std::env::args().find(|word| Cli::command().find_subcommand(word).is_some());
        let help = asked.map_or("allonym --help".to_owned(), |subcommand| format!("allonym {subcommand} --help"));
        eprintln!("{text}\n\nhint: see `{help}`");
    }
    ExitCode::from(2)
}

/// Writes text to standard output; a reader that has gone away is not an error worth a message.
fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        let broken_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        let failure = Failure::new(format!("cannot write standard output: {}", error.kind()), "check where it leads");
        Failure { broken_pipe, ..failure }
    })
}
