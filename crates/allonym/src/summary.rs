//! What a run tells its owner: what was released, what passed beside it, and what it cost.

use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::reserve::Reserved;
use crate::settings::Checked;
use allonym_dp::{Guarantee, Strength};
use allonym_io::{Columns, Format, Report};
use serde::Serialize;
use std::fmt;

/// The outcome of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The program's version.
    pub allonym: &'static str,
    /// Whether nothing was drawn or written.
    pub dry_run: bool,
    /// Where the records came from.
    pub input: String,
    /// Where the release went.
    pub output: String,
    /// The format of both.
    pub format: Format,
    /// Whether the rows were put in random order.
    pub shuffled: bool,
    /// Which column was taken for what, where there is such a column.
    pub columns: Roles,
    /// What was read and what passed.
    #[serde(flatten)]
    pub report: Report,
    /// What the ledger has of the run, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Reserved>,
    /// Advice for the owner.
    pub warnings: Vec<String>,
    /// Warnings with exact counts of private texts. They have a key of their own in JSON, since they are for the owner alone.
    pub for_owner: Vec<String>,
    /// The promise.
    pub guarantee: Guarantee,
}

/// The columns that Allonym knows, as found in the input.
#[derive(Clone, Debug, Serialize)]
pub struct Roles {
    /// The text's column.
    pub text: String,
    /// The column that names the record.
    pub id: Option<String>,
    /// The column that names the author.
    pub author: Option<String>,
    /// The column that holds a label.
    pub label: Option<String>,
}

impl Roles {
    fn found(columns: &Columns, report: &Report) -> Self {
        let found = |name: &String| report.carried.iter().chain(&report.dropped).find(|there| *there == name).cloned();
        Self {
            text: columns.text.clone(),
            id: found(&columns.id),
            author: found(&columns.author),
            label: found(&columns.label),
        }
    }
}

/// Parts of column names that often stand for a person.
const TELLING: &[&str] = &[
    "author", "user", "name", "mail", "phone", "handle", "account", "address", "ip", "device", "writer", "person",
    "reviewer", "patient", "ssn", "dob", "birth", "student", "nick", "uid", "customer", "employee", "member", "client",
];

impl Summary {
    pub(crate) fn new(
        checked: &Checked,
        report: Report,
        pipeline: &Pipeline<'_>,
        ledger: Option<Reserved>,
        dry_run: bool,
    ) -> Result<Self, Failure> {
        let settings = &checked.settings;
        let mut guarantee = pipeline.guarantee()?;
        let mut report = report;
        if checked.format == Format::Files && settings.shuffle {
            report.carried.clear(); // numbers stand for the names
        }
        if !report.carried.is_empty() {
            guarantee.not_protected.push(format!("what passes untouched: {}", report.carried.join(", ")));
        }
        if !settings.shuffle {
            guarantee.not_protected.push("the order of the records".into());
        }
        guarantee.not_protected.push("how many records there are".into());
        let mut warnings = warnings(&report, ledger.as_ref(), checked);
        warnings.extend(unused(settings.total, &guarantee));
        Ok(Self {
            allonym: env!("CARGO_PKG_VERSION"),
            dry_run,
            input: settings.input.display().to_string(),
            output: settings.output.display().to_string(),
            format: checked.format,
            shuffled: settings.shuffle,
            columns: Roles::found(&checked.columns, &report),
            warnings,
            report,
            ledger,
            for_owner: Vec::new(),
            guarantee,
        })
    }
}

/// A total that is more than the mechanism can cost.
fn unused(total: Option<f64>, guarantee: &Guarantee) -> Option<String> {
    match (total, &guarantee.strength) {
        (Some(total), Strength::Differential { epsilon_total, .. }) if total > 1.1 * epsilon_total => {
            Some(format!("of a total of {total} only {epsilon_total:.4} is used: the mechanism cannot cost more"))
        }
        _ => None,
    }
}

fn warnings(report: &Report, ledger: Option<&Reserved>, checked: &Checked) -> Vec<String> {
    let mut warnings = report.remarks.clone();
    if checked.settings.seed.is_some() {
        warnings.push("not private: seeded".into());
    }
    let delta = checked.settings.delta;
    if delta > 0.001 {
        let usual = "it should be far below 1 over the number of records";
        warnings.push(format!("delta is {delta}: with this probability nothing is promised; {usual}"));
    }
    let columns: &[String] = if checked.format == Format::Files { &[] } else { &report.carried };
    for column in columns {
        let name = column.to_lowercase();
        let words = || name.split(|c: char| !c.is_alphanumeric());
        if *column == checked.columns.author {
            warnings.push(format!("`{column}` passes: it names the author of every record"));
        } else if words().any(|word| TELLING.iter().any(|t| word == *t || (t.len() > 3 && word.contains(t)))) {
            warnings.push(format!("`{column}` may name a person: leave it behind with `--drop {column}`"));
        }
    }
    if let Some(repeated) = report.repeated_ids.filter(|repeated| *repeated > 0) {
        let who = if repeated == 1 { "1 record repeats".to_owned() } else { format!("{repeated} records repeat") };
        warnings.push(format!("{who} an id: they cannot be lined up by it later"));
    }
    if let Some(ledger) = ledger {
        if !ledger.limited {
            warnings.push("the ledger has no limits: it records and never refuses".into());
        }
        match ledger.without_author {
            0 => {}
            1 => warnings.push("1 record has no author: in the ledger it counts for itself only".into()),
            n => warnings.push(format!("{n} records have no author: in the ledger they count for themselves only")),
        }
    }
    warnings
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.dry_run { "would release" } else { "released" };
        let noun = if self.report.records == 1 { "record" } else { "records" };
        let from = if self.input == "-" { "standard input" } else { &self.input };
        let to = if self.output == "-" { "standard output" } else { &self.output };
        writeln!(f, "{verb} {} {noun} of {from} to {to} ({})", self.report.records, self.format)?;
        if !self.report.dropped.is_empty() {
            writeln!(f, "left behind: {}", self.report.dropped.join(", "))?;
        }
        if let Some(Reserved { ledger, entry, head, each, .. }) = &self.ledger {
            match (entry, head) {
                (Some(entry), Some(head)) => {
                    writeln!(f, "ledger `{ledger}`: {each} a record reserved, entry {entry}, head {head}")?;
                }
                _ => writeln!(f, "ledger `{ledger}`: {each} a record would fit; nothing was reserved")?,
            }
        }
        for warning in self.warnings.iter().chain(&self.for_owner) {
            writeln!(f, "warning: {warning}")?;
        }
        writeln!(f)?;
        write!(f, "{}", self.guarantee)
    }
}
