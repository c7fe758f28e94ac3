//! `allonym audit`: shows that the mechanisms keep what they claim.

use super::{print, print_json};
use allonym::Failure;
use allonym::MethodSettings;
use allonym::dp::audit::{Effort, Finding, NOISE_SUBJECTS, audit, noise_subject};
use allonym::dp::mechanism::{Entry, Parameters, entry};
use allonym::method::registry::{self, METHODS};
use clap::Args;
use clap::builder::PossibleValuesParser;

const AFTER_HELP: &str = "\
Examples:
  allonym audit --all
  allonym audit --method two-set --draws 1000000 --json

Layers: exact (stated distributions of extremal inputs), sampler (draws against the stated distribution), black box
(draws alone), joint (two draws of one text). The claim is an epsilon, at the delta beside it, between inputs that are
adjacent: any two texts, sets with one record added or removed, sets with one record replaced, or (metric) two texts at
a distance. For the sampler it is a false-alarm rate. Statistical layers raise a false alarm once in a million audits.
Exit 1 if any check fails.";

/// Check that mechanisms keep what they claim
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Audit {
    /// Every method that claims a bound, and every mechanism on counts
    #[arg(long, required_unless_present = "method", conflicts_with = "method")]
    all: bool,

    /// One of them
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(audited()))]
    method: Option<String>,

    /// The former spelling of `--method`
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "NAME", value_parser = super::renamed_to_method)]
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

/// The names of everything that is audited, in the order of the table.
///
/// Methods that claim a bound, and counts that synthesis and generalization release.
fn audited() -> impl Iterator<Item = &'static str> {
    let methods = METHODS.iter().filter(|entry| entry.has_bound).map(|entry| entry.name);
    let is_method = |name: &str| METHODS.iter().any(|entry| entry.name == name);
    methods.chain(NOISE_SUBJECTS.iter().map(|subject| subject.name).filter(move |name| !is_method(name)))
}

/// Audits one of them.
fn findings(name: &str, effort: &Effort) -> Result<Vec<Finding>, Failure> {
    match noise_subject(name) {
        Some(subject) => Ok(subject.audit(effort)?),
        None => {
            let mut findings = token_mechanism(entry(name)?, effort)?;
            if name == allonym::method::DEFAULT {
                // With its language model, as it really runs.
                let method = registry::build(&MethodSettings::named(name).with("epsilon-per-token", WITH_MODEL))?;
                findings.extend(method.audit(effort)?);
            }
            Ok(findings)
        }
    }
}

/// The loss per token at which the default method is audited with its model: small enough for draws to show it.
const WITH_MODEL: f64 = 4.0;

/// Audits a mechanism that draws tokens at several settings.
fn token_mechanism(entry: &Entry, effort: &Effort) -> Result<Vec<Finding>, Failure> {
    let epsilons: &[f64] = if entry.parameters.is_empty() { &[1.0] } else { &[0.5, 2.0] };
    let mut findings = Vec::new();
    for epsilon in epsilons {
        for outcomes in [3, 5] {
            findings.extend(audit(&*entry.build(&parameters(entry, *epsilon), outcomes)?, effort));
        }
    }
    Ok(findings)
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
        let names: Vec<&str> = self.method.as_deref().map_or_else(|| audited().collect(), |name| vec![name]);
        let mut all = Vec::new();
        for name in names {
            all.extend(findings(name, &effort)?);
        }
        if self.json {
            print_json(&all)?;
        } else {
            print(&table(&all))?;
        }
        let failed = all.iter().filter(|finding| !finding.passed).count();
        if failed > 0 {
            return Err(Failure::refusal(
                format!("{failed} of {} checks failed", all.len()),
                "do not release anything with the mechanisms that failed; report this",
            ));
        }
        Ok(())
    }
}

fn table(findings: &[Finding]) -> String {
    let mut text = format!(
        "{:<20} {:<10} {:<12} {:>8} {:>12} {:>8} {:>12}\n",
        "method", "layer", "adjacency", "outcomes", "claim", "delta", "found"
    );
    for finding in findings {
        let verdict = if finding.passed { "" } else { "  FAILED" };
        let number =
            |value: f64| if finding.layer == "sampler" { format!("p {value:.1e}") } else { format!("{value:.6}") };
        let delta = if finding.delta > 0.0 { format!("{:.1e}", finding.delta) } else { "0".to_owned() };
        text.push_str(&format!(
            "{:<20} {:<10} {:<12} {:>8} {:>12} {:>8} {:>12}{verdict}\n",
            finding.mechanism,
            finding.layer,
            finding.adjacency,
            finding.outcomes,
            number(finding.claim),
            delta,
            number(finding.found)
        ));
    }
    let passed = findings.iter().filter(|finding| finding.passed).count();
    text.push_str(&format!("{passed} of {} checks passed\n", findings.len()));
    text
}
