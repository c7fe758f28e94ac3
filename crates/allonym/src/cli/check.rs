//! `allonym check`: a gate for pipelines.

use super::evaluate::Measuring;
use super::interrupt::Interrupt;
use super::judging::Judging;
use super::print;
use super::progress::{Lines, Terminal};
use allonym::Failure;
use allonym::eval::attack::{Finding, Side};
use allonym::eval::measure::{Interval, Measures};
use allonym::eval::report::Release;
use allonym::evaluation::evaluate;
use clap::Args;

const AFTER_HELP: &str = "\
Examples:
  allonym check --original reviews.csv --released released.csv --max-attack-accuracy 0.1
  allonym check --original reviews.csv --released released.csv --max-attack-accuracy 0.1 --min-similarity 0.5 --encoder minilm/

Exit status: 0 when every limit holds, 1 when one is broken, 2 when it could not be measured. Passing says that these attackers
found no more, and promises nothing.";

/// Fail when attackers find too much or too little is kept
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Check {
    #[command(flatten)]
    judging: Judging,

    /// The highest accuracy that any attacker may reach in naming the author of a single released text
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_attack_accuracy: Option<f64>,

    /// The same for several texts together
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_linkage_accuracy: Option<f64>,

    /// The highest AUC in telling whether two texts are of the same author
    #[arg(long, value_name = "AUC", value_parser = share)]
    max_verification_auc: Option<f64>,

    /// The highest accuracy in telling any of the columns of `--target`
    #[arg(long, value_name = "SHARE", value_parser = share)]
    max_attribute_accuracy: Option<f64>,

    /// The fewest texts that must have been tested for a figure to count
    #[arg(long, value_name = "N", default_value_t = 20)]
    min_tested: usize,

    /// The lowest mean similarity
    #[arg(long, value_name = "COSINE", value_parser = share)]
    min_similarity: Option<f64>,

    /// The lowest share of content words that are kept
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_content_words: Option<f64>,

    #[command(flatten)]
    utility: Measuring,
}

fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("must be between 0 and 1".to_owned()) }
}

impl Check {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let limits = [
            self.max_attack_accuracy,
            self.max_linkage_accuracy,
            self.max_verification_auc,
            self.max_attribute_accuracy,
            self.min_similarity,
            self.min_content_words,
        ];
        if limits.iter().all(Option::is_none) {
            return Err(Failure::new("there is no limit to check", "for example `--max-attack-accuracy 0.1`"));
        }
        let mut plan = self.judging.plan()?;
        if plan.released.is_empty() {
            return Err(Failure::new("there is no release to check", "name it with `--released`"));
        }
        plan.utility = self.min_similarity.is_some() || self.min_content_words.is_some();
        let Measuring { encoder, embeddings, public_text } = self.utility.clone();
        (plan.encoder, plan.embeddings, plan.public_text) = (encoder, embeddings, public_text);
        let terminal = Terminal::new(Lines::NowAndThen);
        let sheet = evaluate(&plan, &terminal, interrupt.token())?;
        drop(terminal);

        let (mut held, mut broken) = (String::new(), Vec::new());
        for remark in &sheet.remarks {
            held.push_str(&format!("{remark}\n"));
        }
        for release in &sheet.releases {
            let name = &release.source.name;
            let highest =
                |limit: Option<f64>, attack, figure| limit.map_or(Ok(None), |_| self.highest(release, attack, figure));
            let kept = release.utility.content_words_kept.map(|value| Interval { value, low: value, high: value });
            let measured = [
                (
                    "attack accuracy",
                    highest(self.max_attack_accuracy, "attribution", accuracy)?,
                    self.max_attack_accuracy,
                    true,
                ),
                (
                    "linkage accuracy",
                    highest(self.max_linkage_accuracy, "linkage", accuracy)?,
                    self.max_linkage_accuracy,
                    true,
                ),
                (
                    "verification AUC",
                    highest(self.max_verification_auc, "verification", area)?,
                    self.max_verification_auc,
                    true,
                ),
                (
                    "attribute accuracy",
                    highest(self.max_attribute_accuracy, "attribute", accuracy)?,
                    self.max_attribute_accuracy,
                    true,
                ),
                ("similarity", release.utility.similarity.as_ref().map(|s| s.mean), self.min_similarity, false),
                ("content words kept", kept, self.min_content_words, false),
            ];
            for (what, found, limit, at_most) in measured {
                let Some(limit) = limit else { continue };
                // What could not be measured has not passed.
                let Some(Interval { value, low, high }) = found else {
                    let message = format!("{name}: {what} could not be measured");
                    return Err(Failure::new(message, "name the columns and attacks that it needs"));
                };
                let line = format!("{name}: {what} {value:.3} ({low:.3} to {high:.3}), limit {limit:.3}");
                if (at_most && value <= limit) || (!at_most && value >= limit) {
                    held.push_str(&format!("{line}\n"));
                } else {
                    broken.push(line);
                }
            }
        }
        print(&held)?;
        match broken.is_empty() {
            true => Ok(()),
            false => {
                Err(Failure::refusal(broken.join("\n"), "do not publish this release; see `allonym evaluate` for more"))
            }
        }
    }

    /// The worst of an attack: the highest figure of any attacker. Fails when too few texts were tested, or when an attacker could not learn from the
    /// release: that has not shown it to be safe.
    fn highest(
        &self,
        release: &Release,
        attack: &str,
        figure: fn(&Measures) -> Option<Interval>,
    ) -> Result<Option<Interval>, Failure> {
        let name = &release.source.name;
        let findings: Vec<&Finding> = release.findings.iter().filter(|finding| finding.attack == attack).collect();
        for finding in &findings {
            let items = finding.measures.items;
            if items < self.min_tested {
                let message = format!("{name}: {attack} was tested on {items} texts, fewer than {}", self.min_tested);
                return Err(Failure::new(message, "give more texts, or `--min-tested N` if so few are enough"));
            }
            let of_same = findings.iter().filter(|other| other.attacker == finding.attacker);
            if of_same.into_iter().all(|other| other.learned_from == Side::Original) {
                let message = format!("{name}: {} could not learn from the release ({attack})", finding.attacker);
                return Err(Failure::new(message, "ask attackers that can read it with `--attackers`"));
            }
        }
        let found = findings.iter().filter_map(|finding| figure(&finding.measures));
        Ok(found.max_by(|a, b| a.value.total_cmp(&b.value)))
    }
}

fn accuracy(measures: &Measures) -> Option<Interval> {
    Some(measures.accuracy)
}

/// An area below one half tells as much as one above.
fn area(measures: &Measures) -> Option<Interval> {
    measures.auc.map(|auc| match auc.value < 0.5 {
        true => Interval { value: 1.0 - auc.value, low: 1.0 - auc.high, high: 1.0 - auc.low },
        false => auc,
    })
}
