//! `allonym reproduce er-ae`: the tables and figures of the papers on ER-AE.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::Failure;
use allonym::reproduce::{ErAeReproduction, markdown, reproduce_er_ae};
use clap::Args;
use std::path::PathBuf;

pub(super) const AFTER_HELP: &str = "\
Examples:
  allonym train er-ae --data posts.jsonl --embeddings glove.txt.gz --out model --public
  allonym reproduce er-ae --data posts.jsonl --model model --embeddings glove.txt.gz --encoder use_lite --out figures

The file that was trained on is split again as in training: its test part is released by every system and attacked. OUT/private has the
originals of that part, with their authors: keep it. The releases are seeded, so they are not private either.";

#[derive(Debug, Args)]
pub(super) struct ErAe {
    /// The file that the model was trained on, with an `author` column
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The directory that `train er-ae` wrote
    #[arg(long, value_name = "DIR")]
    model: PathBuf,

    /// Texts without authors, for the second half of table 1
    #[arg(long, value_name = "FILE")]
    reviews: Option<PathBuf>,

    /// Word vectors, for SynTF
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// A sentence encoder's directory [default: shared words and stems]
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,

    /// Where releases, tables and figures go
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    out: PathBuf,

    /// The most tokens of a record
    #[arg(long, default_value_t = 50, value_name = "N")]
    max_tokens: usize,

    /// At most so many test records
    #[arg(long, default_value_t = 5000, value_name = "N")]
    records: usize,

    /// Attackers, as `allonym attack` names them; `ngram-network` is the papers'
    #[arg(long, value_delimiter = ',', default_value = "ngram-network,char-svm,word-svm", value_name = "NAMES")]
    attackers: Vec<String>,

    /// Accept a model that was trained on private texts without protection
    #[arg(long)]
    allow_private_model: bool,
}

impl ErAe {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let plan = ErAeReproduction {
            data: self.data,
            reviews: self.reviews,
            model: self.model,
            embeddings: self.embeddings,
            encoder: self.encoder,
            out: self.out,
            max_tokens: self.max_tokens,
            records: self.records,
            attackers: self.attackers,
            allow_private_model: self.allow_private_model,
        };
        let terminal = Terminal::new(Lines::NowAndThen);
        let figures = reproduce_er_ae(&plan, &terminal, interrupt.token())?;
        drop(terminal);
        super::tell(&format!("written to {}\n", plan.out.display()));
        super::print(&markdown(&figures))
    }
}
