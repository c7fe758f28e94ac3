//! `allonym anonymize`: releases the text column of a file.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::dp::Length;
use allonym::io::{Compression, Format, Output, is_stream};
use allonym::method::registry::{self, METHODS};
use allonym::{Failure, Form, Settings, Summary};
use clap::Args;
use clap::builder::{BoolishValueParser, PossibleValuesParser};
use serde::Serialize;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  allonym anonymize reviews.csv -o released.csv
  allonym anonymize notes.parquet -o out.parquet --text-column note --drop ward,date --shuffle
  allonym anonymize letters/ --format files -o released/
  gunzip -c posts.jsonl.gz | allonym anonymize --format jsonl > released.jsonl
  allonym anonymize reviews.csv -o out.csv --method two-set --total 20 --ledger reviews.ledger
  allonym anonymize reviews.csv -o out.csv --model model --method subset --epsilon 8 --explain private.jsonl
  allonym anonymize --config released.csv.run.toml

Flags win over ALLONYM_.. variables, which win over the --config file.";

/// Release the texts of a file; other columns pass untouched
///
/// Reads records, draws a new text for each by the chosen mechanism, and writes the same format. What is not
/// protected, and what the release costs, is printed at the end (and before anything is done with --dry-run).
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Anonymize {
    #[command(flatten)]
    flags: Flags,

    /// A file with settings, as written beside every release
    #[arg(long, env = "ALLONYM_CONFIG", hide_env = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Read everything, say what would be done and what it would cost, and write nothing
    #[arg(long, env = "ALLONYM_DRY_RUN", hide_env = true)]
    dry_run: bool,

    /// Print the summary as JSON (to standard output when the release goes to a file)
    #[arg(long, env = "ALLONYM_JSON", hide_env = true)]
    json: bool,

    /// Show the first originals beside their releases, for their owner's eyes
    #[arg(long, env = "ALLONYM_SHOW", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "3", value_name = "N", conflicts_with_all = ["dry_run", "json"])]
    show: Option<usize>,

    /// Do not write the settings beside the release (FILE.run.toml)
    #[arg(long, env = "ALLONYM_NO_RUN_FILE", hide_env = true)]
    no_run_file: bool,
}

