//! `allonym reproduce ete-anon`.

use super::interrupt::Interrupt;
use super::progress::{Lines, Terminal};
use allonym::Failure;
use allonym::models::ete_anon::AgentSettings;
use allonym::reproduce::{EteAnonReproduction, reproduce_ete_anon};
use allonym::training::{Basis, EteAnonTraining};
use clap::Args;
use std::path::PathBuf;

pub(super) const AFTER_HELP: &str = "\
Examples:
  allonym reproduce ete-anon --data posts.jsonl --embeddings glove.6B.100d.txt --out figures
  allonym reproduce ete-anon --data posts.jsonl --auto-encoder model --out figures --agents converged --alphas 0,0.5,1

An auto-encoder is trained, unless one is given, and for each agent and each alpha an agent. What was trained is kept in OUT/private, and the same command goes on where it was
interrupted. Writes OUT/ete-anon.md, ete-anon.json, figure-1.svg (areas under the curve, by alpha) and learning.svg.";

#[derive(Debug, Args)]
pub(super) struct EteAnon {
    /// Records with text, author and sentiment
    #[arg(long, value_name = "FILE")]
    data: PathBuf,

    /// The directory to write figures into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// A directory with an auto-encoder that was trained before
    #[arg(long, value_name = "DIR", conflicts_with_all = ["embeddings", "preset", "epochs"])]
    auto_encoder: Option<PathBuf>,

    /// Word vectors, for an auto-encoder that is trained here
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// The size of the auto-encoder: small or paper
    #[arg(long, default_value = "small", value_name = "NAME")]
    preset: String,

    /// Passes of the auto-encoder over the sequences [default: the preset's]
    #[arg(long, value_name = "N")]
    epochs: Option<u64>,

    /// Which agents: converged, paper, literal (`paper` told the reward as it is printed)
    #[arg(long, default_value = "converged,paper", value_delimiter = ',', value_name = "NAMES")]
    agents: Vec<String>,

    /// How much sentiment counts
    #[arg(long, default_value = "0,0.25,0.5,0.75,1", value_delimiter = ',', value_name = "NUMBERS")]
    alphas: Vec<f64>,

    /// Episodes of every agent [default: the agent's]
    #[arg(long, value_name = "N")]
    episodes: Option<usize>,

    /// How much it counts in the reward that the text still says what it said; 0 is the paper's reward [default: 0.5 for `converged`, 0 for the others]
    #[arg(long, value_name = "X")]
    content: Option<f64>,

    /// Learn from both sentiments equally often: more texts keep theirs, and an analyst that expects the usual shares is wrong more often
    #[arg(long)]
    evenly: bool,

    /// How often an attacker learns from what the agent `converged` writes, for the agent to hide from as well [default: 2]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// The column that holds the sentiment
    #[arg(long, default_value = "label", value_name = "NAME")]
    label_column: String,

    /// Its two values, negative and positive
    #[arg(long, default_value = "neg,pos", value_delimiter = ',', num_args = 1, value_name = "A,B")]
    labels: Vec<String>,

    /// The column that names the author
    #[arg(long, default_value = "author", value_name = "NAME")]
    author_column: String,

    /// The column that holds the text
    #[arg(long, default_value = "text", value_name = "NAME")]
    text_column: String,

    /// How many authors are attacked: those with most records
    #[arg(long, default_value_t = 50, value_name = "N")]
    authors: usize,

    /// From how many released sequences adaptive attackers learn; 0 leaves them out
    #[arg(long, default_value_t = 8000, value_name = "N")]
    adaptive: usize,

    /// Sample texts that are shown: only if the data is public
    #[arg(long, default_value_t = 0, value_name = "N")]
    samples: usize,

    /// The seed of everything
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Threads; 0 is one a core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,

    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl EteAnon {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let agent = |name: &String| {
            let found = AgentSettings::find(name.trim()).ok_or_else(|| {
                Failure::new(format!("there is no agent `{name}`"), "take converged, paper or literal")
            })?;
            Ok(match self.episodes {
                Some(episodes) => found.with_episodes(episodes),
                None => found,
            })
        };
        let agents: Result<Vec<AgentSettings>, Failure> = self.agents.iter().map(agent).collect();
        let labels: [String; 2] = self
            .labels
            .try_into()
            .map_err(|_| Failure::new("there must be two labels", "write them as `--labels neg,pos`"))?;
        let usual = EteAnonTraining::default();
        let basis = Basis {
            data: self.data,
            out: self.out,
            text_column: self.text_column,
            author_column: self.author_column,
            seed: self.seed,
            threads: self.threads,
            ..usual.basis.clone()
        };
        let training = EteAnonTraining {
            basis,
            preset: self.preset,
            auto_encoder: self.auto_encoder,
            embeddings: self.embeddings,
            epochs: self.epochs,
            label_column: self.label_column,
            labels,
            authors: self.authors,
            content: self.content,
            evenly: self.evenly,
            rounds: self.rounds,
            ..usual
        };
        let (adaptive, samples, alphas) = (self.adaptive, self.samples, self.alphas);
        let plan = EteAnonReproduction { training, agents: agents?, alphas, adaptive, samples };
        let terminal = Terminal::new(Lines::EveryStage);
        let figures = reproduce_ete_anon(&plan, &terminal, interrupt.token())?;
        drop(terminal);
        figures.write(&plan.training.basis.out)?;
        super::print(&if self.json { super::json(&figures)? } else { figures.markdown() })
    }
}
