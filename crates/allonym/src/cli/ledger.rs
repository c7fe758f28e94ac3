//! `allonym ledger`: makes a privacy ledger, shows it, checks it, and sets its limits.

use super::{print, print_json};
use allonym::Failure;
use allonym::io::Key;
use allonym::ledger::{Amount, Hash, Ledger, LedgerError, Limit, Limits, Loss, Scope, Spent, Summary, Unbounded};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  allonym ledger create reviews.ledger
  allonym ledger limit reviews.ledger --record-epsilon 20 --author-epsilon 100
  allonym ledger show reviews.ledger --author 'Anna Berg'
  allonym ledger verify reviews.ledger --head \"$(cat head.txt)\"

The file is for its owner. It holds no names, but whoever has it can test guesses.";

/// Keep a ledger of what was spent for each record and each author
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct KeepLedger {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Create(Create),
    Show(Show),
    Verify(Verify),
    Limit(SetLimit),
}

impl KeepLedger {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Create(action) => action.run(),
            Action::Show(action) => action.run(),
            Action::Verify(action) => action.run(),
            Action::Limit(action) => action.run(),
        }
    }
}

const AFTER_CREATE: &str = "\
Example:
  allonym ledger create reviews.ledger --name 'reviews 2026'

A new ledger has no limits: it records and never refuses. Set some with `allonym ledger limit`.";

/// Make a new ledger, readable by you only
#[derive(Debug, Args)]
#[command(after_help = AFTER_CREATE)]
struct Create {
    /// The file to make; it must not exist
    file: PathBuf,

    /// What the ledger is called in messages [default: the file's name without its ending]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

impl Create {
    fn run(self) -> Result<(), Failure> {
        let stem = || self.file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = self.name.clone().or_else(stem).unwrap_or_else(|| "ledger".to_owned());
        let ledger = Ledger::create(&self.file, &name)?;
        eprintln!("created the ledger `{}` in {}", ledger.name(), self.file.display());
        eprintln!("it has no limits yet: it records and never refuses (see `allonym ledger limit --help`)");
        Ok(())
    }
}

const AFTER_SHOW: &str = "\
Examples:
  allonym ledger show reviews.ledger
  allonym ledger show reviews.ledger --record 4711 --author 'Anna Berg' --json

Keep the head somewhere else: `allonym ledger verify --head` can then tell whether the ledger has
forgotten something.";

/// Show limits and what was spent
#[derive(Debug, Args)]
#[command(after_help = AFTER_SHOW)]
struct Show {
    /// The ledger
    file: PathBuf,

    /// Show what was spent for the record with this id
    #[arg(long, value_name = "ID")]
    record: Option<String>,

    /// Show what was spent for this author
    #[arg(long, value_name = "NAME")]
    author: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `show` prints as JSON.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Spent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Spent>,
}

impl Show {
    fn run(self) -> Result<(), Failure> {
        let ledger = Ledger::open(&self.file)?;
        let record =
            self.record.as_ref().map(|id| ledger.spent_record(&Key::name(id).unwrap_or_default())).transpose()?;
        let author =
            self.author.as_ref().map(|name| ledger.spent_author(&Key::name(name).unwrap_or_default())).transpose()?;
        let shown = Shown { summary: ledger.summary()?, record, author };
        if self.json { print_json(&shown) } else { print(&shown.text()) }
    }
}

impl Shown {
    fn text(&self) -> String {
        let Summary { name, entries, records, authors, limits, head, .. } = &self.summary;
        let mut out = String::new();
        // Writing to a String does not fail.
        let _ = writeln!(out, "ledger         {name}");
        let _ = writeln!(out, "entries        {entries}");
        let _ = writeln!(out, "records        {records}");
        let _ = writeln!(out, "authors        {authors}");
        let _ = writeln!(out, "record limit   {}", limit_text(limits.record));
        let _ = writeln!(out, "author limit   {}", limit_text(limits.author));
        let _ = writeln!(out, "record spent   {}", at_most(self.summary.largest_record));
        let _ = writeln!(out, "author spent   {}", at_most(self.summary.largest_author));
        if self.summary.unbounded.any() {
            let Unbounded { records, authors } = self.summary.unbounded;
            let _ = writeln!(
                out,
                "unbounded      {records} records and {authors} authors: this ledger bounds nothing for them"
            );
        }
        let _ = writeln!(out, "head           {head}");
        for (what, spent) in [("this record", self.record), ("this author", self.author)] {
            if let Some(Spent { amount, lines }) = spent {
                let _ = match lines {
                    0 => writeln!(out, "{what}    nothing was spent"),
                    1 => writeln!(out, "{what}    {amount}, once"),
                    lines => writeln!(out, "{what}    {amount}, in {lines} parts"),
                };
            }
        }
        out
    }
}

fn at_most(loss: Loss) -> String {
    if loss.is_unbounded() { loss.to_string() } else { format!("{loss} at most") }
}

fn limit_text(limit: Option<Amount>) -> String {
    limit.map_or("none: recorded, never refused".to_owned(), |limit| limit.to_string())
}

const AFTER_VERIFY: &str = "\
Examples:
  allonym ledger verify reviews.ledger
  allonym ledger verify reviews.ledger --head \"$(cat head.txt)\" --json

Finds damage and changes within the file. Somebody who rewrites the whole file can rewrite its
hashes too, and a backup has forgotten what came later: only a head that was kept elsewhere shows
that. Exit status 1 when something is broken.";

/// Check every entry, line and balance
#[derive(Debug, Args)]
#[command(after_help = AFTER_VERIFY)]
struct Verify {
    /// The ledger
    file: PathBuf,

