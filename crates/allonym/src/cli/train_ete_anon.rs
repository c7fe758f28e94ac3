//! `allonym train ete-anon`: an auto-encoder, and an agent that changes its context.

use super::interrupt::Interrupt;
use super::train_basis::{BasisFlags, Left, PUBLIC_ALONE, conduct, how_to_use, preset_help, preset_parser};
use allonym::Failure;
use allonym::models::ete_anon::{AgentSettings, PRESETS, Ranges};
use allonym::training::{EteAnonReport, EteAnonTraining, Found, FoundIn, train_ete_anon};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym train ete-anon --data posts.jsonl --embeddings glove.6B.100d.txt --out model --public
  allonym train ete-anon --data posts.jsonl --auto-encoder model --out other --public --alpha 0.25
  allonym train ete-anon --data posts.jsonl --auto-encoder model --out as-printed --public --agent literal --ranges printed

The auto-encoder learns sequences: the first and the last twenty tokens of each text (a shorter text is one sequence). The agent learns to change what the auto-encoder
holds of a sequence, so that a classifier finds less of its author and another as much of its sentiment: records need an author and a label.
There is no formal guarantee; what the classifiers still find is measured. The vocabulary is public; it is not counted from the texts.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct EteAnon {
    #[command(flatten)]
    basis: BasisFlags,

    #[arg(long, value_parser = preset_parser(PRESETS.iter().map(|preset| preset.name)), hide_possible_values = true, default_value = PRESETS[0].name, value_name = "NAME", help = preset_help(PRESETS.iter().map(|preset| (preset.name, preset.about))))]
    preset: String,

    /// A directory with an auto-encoder that was trained before: only the agent is trained
    #[arg(long, value_name = "DIR", conflicts_with_all = ["embeddings", "epochs", "steps"])]
    auto_encoder: Option<PathBuf>,

    /// Word vectors: GloVe or word2vec text, also with .gz, or safetensors with a words.txt beside it [default: trained]
    #[arg(long, value_name = "FILE")]
    embeddings: Option<PathBuf>,

    /// Passes of the auto-encoder over the sequences [default: the preset's]
    #[arg(long, value_name = "N", conflicts_with = "steps")]
    epochs: Option<u64>,

    /// Steps, instead of passes
    #[arg(long, value_name = "N")]
    steps: Option<u64>,

    /// The column that holds the sentiment
    #[arg(long, default_value = "label", value_name = "NAME")]
    label_column: String,

    /// Its two values, negative and positive; other records do not teach the agent
    #[arg(long, default_value = "neg,pos", value_parser = labels_parser, value_name = "A,B")]
    labels: [String; 2],

    /// How many authors are attacked: those with most records
    #[arg(long, default_value_t = 50, value_name = "N")]
    authors: usize,

    /// How much sentiment counts in the reward, from 0 to 1; the author counts for the rest
    #[arg(long, default_value_t = 0.5, value_name = "X")]
    alpha: f64,

    /// How much it counts in the reward that the text still says what it said, from 0 to 100; 0 is the paper's reward [default: 0.5 for `converged`, 0 for the others]
    #[arg(long, value_name = "X")]
    content: Option<f64>,

    /// Learn from both sentiments equally often: more texts keep theirs, and an analyst that expects the usual shares is wrong more often
    #[arg(long)]
    evenly: bool,

    /// --agent converged: how often an attacker learns from what the agent writes, for the agent to hide from as well [default: 2]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// What changes the context
    #[arg(long, value_enum, default_value_t = AgentFlag::Converged)]
    agent: AgentFlag,

    /// Episodes of the agent [default: the agent's]
    #[arg(long, value_name = "N")]
    episodes: Option<usize>,

    /// --agent paper or literal: from which ranges numbers are drawn [default: meant]
    #[arg(long, value_enum)]
    ranges: Option<RangesFlag>,

    /// --agent paper or literal: how much a later reward counts, from 0 to 1; what `paper` is told grows with it, so it may need another rate [default: the agent's]
    #[arg(long, value_name = "X")]
    discount: Option<f64>,

    /// --agent paper or literal: the share of random actions at first, at last, and after which share of the episodes that is reached [default: the agent's]
    #[arg(long, value_parser = explore_parser, value_name = "A,B,C")]
    explore: Option<[f64; 3]>,

    /// --agent converged: how far a number may be moved, from 0 to 2 [default: the agent's]
    #[arg(long, value_name = "X")]
    reach: Option<f64>,

    /// --agent converged: the noise on moves while they are learned, as a part of the reach [default: the agent's]
    #[arg(long, value_name = "X")]
    spread: Option<f64>,

    /// The learning rate of the agent [default: the agent's]
    #[arg(long, value_name = "X")]
    agent_rate: Option<f64>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum AgentFlag {
    /// Moves all numbers of the context at once; taught by the slope of the expected reward
    Converged,
    /// Redraws one number of the first layer's context at a time, 25 times; taught by deep Q-learning
    Paper,
    /// The same, told the reward as it is printed instead of what a move changed in what is expected; it hardly learns
    Literal,
    /// None: the auto-encoder alone
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum RangesFlag {
    /// (-1, 0.9), (-0.01, 0.01), (0.9, 1), as the paper prints them
    Printed,
    /// (-1, -0.9), (-0.01, 0.01), (0.9, 1), as it probably means them
    Meant,
}

pub(super) fn labels_parser(text: &str) -> Result<[String; 2], String> {
    match text.split(',').collect::<Vec<_>>()[..] {
        [negative, positive] => Ok([negative.trim().to_owned(), positive.trim().to_owned()]),
        _ => Err("write them as `neg,pos`".to_owned()),
    }
}

fn explore_parser(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| "write them as `1,0.05,0.6`".to_owned())
}

impl EteAnon {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let agent = self.agent_settings()?;
        let settings = EteAnonTraining {
            basis: self.basis.settings(20)?,
            preset: self.preset,
            auto_encoder: self.auto_encoder,
            embeddings: self.embeddings,
            epochs: self.epochs,
            steps: self.steps,
            label_column: self.label_column,
            labels: self.labels,
            authors: self.authors,
            alpha: self.alpha,
            content: self.content,
            evenly: self.evenly,
            rounds: self.rounds,
            agent,
        };
        conduct(&settings.basis.out, self.json, interrupt, |observer, cancel| {
            train_ete_anon(&settings, observer, cancel)
        })
    }

    /// The agent, with what was asked for; an option that would do nothing is a mistake.
    fn agent_settings(&self) -> Result<Option<AgentSettings>, Failure> {
        let draws = matches!(self.agent, AgentFlag::Paper | AgentFlag::Literal);
        let given = [
            ("episodes", self.episodes.is_some(), self.agent != AgentFlag::None),
            ("agent-rate", self.agent_rate.is_some(), self.agent != AgentFlag::None),
            ("content", self.content.is_some(), self.agent != AgentFlag::None),
            ("evenly", self.evenly, self.agent != AgentFlag::None),
            ("ranges", self.ranges.is_some(), draws),
            ("discount", self.discount.is_some(), draws),
            ("explore", self.explore.is_some(), draws),
            ("rounds", self.rounds.is_some(), self.agent == AgentFlag::Converged),
            ("reach", self.reach.is_some(), self.agent == AgentFlag::Converged),
            ("spread", self.spread.is_some(), self.agent == AgentFlag::Converged),
        ];
        if let Some((flag, ..)) = given.iter().find(|(_, given, read)| *given && !read) {
            return Err(Failure::new(format!("`--{flag}` means nothing for this agent"), "leave it out"));
        }
        let name = match self.agent {
            AgentFlag::Converged => "converged",
            AgentFlag::Paper => "paper",
            AgentFlag::Literal => "literal",
            AgentFlag::None => return Ok(None),
        };
        let mut agent = AgentSettings::find(name);
        match &mut agent {
            Some(AgentSettings::Paper(settings)) => {
                settings.episodes = self.episodes.unwrap_or(settings.episodes);
                settings.rate = self.agent_rate.unwrap_or(settings.rate);
                settings.discount = self.discount.unwrap_or(settings.discount);
                settings.explore = self.explore.unwrap_or(settings.explore);
                settings.ranges = match self.ranges {
                    Some(RangesFlag::Printed) => Ranges::Printed,
                    Some(RangesFlag::Meant) => Ranges::Meant,
                    None => settings.ranges,
                };
            }
            Some(AgentSettings::Converged(settings)) => {
                settings.episodes = self.episodes.unwrap_or(settings.episodes);
                settings.rate = self.agent_rate.unwrap_or(settings.rate);
                settings.reach = self.reach.unwrap_or(settings.reach);
                settings.spread = self.spread.unwrap_or(settings.spread);
            }
            None => {}
        }
        Ok(agent)
    }
}

