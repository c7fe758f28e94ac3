//! `allonym budget`: answers price questions without any text.

mod latent;

use super::{print, print_json};
use allonym::Failure;
use allonym::dp::DpError;
use allonym::dp::accountant::{privacy_loss, subsampled_gaussian};
use allonym::dp::compose::{least_epsilon, plan, total};
use allonym::dp::mechanism::{CATALOGUE, Mechanism, Parameters, entry};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde::Serialize;

const AFTER_HELP: &str = "\
Examples:
  allonym budget --method two-set --epsilon 3 --vocabulary 20000 --tokens 50
  allonym budget --method subset --epsilon-per-token 9.34 --tokens 200 --delta 1e-6 --json
  allonym budget --method subset --total 100 --tokens 50        the setting that a total pays for
  allonym budget --total 100 --tokens 50                           the same for every mechanism
  allonym budget --good 5 --probability 0.74                       the least epsilon of any mechanism
  allonym budget dp-sgd --noise 1.0 --rate 0.01 --steps 1000 --delta 1e-5
  allonym budget latent-laplace --epsilon 10 --dimension 512       noise on a text's vector instead of its tokens

epsilon_per_token is the true loss of one draw, epsilon_total that of a whole text; the latter is the one to judge by.";

/// Say what a release would cost, or what a budget pays for, without any text
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub(super) struct Budget {
    #[command(subcommand)]
    question: Option<Question>,

    #[command(flatten)]
    release: Release,
}

#[derive(Debug, Subcommand)]
enum Question {
    DpSgd(DpSgd),
    LatentLaplace(latent::Laplace),
    LatentGaussian(latent::Gaussian),
}

#[derive(Debug, Args)]
struct Release {
    /// The method: one that draws token by token
    #[arg(long, value_parser = PossibleValuesParser::new(CATALOGUE.iter().map(|entry| entry.name)))]
    method: Option<String>,

    #[arg(long, hide = true, value_parser = super::renamed_to_method)]
    mechanism: Option<String>,

    /// The mechanism's own parameter, as its paper defines it
    #[arg(long, value_name = "E")]
    epsilon: Option<f64>,

    /// The true loss of a token, instead
    #[arg(long, value_name = "E")]
    epsilon_per_token: Option<f64>,

    /// The total that a whole text may cost, instead: prints the setting that it pays for
    #[arg(long, value_name = "E", conflicts_with_all = ["epsilon", "epsilon_per_token"])]
    total: Option<f64>,

    /// How many tokens are drawn for a text
    #[arg(long, default_value_t = 50, value_name = "N")]
    tokens: u64,

    /// How many outcomes a draw has
    #[arg(long, default_value_t = 20_000, value_name = "N")]
    vocabulary: u32,

    /// The probability with which the total may be larger; 0 is pure composition
    #[arg(long, default_value_t = 0.0, value_name = "D")]
    delta: f64,

    /// two-set: draws that form the candidate set [default: 5]
    #[arg(long, value_name = "N")]
    candidates: Option<usize>,

    /// subset, band: how many tokens count as good [default: 5, 1]; with --probability: of any mechanism
    #[arg(long, value_name = "N")]
    good: Option<usize>,

    /// clipped-logit, floored, metric: where scores are clipped
    #[arg(long, value_name = "X")]
    clip: Option<f64>,

    /// fluent: the part of what is expected that is the same for every token
    #[arg(long, value_name = "X")]
    uniform: Option<f64>,

    /// fluent: how many times e^-epsilon of what is expected may be preferred at once
    #[arg(long, value_name = "X")]
    room: Option<f64>,

    /// Ask for the least epsilon with which any mechanism can draw one of --good tokens this often
    #[arg(long, value_name = "P", requires = "good", conflicts_with_all = ["method", "epsilon", "epsilon_per_token", "total"])]
    probability: Option<f64>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The price of training with DP-SGD or DP-Adam: Poisson sampling, Gaussian noise
#[derive(Debug, Args)]
struct DpSgd {
    /// Noise, as a multiple of the clipping bound
    #[arg(long, value_name = "X")]
    noise: f64,

    /// The chance of an example to be in a step
    #[arg(long, value_name = "P")]
    rate: f64,

    /// Steps
    #[arg(long, value_name = "N")]
    steps: u64,

