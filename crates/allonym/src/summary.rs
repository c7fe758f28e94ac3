//! What a run tells its owner: what was released, what passed beside it, and what it cost.

use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::settings::Checked;
use crate::spending::Reserved;
use allonym_dp::Guarantee;
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
        pipeline: &Pipeline,
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
            guarantee.push_not_protected(format!("what passes untouched: {}", report.carried.join(", ")));
        }
        if !settings.shuffle {
            guarantee.push_not_protected("the order of the records");
        }
        guarantee.push_not_protected("how many records there are");
        let mut warnings = warnings(&report, ledger.as_ref(), checked);
        warnings.extend(unused(settings.method.number("total"), &guarantee));
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
    match (total, guarantee.epsilon_total()) {
        (Some(total), Some(epsilon_total)) if total > 1.1 * epsilon_total => {
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
    let delta = checked.settings.method.number("delta").unwrap_or_default();
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
    warnings.extend(ledger.map(Reserved::warnings).unwrap_or_default());
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
        if let Some(reserved) = &self.ledger {
            writeln!(f, "{reserved}")?;
        }
        for warning in self.warnings.iter().chain(&self.for_owner) {
            writeln!(f, "warning: {warning}")?;
        }
        writeln!(f)?;
        write!(f, "{}", self.guarantee)
    }
}