impl Left for EteAnonReport {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn told(&self, out: &str) -> String {
        let mut text = String::new();
        if let Some([training, validation, test]) = self.records {
            let _ = writeln!(text, "{training} records trained on, {validation} chosen by, {test} left for tests");
        }
        if self.stopped {
            let episodes = self.learned.as_ref().map_or(0, |learned| learned.episodes);
            let _ = writeln!(
                text,
                "\nstopped after {} steps and {episodes} episodes: go on with `--resume` ({out})",
                self.steps
            );
            return text;
        }
        let _ = writeln!(text, "\nauto-encoder after {} steps", self.steps);
        if let Some(guarantee) = &self.guarantee {
            let _ = writeln!(text, "  training texts: {}", super::model::protection(guarantee));
        }
        if let Some(found) = &self.reconstruction {
            let _ = writeln!(
                text,
                "  unchanged: {} of {} sequences come back exactly, {:.1} % of {} tokens stand at their place, {:.1} % somewhere",
                found.exact,
                found.texts,
                100.0 * found.accuracy(),
                found.tokens,
                100.0 * found.kept()
            );
        }
        let (Some(learned), Some(found), Some(commonest), Some([authors, sequences, test, left_out])) =
            (&self.learned, &self.found, self.commonest, self.attacked)
        else {
            return text;
        };
        let curve: Vec<String> = learned.curve.iter().map(|reward| format!("{reward:.3}")).collect();
        let _ = writeln!(
            text,
            "\nagent after {} episodes on {sequences} sequences of {authors} authors ({left_out} records left out: another label or author)\n\
             \x20 reward: {:.3} when nothing is done, {:.3} at random, by tenths of the episodes {}\n\
             \x20 {:.0} texts decoded a second\n{}\n\
             what classifiers that learned from originals find in {test} test sequences (always the commonest: author {:.1} %, sentiment {:.1} %)",
            learned.episodes,
            learned.unchanged,
            learned.random.reward,
            curve.join(" "),
            learned.decoded_per_second,
            learned.moves.map_or_else(String::new, |moves| format!("  {moves}\n")),
            100.0 * commonest[0],
            100.0 * commonest[1]
        );
        for (name, found) in ["as they were", "auto-encoder alone", "with the agent"].iter().zip(found) {
            text.push_str(&row(name, found));
        }
        text.push_str("\nno formal guarantee: these figures are all that is known, and a classifier that learns from what is released may find more\n");
        let command = format!("allonym anonymize FILE --model {out} --method agent");
        text + &how_to_use(&command, self.guarantee.as_ref(), PUBLIC_ALONE)
    }
}

fn row(name: &str, found: &FoundIn) -> String {
    let mut text = format!("  {name:<20} {}", figures(&found.all));
    if let (Some(first), Some(last)) = (&found.first, &found.last) {
        let short = |found: &Found| {
            format!("{:.1} / {:.1}", 100.0 * found.author.accuracy.value, 100.0 * found.sentiment.accuracy.value)
        };
        text.push_str(&format!("; beginnings {}, ends {}", short(first), short(last)));
    }
    text + "\n"
}

fn figures(found: &Found) -> String {
    let right = |right: &allonym::training::Right| {
        let area = right.area.map_or_else(String::new, |area| format!(", area {area:.3}"));
        let accuracy = right.accuracy;
        format!("{:.1} % ({:.1} to {:.1}{area})", 100.0 * accuracy.value, 100.0 * accuracy.low, 100.0 * accuracy.high)
    };
    format!(
        "author {}, sentiment {}, words kept {:.1} %",
        right(&found.author),
        right(&found.sentiment),
        100.0 * found.kept
    )
}