    /// The probability with which the loss may be larger
    #[arg(long, value_name = "D")]
    delta: f64,

    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Price {
    mechanism: &'static str,
    parameters: Parameters,
    vocabulary: u32,
    tokens: u64,
    epsilon_per_token: f64,
    epsilon_total: f64,
    delta: f64,
    method: &'static str,
    paper_epsilon_per_token: Option<f64>,
    paper_epsilon_total: Option<f64>,
    /// None where it depends on what a language model expects of the text.
    survival: Option<f64>,
}

#[derive(Serialize)]
struct Least {
    vocabulary: u32,
    good: usize,
    probability: f64,
    epsilon_per_token: f64,
    paper_epsilon: f64,
}

#[derive(Serialize)]
struct Training {
    noise: f64,
    rate: f64,
    steps: u64,
    delta: f64,
    epsilon_add_remove: f64,
    epsilon_replace_one: f64,
    method: &'static str,
    epsilon_add_remove_rdp: f64,
    rdp_order: f64,
}

impl Budget {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.question {
            Some(Question::DpSgd(question)) => question.run(),
            Some(Question::LatentLaplace(question)) => question.run(),
            Some(Question::LatentGaussian(question)) => question.run(),
            None => self.release.run(),
        }
    }
}

impl Release {
    fn run(self) -> Result<(), Failure> {
        if let (Some(good), Some(probability)) = (self.good, self.probability) {
            return self.least(good, probability);
        }
        if self.tokens == 0 {
            return Err(Failure::new("`tokens` is 0", "a text has one token or more"));
        }
        if self.method.is_none() && self.total.is_some() {
            return self.every_mechanism();
        }
        let Some(name) = &self.method else {
            return Err(Failure::new(
                "no method was named",
                "for example `allonym budget --method subset --epsilon 9`",
            ));
        };
        if self.vocabulary < 2 {
            return Err(Failure::new("`vocabulary` is under 2", "a draw needs two outcomes or more"));
        }
        let asked = Parameters {
            epsilon: self.epsilon,
            epsilon_per_token: self.epsilon_per_token,
            candidates: self.candidates,
            good: self.good,
            clip: self.clip,
            uniform: self.uniform,
            room: self.room,
        };
        let entry = entry(name)?;
        let mechanism = match self.total {
            Some(sum) => plan(entry, &asked, self.vocabulary, self.tokens, sum, self.delta)?,
            None => entry.build(&asked, self.vocabulary)?,
        };
        let price = self.price(&*mechanism, asked)?;
        if self.json { print_json(&price) } else { print(&price.to_string()) }
    }

    /// What a total pays for, whatever the mechanism: the one that keeps most comes first.
    fn every_mechanism(&self) -> Result<(), Failure> {
        let own = [self.clip, self.uniform, self.room];
        if self.candidates.is_some() || self.good.is_some() || own.iter().any(Option::is_some) {
            return Err(Failure::new("a mechanism's own setting needs its name", "add `--method`"));
        }
        let (mut prices, mut beyond) = (Vec::new(), Vec::new());
        for entry in CATALOGUE.iter().filter(|entry| !entry.parameters.is_empty()) {
            let (nothing, sum) = (Parameters::default(), self.total.unwrap_or_default());
            match plan(entry, &nothing, self.vocabulary, self.tokens, sum, self.delta) {
                Ok(mechanism) => prices.push(self.price(&*mechanism, nothing)?),
                Err(DpError::NothingFits { .. }) => beyond.push(entry.name),
                Err(error) => return Err(error.into()),
            }
        }
        prices.sort_by(|a, b| b.survival.unwrap_or(2.0).total_cmp(&a.survival.unwrap_or(2.0)));
        if self.json {
            return print_json(&prices);
        }
        let mut text = format!(
            "what an epsilon of {} pays for, on texts of {} tokens, {} outcomes a draw, delta {}\n  {:<22}{:>14}{:>12}{:>16}\n",
            self.total.unwrap_or_default(),
            self.tokens,
            self.vocabulary,
            self.delta,
            "mechanism",
            "a token",
            "in all",
            "tokens kept"
        );
        for price in prices {
            text.push_str(&format!(
                "  {:<22}{:>14.4}{:>12.2}{:>16}\n",
                price.mechanism,
                price.epsilon_per_token,
                price.epsilon_total,
                price.survival.map_or("by the text".to_owned(), |part| format!("{:.4} %", 100.0 * part))
            ));
        }
        if !beyond.is_empty() {
            text.push_str(&format!("  costs more at its least: {}\n", beyond.join(", ")));
        }
        print(&text)
    }