/// The flags that are settings. Each is absent unless given, so that the next source can speak.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Flags {
    /// The file to read: .csv, .tsv, .jsonl, .parquet, .txt, also with .gz or .zst; `-` is standard input
    #[arg(env = "ALLONYM_INPUT", hide_env = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<PathBuf>,

    /// The file to write; `-` is standard output
    #[arg(short, long, env = "ALLONYM_OUTPUT", hide_env = true, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<PathBuf>,

    /// The format, if the name does not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long, env = "ALLONYM_FORMAT", hide_env = true, value_parser = format_parser())]
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,

    /// The column that holds the text [default: text]
    #[arg(long, env = "ALLONYM_TEXT_COLUMN", hide_env = true, value_name = "NAME", help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    text_column: Option<String>,

    /// The column that names the record [default: id]
    #[arg(long, env = "ALLONYM_ID_COLUMN", hide_env = true, value_name = "NAME", help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    id_column: Option<String>,

    /// The column that names the author; it stays behind [default: author]
    #[arg(long, env = "ALLONYM_AUTHOR_COLUMN", hide_env = true, value_name = "NAME", help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    author_column: Option<String>,

    /// The column that holds a label [default: label]
    #[arg(long, env = "ALLONYM_LABEL_COLUMN", hide_env = true, value_name = "NAME", help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    label_column: Option<String>,

    /// Let the author's column pass: `--keep author`
    #[arg(
        long,
        env = "ALLONYM_KEEP",
        hide_env = true,
        value_delimiter = ',',
        value_name = "NAME",
        help_heading = "Columns"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keep: Vec<String>,

    /// Leave these columns behind too
    #[arg(
        long,
        env = "ALLONYM_DROP",
        hide_env = true,
        value_delimiter = ',',
        value_name = "NAMES",
        help_heading = "Columns"
    )]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drop: Vec<String>,

    /// The CSV or TSV file has no header; its columns are named 1, 2, ..
    #[arg(long, env = "ALLONYM_NO_HEADER", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL", hide_possible_values = true, help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    no_header: Option<bool>,

    /// What stands between two cells of a CSV file [default: a comma]
    #[arg(long, env = "ALLONYM_DELIMITER", hide_env = true, value_name = "CHAR", help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,

    /// Write the rows in random order: their order can give an author away
    #[arg(long, env = "ALLONYM_SHUFFLE", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL", hide_possible_values = true, help_heading = "Columns")]
    #[serde(skip_serializing_if = "Option::is_none")]
    shuffle: Option<bool>,

    #[arg(long, env = "ALLONYM_METHOD", hide_env = true, value_parser = method_parser(), hide_possible_values = true, value_name = "NAME", help = method_help(), help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,

    #[arg(long, env = "ALLONYM_MECHANISM", hide = true, value_parser = super::renamed_to_method)]
    #[serde(skip)]
    mechanism: Option<String>,

    /// The mechanism's own parameter, as its paper defines it
    #[arg(long, env = "ALLONYM_EPSILON", hide_env = true, value_name = "E", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,

    /// The true loss of a token, instead
    #[arg(long, env = "ALLONYM_EPSILON_PER_TOKEN", hide_env = true, value_name = "E", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon_per_token: Option<f64>,

    /// The total loss that a record may cost, instead: the mechanism is set to use it up
    #[arg(long, env = "ALLONYM_TOTAL", hide_env = true, value_name = "E", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<f64>,

    /// The probability with which the total may be larger; 0 is pure composition [default: 0]
    #[arg(long, env = "ALLONYM_DELTA", hide_env = true, value_name = "D", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,

    /// two-set: draws that form the candidate set [default: 5]
    #[arg(long, env = "ALLONYM_CANDIDATES", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,

    /// subset, band: how many tokens count as good [default: 5, 1]
    #[arg(long, env = "ALLONYM_GOOD", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    good: Option<usize>,

    /// clipped-logit, floored, metric: where scores are clipped [default: 10, epsilon, 1]
    #[arg(long, env = "ALLONYM_CLIP", hide_env = true, value_name = "X", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<f64>,

    /// fluent: the part of what is expected that is the same for every token [default: 0.05]
    #[arg(long, env = "ALLONYM_UNIFORM", hide_env = true, value_name = "X", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    uniform: Option<f64>,

    /// fluent: how many times e^-epsilon of what is expected may be preferred at once [default: e^(epsilon/4)]
    #[arg(long, env = "ALLONYM_ROOM", hide_env = true, value_name = "X", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<f64>,

    /// What becomes of the length: `fixed` hides it, `private` draws one near it at a loss of its own, `public` keeps it
    /// [default: fixed]
    #[arg(long, env = "ALLONYM_LENGTH", hide_env = true, value_parser = length_parser(), hide_possible_values = true, help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<String>,

    /// With `--length private`: how many lengths there are to choose from [default: 10]
    #[arg(long, env = "ALLONYM_LENGTH_BUCKETS", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    length_buckets: Option<u32>,

    /// With `--length private`: the loss of choosing one [default: 4.4]
    #[arg(long, env = "ALLONYM_LENGTH_EPSILON", hide_env = true, value_name = "E", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    length_epsilon: Option<f64>,

    /// The most tokens of a record that are drawn; the rest of a longer text is left out [default: 50]
    #[arg(long, env = "ALLONYM_MAX_TOKENS", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<usize>,

    /// A model's directory, as `allonym train` writes it, which proposes the tokens [default: the text's own words]
    #[arg(long, env = "ALLONYM_MODEL", hide_env = true, value_name = "DIR", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<PathBuf>,

    /// Word vectors (GloVe or word2vec text, also .gz, or safetensors): words near the original are proposed
    #[arg(long, env = "ALLONYM_EMBEDDINGS", hide_env = true, value_name = "FILE", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<PathBuf>,

    /// In which form texts are released: `text`, or `vector`, counts of words as JSON, without their order [default: text]
    #[arg(long, env = "ALLONYM_FORM", hide_env = true, value_parser = form_parser(), hide_possible_values = true, help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<String>,

    /// Accept a model that was trained on private texts without protection; it may repeat them
    #[arg(long, env = "ALLONYM_ALLOW_PRIVATE_MODEL", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL", hide_possible_values = true, help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_private_model: Option<bool>,

    /// Write, for the owner of the originals only, the best candidates of every token and what was drawn
    #[arg(long, env = "ALLONYM_EXPLAIN", hide_env = true, value_name = "FILE", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<PathBuf>,

    /// A vocabulary file [default: the model's, or the English list of the program]
    #[arg(long, env = "ALLONYM_VOCABULARY", hide_env = true, value_name = "FILE", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary: Option<PathBuf>,

    /// Use only this many of the most frequent words [default: all]
    #[arg(long, env = "ALLONYM_VOCABULARY_SIZE", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary_size: Option<usize>,

    /// Accept a vocabulary that was counted from private texts; its words leak
    #[arg(long, env = "ALLONYM_ALLOW_PRIVATE_VOCABULARY", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL", hide_possible_values = true, help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_private_vocabulary: Option<bool>,

    /// Repeatable randomness for tests and papers: the release is then NOT private
    #[arg(long, env = "ALLONYM_SEED", hide_env = true, value_name = "N", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,

    /// Reserve the price of every record in this ledger before anything is drawn; over a limit nothing is released
    #[arg(long, env = "ALLONYM_LEDGER", hide_env = true, value_name = "FILE", help_heading = "Privacy")]
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<PathBuf>,

    /// Worker threads [default: one a core]
    #[arg(long, env = "ALLONYM_THREADS", hide_env = true, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<usize>,

    /// Let the output replace the input
    #[arg(long, env = "ALLONYM_IN_PLACE", hide_env = true, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new(), value_name = "BOOL", hide_possible_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    in_place: Option<bool>,

    /// The largest record, in MiB [default: 256]
    #[arg(long, env = "ALLONYM_MAX_RECORD_MIB", hide_env = true, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_record_mib: Option<usize>,
}

