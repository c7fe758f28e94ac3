//! `allonym generalize`: names replaced by what many share.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use super::{print_json, tell};
use allonym::entities::{GeneralizeSettings, Generalized, Mode, generalize};
use allonym::io::Format;
use allonym::{Failure, Settings};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym generalize notes.csv -o general.csv --k 5
  allonym generalize notes.csv -o general.csv --mode public --least-people 100000
  allonym generalize notes.csv -o general.csv --mode private --epsilon 0.5 --delta 1e-6
  allonym generalize notes.csv -o general.csv --entities presidio.jsonl --places our_places.csv

People: full name, initials, *. Places: city, region, country, somewhere. Organisations: name, kind, an organisation. Addresses and numbers that are
found are never said, dates by month or year. Everything else in a text passes as it is: this protects names, and not who wrote.";

/// Replace names by what many share (k-anonymity of names; not differential privacy of texts)
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Generalize {
    /// The file or directory to read
    input: PathBuf,

    /// Where the result goes; `-` is standard output
    #[arg(short, long, default_value = "-")]
    output: PathBuf,

    /// How it is decided what is said for a name
    #[arg(long, value_enum, default_value_t = ModeFlag::KAnonymous)]
    mode: ModeFlag,

    /// k-anonymous, private: how many records must share a form [default: 5]
    #[arg(long, value_name = "N")]
    k: Option<u32>,

    /// private: what the noisy counts may cost
    #[arg(long, value_name = "E", required_if_eq("mode", "private"))]
    epsilon: Option<f64>,

    /// private: the chance with which a name of one record may be said all the same
    #[arg(long, value_name = "D", required_if_eq("mode", "private"))]
    delta: Option<f64>,

    /// private: for how many names a record counts [default: 4]
    #[arg(long, value_name = "N")]
    names_each: Option<u32>,

    /// public: places with fewer people are not said [default: 100000]
    #[arg(long, value_name = "N")]
    least_people: Option<u64>,

    /// public: leave people their initials instead of a star
    #[arg(long)]
    initials: bool,

    /// k-anonymous: look in every record for names that were found in another
    #[arg(long)]
    across: bool,

    /// A hierarchy of places of your own, instead of the program's: CSV, each name lying in the next; with a head that ends in `people`, the last column is their number
    #[arg(long, value_name = "FILE")]
    places: Option<PathBuf>,

    /// A hierarchy of organisations
    #[arg(long, value_name = "FILE")]
    organisations: Option<PathBuf>,

    /// A tagger that `allonym train entities` wrote
    #[arg(long, value_name = "DIR", conflicts_with = "entities")]
    tagger: Option<PathBuf>,

    /// What another tool has found, instead of the tagger: a line of JSON for each record (entity_type, start and end in characters, as Presidio writes them); addresses and numbers are looked for all the same
    #[arg(long, value_name = "FILE")]
    entities: Option<PathBuf>,

    /// Take more for a name or less; at 1 some of what is taken is none, and less is missed than at 0
    #[arg(long, default_value_t = GeneralizeSettings::default().eagerness, value_name = "X", allow_hyphen_values = true, conflicts_with = "entities")]
    eagerness: f32,

    /// The format, if the name does not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long)]
    format: Option<Format>,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

    /// The column that names the author; it stays behind
    #[arg(long, default_value = "author", value_name = "NAME")]
    author_column: String,

    /// Reserve the privacy loss of every record in this ledger before anything is decided; over a limit nothing is written
    #[arg(long, env = "ALLONYM_LEDGER", hide_env = true, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// --ledger: the column that names the record [default: id]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    id_column: Option<String>,

    /// Let the author's column pass
    #[arg(long, value_name = "NAME")]
    keep: Vec<String>,

    /// Leave a column behind
    #[arg(long, value_name = "NAME")]
    drop: Vec<String>,

    /// The first row of a CSV or TSV file is no header; columns are named 1, 2, ..
    #[arg(long)]
    no_header: bool,

    /// What stands between two cells of a CSV file
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<char>,

    /// Let the output replace the input
    #[arg(long)]
    in_place: bool,

    /// private: draw the same noise again; not private
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeFlag {
    /// Until every form stands in at least k records
    KAnonymous,
    /// By public knowledge alone; costs nothing
    Public,
    /// Until about k records share a form, counted with noise; costs epsilon and delta
    Private,
}

impl Generalize {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let mode = match self.mode {
            ModeFlag::KAnonymous => Mode::KAnonymous,
            ModeFlag::Public => Mode::Public,
            ModeFlag::Private => Mode::Private,
        };
        self.check_read(mode)?;
        let files = Settings {
            input: self.input,
            output: self.output,
            format: self.format,
            text_column: self.text_column,
            author_column: self.author_column,
            id_column: self.id_column.unwrap_or_else(|| Settings::default().id_column),
            ledger: self.ledger,
            keep: self.keep,
            drop: self.drop,
            no_header: self.no_header,
            delimiter: self.delimiter,
            in_place: self.in_place,
            seed: self.seed,
            ..Settings::default()
        };
        let usual = GeneralizeSettings::default();
        let settings = GeneralizeSettings {
            files,
            mode,
            k: self.k.unwrap_or(usual.k),
            epsilon: self.epsilon.unwrap_or_default(),
            delta: self.delta.unwrap_or_default(),
            names_each: self.names_each.unwrap_or(usual.names_each),
            least_people: self.least_people.unwrap_or(usual.least_people),
            initials: self.initials,
            places: self.places,
            organisations: self.organisations,
            tagger: self.tagger,
            entities: self.entities,
            eagerness: self.eagerness,
            across: self.across,
        };
        let terminal = Terminal::new(Lines::NowAndThen);
        let done = generalize(&settings, &terminal, interrupt.token())?;
        drop(terminal);
        if !self.json {
            tell(&told(&done));
            return Ok(());
        }
        if allonym::io::is_stream(&settings.files.output) {
            tell(&super::json(&done)?);
            return Ok(());
        }
        print_json(&done)
    }

    /// An option that would do nothing is a mistake.
    fn check_read(&self, mode: Mode) -> Result<(), Failure> {
        let unread = [
            ("epsilon", self.epsilon.is_some() && mode != Mode::Private),
            ("delta", self.delta.is_some() && mode != Mode::Private),
            ("seed", self.seed.is_some() && mode != Mode::Private),
            ("names-each", self.names_each.is_some() && mode != Mode::Private),
            ("initials", self.initials && mode != Mode::Public),
            ("least-people", self.least_people.is_some() && mode != Mode::Public),
            ("k", self.k.is_some() && mode == Mode::Public),
        ];
        match unread.iter().find(|(_, unread)| *unread) {
            None => Ok(()),
            Some((flag, _)) => {
                let message = format!("`--{flag}` means nothing in mode `{}`", mode.name());
                Err(Failure::new(message, "leave it out, or choose another `--mode`"))
            }
        }
    }
}

/// Forms that are listed.
const LISTED: usize = 12;

fn told(done: &Generalized) -> String {
    let mut text = String::new();
    let kinds: Vec<String> = done.found.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let found = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
    // Writing to a String does not fail.
    let _ = writeln!(text, "{} records; names and numbers found: {found}", done.records);
    for warning in &done.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    if let Some(reserved) = &done.ledger {
        let _ = writeln!(text, "{reserved}");
        reserved.warnings().iter().for_each(|warning| {
            let _ = writeln!(text, "warning: {warning}");
        });
    }
    let _ = write!(text, "{}", done.guarantee);
    if !done.carried.is_empty() {
        let _ = writeln!(text, "columns that pass untouched: {}", done.carried.join(", "));
    }
    let _ = writeln!(text, "forms and the records that share them (exact counts, for you alone)");
    for (form, count) in done.shared.iter().take(LISTED) {
        let _ = writeln!(text, "  {count:>8}  {form}");
    }
    if done.shared.len() > LISTED {
        let _ = writeln!(text, "  and {} more; `--json` lists all", done.shared.len() - LISTED);
    }
    let _ = writeln!(text, "  {:>8}  records in which a name was left out altogether", done.removed);
    text
}
