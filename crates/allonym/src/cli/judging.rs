//! Flags that the commands of the referee share, and their table.

use allonym::Failure;
use allonym::eval::attack::{Finding, Side};
use allonym::evaluation::{Attack, Plan, printable};
use allonym::io::{Format, Table};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;

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
        let attackers = match self.attackers.iter().any(|name| name == "all") {
            true => allonym::eval::attacker::CATALOGUE.iter().map(|attacker| attacker.name().to_owned()).collect(),
            false => self.attackers.clone(),
        };
        Ok(Plan {
            released: self.released.clone(),
            format: self.format.as_deref().map(format_of).transpose()?,
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
            ..Plan::new(original)
        })
    }
}

/// The format of a name; the parser lets no other pass.
pub(super) fn format_of(name: &str) -> Result<Format, Failure> {
    name.parse().map_err(|_| Failure::new(format!("there is no format `{name}`"), "see `--help`"))
}

/// A share for people.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
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
    let side = |side: Side| if side == Side::Original { "originals" } else { "release" }.to_owned();
    for finding in findings {
        let measures = &finding.measures;
        rows.push([
            printable(&finding.title()),
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