pub(super) fn format_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
}

fn length_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Length::ALL.map(Length::name))
}

fn form_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Form::ALL.map(Form::name))
}

fn method_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(METHODS.iter().map(|entry| entry.name))
}

fn method_help() -> String {
    let mut help = "The method [default: fluent, at a loss of 8 per token if none is given]".to_owned();
    for entry in METHODS.iter() {
        help.push_str(&format!("\n  {}: {}", entry.name, entry.summary));
    }
    help
}

impl Anonymize {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let settings = settings(&self.flags, self.config.as_deref())?;
        if self.config.as_deref().is_some_and(|config| allonym::io::same_file(config, &settings.output)) {
            return Err(Failure::refusal("the output is the settings file", "choose another output"));
        }
        let checked = settings.check()?;
        if self.show.is_some() {
            allonym::check_showable(&checked)?;
        }
        if checked.settings().ledger.is_some() && !self.dry_run {
            interrupt.advise("no half-written file was left behind; the input is as it was; what the ledger had reserved by then stays spent");
        }
        let terminal = Terminal::new(Lines::NowAndThen);
        let release = if self.dry_run { allonym::dry_run } else { allonym::run };
        let mut summary = release(&checked, &terminal, interrupt.token())?;
        drop(terminal);
        // The release stands, and its cost must be reported: what happens to the files beside it is a warning.
        let beside = match (self.dry_run, self.no_run_file) {
            (true, _) => Ok(()),
            (false, false) => write_run_file(checked.settings())
                .map_err(|failure| format!("the settings were not written beside the release: {}", failure.message)),
            (false, true) => remove_run_file(checked.settings()),
        };
        let pairs = self.show.map(|count| allonym::shown(&checked, count));
        let pairs = pairs.transpose().map_err(|failure| format!("nothing can be shown: {}", failure.message));
        summary.warnings.extend(beside.err());
        summary.warnings.extend(pairs.as_ref().err().cloned());
        self.tell(&summary)?;
        if let Ok(Some(pairs)) = pairs {
            side_by_side(&pairs.for_terminal_or_private_file());
        }
        Ok(())
    }

    fn tell(&self, summary: &Summary) -> Result<(), Failure> {
        if !self.json {
            super::tell(&summary.to_string());
            return Ok(());
        }
        if summary.output == "-" && !summary.dry_run {
            super::tell(&super::json(summary)?);
            return Ok(());
        }
        super::print_json(summary)
    }
}

