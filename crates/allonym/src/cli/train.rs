//! `allonym train`: trains a model on texts of a file.

use super::interrupt::Interrupt;
use super::train_basis::{BasisFlags, Left, PUBLIC_OR_PRIVATE, conduct, how_to_use, preset_help, preset_parser};
use allonym::Failure;
use allonym::models::er_ae::PRESETS;
use allonym::training::{ErAeTraining, Report, train_er_ae};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train er-ae --data reviews.csv --embeddings glove.6B.100d.txt --out model --public
  allonym train er-ae --data notes.jsonl --embeddings vectors.txt.gz --out model --private noise=1.0,clip=1.0,delta=1e-6
  allonym train er-ae --data reviews.csv --embeddings vectors.txt.gz --out model --public --resume
  allonym anonymize reviews.csv -o released.csv --model model --method subset --epsilon-per-token 9

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

    /// Entities: a tagger of names, for `generalize`
    Entities(Box<super::train_entities::Entities>),

    /// ETE-Anon: an auto-encoder of short sequences, and an agent that changes its context; no formal guarantee
    EteAnon(Box<super::train_ete_anon::EteAnon>),

    /// RLTA: vectors of texts that keep their sentiment, and an agent that hides private attributes in them; no formal guarantee
    Rlta(Box<super::train_rlta::Rlta>),

    /// Fluent: a language model of public text and near words, for `--method fluent`
    Fluent(Box<super::train_fluent::Fluent>),
}

#[derive(Debug, Args)]
struct ErAe {
    #[command(flatten)]
    basis: BasisFlags,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it
    #[arg(long, value_name = "FILE")]
    embeddings: PathBuf,

    #[arg(long, value_parser = preset_parser(PRESETS.iter().map(|preset| preset.name)), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help(PRESETS.iter().map(|preset| (preset.name, preset.about))))]
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

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Train {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        match self.model {
            Kind::ErAe(command) => command.run(interrupt),
            Kind::Adept(command) => command.run(interrupt),
            Kind::Entities(command) => command.run(interrupt),
            Kind::EteAnon(command) => command.run(interrupt),
            Kind::Rlta(command) => command.run(interrupt),
            Kind::Fluent(command) => command.run(interrupt),
        }
    }
}

impl ErAe {
    fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let usual = ErAeTraining::default();
        let settings = ErAeTraining {
            basis: self.basis.settings(50)?,
            embeddings: self.embeddings,
            preset: self.preset,
            layers: self.layers,
            cells: self.cells,
            latent: self.latent,
            word_dropout: self.word_dropout,
            epochs: self.epochs,
            reward_epochs: self.reward_epochs,
            steps: self.steps,
            reward_steps: self.reward_steps,
            reward: allonym::nn::loss::RewardSettings { reward: self.reward, ..usual.reward },
        };
        conduct(&settings.basis.out, self.json, interrupt, |observer, cancel| train_er_ae(&settings, observer, cancel))
    }
}

impl Left for Report {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let report = self;
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
            false => {
                let command = format!("allonym anonymize FILE --model {out} --method subset --epsilon-per-token 9");
                how_to_use(&command, report.stages.last().map(|stage| &stage.guarantee), PUBLIC_OR_PRIVATE)
            }
        });
        text
    }
}
