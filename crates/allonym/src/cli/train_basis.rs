//! Flags that the training of every model has.

use super::anonymize::format_parser;
use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::io::is_stream;
use allonym::nn::Protection;
use allonym::nn::optimiser::PrivateSettings;
use allonym::training::Basis;
use allonym::{CancelToken, Failure, Observer, Recorder};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(super) struct BasisFlags {
    /// The file with the texts
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The directory to write the model into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Declare the texts public: anybody may see them
    #[arg(long)]
    public: bool,

    /// Train with noise on gradients: `noise=1.0,clip=1.0,delta=1e-6`
    #[arg(long, value_parser = private_parser, value_name = "SETTINGS")]
    private: Option<PrivateSettings>,

    /// The format, if the name does not tell
    #[arg(long, value_parser = format_parser(), hide_possible_values = true)]
    format: Option<String>,

    /// The CSV or TSV file has no header; its columns are named 1, 2, ..
    #[arg(long)]
    no_header: bool,

    /// What stands between two cells of a CSV file [default: a comma]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<char>,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

    /// The column that names the author: each is split 70/10/20
    #[arg(long, default_value = "author", value_name = "NAME")]
    author_column: String,

    /// A public vocabulary file [default: the English list of the program]
    #[arg(long, value_name = "FILE")]
    vocabulary: Option<PathBuf>,

    /// How many of its words [default: the preset's]
    #[arg(long, value_name = "N")]
    vocabulary_size: Option<usize>,

    /// The most tokens that are encoded together [default: 50; for ete-anon 20]
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,

    /// Texts in a step [default: the preset's]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,

    /// The learning rate [default: the preset's]
    #[arg(long, value_name = "X")]
    rate: Option<f64>,

    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,

    /// The seed of the split, and of a run without noise on gradients
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Reserve the privacy loss of every record in this ledger before the first step: with --private that of an exchanged record, the larger one; without, it is unbounded
    #[arg(long, env = "ALLONYM_LEDGER", hide_env = true, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// --ledger: the column that names the record [default: id]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    id_column: Option<String>,

    /// Go on with a run that was stopped; its loss is not reserved again
    #[arg(long)]
    resume: bool,
}

impl BasisFlags {
    /// The settings that they stand for; so many tokens are encoded together unless others are asked for.
    pub(super) fn settings(self, usual_tokens: usize) -> Result<Basis, Failure> {
        Ok(Basis {
            format: self.format.as_deref().map(super::judging::format_of).transpose()?,
            data: self.data,
            out: self.out,
            public: self.public,
            private: self.private,
            no_header: self.no_header,
            delimiter: self.delimiter,
            text_column: self.text_column,
            author_column: self.author_column,
            vocabulary: self.vocabulary,
            vocabulary_size: self.vocabulary_size,
            max_tokens: self.max_tokens.unwrap_or(usual_tokens),
            batch: self.batch,
            rate: self.rate,
            threads: self.threads,
            seed: self.seed,
            ledger: self.ledger,
            id_column: self.id_column,
            resume: self.resume,
        })
    }
}

/// Names of presets.
pub(super) fn preset_parser(names: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// What presets there are.
pub(super) fn preset_help(presets: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    let mut help = "The size of the network".to_owned();
    for (name, about) in presets {
        help.push_str(&format!("\n  {name}: {about}"));
    }
    help
}

fn private_parser(text: &str) -> Result<PrivateSettings, String> {
    let mut settings =
        PrivateSettings { noise: f64::NAN, clip: f64::NAN, delta: f64::NAN, owner_only: false, beside: None };
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or("write it as `noise=1.0,clip=1.0,delta=1e-6`")?;
        let value: f64 = value.trim().parse().map_err(|_| format!("`{value}` is no number"))?;
        match name.trim() {
            "noise" => settings.noise = value,
            "clip" => settings.clip = value,
            "delta" => settings.delta = value,
            other => return Err(format!("there is no `{other}`: noise, clip and delta are asked for")),
        }
    }
    for (name, value) in [("noise", settings.noise), ("clip", settings.clip), ("delta", settings.delta)] {
        if value.is_nan() {
            return Err(format!("`{name}` is missing: each of noise, clip and delta decides what is promised"));
        }
    }
    Ok(settings)
}

/// What a training run leaves, as the commands print it.
pub(super) trait Left: serde::Serialize {
    /// Whether it was stopped before its end.
    fn stopped(&self) -> bool;
    /// For people; `out` is the directory.
    fn told(&self, out: &str) -> String;
}

/// What is left, and all warnings.
#[derive(Serialize)]
struct WithWarnings<'a, L> {
    #[serde(flatten)]
    left: &'a L,
    warnings: Vec<String>,
}

/// Trains with progress until the end or an interruption, and prints what is left. A run that was stopped has made a checkpoint, and is no success.
pub(super) fn conduct<L: Left>(
    out: &Path,
    json: bool,
    interrupt: &Interrupt,
    train: impl FnOnce(&dyn Observer, &CancelToken) -> Result<L, Failure>,
) -> Result<(), Failure> {
    interrupt.advise("go on with the same command and `--resume`, or begin again if nothing was kept");
    let terminal = Terminal::new(Lines::EveryStage);
    let recorder = Recorder::before(&terminal);
    let left = train(&recorder, interrupt.token())?;
    let warnings = recorder.warnings().into_iter().map(|warning| warning.message).collect();
    drop(terminal);
    let told = if json {
        super::json(&WithWarnings { left: &left, warnings })?
    } else {
        left.told(&out.display().to_string())
    };
    // Where texts go to standard output, it has nothing else.
    if is_stream(out) {
        super::tell(&told);
    } else {
        super::print(&told)?;
    }
    if left.stopped() {
        return Err(Failure::interrupted("go on with the same command and `--resume`"));
    }
    Ok(())
}

/// What a run of one stage is told to have left: where it stopped, or its steps and what is promised, then what was measured, then how to use it.
pub(super) fn one_stage(
    kind: &str,
    (steps, stopped): (u64, bool),
    guarantee: Option<&Protection>,
    (out, command): (&str, &str),
    measured: &str,
) -> String {
    if stopped {
        return format!("\nstopped after {steps} steps: go on with `--resume` ({out})\n");
    }
    let mut text = format!("\n{kind} after {steps} steps\n");
    if let Some(guarantee) = guarantee {
        text.push_str(&format!("  training texts: {}\n", super::model::protection(guarantee)));
    }
    text + measured + &how_to_use(command, guarantee, PUBLIC_OR_PRIVATE)
}

/// What to do instead, where a model could have been trained with noise, and where it could not.
pub(super) const PUBLIC_OR_PRIVATE: &str = "`--public` declares texts public, `--private` adds noise";
pub(super) const PUBLIC_ALONE: &str =
    "an agent cannot be trained with noise: train on texts that are public, and say so with `--public`";

/// How to use a model, where it may be used.
pub(super) fn how_to_use(command: &str, guarantee: Option<&Protection>, instead: &str) -> String {
    match guarantee {
        Some(guarantee) if !guarantee.holds() => format!(
            "\nnot for use: it was trained on private texts without protection, and may repeat them; {instead}\n"
        ),
        _ => format!("\nuse it: {command}\n"),
    }
}
