//! `allonym synthesize`: new texts like private ones.

use super::interrupt::Interrupt;
use super::train_basis::{Left, conduct};
use allonym::Failure;
use allonym::io::{Format, is_stream};
use allonym::synthesis::{Method, Names, SynthesisSettings, Synthesized, synthesize};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym synthesize --data reviews.csv --label-column label --epsilon 1 --delta 1e-5 --count 5000 --out synthetic.csv
  allonym synthesize --data reviews.csv --label-column label --epsilon 1 --delta 1e-5 --out synthetic.csv --dry-run
  allonym synthesize --data notes.jsonl --epsilon 4 --delta 1e-6 --count 1000 --out synthetic.jsonl --names public
  allonym synthesize --data reviews.csv --label-column label --epsilon 1 --delta 1e-5 --count 5000 --out synthetic.csv --resume

The words of each label's texts are counted once with noise, and the program's public language model is fitted to them; the rest of the price tunes it to their order (DP-Adam).
Then it writes new texts; a file of that name is replaced. From epsilon it plans the noise; the price is shown before anything is counted. Interrupted training goes on with --resume, and the price stays what was announced.";

/// Write new texts like those of a file, at one price for each of its records
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Synthesize {
    /// The file with the private texts
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The file to write: .csv or .jsonl, also with .gz or .zst; - is standard output, as JSON Lines
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// What a record may cost in all, when one is added or removed
    #[arg(long, value_name = "E", required_unless_present = "not_private")]
    epsilon: Option<f64>,

    /// tuned, lstm: the chance that the price does not hold; below 1 over the number of records
    #[arg(long, value_name = "D")]
    delta: Option<f64>,

    /// Train without noise, to compare with; what is written is as private as the texts
    #[arg(long, conflicts_with_all = ["epsilon", "delta"])]
    not_private: bool,

    /// How many texts to write: equally many of each label, whatever their shares are
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

    /// tuned: another public language model, the directory that `train fluent` wrote. It must not have been trained on these texts [default: the program's]
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,

    /// What becomes of names before anything is learned
    #[arg(long, value_enum, default_value_t = NamesFlag::Stay)]
    names: NamesFlag,

    /// --names k-anonymous: how many records must share what is said for a name [default: 5]
    #[arg(long, value_name = "K")]
    k: Option<u32>,

    /// The most tokens of a text that are learned, and written
    #[arg(long, default_value_t = 100, value_name = "N")]
    max_tokens: usize,

    /// tuned, lstm: the share of the price spent on which words there are; the rest goes into how they follow each other [default: 0.8, lstm 0.1]
    #[arg(long, value_name = "SHARE")]
    words: Option<f64>,

    /// tuned, lstm: steps of training [default: 50, lstm 150]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// tuned, lstm: texts in a step, on average [default: one in 64 of a label's, from 32 to 512; lstm 64]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,

    /// tuned, lstm: the largest norm of one text's gradient [default: 5, lstm 1]
    #[arg(long, value_name = "X")]
    clip: Option<f64>,

    /// tuned, lstm: the learning rate [default: 0.01]
    #[arg(long, value_name = "X")]
    rate: Option<f64>,

    /// tuned: the rank of what is learned: more learns more, and is drowned sooner [default: 8]
    #[arg(long, value_name = "N")]
    rank: Option<usize>,

    /// lstm: its cells, and the numbers of a word [default: 64]
    #[arg(long, value_name = "N")]
    cells: Option<usize>,

    /// lstm: how many words it knows, the first of the public list [default: 5000]
    #[arg(long, value_name = "N")]
    lstm_words: Option<usize>,

    /// tuned, lstm: below 1, texts are more usual; above, less [default: 1]
    #[arg(long, value_name = "X")]
    temperature: Option<f64>,

    /// Tell the price and what is promised; count, train and write nothing
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,

    /// The directory in which training is kept [default: the output's name with .training]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,

    /// Reserve the privacy loss of every record in this ledger before anything is counted or trained; over a limit nothing is written
    #[arg(long, env = "ALLONYM_LEDGER", hide_env = true, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// --ledger: the column that names the record [default: id]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    id_column: Option<String>,

    /// --ledger: the column that names the author [default: author]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    author_column: Option<String>,

    /// Go on with training that was interrupted; its loss is not reserved again
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
    /// An LSTM encoder-decoder trained from nothing, as in DPvG
    Lstm,
    /// Words by their noisy shares, in no order: a floor to compare with
    Unigram,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NamesFlag {
    /// They stay: the noise alone protects them
    Stay,
    /// They are generalised by public knowledge first, record by record, at no price
    Public,
    /// They are generalised until k records share what is said, as in DPvG; the price is then not that of a record
    KAnonymous,
}

impl Synthesize {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        self.check_read()?;
        let usual = SynthesisSettings::default();
        let learns = !matches!(self.method, MethodFlag::Unigram);
        if is_stream(&self.out) && self.work.is_none() && learns {
            let message = "texts go to standard output, so the directory of the training has no name";
            return Err(Failure::new(message, "name one with `--work DIR`"));
        }
        let kept = learns.then(|| self.work.clone()).flatten();
        let work = kept.unwrap_or_else(|| {
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
                MethodFlag::Lstm => Method::Lstm,
                MethodFlag::Unigram => Method::Unigram,
            },
            model: self.model,
            names: match self.names {
                NamesFlag::Stay => Names::Stay,
                NamesFlag::Public => Names::Public,
                NamesFlag::KAnonymous => Names::KAnonymous,
            },
            k: self.k.unwrap_or(usual.k),
            words: self.words,
            steps: self.steps,
            batch: self.batch,
            clip: self.clip,
            rate: self.rate,
            rank: self.rank.unwrap_or(usual.rank),
            cells: self.cells.unwrap_or(usual.cells),
            lstm_words: self.lstm_words.unwrap_or(usual.lstm_words),
            temperature: self.temperature.unwrap_or(usual.temperature),
            seed: self.seed,
            threads: self.threads,
            ledger: self.ledger,
            id_column: self.id_column,
            author_column: self.author_column,
            resume: self.resume,
            dry_run: self.dry_run,
        };
        conduct(&settings.out, self.json, interrupt, |observer, cancel| synthesize(&settings, observer, cancel))
    }
}

