//! `allonym train adept`: an auto-encoder whose latent vector can be noised.

use super::interrupt::Interrupt;
use super::train_basis::{BasisFlags, Left, conduct, one_stage, preset_help, preset_parser};
use allonym::Failure;
use allonym::models::adept::{Clip, Norm, PRESETS};
use allonym::training::{AdeptReport, AdeptTraining, train_adept};
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
    #[command(flatten)]
    basis: BasisFlags,

    #[arg(long, value_parser = preset_parser(PRESETS.iter().map(|preset| preset.name)), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help(PRESETS.iter().map(|preset| (preset.name, preset.about))))]
    preset: String,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it [default: trained]
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

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

impl Adept {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let norm = match self.clip_norm {
            ClipNorm::L1 => Norm::L1,
            ClipNorm::L2 => Norm::L2,
        };
        let settings = AdeptTraining {
            basis: self.basis.settings(50)?,
            preset: self.preset,
            embeddings: self.embeddings,
            cells: self.cells,
            latent: self.latent,
            word_dropout: self.word_dropout,
            noise: self.noise,
            epochs: self.epochs,
            steps: self.steps,
            clip: Clip { norm, bound: self.clip },
        };
        conduct(&settings.basis.out, self.json, interrupt, |observer, cancel| train_adept(&settings, observer, cancel))
    }
}

impl Left for AdeptReport {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let report = self;
        let [training, validation, test] = report.records;
        let text = format!("{training} records trained on, {validation} chosen by, {test} left for tests\n");
        let mut measured = String::new();
        if let Some(found) = &report.reconstruction {
            measured.push_str(&format!(
                "  without noise: {} of {} texts come back exactly, {:.1} % of {} tokens stand at their place\n\
             \x20 the latent vector of {} of them was clipped\n",
                found.exact,
                found.texts,
                100.0 * found.accuracy(),
                found.tokens,
                found.clipped
            ));
        }
        let command = format!("allonym anonymize FILE --model {out} --method latent-laplace --epsilon 100");
        text + &one_stage(
            "adept",
            (report.steps, report.stopped),
            report.guarantee.as_ref(),
            (out, &command),
            &measured,
        )
    }
}
