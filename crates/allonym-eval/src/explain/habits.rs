//! Habits of writing in which a text stands out from others.

use super::Reference;
use crate::error::EvalError;
use crate::features::{FEATURES, Standardised};
use serde::Serialize;

/// A habit in which a text stands out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Habit {
    /// The feature's name.
    pub name: &'static str,
    /// What it says of a text.
    pub about: &'static str,
    /// How far the text is from the others' mean, in standard deviations; above 0: more of it.
    pub deviations: f64,
}

/// The habits in which a text stands out by two deviations or more, the strongest first. Lengths and the many counts of single letters
/// are left out: they say more about the subject than about the writer.
///
/// # Errors
/// When there are no reference texts.
pub fn habits(text: &str, reference: Reference<'_>, most: usize) -> Result<Vec<Habit>, EvalError> {
    let standardised = Standardised::fit(reference.texts)?;
    let mut found: Vec<Habit> = FEATURES
        .iter()
        .zip(standardised.values(text))
        .filter(|(feature, value)| value.abs() >= 2.0 && !feature.name.starts_with("letter"))
        .map(|(feature, value)| Habit { name: &feature.name, about: &feature.about, deviations: f64::from(value) })
        .collect();
    found.sort_by(|a, b| b.deviations.abs().total_cmp(&a.deviations.abs()));
    found.truncate(most);
    Ok(found)
}
