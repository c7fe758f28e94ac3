//! `allonym reproduce adept`: intents and membership from texts whose latent vectors were noised.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::Failure;
use allonym::models::adept::AdeptSettings;
use allonym::reproduce::{AdeptReproduction, reproduce_adept};
use clap::Args;
use std::path::PathBuf;

pub(super) const AFTER_HELP: &str = "\
Examples:
  allonym reproduce adept --data intents
  allonym reproduce adept --data intents --only atis --epsilons 10,100 --out figures

DIR holds NAME_train.csv, NAME_valid.csv and NAME_test.csv with rows of `intent,text` and no header, such as ATIS and SNIPS. With --out, adept.json and
adept.csv are written there, and the checkpoints of the auto-encoders.";

#[derive(Debug, Args)]
pub(super) struct Adept {
    /// The directory with the data sets
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    /// Only the data set of this name
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// The directory to write figures and checkpoints into
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Total losses of a text
    #[arg(long, value_delimiter = ',', default_value = "10,100,500", value_name = "E")]
    epsilons: Vec<f64>,

    /// The delta of Gaussian noise
    #[arg(long, default_value_t = 1e-5, value_name = "X")]
    delta: f64,

    /// Numbers of the latent vector
    #[arg(long, default_value_t = 32, value_name = "N")]
    latent: usize,

    /// Cells of encoder and decoder
    #[arg(long, default_value_t = 128, value_name = "N")]
    cells: usize,

    /// The most tokens of a text
    #[arg(long, default_value_t = 30, value_name = "N")]
    max_tokens: usize,

    /// The most words of the vocabulary
    #[arg(long, default_value_t = 5000, value_name = "N")]
    vocabulary_size: usize,

    /// The share of previous tokens that the decoder does not see while training
    #[arg(long, default_value_t = 0.3, value_name = "X")]
    word_dropout: f64,

    /// Noise on the latent vector while training, as a part of the bound
    #[arg(long, default_value_t = 0.05, value_name = "X")]
    noise: f64,

    /// Passes over the training part
    #[arg(long, default_value_t = 20, value_name = "N")]
    epochs: u64,

    /// Texts in a step
    #[arg(long, default_value_t = 16, value_name = "N")]
    batch: usize,

    /// The learning rate
    #[arg(long, default_value_t = 3e-3, value_name = "X")]
    rate: f64,

    /// Threads of training
    #[arg(long, default_value_t = 1, value_name = "N")]
    threads: usize,

    /// The seed of everything
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Adept {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let usual = AdeptReproduction::default();
        let settings = AdeptReproduction {
            data: self.data,
            only: self.only,
            out: self.out,
            epsilons: self.epsilons,
            delta: self.delta,
            network: AdeptSettings {
                latent: self.latent,
                cells: self.cells,
                max_tokens: self.max_tokens,
                word_dropout: self.word_dropout,
                noise: self.noise,
                ..usual.network
            },
            vocabulary: self.vocabulary_size,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            threads: self.threads,
            seed: self.seed,
        };
        let terminal = Terminal::new(Lines::EveryStage);
        let figures = reproduce_adept(&settings, &terminal, interrupt.token())?;
        drop(terminal);
        if self.json { super::print_json(&figures) } else { super::print(&figures.table()) }
    }
}
