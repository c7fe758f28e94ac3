//! What is to be synthesised.

use crate::failure::Failure;
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
}

/// What writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A public language model that is tuned to the texts.
    #[default]
    Tuned,
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
    /// What becomes of names first.
    pub names: Names,
    /// Steps of training. Default 100.
    pub steps: u64,
    /// Texts in a step, on average. Default: a part in 32 of a label's texts, from 32 to 512.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The largest norm of one text's gradient. Default 5.
    pub clip: f64,
    /// The learning rate. Default 0.01.
    pub rate: f64,
    /// The rank of what is learned. Default 8.
    pub rank: usize,
    /// Below 1, texts are more usual. Default 1.
    pub temperature: f64,
    /// A seed, for experiments: nothing is private then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Threads; 0 is one a core.
    pub threads: usize,
    /// Whether to go on with what is in the directory.
    #[serde(skip)]
    pub resume: bool,
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
            names: Names::Stay,
            steps: 100,
            batch: None,
            clip: 5.0,
            rate: 0.01,
            rank: 8,
            temperature: 1.0,
            seed: None,
            threads: 0,
            resume: false,
        }
    }
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
        for (setting, value) in [("count", self.count), ("max-tokens", self.max_tokens), ("steps", self.steps as usize)]
        {
            if value == 0 {
                return wrong(setting, "0".into(), "1 or more");
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
        match format.filter(|format| matches!(format, Format::Csv | Format::Jsonl)) {
            Some(format) => Ok(format),
            None => Err(Failure::new(
                format!("{} is neither CSV nor JSON Lines", self.out.display()),
                "end its name with .csv or .jsonl, with .gz or .zst if it is to be packed",
            )),
        }
    }

    pub(super) fn threads(&self) -> usize {
        threads_or_cores(self.threads)
    }
}
