//! What is to be synthesised.

use crate::failure::Failure;
use crate::spending::check_ledger;
use crate::training::threads_or_cores;
use allonym_io::{Format, is_stream, same_file};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What becomes of names before anything is learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// They stay: the noise alone protects them.
    #[default]
    Stay,
    /// They are generalised by public knowledge, record by record, at no price.
    Public,
    /// They are generalised until k records share what is said, as DPvG does. It depends on all records, so the price is no longer that of a record.
    KAnonymous,
}

/// What writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A public language model that is tuned to the texts.
    #[default]
    Tuned,
    /// An LSTM encoder-decoder that is trained from nothing, as in DPvG.
    Lstm,
    /// Words by their noisy shares, in no order: a floor to compare with.
    Unigram,
}

/// Settings of a synthesis.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SynthesisSettings {
    /// The file with the private texts.
    pub data: PathBuf,
    /// The file to write: CSV or JSON Lines.
    pub out: PathBuf,
    /// The directory in which the training is kept, so that it can go on. It is the owner's: a hash of the data stands in it, by which a guess could be checked.
    pub work: PathBuf,
    /// The format of the data, where its name does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// The column that holds the text. Default `text`.
    pub text_column: String,
    /// The column that holds the label; without one, all texts are of one kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_column: Option<String>,
    /// The whole price of a record, when one is added or removed. None trains without protection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// The chance that the price does not hold.
    pub delta: f64,
    /// How many texts are written, of all labels together.
    pub count: usize,
    /// The most tokens that are learned of a text, and written. Default 100.
    pub max_tokens: usize,
    /// What writes. Default a tuned language model.
    pub method: Method,
    /// The directory of the public language model that is tuned, as `train fluent` writes it. Default: the one that comes with the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<PathBuf>,
    /// What becomes of names first.
    pub names: Names,
    /// How many records must share what is said for a name, where names are to be k-anonymous. Default 5.
    pub k: u32,
    /// The share of the price that is spent on which words there are; the rest goes into how they follow each other. Default: the method's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<f64>,
    /// Steps of training. Default: the method's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Texts in a step, on average. Default: for a tuned model a part in 64 of a label's texts, from 32 to 512; for an LSTM 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The largest norm of one text's gradient. Default: the method's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// The learning rate. Default: the method's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// The rank of what a tuned model learns. Default 8.
    pub rank: usize,
    /// Cells of an LSTM, and numbers of a word. Default 64.
    pub cells: usize,
    /// Words of an LSTM, the first of the public list. Default 5000.
    pub lstm_words: usize,
    /// Below 1, texts are more usual. Default 1.
    pub temperature: f64,
    /// A seed, for experiments: nothing is private then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Threads; 0 is one a core.
    pub threads: usize,
    /// A ledger in which the loss of every record is reserved before anything is counted or trained. Default none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<PathBuf>,
    /// The column that names the record, for the ledger. Default `id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_column: Option<String>,
    /// The column that names the author, for the ledger. Default `author`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author_column: Option<String>,
    /// Whether to go on with what is in the directory.
    #[serde(skip)]
    pub resume: bool,
    /// Whether only the price is told: nothing is counted, trained or written.
    #[serde(skip)]
    pub dry_run: bool,
}

impl Default for SynthesisSettings {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            out: PathBuf::new(),
            work: PathBuf::new(),
            format: None,
            text_column: "text".into(),
            label_column: None,
            epsilon: None,
            delta: 1e-5,
            count: 1000,
            max_tokens: 100,
            method: Method::Tuned,
            model: None,
            names: Names::Stay,
            k: 5,
            words: None,
            steps: None,
            batch: None,
            clip: None,
            rate: None,
            rank: 8,
            cells: 64,
            lstm_words: 5000,
            temperature: 1.0,
            seed: None,
            threads: 0,
            ledger: None,
            id_column: None,
            author_column: None,
            resume: false,
            dry_run: false,
        }
    }
}

/// What a method takes where nothing is said.
struct Usual {
    words: f64,
    steps: u64,
    clip: f64,
    rate: f64,
}

/// Counting without noise is no method here.
pub(super) fn no_noise() -> Failure {
    Failure::new("`unigram` counts with noise, or not at all", "give `--epsilon`")
}

