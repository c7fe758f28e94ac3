//! `allonym train adept`: an auto-encoder whose latent vector can be noised.

use super::anonymize::format_parser;
use super::progress::Training;
use super::train::{private_parser, stop_on_interrupt};
use allonym::Failure;
use allonym::models::adept::{Clip, Norm, PRESETS};
use allonym::nn::optimiser::PrivateSettings;
use allonym::training::{AdeptReport, AdeptTraining, train_adept};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train adept --data reviews.csv --out model --public
  allonym train adept --data reviews.csv --out model --public --clip-norm l1 --latent 16 --noise 0.1
  allonym train adept --data notes.jsonl --out model --private noise=1.0,clip=1.0,delta=1e-6

A release of a text is one noised vector, written out by the decoder: its price does not grow with the text. The L2 norm is for radial
and Gaussian noise, the L1 norm for Laplace noise in each number. The vocabulary is public; it is not counted from the texts.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Adept {
    /// The file with the texts
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The directory to write the model into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[arg(long, value_parser = preset_parser(), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help())]
    preset: String,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it [default: trained]
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// Declare the texts public: anybody may see them
    #[arg(long)]
    public: bool,

    /// Train with noise on gradients: `noise=1.0,clip=1.0,delta=1e-6`
    #[arg(long, value_parser = private_parser, value_name = "SETTINGS")]
    private: Option<PrivateSettings>,

    /// The format, if the name does not tell
    #[arg(long, value_parser = format_parser(), hide_possible_values = true)]
    format: Option<String>,

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

    /// The most tokens of a text: the rest is not read
    #[arg(long, default_value_t = 50, value_name = "N")]
    max_tokens: usize,

    /// Cells of encoder and decoder [default: the preset's]
    #[arg(long, value_name = "N")]
    cells: Option<usize>,

    /// Numbers of the latent vector [default: the preset's]
    #[arg(long, value_name = "N")]
    latent: Option<usize>,

    /// The largest length of the latent vector
    #[arg(long, default_value_t = 1.0, value_name = "X")]
    clip: f64,

    /// By which norm the length is measured
    #[arg(long, value_enum, default_value_t = ClipNorm::L2, value_name = "NORM")]
    clip_norm: ClipNorm,

    /// The share of previous tokens that the decoder does not see while training
    #[arg(long, default_value_t = 0.3, value_name = "X")]
    word_dropout: f64,

    /// Noise on the latent vector while training, as a part of the bound: it teaches, and protects nobody
    #[arg(long, default_value_t = 0.0, value_name = "X")]
    noise: f64,

    /// Passes over the texts [default: the preset's]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Steps, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

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

    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClipNorm {
    /// The sum of sizes
    L1,
    /// The usual length
    L2,
}

fn preset_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name))
}

fn preset_help() -> String {
    let mut help = "The size of the network".to_owned();
    for preset in PRESETS {
        help.push_str(&format!("\n  {}: {}", preset.name, preset.about));
    }
    help
}

impl Adept {
    pub(super) fn run(self) -> Result<(), Failure> {
        let format = self.format.as_deref().map(super::judging::format_of).transpose()?;
        let norm = match self.clip_norm {
            ClipNorm::L1 => Norm::L1,
            ClipNorm::L2 => Norm::L2,
        };
        let settings = AdeptTraining {
            data: self.data,
            out: self.out,
            preset: self.preset,
            embeddings: self.embeddings,
            public: self.public,
            format,
            text_column: self.text_column,
            author_column: self.author_column,
            vocabulary: self.vocabulary,
            vocabulary_size: self.vocabulary_size,
            max_tokens: self.max_tokens,
            cells: self.cells,
            latent: self.latent,
            word_dropout: self.word_dropout,
            noise: self.noise,
            epochs: self.epochs,
            steps: self.steps,
            batch: self.batch,
            rate: self.rate,
            threads: self.threads,
            seed: self.seed,
            resume: self.resume,
            clip: Clip { norm, bound: self.clip },
            private: self.private,
        };
        let stop = stop_on_interrupt();
        let mut shown = Training::new();
        let report = train_adept(&settings, &stop, &mut |stage, made| shown.update(stage, made))?;
        drop(shown);
        if self.json {
            return super::print_json(&report);
        }
        super::print(&told(&report, &settings.out.display().to_string()))
    }
}

fn told(report: &AdeptReport, out: &str) -> String {
    let [training, validation, test] = report.records;
    let mut text = format!("{training} records trained on, {validation} chosen by, {test} left for tests\n");
    if report.stopped {
        text.push_str(&format!("\nstopped after {} steps: go on with `--resume` ({out})\n", report.steps));
        return text;
    }
    text.push_str(&format!("\nadept after {} steps\n", report.steps));
    if let Some(guarantee) = &report.guarantee {
        text.push_str(&format!("  training texts: {}\n", super::model::protection(guarantee)));
    }
    if let Some(found) = &report.reconstruction {
        text.push_str(&format!(
            "  without noise: {} of {} texts come back exactly, {:.1} % of {} tokens stand at their place\n\
             \x20 the latent vector of {} of them was clipped\n",
            found.exact,
            found.texts,
            100.0 * found.accuracy(),
            found.tokens,
            found.clipped
        ));
    }
    text.push_str(&format!("\nthe model: {out}/adept\n"));
    text
}
