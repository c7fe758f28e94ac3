//! `allonym train rlta`: an encoder of texts, and an agent that changes its vectors.

use super::interrupt::Interrupt;
use super::train_basis::{BasisFlags, Left, PUBLIC_ALONE, conduct, how_to_use};
use super::train_ete_anon::labels_parser;
use allonym::Failure;
use allonym::models::ete_anon::AgentSettings;
use allonym::training::{RltaReport, RltaTraining, train_rlta};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train rlta --data posts.jsonl --embeddings glove.6B.100d.txt --out model --public
  allonym train rlta --data reviews.csv --attributes gender,city --alpha 0.3 --out model --public
  allonym anonymize posts.jsonl -o vectors.jsonl --model model --method agent --form vector

A text becomes a vector that keeps its sentiment; an agent changes the vector until classifiers of private attributes find little. What is released is the vector: no text is written from it.
A column of many different numbers, such as ages, is cut into thirds. There is no formal guarantee; what classifiers still find is measured, also when they learn from changed vectors.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Rlta {
    #[command(flatten)]
    basis: BasisFlags,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it [default: trained]
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// Cells of each direction; a vector has twice as many numbers
    #[arg(long, default_value_t = 100, value_name = "N")]
    cells: usize,

    /// Passes of the encoder over the texts [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Steps, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// The column of what is to be kept
    #[arg(long, default_value = "label", value_name = "NAME")]
    label_column: String,

    /// Its two values; other records are left out
    #[arg(long, default_value = "neg,pos", value_parser = labels_parser, value_name = "A,B")]
    labels: [String; 2],

    /// The columns of what is to be hidden
    #[arg(long, default_value = "gender,age", value_delimiter = ',', value_name = "NAMES")]
    attributes: Vec<String>,

    /// How much the label counts in the reward, from 0 to 1; attributes count for the rest
    #[arg(long, default_value_t = 0.5, value_name = "X")]
    alpha: f64,

    /// What changes vectors: converged (all numbers at once), paper (one number at a time, 25 times) or literal (the same, told rewards instead of what moves change in them)
    #[arg(long, value_parser = PossibleValuesParser::new(AgentSettings::PRESETS.map(|(name, _)| name)), hide_possible_values = true, default_value = AgentSettings::PRESETS[0].0, value_name = "NAME")]
    agent: String,

    /// Episodes of the agent [default: the agent's]
    #[arg(long, value_name = "N")]
    episodes: Option<usize>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

impl Rlta {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let mut agent = AgentSettings::find(&self.agent).unwrap_or_else(AgentSettings::usual);
        if let Some(episodes) = self.episodes {
            agent = agent.with_episodes(episodes);
        }
        let settings = RltaTraining {
            basis: self.basis.settings(50)?,
            embeddings: self.embeddings,
            cells: self.cells,
            epochs: self.epochs,
            steps: self.steps,
            label_column: self.label_column,
            labels: self.labels,
            attributes: self.attributes,
            alpha: self.alpha,
            agent,
        };
        conduct(&settings.basis.out, self.json, interrupt, |observer, cancel| train_rlta(&settings, observer, cancel))
    }
}

impl Left for RltaReport {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let [training, validation, test] = self.records;
        let mut text = format!(
            "{training} records trained on, {validation} chosen by, {test} left for tests ({} left out: another label, or an attribute is missing)\n",
            self.left_out
        );
        for (name, classes) in &self.attributes {
            let _ = writeln!(text, "to be hidden: {name} ({})", classes.join(", "));
        }
        let episodes = self.learned.as_ref().map_or(0, |learned| learned.episodes);
        if self.stopped {
            let steps = self.steps;
            return text
                + &format!("\nstopped after {steps} steps and {episodes} episodes: go on with `--resume` ({out})\n");
        }
        if let Some(learned) = &self.learned {
            let curve: Vec<String> = learned.curve.iter().map(|reward| format!("{reward:.3}")).collect();
            let _ = writeln!(
                text,
                "\nencoder after {} steps, agent after {episodes} episodes\n  reward: {:.3} when nothing is done, {:.3} at random, by tenths of the episodes {}",
                self.steps,
                learned.unchanged,
                learned.random.reward,
                curve.join(" ")
            );
        }
        let names: Vec<&str> =
            ["label"].into_iter().chain(self.attributes.iter().map(|(name, _)| name.as_str())).collect();
        let _ = writeln!(
            text,
            "\nwhat linear classifiers find in {test} test vectors: learned from vectors as they were / from vectors changed in the same way"
        );
        if let Some(first) = self.rows.first() {
            let chances =
                names.iter().zip(&first.found).map(|(name, found)| format!("{name} {:.1} %", 100.0 * found.commonest));
            let _ = writeln!(text, "  {:<22} {}", "always the commonest", chances.collect::<Vec<_>>().join(", "));
        }
        for row in &self.rows {
            let found = names.iter().zip(&row.found).map(|(name, found)| {
                let [fixed, adaptive] = [&found.fixed, &found.adaptive].map(|interval| 100.0 * interval.value);
                let half = 50.0 * (found.fixed.high - found.fixed.low);
                format!("{name} {fixed:.1} / {adaptive:.1} % (± {half:.1})")
            });
            let _ = writeln!(text, "  {:<22} {}", row.system, found.collect::<Vec<_>>().join(", "));
        }
        text.push_str(
            "\nno formal guarantee: these figures are all that is known, and another attacker may find more\n",
        );
        let command = format!("allonym anonymize FILE --model {out} --method agent --form vector");
        text + &how_to_use(&command, self.guarantee.as_ref(), PUBLIC_ALONE)
    }
}
