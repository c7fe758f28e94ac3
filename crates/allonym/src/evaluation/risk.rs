//! A person's own text among texts of known authors: who would be named, and what to change.

use super::classes::Classes;
use super::load::Loaded;
use super::plan::Plan;
use crate::failure::Failure;
use allonym_eval::attacker;
use allonym_eval::explain::{Habit, Reader, Reference, Verdict, Word, habits, words};
use allonym_text::{Activity, CancelToken, Observer};
use serde::Serialize;

/// What is known about the risk of a text, and of an earlier version of it.
#[derive(Clone, Debug, Serialize)]
pub struct Risk {
    /// Reference texts.
    pub texts: usize,
    /// Their authors.
    pub authors: usize,
    /// What attackers say of the text.
    pub verdicts: Vec<Verdict>,
    /// What they said of the earlier version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Verdict>,
    /// Words that tell the writer from others.
    pub words: Vec<Word>,
    /// Habits in which the text stands out.
    pub habits: Vec<Habit>,
    /// What the person should know.
    pub remarks: Vec<String>,
}

/// How many words and habits are named.
const NAMED: usize = 8;

/// Texts of fewer words say little about anybody.
const FEW_WORDS: usize = 50;

/// Judges a text against the plan's originals, which are the reference. `writer` is the name of its writer among their authors.
///
/// # Errors
/// When the reference cannot be read or has fewer than two authors, or nobody there has the writer's name.
pub fn risk(
    plan: &Plan,
    text: &str,
    before: Option<&str>,
    writer: Option<&str>,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Risk, Failure> {
    observer.begin(Activity::Reading, "reading");
    cancel.check()?;
    let column = &plan.author_column.0;
    let loaded =
        Loaded::read(&plan.original, &plan.reading(), std::slice::from_ref(column), std::slice::from_ref(column))?;
    let values = loaded.column(column).unwrap_or_default();
    // The text itself may be among the reference texts; an attacker who had it with its author would have to learn nothing.
    let same =
        |record: &usize| [Some(text), before].into_iter().flatten().any(|t| loaded.texts[*record].trim() == t.trim());
    let (own, records): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(same);
    let classes = Classes::of(values, &records, plan.authors);
    classes.at_least_two(column)?;
    let mut remarks = Vec::new();
    let length = text.split_whitespace().count();
    if length < FEW_WORDS {
        remarks
            .push(format!("The text has {length} words: too few for more than a hint. Judge a longer one if you can."));
    }
    if !own.is_empty() {
        remarks.push(format!("The text itself is in the reference {} times, and was left out.", own.len()));
    }
    let mut names = vec![String::new(); classes.count];
    for (record, class) in classes.records.iter().zip(&classes.of_records) {
        if let Some(name) = &values[*record] {
            names[*class as usize].clone_from(name);
        }
    }
    let number = match writer {
        None => None,
        Some(writer) => Some(names.iter().position(|name| name == writer).ok_or_else(|| {
            let message =
                format!("nobody in the reference has the name given with `--author` ({} authors)", names.len());
            Failure::new(message, "spell it as the reference does, or leave it out to see who would be named")
        })? as u32),
    };
    let texts: Vec<&str> = classes.records.iter().map(|record| loaded.texts[*record].as_str()).collect();
    let reference = Reference { texts: &texts, authors: &classes.of_records, names: &names };
    let mut risk = Risk {
        texts: texts.len(),
        authors: names.len(),
        verdicts: Vec::new(),
        before: Vec::new(),
        words: words(text, reference, number, NAMED),
        habits: habits(text, reference, NAMED)?,
        remarks,
    };
    for name in &plan.attackers {
        let attacker = attacker::find(name)?;
        observer.begin(Activity::Attacking, &format!("{name} reads {} texts", texts.len()));
        cancel.check()?;
        let reader = Reader::new(attacker, reference)?;
        risk.verdicts.push(reader.judge(text, number)?);
        if let Some(before) = before {
            risk.before.push(reader.judge(before, number)?);
        }
    }
    Ok(risk)
}
