//! `allonym reproduce dpvg`: table I and figures 3 and 4 of DPvG.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::Failure;
use allonym::reproduce::{DpvgReproduction, reproduce_dpvg};
use clap::Args;
use std::path::PathBuf;

pub(super) const AFTER_HELP: &str = "\
Examples:
  allonym reproduce dpvg --data reviews.jsonl --out figures
  allonym reproduce dpvg --data reviews.jsonl --seeds 2 --count 2000 --losses 1,8 --out figures
  allonym reproduce dpvg --data reviews.jsonl --model model --public-texts public.jsonl --only tuned --out figures

Texts whose `split` is `test` are tested with, the others are learned from; without such a column half of them are, by lot. OUT/private has the texts that
were learned from, and what was written without noise; elsewhere noise is seeded. Nothing of OUT is protected: it is yours alone unless the data is public. Texts that stand in OUT already are
not written again, so an interrupted run goes on.";

#[derive(Debug, Args)]
pub(super) struct Dpvg {
    /// Texts with labels
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// Where texts, tables and figures go
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

    /// The column that holds the label
    #[arg(long, default_value = "label", value_name = "NAME")]
    label_column: String,

    /// The column that is `test` for texts to test with
    #[arg(long, default_value = "split", value_name = "NAME")]
    split_column: String,

    /// What a record costs when it is added or removed
    #[arg(long, default_value_t = 1.0, value_name = "E")]
    epsilon: f64,

    /// The chance that the price does not hold
    #[arg(long, default_value_t = 1e-5, value_name = "D")]
    delta: f64,

    /// Texts that every system writes
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    count: usize,

    /// The most tokens of a text
    #[arg(long, default_value_t = 100, value_name = "N")]
    max_tokens: usize,

    /// Runs of DP E-D and DPvG, with different noise
    #[arg(long, default_value_t = 5, value_name = "N")]
    seeds: u64,

    /// How many records must share what DPvG says for a name
    #[arg(long, default_value_t = 5, value_name = "K")]
    k: u32,

    /// At most so many test texts
    #[arg(long, default_value_t = 5000, value_name = "N")]
    tested: usize,

    /// At most so many texts for the SVM to learn from: its work grows with their square
    #[arg(long, default_value_t = 4000, value_name = "N")]
    svm: usize,

    /// Steps of every LSTM [default: what `synthesize` takes]
    #[arg(long, value_name = "N")]
    lstm_steps: Option<u64>,

    /// The prices of figure 4
    #[arg(long, value_delimiter = ',', default_value = "0.5,1,2,4,8", value_name = "E")]
    losses: Vec<f64>,

    /// The public language model that is fitted, as `train fluent` writes it [default: the program's]. It must not have been trained on the texts
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,

    /// Public texts, as columns of the same name: what stands in them is not counted as copied
    #[arg(long, num_args = 1.., value_name = "FILE")]
    public_texts: Vec<PathBuf>,

    /// Only these systems, and no figure 4: unigram, tuned, dp-e-d, dpvg, 'tuned, no noise' or 'lstm, no noise'
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Dpvg {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let plan = DpvgReproduction {
            data: self.data,
            out: self.out,
            text_column: self.text_column,
            label_column: self.label_column,
            split_column: self.split_column,
            epsilon: self.epsilon,
            delta: self.delta,
            count: self.count,
            max_tokens: self.max_tokens,
            seeds: self.seeds,
            k: self.k,
            tested: self.tested,
            svm: self.svm,
            lstm_steps: self.lstm_steps,
            losses: self.losses,
            model: self.model,
            public: self.public_texts,
            systems: self.only,
            threads: self.threads,
        };
        let terminal = Terminal::new(Lines::EveryStage);
        let figures = reproduce_dpvg(&plan, &terminal, interrupt.token())?;
        drop(terminal);
        figures.write(&plan.out)?;
        if self.json { super::print_json(&figures) } else { super::print(&figures.markdown()) }
    }
}
