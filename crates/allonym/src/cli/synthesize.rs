//! `allonym synthesize`: new texts like private ones.

use super::train_basis::{Left, conduct};
use allonym::Failure;
use allonym::io::Format;
use allonym::synthesis::{Method, Names, SynthesisSettings, Synthesized, synthesize};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym synthesize --data reviews.csv --label-column label --epsilon 1 --delta 1e-5 --count 5000 --out synthetic.csv
  allonym synthesize --data notes.jsonl --epsilon 4 --delta 1e-6 --count 1000 --out synthetic.jsonl --names public
  allonym synthesize --data reviews.csv --label-column label --epsilon 1 --delta 1e-5 --count 5000 --out synthetic.csv --resume

The program's public language model is tuned to the texts of each label with noise (DP-Adam), and then writes new texts. From epsilon it plans the
noise; the price is shown before the first step. Interrupted training goes on with --resume, and the price stays what was announced.";

/// Write new texts like those of a file, at one price for each of its records
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Synthesize {
    /// The file with the private texts
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The file to write: .csv or .jsonl, also with .gz or .zst
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// What a record may cost in all, when one is added or removed
    #[arg(long, value_name = "E", required_unless_present = "not_private")]
    epsilon: Option<f64>,

    /// tuned: the chance that the price does not hold; below 1 over the number of records
    #[arg(long, value_name = "D")]
    delta: Option<f64>,

    /// Train without noise, to compare with; what is written is as private as the texts
    #[arg(long, conflicts_with_all = ["epsilon", "delta"])]
    not_private: bool,

    /// How many texts to write, of all labels together
    #[arg(long, default_value_t = 1000, value_name = "N")]
    count: usize,

    /// The column that holds the label; a model is trained for each
    #[arg(long, value_name = "NAME")]
    label_column: Option<String>,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

    /// The format of the data, if the name does not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long)]
    format: Option<Format>,

    /// What writes
    #[arg(long, value_enum, default_value_t = MethodFlag::Tuned)]
    method: MethodFlag,

    /// What becomes of names before anything is learned
    #[arg(long, value_enum, default_value_t = NamesFlag::Stay)]
    names: NamesFlag,

    /// The most tokens of a text that are learned, and written
    #[arg(long, default_value_t = 100, value_name = "N")]
    max_tokens: usize,

    /// tuned: steps of training [default: 100]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// tuned: texts in a step, on average [default: one in 32 of a label's, from 32 to 512]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,

    /// tuned: the largest norm of one text's gradient [default: 5]
    #[arg(long, value_name = "X")]
    clip: Option<f64>,

    /// tuned: the learning rate [default: 0.01]
    #[arg(long, value_name = "X")]
    rate: Option<f64>,

    /// tuned: the rank of what is learned: more learns more, and is drowned sooner [default: 8]
    #[arg(long, value_name = "N")]
    rank: Option<usize>,

    /// tuned: below 1, texts are more usual; above, less [default: 1]
    #[arg(long, value_name = "X")]
    temperature: Option<f64>,

    /// The directory in which training is kept [default: the output's name with .training]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,

    /// Go on with training that was interrupted
    #[arg(long)]
    resume: bool,

    /// Draw the same again, for experiments; not private
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,

    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodFlag {
    /// The program's public language model, tuned to the texts with noise
    Tuned,
    /// Words by their noisy shares, in no order: a floor to compare with
    Unigram,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NamesFlag {
    /// They stay: the noise alone protects them
    Stay,
    /// They are generalised by public knowledge first, record by record, at no price
    Public,
}

impl Synthesize {
    pub(super) fn run(self) -> Result<(), Failure> {
        self.check_read()?;
        let usual = SynthesisSettings::default();
        let work = self.work.unwrap_or_else(|| {
            let mut name = self.out.clone().into_os_string();
            name.push(".training");
            name.into()
        });
        let settings = SynthesisSettings {
            data: self.data,
            out: self.out,
            work,
            format: self.format,
            text_column: self.text_column,
            label_column: self.label_column,
            epsilon: self.epsilon,
            delta: self.delta.unwrap_or(usual.delta),
            count: self.count,
            max_tokens: self.max_tokens,
            method: match self.method {
                MethodFlag::Tuned => Method::Tuned,
                MethodFlag::Unigram => Method::Unigram,
            },
            names: match self.names {
                NamesFlag::Stay => Names::Stay,
                NamesFlag::Public => Names::Public,
            },
            steps: self.steps.unwrap_or(usual.steps),
            batch: self.batch,
            clip: self.clip.unwrap_or(usual.clip),
            rate: self.rate.unwrap_or(usual.rate),
            rank: self.rank.unwrap_or(usual.rank),
            temperature: self.temperature.unwrap_or(usual.temperature),
            seed: self.seed,
            threads: self.threads,
            resume: self.resume,
        };
        conduct(&settings.out, self.json, |stop, progress| synthesize(&settings, stop, progress))
    }
}

impl Synthesize {
    /// An option that would do nothing is a mistake, and one that decides what is promised has no default.
    fn check_read(&self) -> Result<(), Failure> {
        let tuned = matches!(self.method, MethodFlag::Tuned);
        if tuned && self.epsilon.is_some() && self.delta.is_none() {
            return Err(Failure::new("`--delta` is missing", "a tenth of 1 over the number of records is usual"));
        }
        let own = [
            ("delta", self.delta.is_some()),
            ("steps", self.steps.is_some()),
            ("batch", self.batch.is_some()),
            ("clip", self.clip.is_some()),
            ("rate", self.rate.is_some()),
            ("rank", self.rank.is_some()),
            ("temperature", self.temperature.is_some()),
            ("work", self.work.is_some()),
            ("resume", self.resume),
        ];
        match own.iter().find(|(_, given)| *given && !tuned) {
            None => Ok(()),
            Some((flag, _)) => {
                let message = format!("`--{flag}` means nothing for `--method unigram`");
                Err(Failure::new(message, "leave it out: words are counted once, with noise"))
            }
        }
    }
}

impl Left for Synthesized {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let Some(statement) = &self.statement else {
            return "\nstopped: go on with the same command and `--resume`\n".to_owned();
        };
        if self.plans.is_empty() {
            return format!("{} texts of words by their noisy shares written to {out}\n{statement}", self.written);
        }
        let records: usize = self.plans.iter().map(|plan| plan.records).sum();
        format!(
            "{} texts written to {out}, by {} trained on {records} records ({} numbers learned each)\n{statement}",
            self.written,
            if self.plans.len() == 1 { "a model".to_owned() } else { format!("{} models", self.plans.len()) },
            self.trained
        )
    }
}
