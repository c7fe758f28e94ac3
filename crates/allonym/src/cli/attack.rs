//! `allonym attack`: what attackers find in originals and releases.

use super::interrupt::Interrupt;
use super::judging::{Judging, table};
use super::progress::{Lines, Terminal};
use super::{print, print_json};
use allonym::evaluation::{Membership, evaluate, membership};
use allonym::{Activity, Failure, Observer};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  allonym attack --original reviews.csv                            how well authors are known from their texts
  allonym attack --original reviews.csv --released released.csv    before and after
  allonym attack --original blogs.jsonl --target gender,age --attackers all
  allonym attack --members trained-on.csv --others held-out.csv --synthetic synthetic.csv

A static attacker learned from originals, an adaptive one from texts that were released the same way. Chance is always naming
whoever wrote most. `at 1 %`: the share that is found with at most 1 % false alarms. This shows what these attackers find, and
promises nothing about others: for that see `allonym budget`.";

/// Find out who wrote what, as an attacker would
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Attack {
    #[command(flatten)]
    judging: Judging,

    /// Texts that a model was trained on, or that synthetic text was made from
    #[arg(long, value_name = "FILE", requires = "others", conflicts_with_all = ["original", "released", "target", "authors"], help_heading = "Membership")]
    members: Option<PathBuf>,

    /// Texts of the same source that were not
    #[arg(long, value_name = "FILE", requires = "members", help_heading = "Membership")]
    others: Option<PathBuf>,

    /// Synthetic text; the nearest one is the clue
    #[arg(long, value_name = "FILE", requires = "members", help_heading = "Membership")]
    synthetic: Option<PathBuf>,

    /// A column of both files with a score that is higher for members, such as a model's log-probability; the clue instead
    #[arg(long, value_name = "NAME", requires = "members", conflicts_with = "synthetic", help_heading = "Membership")]
    score_column: Option<String>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Attack {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let terminal = Terminal::new(Lines::NowAndThen);
        if let (Some(members), Some(others)) = (&self.members, &self.others) {
            let mut judging = self.judging.clone();
            judging.original = Some(members.clone());
            let plan = judging.plan()?;
            let clue = match (&self.synthetic, &self.score_column) {
                (Some(path), _) => Membership::Synthetic(path.clone()),
                (None, Some(column)) => Membership::Score(column.clone()),
                (None, None) => {
                    let hint = "give `--synthetic FILE`, or `--score-column NAME`";
                    return Err(Failure::new("there is no clue to membership", hint));
                }
            };
            terminal.begin(Activity::Attacking, "looking for members");
            let finding = membership(&plan, others, &clue)?;
            drop(terminal);
            return if self.json { print_json(&[finding]) } else { print(&table([&finding])) };
        }
        let sheet = evaluate(&self.judging.plan()?, &terminal, interrupt.token())?;
        drop(terminal);
        let findings: Vec<_> =
            sheet.before.iter().chain(sheet.releases.iter().flat_map(|release| &release.findings)).collect();
        if self.json {
            return print_json(&sheet);
        }
        let mut text = String::new();
        for remark in &sheet.remarks {
            text.push_str(&format!("{remark}\n"));
        }
        if sheet.releases.len() > 1 {
            text.push_str(&format!("\n{}:\n{}", sheet.original.name, table(&sheet.before)));
            for release in &sheet.releases {
                text.push_str(&format!("\n{}:\n{}", release.name, table(&release.findings)));
            }
        } else {
            text.push_str(&table(findings));
        }
        for release in &sheet.releases {
            if let Some(guess) = &release.reconstruction {
                text.push_str(&format!(
                    "\n{}: whoever knows the mechanism guesses {:.1} % of {} original tokens (chance {:.1} %)\n",
                    release.name,
                    100.0 * guess.recovered.value,
                    guess.tokens,
                    100.0 * guess.chance
                ));
            }
        }
        print(&text)
    }
}