    /// A head that `ledger show` printed earlier: the ledger must contain it
    #[arg(long, value_name = "HASH")]
    head: Option<Hash>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Verify {
    fn run(self) -> Result<(), Failure> {
        let ledger = Ledger::open(&self.file).map_err(|error| {
            // Damage is what was looked for, and is found.
            let refused = matches!(error, LedgerError::Damaged { .. });
            Failure { refused, ..error.into() }
        })?;
        let verification = ledger.verify(self.head.as_ref())?;
        if self.json {
            print_json(&verification)?;
        }
        if let Some(broken) = verification.broken {
            let message = format!("{} is broken: {broken}", self.file.display());
            return Err(Failure::refusal(
                message,
                "keep the file, take a backup, and count what was released since then as spent",
            ));
        }
        if self.json {
            return Ok(());
        }
        let (entries, lines) = (verification.entries, verification.lines);
        let unbounded = match verification.unbounded {
            0 => String::new(),
            count => format!("unbounded: {count} of the entries have no bound on the privacy loss\n"),
        };
        print(&format!("good: {entries} entries, {lines} lines\n{unbounded}head: {}\n", verification.head))
    }
}

const AFTER_LIMIT: &str = "\
Examples:
  allonym ledger limit reviews.ledger --record-epsilon 20 --author-epsilon 100
  allonym ledger limit reviews.ledger --record-delta 1e-6

Losses add up: a release is refused when the sum of any of its records, or of any author, would
pass the limit. What is not given stays as it is; the delta of a first limit is 0. Each change is
an entry of the ledger.";

/// Set how much may be spent for each record and each author
#[derive(Debug, Args)]
#[command(after_help = AFTER_LIMIT, override_usage = "allonym ledger limit [OPTIONS] <FILE>")]
struct SetLimit {
    /// The ledger
    file: PathBuf,

    #[command(flatten)]
    given: Given,
}

/// The limits of which at least one must be given.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct Given {
    /// The most epsilon for each record
    #[arg(long, env = "ALLONYM_RECORD_EPSILON", hide_env = true, value_name = "EPSILON")]
    record_epsilon: Option<f64>,

    /// The most delta for each record
    #[arg(long, env = "ALLONYM_RECORD_DELTA", hide_env = true, value_name = "DELTA")]
    record_delta: Option<f64>,

    /// The most epsilon for each author, over all records
    #[arg(long, env = "ALLONYM_AUTHOR_EPSILON", hide_env = true, value_name = "EPSILON")]
    author_epsilon: Option<f64>,

    /// The most delta for each author, over all records
    #[arg(long, env = "ALLONYM_AUTHOR_DELTA", hide_env = true, value_name = "DELTA")]
    author_delta: Option<f64>,
}

impl SetLimit {
    fn run(self) -> Result<(), Failure> {
        let mut ledger = Ledger::open(&self.file)?;
        let before = ledger.limits()?;
        let given = [
            (Scope::Record, self.given.record_epsilon, self.given.record_delta),
            (Scope::Author, self.given.author_epsilon, self.given.author_delta),
        ];
        let limits: Vec<Limit> =
            given.into_iter().filter_map(|given| merged(&before, given)).collect::<Result<_, _>>()?;
        // All are checked before the first is written.
        limits.iter().try_for_each(|limit| Amount::allowed(limit.epsilon, limit.delta).map(|_| ()))?;
        limits.into_iter().try_for_each(|limit| ledger.set_limit(limit))?;
        tell(&self.file, &ledger.limits()?);
        Ok(())
    }
}

/// The limit of a scope from what is given and what there is; nothing, when nothing is given.
fn merged(before: &Limits, given: (Scope, Option<f64>, Option<f64>)) -> Option<Result<Limit, Failure>> {
    let (scope, epsilon, delta) = given;
    if epsilon.is_none() && delta.is_none() {
        return None;
    }
    let before = before.of(scope);
    let Some(epsilon) = epsilon.or(before.map(Amount::epsilon)) else {
        let message = format!("there is no limit of epsilon for each {scope} that `--{scope}-delta` could be added to");
        return Some(Err(Failure::new(message, format!("give `--{scope}-epsilon` too"))));
    };
    let delta = delta.or(before.map(Amount::delta)).unwrap_or(0.0);
    Some(Ok(Limit { scope, epsilon, delta }))
}

fn tell(file: &Path, limits: &Limits) {
    eprintln!("limits of {}", file.display());
    for scope in Scope::ALL {
        eprintln!("  each {scope}: {}", limit_text(limits.of(scope)));
    }
}
