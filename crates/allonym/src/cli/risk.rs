//! `allonym risk`: would I be known by this text, and what should I change?

use super::interrupt::Interrupt;
use super::judging::{aligned, format_of, percent};
use super::progress::{Lines, Terminal};
use super::{print, print_json};
use allonym::Failure;
use allonym::eval::explain::{Verdict, Word};
use allonym::evaluation::{Plan, Risk as Found, risk};
use clap::Args;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  allonym risk --reference colleagues.csv letter.txt                       who would be named
  allonym risk --reference colleagues.csv --author 'me' letter.txt         how near you are to being named
  allonym risk --reference colleagues.csv --author me --before first.txt second.txt

The reference holds texts of the people among whom the writer would be sought, with a column that names the author. The more it has of
yours, the more an attacker has too. A low figure promises nothing: another attacker may look at something else, and facts that only
you know give you away in any style.";

/// See by which words and habits a text gives its writer away
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Risk {
    /// The text; `-` is standard input
    #[arg(value_name = "TEXT")]
    text: PathBuf,

    /// Texts of known authors
    #[arg(long, value_name = "FILE")]
    reference: PathBuf,

    /// The name of the text's writer in the reference
    #[arg(long, value_name = "NAME")]
    author: Option<String>,

    /// An earlier version of the text, for comparison
    #[arg(long, value_name = "TEXT")]
    before: Option<PathBuf>,

    /// Attackers, as for `allonym attack`
    #[arg(long, value_delimiter = ',', default_value = "char-svm,word-svm,style-svm", value_name = "NAMES")]
    attackers: Vec<String>,

    /// The format of the reference, if its name does not tell
    #[arg(long, value_parser = super::anonymize::format_parser())]
    format: Option<String>,

    /// The reference's column that holds the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_column: String,

    /// The reference's column that names the author
    #[arg(long, value_name = "NAME", default_value = "author")]
    author_column: String,

    /// Only the authors with most texts
    #[arg(long, value_name = "N")]
    authors: Option<usize>,

    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Risk {
    pub(super) fn run(self, interrupt: &Interrupt) -> Result<(), Failure> {
        let text = read(&self.text)?;
        let before = self.before.as_deref().map(read).transpose()?;
        let plan = Plan {
            format: self.format.as_deref().map(format_of).transpose()?,
            text_column: self.text_column,
            author_column: (self.author_column, true),
            attackers: self.attackers,
            authors: self.authors,
            ..Plan::new(self.reference)
        };
        let terminal = Terminal::new(Lines::NowAndThen);
        let found = risk(&plan, &text, before.as_deref(), self.author.as_deref(), &terminal, interrupt.token())?;
        drop(terminal);
        if self.json { print_json(&found) } else { print(&told(&found, &text)) }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let failure = |error: std::io::Error| Failure::reading("text", path, &error);
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map_err(failure)?;
    } else {
        text = std::fs::read_to_string(path).map_err(failure)?;
    }
    match text.trim().is_empty() {
        true => Err(Failure::new(format!("{} has no text", path.display()), "give a text to judge")),
        false => Ok(text),
    }
}

fn told(found: &Found, text: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Among {} texts of {} authors; by chance each would have {:.1} %.",
        found.texts,
        found.authors,
        100.0 / found.authors as f64
    );
    found.remarks.iter().for_each(|remark| {
        let _ = writeln!(out, "{remark}");
    });
    let _ = writeln!(out, "\nWho would be named\n{}", verdicts(found));
    for verdict in &found.verdicts {
        let clues = clues(verdict, text);
        if !clues.is_empty() {
            let _ = writeln!(out, "What {} saw\n{clues}", verdict.attacker);
        }
    }
    let advice = advice(found);
    if !advice.is_empty() {
        let _ = writeln!(out, "What to change first\n{advice}");
    }
    let _ = writeln!(out, "This is what these attackers see today. It is advice, and no protection.");
    out
}

fn verdicts(found: &Found) -> String {
    let mut rows = Vec::new();
    for (number, verdict) in found.verdicts.iter().enumerate() {
        let guesses: Vec<String> = verdict
            .guesses
            .iter()
            .take(3)
            .map(|guess| format!("{} {}", guess.author, percent(guess.probability)))
            .collect();
        let own = verdict.own.as_ref().map_or(String::new(), |own| {
            let earlier = found.before.get(number).and_then(|before| before.own.as_ref());
            let earlier =
                earlier.map_or(String::new(), |b| format!(" (before: {}, place {})", percent(b.probability), b.place));
            format!("the writer {}, place {}{earlier}", percent(own.probability), own.place)
        });
        rows.push([format!("  {}", verdict.attacker), guesses.join(", "), own]);
    }
    aligned(&rows, 3)
}

/// The strongest clues with the words around them.
fn clues(verdict: &Verdict, text: &str) -> String {
    let mut out = String::new();
    // N-grams overlap: of those that stand in the same place the strongest is enough.
    let mut shown: Vec<(usize, usize)> = Vec::new();
    let apart =
        |shown: &[(usize, usize)], (start, end): (usize, usize)| shown.iter().all(|s| s.1 <= start || end <= s.0);
    for clue in &verdict.reasons {
        if shown.len() == 6 || !clue.spans.first().is_none_or(|span| apart(&shown, *span)) {
            continue;
        }
        shown.push(clue.spans.first().copied().unwrap_or((0, 0)));
        let around = clue.spans.first().map(|(start, end)| {
            let before: String = text[..*start].chars().rev().take(18).collect::<Vec<_>>().into_iter().rev().collect();
            let after: String = text[*end..].chars().take(18).collect();
            let line = format!("{before}[{}]{after}", &text[*start..*end]);
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        let times = match clue.spans.len() {
            0 | 1 => String::new(),
            count => format!(", {count} times"),
        };
        match around {
            Some(around) => {
                let _ = writeln!(out, "  ..{around}..{times}");
            }
            None => {
                let _ = writeln!(out, "  {}", clue.feature);
            }
        }
    }
    out
}

fn advice(found: &Found) -> String {
    let mut out = String::new();
    for word in &found.words {
        let _ = writeln!(out, "  {}", of_word(word));
    }
    for habit in &found.habits {
        let more = if habit.deviations > 0.0 { "more" } else { "less" };
        let _ = writeln!(out, "  {}: far {more} than others ({:+.1} deviations)", habit.about, habit.deviations);
    }
    out
}

fn of_word(word: &Word) -> String {
    let often = match word.times_as_often {
        Some(times) => format!("{times:.0} times as often as others"),
        None => "and nobody else does".to_owned(),
    };
    let instead = match word.instead {
        Some("") => "; it can be left out".to_owned(),
        Some(other) => format!("; try \"{other}\""),
        None if word.habit => String::new(),
        None => format!("; {} other authors use it at all", word.other_authors),
    };
    format!("you write \"{}\" {often}{instead}", word.word)
}
