//! `allonym check`: a gate for pipelines.

use super::evaluate::Measuring;
use super::judging::{Doing, Judging};
use super::print;
use allonym::Failure;
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
    pub(super) fn run(self) -> Result<(), Failure> {
        let limits = [
            self.max_attack_accuracy,
            self.max_linkage_accuracy,
            self.max_verification_auc,
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
        let doing = Doing::new();
        let sheet = evaluate(&plan, &mut |what| doing.says(what))?;
        drop(doing);

        let (mut held, mut broken) = (String::new(), Vec::new());
        for release in &sheet.releases {
            let highest = |attack: &str, of: &dyn Fn(&allonym::eval::measure::Measures) -> Option<f64>| {
                let found = release.findings.iter().filter(|finding| finding.attack == attack);
                found.filter_map(|finding| of(&finding.measures)).max_by(f64::total_cmp)
            };
            let accuracy = |measures: &allonym::eval::measure::Measures| Some(measures.accuracy.value);
            let area = |measures: &allonym::eval::measure::Measures| measures.auc.map(|auc| auc.value);
            let measured = [
                ("attack accuracy", highest("attribution", &accuracy), self.max_attack_accuracy, true),
                ("linkage accuracy", highest("linkage", &accuracy), self.max_linkage_accuracy, true),
                ("verification AUC", highest("verification", &area), self.max_verification_auc, true),
                ("similarity", release.utility.similarity.as_ref().map(|s| s.mean.value), self.min_similarity, false),
                ("content words kept", release.utility.content_words_kept, self.min_content_words, false),
            ];
            for (what, value, limit, at_most) in measured {
                let Some(limit) = limit else { continue };
                let name = &release.source.name;
                // What could not be measured has not passed.
                let Some(value) = value else {
                    let message = format!("{name}: {what} could not be measured");
                    return Err(Failure::new(message, "name the columns and attacks that it needs"));
                };
                let line = format!("{name}: {what} {value:.3}, limit {limit:.3}");
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
}
