//! `allonym compare`: which mechanism keeps most at the same true loss.

use super::{print, print_json};
use allonym::Failure;
use allonym::dp::PublicContext;
use allonym::dp::mechanism::{CATALOGUE, Entry, Parameters, Reads, TwoSet};
use clap::Args;
use serde::Serialize;

const AFTER_HELP: &str = "\
Examples:
  allonym compare
  allonym compare --top 0.98,0.007,0.003 --epsilon-per-token 6,9,12 --json

A proposal gives the probabilities of its best tokens; the rest of its mass is spread evenly over the vocabulary. The table
shows how often one of those tokens is drawn, and how often the very best. Ratings and distances are other kinds of
scores, so `syntf` and `metric` are left out. `clipped-logit` is shown at its best clipping.";

/// Compare what mechanisms keep at equal true epsilon
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Compare {
    /// The probabilities of the proposal's best tokens, from the best down
    #[arg(long, value_delimiter = ',', default_value = "0.55,0.20,0.14,0.04,0.03", value_name = "P")]
    top: Vec<f64>,

    /// True losses a token
    #[arg(long, value_delimiter = ',', default_value = "3,6,8,9.903,10.903,11.403,12.903", value_name = "E")]
    epsilon_per_token: Vec<f64>,

    /// How many outcomes a draw has
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    vocabulary: u32,

    /// As JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    mechanism: &'static str,
    epsilon_per_token: f64,
    /// The chance of any of the best tokens; none where the mechanism cannot be that cheap.
    good: Option<f64>,
    /// The chance of the very best.
    best: Option<f64>,
}

impl Compare {
    pub(super) fn run(self) -> Result<(), Failure> {
        let sum: f64 = self.top.iter().sum();
        let fair = self.top.iter().all(|p| *p > 0.0) && sum <= 1.0 + 1e-9 && self.top.len() < self.vocabulary as usize;
        if !fair {
            return Err(Failure::new("`top` is not a list of probabilities", "for example `--top 0.5,0.2,0.1`"));
        }
        let mut rows = Vec::new();
        for entry in CATALOGUE.iter().filter(|entry| !matches!(entry.name, "syntf" | "metric" | "random")) {
            for epsilon in &self.epsilon_per_token {
                let chances = self.chances(entry, *epsilon);
                let good = chances.as_ref().map(|c| c.iter().sum());
                rows.push(Row {
                    mechanism: entry.name,
                    epsilon_per_token: *epsilon,
                    good,
                    best: chances.map(|c| c[0]),
                });
            }
        }
        if self.json {
            return print_json(&rows);
        }
        print(&self.table(&rows))
    }

    /// The chance of each of the best tokens, or nothing where the mechanism cannot be that cheap.
    fn chances(&self, entry: &Entry, epsilon: f64) -> Option<Vec<f64>> {
        let mut parameters = Parameters::of_loss(epsilon);
        if entry.parameters.contains(&"good") {
            parameters.good = Some(if entry.name == "band" { 1 } else { self.top.len() });
        }
        let tail =
            ((1.0 - self.top.iter().sum::<f64>()) / (f64::from(self.vocabulary) - self.top.len() as f64)).max(0.0);
        if entry.name == "two-set" {
            let parameter = 2.0 * (epsilon - f64::from(self.vocabulary - 1).ln());
            // At its least loss, ln(s - 1), epsilon is 0 up to the digits that were typed.
            if parameter < -1e-3 {
                return None;
            }
            let rest = self.vocabulary - self.top.len() as u32;
            let classes: Vec<(f64, u32)> = self.top.iter().map(|p| (*p, 1)).chain([(tail, rest)]).collect();
            return Some(TwoSet::ideal(&classes, 5, parameter.max(0.0))[..self.top.len()].to_vec());
        }
        let mut proposal = vec![tail as f32; self.vocabulary as usize];
        self.top.iter().zip(&mut proposal).for_each(|(p, score)| *score = *p as f32);
        let chances = |parameters: &Parameters, scores: &[f32]| -> Option<Vec<f64>> {
            let all = entry.build(parameters, self.vocabulary).ok()?.distribution(scores, &PublicContext::NONE)?;
            Some(all[..self.top.len()].to_vec())
        };
        let reads = entry.build(&parameters, self.vocabulary).ok()?.reads();
        if reads != Reads::Logits {
            return chances(&parameters, &proposal);
        }
        // Logits are log-probabilities, moved so that the best is at the top of the range; the best clipping is looked for.
        let best = self.top[0] as f32;
        let clips = (1..=40).map(|half| f64::from(half) * 0.5);
        let tried = clips.filter_map(|clip| {
            let logits: Vec<f32> = proposal.iter().map(|p| (p / best).ln() + clip as f32 / 2.0).collect();
            chances(&Parameters { clip: Some(clip), ..parameters.clone() }, &logits)
        });
        tried.max_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum::<f64>()))
    }

    fn table(&self, rows: &[Row]) -> String {
        let mut text =
            format!("chance of one of the {} best tokens / of the best, by true epsilon a token\n", self.top.len());
        text.push_str(&format!("{:<20}", "mechanism"));
        self.epsilon_per_token.iter().for_each(|epsilon| text.push_str(&format!("{epsilon:>14}")));
        for line in rows.chunks(self.epsilon_per_token.len()) {
            text.push_str(&format!("\n{:<20}", line[0].mechanism));
            for row in line {
                let cell = match (row.good, row.best) {
                    (Some(good), Some(best)) => format!("{good:.4}/{best:.4}"),
                    _ => "-".to_owned(),
                };
                text.push_str(&format!("{cell:>14}"));
            }
        }
        text.push('\n');
        text
    }
}
