//! `allonym train`: trains a model on texts of a file.

use super::anonymize::format_parser;
use super::progress::Training;
use allonym::Failure;
use allonym::models::er_ae::PRESETS;
use allonym::nn::optimiser::PrivateSettings;
use allonym::training::{ErAeTraining, Report, train_er_ae};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const AFTER_HELP: &str = "\
Examples:
  allonym train er-ae --data reviews.csv --embeddings glove.6B.100d.txt --out model --public
  allonym train er-ae --data notes.jsonl --embeddings vectors.txt.gz --out model --private noise=1.0,clip=1.0,delta=1e-6
  allonym train er-ae --data reviews.csv --embeddings vectors.txt.gz --out model --public --resume
  allonym anonymize reviews.csv -o released.csv --model model --mechanism subset --epsilon 8

What the texts are decides what later releases promise: public texts cost nothing; private ones are not protected at all, and a model
that was trained on them is refused by `anonymize` unless that is accepted; --private adds noise and states a price for each record.";

/// Train a model
#[derive(Debug, Args)]
pub(super) struct Train {
    #[command(subcommand)]
    model: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// ER-AE: a recurrent auto-encoder that keeps good substitutes ready; without its second stage, AE-DP
    #[command(after_help = AFTER_HELP)]
    ErAe(Box<ErAe>),

    /// ADePT: an auto-encoder whose latent vector can be noised, at one price for a whole text
    Adept(Box<super::train_adept::Adept>),
}

#[derive(Debug, Args)]
struct ErAe {
    /// The file with the texts
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it
    #[arg(long, value_name = "FILE")]
    embeddings: PathBuf,

    /// The directory to write the model into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    #[arg(long, value_parser = preset_parser(), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help())]
    preset: String,

    /// Layers of the encoder and of the generator [default: the preset's]
    #[arg(long, value_name = "N")]
    layers: Option<usize>,

    /// Cells of each layer [default: the preset's]
    #[arg(long, value_name = "N")]
    cells: Option<usize>,

    /// Numbers of the latent vector [default: the preset's]
    #[arg(long, value_name = "N")]
    latent: Option<usize>,

    /// Declare the texts public: anybody may see them
    #[arg(long)]
    public: bool,

    /// Train with noise: `noise=1.0,clip=1.0,delta=1e-6`
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

    /// The most tokens that are encoded together
    #[arg(long, default_value_t = 50, value_name = "N")]
    max_tokens: usize,

    /// The share of previous tokens that the generator does not see while training
    #[arg(long, default_value_t = 0.0, value_name = "X")]
    word_dropout: f64,

    /// Passes for reconstruction [default: the preset's]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Passes with the embedding reward; 0 for AE-DP alone [default: the preset's]
    #[arg(long, value_name = "N", conflicts_with = "reward_steps")]
    reward_epochs: Option<u64>,

    /// Steps for reconstruction, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// Steps with the embedding reward, instead of passes
    #[arg(long, value_name = "N")]
    reward_steps: Option<u64>,

    /// The weight of the embedding reward (lambda_embed)
    #[arg(long, default_value_t = 0.5, value_name = "X")]
    reward: f64,

    /// Texts in a step [default: the preset's]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,

    /// The learning rate [default: the preset's]
    #[arg(long, value_name = "X")]
    rate: Option<f64>,

    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,

    /// The seed of the split, and of a run without noise
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
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

pub(super) fn private_parser(text: &str) -> Result<PrivateSettings, String> {
    let mut settings = PrivateSettings { noise: f64::NAN, clip: f64::NAN, delta: f64::NAN, owner_only: false };
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

/// A flag that is set on interruption: the step that is being made is finished, and a checkpoint written.
pub(super) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    stop
}

impl Train {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.model {
            Kind::ErAe(command) => command.run(),
            Kind::Adept(command) => command.run(),
        }
    }
}

impl ErAe {
    fn run(self) -> Result<(), Failure> {
        let format = self.format.as_deref().map(super::judging::format_of).transpose()?;
        let usual = ErAeTraining::default();
        let settings = ErAeTraining {
            data: self.data,
            embeddings: self.embeddings,
            out: self.out,
            preset: self.preset,
            layers: self.layers,
            cells: self.cells,
            latent: self.latent,
            public: self.public,
            format,
            text_column: self.text_column,
            author_column: self.author_column,
            vocabulary: self.vocabulary,
            vocabulary_size: self.vocabulary_size,
            max_tokens: self.max_tokens,
            word_dropout: self.word_dropout,
            epochs: self.epochs,
            reward_epochs: self.reward_epochs,
            steps: self.steps,
            reward_steps: self.reward_steps,
            batch: self.batch,
            rate: self.rate,
            reward: allonym::nn::loss::RewardSettings { reward: self.reward, ..usual.reward },
            private: self.private,
            threads: self.threads,
            seed: self.seed,
            resume: self.resume,
        };
        let stop = stop_on_interrupt();
        let mut shown = Training::new();
        let report = train_er_ae(&settings, &stop, &mut |stage, made| shown.update(stage, made))?;
        drop(shown);
        if self.json {
            return super::print_json(&report);
        }
        super::print(&told(&report, &settings.out.display().to_string()))
    }
}

fn told(report: &Report, out: &str) -> String {
    let [training, validation, test] = report.records;
    let [found, alike, made] = report.vectors;
    let mut text = format!(
        "{training} records trained on ({} examples), {validation} chosen by, {test} left for tests\n\
         word vectors: {found} of the file, {alike} of a word that is meant, {made} made\n",
        report.examples
    );
    for stage in &report.stages {
        text.push_str(&format!("\n{} after {} steps\n", stage.model, stage.steps));
        text.push_str(&format!("  training texts: {}\n", super::model::protection(&stage.guarantee)));
        let Some(found) = &stage.reconstruction else { continue };
        for of in &found.by_length {
            text.push_str(&format!(
                "  {:>2} to {:>2} tokens: {:5.1} % of {} tokens in {} sentences are the best candidate at their place\n",
                of.from,
                of.to,
                100.0 * of.accuracy(),
                of.tokens,
                of.texts
            ));
        }
        text.push_str(&format!(
            "  the original has probability {:.3}; candidates 2 to 5 have cosine {:.3} with it, {:.1} of 4 at least 0.5 (the nearest words: {:.3})\n",
            found.original, found.cosine, found.near, found.nearest
        ));
    }
    text.push_str(&match report.stopped {
        true => format!("\nstopped: go on with `--resume` ({out})\n"),
        false => format!("\nuse it: allonym anonymize FILE --model {out} --mechanism subset --epsilon-per-token 9\n"),
    });
    text
}
