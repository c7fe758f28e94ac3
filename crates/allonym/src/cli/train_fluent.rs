//! `allonym train fluent`.

use super::interrupt::Interrupt;
use super::train_basis::{BasisFlags, Left, conduct, one_stage};
use allonym::Failure;
use allonym::training::{FluentReport, FluentTraining, train_fluent};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train fluent --data public.jsonl --embeddings glove.6B.100d.txt --out model --public --max-tokens 64
  allonym train fluent --data public.jsonl --embeddings vectors.txt.gz --out model --public --resume

The texts should be public, and like those that are to be released: what the model expects costs little to write.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Fluent {
    #[command(flatten)]
    basis: BasisFlags,

    /// Word vectors that say which words are near: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it
    #[arg(long, value_name = "FILE")]
    embeddings: PathBuf,

    /// Layers
    #[arg(long, default_value_t = FluentTraining::default().layers, value_name = "N")]
    layers: usize,

    /// Cells of each layer
    #[arg(long, default_value_t = FluentTraining::default().cells, value_name = "N")]
    cells: usize,

    /// Numbers of a word's vector
    #[arg(long, default_value_t = FluentTraining::default().words, value_name = "N")]
    words: usize,

    /// The share of inputs and outputs that is dropped while training
    #[arg(long, default_value_t = FluentTraining::default().dropout, value_name = "X")]
    dropout: f64,

    /// Tokens that every target is compared with in a step; 0 is the whole vocabulary
    #[arg(long, default_value_t = FluentTraining::default().negatives, value_name = "N")]
    negatives: usize,

    /// Passes over the texts [default: 2]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Steps, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Fluent {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let settings = FluentTraining {
            basis: self.basis.settings(50)?,
            embeddings: self.embeddings,
            layers: self.layers,
            cells: self.cells,
            words: self.words,
            dropout: self.dropout,
            negatives: self.negatives,
            epochs: self.epochs,
            steps: self.steps,
        };
        conduct(&settings.basis.out, self.json, interrupt, |observer, cancel| train_fluent(&settings, observer, cancel))
    }
}

impl Left for FluentReport {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let report = self;
        let [training, validation, test] = report.records;
        let text = format!(
            "{training} records trained on ({} examples), {validation} chosen by, {test} left for tests\n",
            report.examples
        );
        let measured = report.perplexity.map_or(String::new(), |perplexity| {
            format!("  perplexity on test records, unknown words as one word: {perplexity:.1}\n")
        });
        let command = format!("allonym anonymize FILE --model {out} --method fluent --epsilon-per-token 8");
        text + &one_stage(
            "fluent",
            (report.steps, report.stopped),
            report.guarantee.as_ref(),
            (out, &command),
            &measured,
        )
    }
}