    fn price(&self, mechanism: &dyn Mechanism, asked: Parameters) -> Result<Price, Failure> {
        let loss = mechanism.loss();
        let (epsilon_total, method) = total(&loss, self.tokens, self.delta)?;
        let parameters = match self.total {
            Some(_) => Parameters { epsilon_per_token: Some(loss.epsilon), ..asked },
            None => asked,
        };
        let paper = mechanism.paper_epsilon();
        Ok(Price {
            mechanism: mechanism.name(),
            parameters,
            vocabulary: self.vocabulary,
            tokens: self.tokens,
            epsilon_per_token: loss.epsilon,
            epsilon_total,
            delta: if method == "pure composition" { 0.0 } else { self.delta },
            method,
            paper_epsilon_per_token: paper,
            paper_epsilon_total: paper.map(|epsilon| epsilon * self.tokens as f64),
            survival: (!mechanism.reads_context()).then(|| mechanism.survival()),
        })
    }

    fn least(&self, good: usize, probability: f64) -> Result<(), Failure> {
        let epsilon = least_epsilon(self.vocabulary, u32::try_from(good).unwrap_or(u32::MAX), probability)?;
        // The first paper's Theorem 2 has the same logarithm, doubled for its calibration of the exponential mechanism.
        let answer = Least {
            vocabulary: self.vocabulary,
            good,
            probability,
            epsilon_per_token: epsilon,
            paper_epsilon: 2.0 * epsilon,
        };
        if self.json {
            return print_json(&answer);
        }
        print(&format!(
            "any mechanism that draws one of {good} of {} tokens with probability {probability} costs\n  epsilon {epsilon:.4} a token at least (`subset` attains it)\n  the first ER-AE paper (Theorem 2) asks for {:.4} of its own parameter\n",
            self.vocabulary, answer.paper_epsilon
        ))
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "`{}` on texts of {} tokens, {} outcomes a draw", self.mechanism, self.tokens, self.vocabulary)?;
        writeln!(f, "  epsilon {:.4} for a whole text, delta {} ({})", self.epsilon_total, self.delta, self.method)?;
        if let Some(paper) = self.paper_epsilon_total {
            writeln!(f, "  its paper would print {paper:.4}")?;
        }
        writeln!(f, "  {:.4} for one token", self.epsilon_per_token)?;
        match self.survival {
            Some(part) => {
                writeln!(f, "  {:.2} % of tokens survive, if the proposal could not be better", 100.0 * part)?;
            }
            None => writeln!(
                f,
                "  how many tokens survive depends on what the language model expects: measure it with `allonym evaluate`"
            )?,
        }
        if self.epsilon_total > 20.0 {
            writeln!(f, "  a total above 20 promises nothing in the worst case: rely on measured attacks")?;
        }
        Ok(())
    }
}

impl DpSgd {
    fn run(self) -> Result<(), Failure> {
        let pld = |adjacency| privacy_loss::epsilon(self.noise, self.rate, self.steps, self.delta, adjacency);
        let (rdp, order) = subsampled_gaussian::epsilon(self.noise, self.rate, self.steps, self.delta)?;
        let training = Training {
            noise: self.noise,
            rate: self.rate,
            steps: self.steps,
            delta: self.delta,
            epsilon_add_remove: pld(privacy_loss::Adjacency::AddRemove)?.min(rdp),
            epsilon_replace_one: pld(privacy_loss::Adjacency::ReplaceOne)?,
            method: "privacy loss distribution, pessimistic",
            epsilon_add_remove_rdp: rdp,
            rdp_order: order,
        };
        if self.json {
            return print_json(&training);
        }
        print(&format!(
            "DP-SGD, noise {}, rate {}, {} steps, delta {}\n  epsilon {:.4} if one record is added or removed\n  epsilon {:.4} if one record is replaced\n  ({}; by Renyi divergence {:.4}, order {})\n  needs Poisson sampling of examples and clipping of each example's gradient\n",
            self.noise,
            self.rate,
            self.steps,
            self.delta,
            training.epsilon_add_remove,
            training.epsilon_replace_one,
            training.method,
            rdp,
            order
        ))
    }
}