impl SynthesisSettings {
    /// Refuses what cannot be before anything is read or spent.
    pub(super) fn check(&self) -> Result<Format, Failure> {
        let wrong = |setting: &str, value: String, allowed: &str| {
            Err(Failure::new(
                format!("`{setting}` is {value}; it must be {allowed}"),
                "see `allonym synthesize --help`",
            ))
        };
        match self.epsilon {
            Some(epsilon) if !(epsilon.is_finite() && epsilon > 0.0) => {
                return wrong("epsilon", epsilon.to_string(), "a positive number");
            }
            _ => {}
        }
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return wrong("delta", self.delta.to_string(), "above 0 and below 1 over the number of records");
        }
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return wrong("temperature", self.temperature.to_string(), "a positive number");
        }
        let words = self.words();
        if !(0.0..=1.0).contains(&words) {
            return wrong("words", words.to_string(), "from 0 to 1");
        }
        if self.method == Method::Lstm && words == 1.0 {
            return wrong("words", "1".into(), "below 1: an LSTM that is not trained writes anything");
        }
        for (setting, value) in [
            ("count", self.count),
            ("max-tokens", self.max_tokens),
            ("steps", self.steps() as usize),
            ("k", self.k as usize),
            ("batch", self.batch.unwrap_or(1)),
            ("rank", self.rank),
            ("cells", self.cells),
            ("lstm-words", self.lstm_words),
        ] {
            if value == 0 {
                return wrong(setting, "0".into(), "1 or more");
            }
        }
        for (setting, value) in [("clip", self.clip()), ("rate", self.rate())] {
            if !(value.is_finite() && value > 0.0) {
                return wrong(setting, value.to_string(), "a positive number");
            }
        }
        if self.label_column.as_ref() == Some(&self.text_column) {
            let message = "the label is the text, and labels are written as they are";
            return Err(Failure::refusal(message, "name the column of the label with `--label-column`"));
        }
        if self.method == Method::Unigram && self.epsilon.is_none() {
            return Err(no_noise());
        }
        let format = if is_stream(&self.out) { Some(Format::Jsonl) } else { Format::of_path(&self.out) };
        if same_file(&self.data, &self.out) {
            return Err(Failure::refusal("the output is the input", "choose another output"));
        }
        let directory = self.out.parent().filter(|directory| !directory.as_os_str().is_empty());
        if let Some(directory) = directory.filter(|directory| !is_stream(&self.out) && !directory.is_dir()) {
            return Err(Failure::new(format!("there is no directory {}", directory.display()), "make it first"));
        }
        if self.out.is_dir() {
            return Err(Failure::new(format!("{} is a directory", self.out.display()), "give the name of a file"));
        }
        if self.names == Names::KAnonymous && self.k < 2 {
            return wrong("k", self.k.to_string(), "2 or more: one record shares nothing");
        }
        if let Some(ledger) = &self.ledger {
            let data = Format::settle(self.format, &self.data)?;
            let others = [(self.data.as_path(), "input"), (self.out.as_path(), "output")];
            check_ledger(ledger, data, self.seed.is_some(), &others)?;
        }
        match format.filter(|format| matches!(format, Format::Csv | Format::Jsonl)) {
            Some(format) => Ok(format),
            None => Err(Failure::new(
                format!("{} is neither CSV nor JSON Lines", self.out.display()),
                "end its name with .csv or .jsonl, with .gz or .zst if it is to be packed",
            )),
        }
    }

    /// The share of the price that is spent on words.
    pub fn words(&self) -> f64 {
        self.words.unwrap_or(self.usual().words)
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.unwrap_or(self.usual().steps)
    }

    pub(super) fn clip(&self) -> f64 {
        self.clip.unwrap_or(self.usual().clip)
    }

    pub(super) fn rate(&self) -> f64 {
        self.rate.unwrap_or(self.usual().rate)
    }

    fn usual(&self) -> Usual {
        match self.method {
            Method::Lstm => Usual { words: 0.1, steps: 150, clip: 1.0, rate: 0.01 },
            Method::Tuned | Method::Unigram => Usual { words: 0.8, steps: 50, clip: 5.0, rate: 0.01 },
        }
    }

    pub(super) fn threads(&self) -> usize {
        threads_or_cores(self.threads)
    }
}