/// Originals on the left, releases on the right, on standard error: they are not part of the release.
fn side_by_side(pairs: &[allonym::Pair]) {
    const HALF: usize = 56;
    let mut text = format!("\n{:HALF$}    released\n", "original (for you alone)");
    for pair in pairs {
        let [left, right] = [&pair.original, &pair.released].map(|text| wrapped(text, HALF));
        for line in 0..left.len().max(right.len()) {
            let of = |side: &[String]| side.get(line).cloned().unwrap_or_default();
            text.push_str(format!("{:HALF$}    {}", of(&left), of(&right)).trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    super::tell(&text);
}

/// A text in lines of at most so many characters, without anything that a terminal would take for a command.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control()).take(width).collect();
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        match lines.last_mut() {
            Some(line) if last == 0 => line.push_str(&word),
            Some(line) if last + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// Settings from flags and environment, then from the file, then the defaults.
fn settings(flags: &Flags, config: Option<&Path>) -> Result<Settings, Failure> {
    let mut table = match config {
        Some(path) => read_config(path)?,
        None => toml::Table::new(),
    };
    let given = toml::Table::try_from(flags).map_err(|_| {
        Failure::new("a flag cannot stand in a settings file", "paths must be UTF-8, numbers below 2^63")
    })?;
    // Files of 0.1 say `mechanism`.
    if let Some(method) = table.remove("mechanism") {
        table.insert("method".to_owned(), method);
    }
    // What a file leaves behind stays behind: flags add to the list.
    let from_file = table.get("drop").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    table.extend(given);
    if let Some(drop) = table.get_mut("drop").and_then(toml::Value::as_array_mut) {
        let more: Vec<toml::Value> = from_file.into_iter().filter(|column| !drop.contains(column)).collect();
        drop.extend(more);
    }
    table.try_into().map_err(|error: toml::de::Error| {
        let source = config.map_or("the flags".to_owned(), |path| path.display().to_string());
        Failure::new(
            format!("{source}: {}", error.message()),
            "the keys are the names of the flags, without dashes in front",
        )
    })
}

fn read_config(path: &Path) -> Result<toml::Table, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::reading("the settings", path, &error))?;
    let table: toml::Table = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        Failure::new(
            format!("{} line {line}: {}", path.display(), error.message()),
            "settings files are TOML: `key = value`",
        )
    })?;
    // The whole file is checked by itself, so that a flag cannot hide a mistake in it.
    let settings = toml::from_str::<Settings>(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        let hint = "the keys are the names of the flags, without dashes in front";
        Failure::new(format!("{} line {line}: {}", path.display(), error.message()), hint)
    })?;
    if let Some(key) = registry::unknown_setting(&settings.method) {
        let line =
            text.lines().position(|line| line.split('=').next().map(str::trim) == Some(key)).map_or(1, |line| line + 1);
        let hint = "the keys are the names of the flags, without dashes in front";
        return Err(Failure::new(format!("{} line {line}: unknown setting `{key}`", path.display()), hint));
    }
    registry::find(&settings.method.name)?
        .check(&settings.method)
        .map_err(|failure| Failure { message: format!("{}: {}", path.display(), failure.message), ..failure })?;
    Ok(table)
}

/// The first line of a settings file, by which it is known again.
const RUN_FILE_BEGINS: &str =
    "# How the release beside this file was made; repeat it with `allonym anonymize --config`.\n";

/// Puts the settings beside the release, so that the run can be repeated.
pub(super) fn write_run_file(settings: &Settings) -> Result<(), Failure> {
    let regular = std::fs::metadata(&settings.output).is_ok_and(|metadata| metadata.is_file() || metadata.is_dir());
    if is_stream(&settings.output) || !regular {
        return Ok(());
    }
    let Some(path) = settings.run_file() else { return Ok(()) };
    if std::fs::read(&path).is_ok_and(|there| !there.starts_with(RUN_FILE_BEGINS.as_bytes())) {
        let message = format!("{} is there already and was not written by Allonym", path.display());
        return Err(Failure::refusal(message, "pass `--no-run-file`, or move it away"));
    }
    let text = toml::to_string(settings)
        .map_err(|_| Failure::new("the settings cannot be written as TOML", "pass `--no-run-file`"))?;
    let mut file = Output::create(&path, Compression::None)?;
    file.write(RUN_FILE_BEGINS.as_bytes())?;
    file.write(b"# For you, not for publication: it names your files.\n")?;
    file.write(text.as_bytes())?;
    Ok(file.finish()?)
}

/// Takes away the settings of an earlier release of this name: they would tell its price beside another release.
fn remove_run_file(settings: &Settings) -> Result<(), String> {
    if let Some(path) = settings.run_file()
        && !is_stream(&settings.output)
        && std::fs::read(&path).is_ok_and(|there| there.starts_with(RUN_FILE_BEGINS.as_bytes()))
        && std::fs::remove_file(&path).is_err()
    {
        return Err(format!("{} is of an earlier release and could not be removed", path.display()));
    }
    Ok(())
}
