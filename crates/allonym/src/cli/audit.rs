//! `allonym audit`: shows that the mechanisms keep what they claim.

use super::{print, print_json};
use allonym::Failure;
use allonym::dp::audit::{Effort, Finding, audit};
use allonym::dp::mechanism::{CATALOGUE, Entry, Parameters, entry};
use clap::Args;
use clap::builder::PossibleValuesParser;

const AFTER_HELP: &str = "\
Examples:
  allonym audit --all
  allonym audit --mechanism two-set --draws 1000000 --json

Layers: exact (stated distributions of extremal inputs), sampler (draws against them), black box (draws alone),
joint (two draws of one text). Statistical layers raise a false alarm once in a million audits. Exit 1 if any fails.";

/// Check that mechanisms keep what they claim
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Audit {
    /// Every mechanism of the catalogue
    #[arg(long, required_unless_present = "mechanism", conflicts_with = "mechanism")]
    all: bool,

    /// One mechanism
    #[arg(long, value_parser = PossibleValuesParser::new(CATALOGUE.iter().map(|entry| entry.name)))]
    mechanism: Option<String>,

    /// Draws for each input
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000))]
    draws: u64,

    /// Which random numbers the audit uses: the same seed repeats it
    #[arg(long, default_value_t = 7)]
    seed: u64,

    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Parameters at which a mechanism is audited.
fn parameters(entry: &Entry, epsilon: f64) -> Parameters {
    let mut parameters = Parameters::default();
    if entry.parameters.contains(&"epsilon") {
        parameters.epsilon = Some(epsilon);
    }
    if entry.parameters.contains(&"candidates") {
        parameters.candidates = Some(2);
    }
    parameters
}

impl Audit {
    pub(super) fn run(self) -> Result<(), Failure> {
        let effort = Effort { draws: self.draws, seed: self.seed };
        let entries: Vec<&Entry> = match &self.mechanism {
            Some(name) => vec![entry(name)?],
            None => CATALOGUE.iter().collect(),
        };
        let mut findings = Vec::new();
        for entry in entries {
            let epsilons: &[f64] = if entry.parameters.is_empty() { &[1.0] } else { &[0.5, 2.0] };
            for epsilon in epsilons {
                for outcomes in [3, 5] {
                    findings.extend(audit(&*entry.build(&parameters(entry, *epsilon), outcomes)?, &effort));
                }
            }
        }
        if self.json {
            print_json(&findings)?;
        } else {
            print(&table(&findings))?;
        }
        let failed = findings.iter().filter(|finding| !finding.passed).count();
        if failed > 0 {
            let message = format!("{failed} of {} checks failed", findings.len());
            return Err(Failure::refusal(
                message,
                "do not release anything with the mechanisms that failed; report this",
            ));
        }
        Ok(())
    }
}

fn table(findings: &[Finding]) -> String {
    let mut text = format!("{:<20} {:<10} {:>8} {:>12} {:>12}\n", "mechanism", "layer", "outcomes", "claim", "found");
    for finding in findings {
        let verdict = if finding.passed { "" } else { "  FAILED" };
        let number =
            |value: f64| if finding.layer == "sampler" { format!("p {value:.1e}") } else { format!("{value:.6}") };
        text.push_str(&format!(
            "{:<20} {:<10} {:>8} {:>12} {:>12}{verdict}\n",
            finding.mechanism,
            finding.layer,
            finding.outcomes,
            number(finding.claim),
            number(finding.found)
        ));
    }
    let passed = findings.iter().filter(|finding| finding.passed).count();
    text.push_str(&format!("{passed} of {} checks passed\n", findings.len()));
    text
}