impl Synthesize {
    /// An option that would do nothing is a mistake, and one that decides what is promised has no default.
    fn check_read(&self) -> Result<(), Failure> {
        let (tuned, lstm) = (matches!(self.method, MethodFlag::Tuned), matches!(self.method, MethodFlag::Lstm));
        let learns = tuned || lstm;
        if learns && self.epsilon.is_some() && self.delta.is_none() {
            return Err(Failure::new("`--delta` is missing", "a tenth of 1 over the number of records is usual"));
        }
        if self.k.is_some() && !matches!(self.names, NamesFlag::KAnonymous) {
            return Err(Failure::new("`--k` means nothing here", "give `--names k-anonymous` too"));
        }
        let between = self.words.is_some_and(|share| share > 0.0 && share < 1.0);
        if self.not_private && (self.clip.is_some() || between) {
            let flag = if between { "words" } else { "clip" };
            let message = format!(
                "`--{flag}` means nothing with `--not-private`: there is no price to share, and nothing is clipped"
            );
            return Err(Failure::new(message, "leave it out; `--words 0` or `--words 1` leave out a part"));
        }
        let steps = learns && self.words != Some(1.0);
        let own = [
            ("delta", self.delta.is_some(), learns),
            ("model", self.model.is_some(), tuned),
            ("words", self.words.is_some(), learns),
            ("steps", self.steps.is_some(), steps),
            ("batch", self.batch.is_some(), steps),
            ("clip", self.clip.is_some(), steps),
            ("rate", self.rate.is_some(), steps),
            ("rank", self.rank.is_some(), steps && tuned),
            ("cells", self.cells.is_some(), lstm),
            ("lstm-words", self.lstm_words.is_some(), lstm),
            ("temperature", self.temperature.is_some(), learns),
            ("work", self.work.is_some(), learns),
            ("resume", self.resume, learns),
        ];
        let Some((flag, ..)) = own.iter().find(|(_, given, read)| *given && !read) else { return Ok(()) };
        Err(match self.method {
            MethodFlag::Unigram => {
                let message = format!("`--{flag}` means nothing for `--method unigram`");
                Failure::new(message, "leave it out: words are counted once, with noise")
            }
            _ if learns && !steps => Failure::new(
                format!("`--{flag}` means nothing with `--words 1`"),
                "leave it out: nothing is left for training",
            ),
            _ => Failure::new(format!("`--{flag}` means nothing for this method"), "see `allonym synthesize --help`"),
        })
    }
}

impl Left for Synthesized {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let ledger = self.ledger.as_ref().map_or_else(String::new, |reserved| format!("{reserved}\n"));
        let Some(guarantee) = &self.guarantee else {
            return format!("\nstopped: go on with the same command and `--resume`\n{ledger}");
        };
        if self.written == 0 {
            return format!("nothing was counted, trained or written\n{ledger}{guarantee}");
        }
        if self.plans.is_empty() {
            let texts = format!("{} texts of words by their noisy shares written to {out}", self.written);
            return format!("{texts}\n{ledger}{guarantee}");
        }
        let records: usize = self.plans.iter().map(|plan| plan.records).sum();
        let by = if self.plans.len() == 1 { "a model".to_owned() } else { format!("{} models", self.plans.len()) };
        let trained = match self.trained {
            0 => String::new(),
            trained => format!(" ({trained} numbers trained each)"),
        };
        let kept = self.kept.as_ref().map_or_else(String::new, |kept| {
            format!("the training is kept in {}, for you alone: other texts can be written with `--resume` at no price, into a file of another name (--out) if these are to stay\n", kept.display())
        });
        format!(
            "{} texts written to {out}, by {by} of {records} records{trained}\n{kept}{ledger}{guarantee}",
            self.written
        )
    }
}
