//! `allonym train ete-anon`: an auto-encoder, and an agent that changes its context.

use super::train_basis::{BasisFlags, Left, conduct, one_stage, preset_help, preset_parser};
use allonym::Failure;
use allonym::models::ete_anon::PRESETS;
use allonym::training::{EteAnonReport, EteAnonTraining, train_ete_anon};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train ete-anon --data posts.jsonl --embeddings glove.6B.100d.txt --out model --public

Sequences are the first and the last twenty tokens of each text. The vocabulary is public; it is not counted from the texts.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct EteAnon {
    #[command(flatten)]
    basis: BasisFlags,

    #[arg(long, value_parser = preset_parser(PRESETS.iter().map(|preset| preset.name)), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help(PRESETS.iter().map(|preset| (preset.name, preset.about))))]
    preset: String,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it [default: trained]
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// Passes over the sequences [default: the preset's]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Steps, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl EteAnon {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = EteAnonTraining {
            basis: self.basis.settings(20)?,
            preset: self.preset,
            embeddings: self.embeddings,
            epochs: self.epochs,
            steps: self.steps,
        };
        conduct(&settings.basis.out, self.json, |stop, progress| train_ete_anon(&settings, stop, progress))
    }
}

impl Left for EteAnonReport {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let [training, validation, test] = self.records;
        let text = format!("{training} records trained on, {validation} chosen by, {test} left for tests\n");
        let mut measured = String::new();
        if let Some(found) = &self.reconstruction {
            measured.push_str(&format!(
                "  unchanged: {} of {} sequences come back exactly, {:.1} % of {} tokens stand at their place, {:.1} % somewhere\n",
                found.exact,
                found.texts,
                100.0 * found.accuracy(),
                found.tokens,
                100.0 * found.kept()
            ));
        }
        let command = format!("allonym anonymize FILE --model {out}");
        text + &one_stage(
            "auto-encoder",
            (self.steps, self.stopped),
            self.guarantee.as_ref(),
            (out, &command),
            &measured,
        )
    }
}
