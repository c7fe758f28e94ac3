//! Habits of writing in which a text stands out from others.

use super::Reference;
use crate::error::EvalError;
use crate::features::{FEATURES, Feature, Standardised};
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
        .filter(|(feature, value)| value.abs() >= 2.0 && is_habit(feature))
        .map(|(feature, value)| Habit { name: &feature.name, about: &feature.about, deviations: f64::from(value) })
        .collect();
    found.sort_by(|a, b| b.deviations.abs().total_cmp(&a.deviations.abs()));
    found.truncate(most);
    Ok(found)
}

/// How long a text is, and how often it has one letter or one small word, is no habit that a short text could show.
fn is_habit(feature: &Feature) -> bool {
    let about = &feature.about;
    !feature.name.starts_with("letter-") && !about.contains("ln(1 +") && !about.starts_with("share of tokens:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shouting_is_a_habit_and_length_is_none() {
        let texts =
            ["A quiet text about the weather.", "Another one, about bread and butter.", "The third is about trees!"];
        let names = ["a".to_owned()];
        let reference = Reference { texts: &texts, authors: &[0, 0, 0], names: &names };
        let found =
            habits("WHAT A DAY!!! WHAT A NIGHT!!! and so on and on and on and on and on", reference, 50).unwrap();
        assert!(
            found.iter().any(|habit| habit.about.contains("capital") || habit.about.contains("upper")),
            "{found:?}"
        );
        assert!(found.iter().all(|habit| habit.name != "words" && habit.name != "characters"));
    }
}
