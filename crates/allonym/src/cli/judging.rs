//! Flags that the commands of the referee share, and their table.

use allonym::Failure;
use allonym::eval::attack::{Finding, Side};
use allonym::evaluation::{Attack, Plan};
use allonym::io::{Format, Table};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

/// Attackers that are asked unless others are named: the strongest of each kind that take seconds.
const USUAL: &str = "char-svm,word-svm,style-svm,naive-bayes,delta";

#[derive(Clone, Debug, Args)]
pub(super) struct Judging {
    /// The originals
    #[arg(long, value_name = "FILE")]
    pub(super) original: Option<PathBuf>,

    /// Releases of them, by this or any other tool
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) released: Vec<PathBuf>,

    /// The format, if the names do not tell: csv, tsv, jsonl, parquet, lines or files
    #[arg(long, value_parser = super::anonymize::format_parser())]
    format: Option<String>,

    /// The column that holds the text
    #[arg(long, value_name = "NAME", default_value = "text", help_heading = "Columns")]
    text_column: String,

    /// The column that names the record, in both files; where neither has it, records are lined up by order [default: id]
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    id_column: Option<String>,

    /// The column of the originals that names the author [default: author]
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    author_column: Option<String>,

    /// The column of the originals that holds a label [default: label]
    #[arg(long, value_name = "NAME", help_heading = "Columns")]
    label_column: Option<String>,

    /// The CSV or TSV files have no header; their columns are named 1, 2, ..
    #[arg(long, help_heading = "Columns")]
    no_header: bool,

    /// What stands between two cells of a CSV file [default: a comma]
    #[arg(long, value_name = "CHAR", help_heading = "Columns")]
    delimiter: Option<char>,

    /// Leave out records that only one of the files has
    #[arg(long, help_heading = "Columns")]
    allow_missing: bool,

    #[arg(long, value_delimiter = ',', default_value = USUAL, value_name = "NAMES", help_heading = "Attacks", help = attackers_help())]
    attackers: Vec<String>,

    /// Which attacks
    #[arg(long, value_delimiter = ',', default_value = "attribution,verification,detection,reconstruction", value_parser = kinds(), value_name = "KINDS", help_heading = "Attacks")]
    attacks: Vec<String>,

    /// Other columns of the originals that an attacker would like to know
    #[arg(long, value_delimiter = ',', value_name = "NAMES", help_heading = "Attacks")]
    target: Vec<String>,

    /// How many texts of one author an attacker sees together
    #[arg(long, value_delimiter = ',', default_value = "1,5", value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Attacks")]
    together: Vec<u16>,

    /// Only the authors with most texts
    #[arg(long, value_name = "N", help_heading = "Attacks")]
    authors: Option<usize>,

    /// The share of each author's texts that is tested
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, help_heading = "Attacks")]
    test_share: f64,

    /// The seed that divides the texts
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Attacks")]
    seed: u64,
}

fn kinds() -> clap::builder::PossibleValuesParser {
    Attack::ALL.map(Attack::name).into()
}

fn attackers_help() -> String {
    let mut help = "Who attacks, or `all`:".to_owned();
    for attacker in allonym::eval::attacker::CATALOGUE {
        let _ = write!(help, "\n- {}: {}", attacker.name(), attacker.about());
    }
    help
}

impl Judging {
    /// Flags for a file of texts whose authors are known.
    pub(super) fn for_reference(
        reference: PathBuf,
        format: Option<String>,
        text_column: String,
        author_column: String,
        attackers: Vec<String>,
        authors: Option<usize>,
    ) -> Self {
        Self {
            original: Some(reference),
            released: Vec::new(),
            format,
            text_column,
            id_column: None,
            author_column: Some(author_column),
            label_column: None,
            no_header: false,
            delimiter: None,
            allow_missing: false,
            attackers,
            attacks: Vec::new(),
            target: Vec::new(),
            together: vec![1],
            authors,
            test_share: 0.2,
            seed: 1,
        }
    }

    /// The plan that the flags describe, without utility.
    pub(super) fn plan(&self) -> Result<Plan, Failure> {
        let Some(original) = self.original.clone() else {
            return Err(Failure::new("there are no originals", "name their file with `--original`"));
        };
        let delimiter =
            match self.delimiter {
                None => None,
                Some(delimiter) => Some(u8::try_from(delimiter).map_err(|_| {
                    Failure::new("the delimiter is no ASCII character", "for example `--delimiter ';'`")
                })?),
            };
        let named = |column: &Option<String>, usual: &str| {
            (column.clone().unwrap_or_else(|| usual.to_owned()), column.is_some())
        };
        let format = self.format.as_deref().map(|name| name.parse::<Format>()).transpose();
        let attackers = match self.attackers.iter().any(|name| name == "all") {
            true => allonym::eval::attacker::CATALOGUE.iter().map(|attacker| attacker.name().to_owned()).collect(),
            false => self.attackers.clone(),
        };
        Ok(Plan {
            original,
            released: self.released.clone(),
            format: format.map_err(|_| Failure::new("there is no such format", "see `--help`"))?,
            table: Table { header: !self.no_header, delimiter },
            text_column: self.text_column.clone(),
            id_column: named(&self.id_column, "id"),
            author_column: named(&self.author_column, "author"),
            label_column: named(&self.label_column, "label"),
            targets: self.target.clone(),
            attacks: self.attacks.iter().filter_map(|name| Attack::find(name)).collect(),
            attackers,
            together: self.together.iter().map(|count| usize::from(*count)).collect(),
            test_share: self.test_share,
            seed: self.seed,
            authors: self.authors,
            allow_missing: self.allow_missing,
            utility: false,
            encoder: None,
            embeddings: None,
            public_text: None,
            samples: 0,
        })
    }
}

/// A line on standard error that says what is being done, on a terminal only.
pub(super) struct Doing(ProgressBar);

impl Doing {
    pub(super) fn new() -> Self {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    pub(super) fn says(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Findings for people.
pub(super) fn table<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut rows = vec![
        [
            "attack",
            "attacker",
            "learned from",
            "tested on",
            "accuracy",
            "95 %",
            "chance",
            "F1",
            "top 5",
            "AUC",
            "at 1 %",
        ]
        .map(str::to_owned),
    ];
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let side = |side: Side| if side == Side::Original { "originals" } else { "release" }.to_owned();
    for finding in findings {
        let measures = &finding.measures;
        let attack = match (finding.attack, finding.target.as_str()) {
            ("linkage", _) => format!("linkage of {}", finding.together),
            ("attribute" | "label", target) => format!("{} {}", finding.attack, printable(target)),
            (attack, _) => attack.to_owned(),
        };
        rows.push([
            attack,
            finding.attacker.clone(),
            side(finding.learned_from),
            side(finding.tested_on),
            percent(measures.accuracy.value),
            format!("{:.1}-{:.1}", 100.0 * measures.accuracy.low, 100.0 * measures.accuracy.high),
            percent(measures.chance),
            format!("{:.3}", measures.macro_f1.value),
            if measures.classes > 5 { percent(measures.top5.value) } else { "-".to_owned() },
            measures.auc.map_or("-".to_owned(), |auc| format!("{:.3}", auc.value)),
            finding.found_at_one_percent.map_or("-".to_owned(), percent),
        ]);
    }
    aligned(&rows, 4)
}

/// A name without characters that would move the cursor or begin a line.
pub(super) fn printable(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

/// Columns under each other: the first ones to the left, the others to the right.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]], left: usize) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = if column < left { write!(line, "{cell:<width$}  ") } else { write!(line, "{cell:>width$}  ") };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
