//! Whether texts can be told to be among those that a model was trained on.

use super::load::Loaded;
use super::plan::Plan;
use crate::failure::Failure;
use allonym_eval::attack::{Finding, membership_by_score, nearest};
use std::path::{Path, PathBuf};

/// What gives a member away.
#[derive(Clone, Debug)]
pub enum Membership {
    /// A synthetic text that is near it, in a file.
    Synthetic(PathBuf),
    /// A score in a column of both files.
    Score(String),
}

/// Tells the plan's originals, which are members, from others.
///
/// # Errors
/// When a file cannot be read, a score is missing, or there are too few texts.
pub fn membership(plan: &Plan, others: &Path, clue: &Membership) -> Result<Finding, Failure> {
    let reading = plan.reading();
    let wanted: Vec<String> = match clue {
        Membership::Score(column) => vec![column.clone()],
        Membership::Synthetic(_) => Vec::new(),
    };
    let files = [plan.original.as_path(), others].map(|path| Loaded::read(path, &reading, &wanted, &wanted));
    let [members, others] = files;
    let (members, others) = (members?, others?);
    match clue {
        Membership::Synthetic(path) => {
            let synthetic = Loaded::read(path, &reading, &[], &[])?;
            let [members, others, synthetic] = [&members, &others, &synthetic]
                .map(|loaded| loaded.texts.iter().map(String::as_str).collect::<Vec<&str>>());
            let (members, others) = (nearest(&members, &synthetic)?, nearest(&others, &synthetic)?);
            Ok(membership_by_score("nearest synthetic text", &members, &others)?)
        }
        Membership::Score(column) => {
            let (members, others) = (scores(&members, column)?, scores(&others, column)?);
            Ok(membership_by_score(column, &members, &others)?)
        }
    }
}

fn scores(loaded: &Loaded, column: &str) -> Result<Vec<f64>, Failure> {
    let Some(values) = loaded.column(column) else {
        let message = format!("the column `{column}` of {} is empty", loaded.source.name);
        return Err(Failure::new(message, "name a column with a number for every record"));
    };
    let score = |(place, value): (usize, &Option<String>)| {
        let number = value.as_deref().and_then(|value| value.parse::<f64>().ok()).filter(|number| number.is_finite());
        number.ok_or_else(|| {
            let message = format!("record {} of {} has no number in `{column}`", place + 1, loaded.source.name);
            Failure::new(message, "every record needs a score")
        })
    };
    values.iter().enumerate().map(score).collect()
}
