//! The command line, one file a subcommand.
//!
//! Data goes to standard output, everything else to standard error. Exit 0: done; 1: refused; 2: wrong usage or failure; 130: interrupted.

mod anonymize;
mod attack;
mod audit;
mod budget;
mod check;
mod compare;
mod completions;
mod demo;
mod demo_story;
mod entities;
mod environment;
mod evaluate;
mod generalize;
mod interrupt;
mod judging;
mod ledger;
mod model;
mod progress;
mod reading;
mod reproduce;
mod reproduce_adept;
mod reproduce_dpvg;
mod reproduce_er_ae;
mod reproduce_ete_anon;
mod risk;
mod synthesize;
mod tokenize;
mod train;
mod train_adept;
mod train_basis;
mod train_entities;
mod train_ete_anon;
mod train_fluent;
mod train_rlta;
mod vocabulary;

use allonym::Failure;
use clap::{CommandFactory, Parser, Subcommand};
use interrupt::{INTERRUPTED, Interrupt};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  allonym anonymize reviews.csv -o released.csv        release the column `text` of a file
  allonym generalize notes.csv -o general.csv --k 5    replace names by what many share
  allonym synthesize --data r.csv --epsilon 1 --delta 1e-5 --out s.csv    new texts like those of a file
  allonym anonymize --dry-run reviews.csv              what would pass, and what it would cost
  printf 'Was it good?\\n' | allonym tokenize           tokens with their places
  allonym evaluate --original reviews.csv --released released.csv --report report.html
  allonym risk --reference colleagues.csv letter.txt    would I be known by this?
  allonym demo --authors 20 --texts 50 --out demo.csv  a corpus to try things on

Flags of `anonymize` can also be given in the environment (--max-tokens: ALLONYM_MAX_TOKENS).
Exit status: 0 done, 1 refused, 2 wrong usage or failure, 130 interrupted.";

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
    Generalize(Box<generalize::Generalize>),
    Synthesize(Box<synthesize::Synthesize>),
    Train(train::Train),
    Budget(Box<budget::Budget>),
    Compare(compare::Compare),
    Audit(audit::Audit),
    Attack(Box<attack::Attack>),
    Evaluate(Box<evaluate::Evaluate>),
    Check(Box<check::Check>),
    Risk(risk::Risk),
    Reproduce(reproduce::Reproduce),
    Tokenize(tokenize::Tokenize),
    Entities(entities::Entities),
    Vocabulary(vocabulary::MakeVocabulary),
    Demo(demo::MakeDemo),
    Ledger(ledger::KeepLedger),
    Completions(completions::Completions),
}

/// Parses the command line and runs the subcommand.
pub(crate) fn main() -> ExitCode {
    keep_panics_quiet();
    if let Err(failure) = environment::check(&Cli::command()) {
        return report(&failure);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let interrupt = &Interrupt::install();
    let outcome = std::panic::catch_unwind(|| match cli.command {
        Command::Anonymize(command) => command.run(interrupt),
        Command::Generalize(command) => command.run(interrupt),
        Command::Synthesize(command) => command.run(interrupt),
        Command::Train(command) => command.run(interrupt),
        Command::Budget(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Audit(command) => command.run(),
        Command::Attack(command) => command.run(interrupt),
        Command::Evaluate(command) => command.run(interrupt),
        Command::Check(command) => command.run(interrupt),
        Command::Risk(command) => command.run(interrupt),
        Command::Reproduce(command) => command.run(interrupt),
        Command::Tokenize(command) => command.run(),
        Command::Entities(command) => command.run(),
        Command::Vocabulary(command) => command.run(),
        Command::Demo(command) => command.run(),
        Command::Ledger(command) => command.run(),
        Command::Completions(command) => command.run(),
    });
    match outcome {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => report(&failure),
        Err(_) => ExitCode::from(2), // the hook has spoken
    }
}

fn report(failure: &Failure) -> ExitCode {
    if failure.broken_pipe {
        // `allonym .. | head` has what it wanted.
        return ExitCode::SUCCESS;
    }
    tell(&format!("{failure}\n"));
    ExitCode::from(match failure {
        Failure { interrupted: true, .. } => INTERRUPTED,
        Failure { refused: true, .. } => 1,
        _ => 2,
    })
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
        tell(&format!("{text}\n"));
    } else {
        let words = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok());
        let asked = words.into_iter().find(|word| Cli::command().find_subcommand(word).is_some());
        let help = asked.map_or("allonym --help".to_owned(), |subcommand| format!("allonym {subcommand} --help"));
        tell(&format!("{text}\n\nhint: see `{help}`\n"));
    }
    ExitCode::from(2)
}

/// Refuses `--mechanism`, which was renamed.
fn renamed_to_method(value: &str) -> Result<String, String> {
    Err(format!("`--mechanism` is now `--method`: write `--method {value}`"))
}

/// Writes to standard error. If nobody can hear, there is nobody to tell.
fn tell(text: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Says where a bug struck, and not what it struck: a panic's own message may quote a text.
fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or("an unknown place".to_owned(), |l| format!("{}:{}", l.file(), l.line()));
        tell(&format!(
            "error: internal error at {place}\n\nhint: the output is not complete; please report the place\n"
        ));
    }));
}

/// A value as JSON for people.
fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|_| Failure::new("no JSON can be made of this", "please report this"))?;
    Ok(format!("{text}\n"))
}

/// Writes a value as JSON to standard output.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json(value)?)
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
