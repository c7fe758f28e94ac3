//! Which release belongs to which original.

use super::load::Loaded;
use crate::failure::Failure;
use std::collections::HashMap;

/// For every original that has a release, the places of both.
pub(super) struct LinedUp {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) by: String,
    /// Records that one of the files lacks.
    pub(super) missing: usize,
}

impl LinedUp {
    /// By ids where both files have them, else by order.
    pub(super) fn of(
        original: &Loaded,
        released: &Loaded,
        id_column: &str,
        allow_missing: bool,
        shuffled: bool,
    ) -> Result<Self, Failure> {
        let name = &released.source.name;
        match (original.column(id_column), released.column(id_column)) {
            (Some(originals), Some(releases)) => {
                let known = places(originals, &original.source.name, id_column)?;
                let found = places(releases, name, id_column)?;
                let mut pairs: Vec<(usize, usize)> =
                    known.iter().filter_map(|(id, place)| Some((*place, *found.get(id)?))).collect();
                pairs.sort_unstable();
                let missing = known.len() + found.len() - 2 * pairs.len();
                if pairs.is_empty() || (missing > 0 && !allow_missing) {
                    let message = format!(
                        "{} of {} originals are not in {name}, and {} of its {} records are not among the originals (by `{id_column}`)",
                        known.len() - pairs.len(),
                        known.len(),
                        found.len() - pairs.len(),
                        found.len()
                    );
                    let hint = "give the files that belong together, or `--allow-missing` to use what is in both";
                    return Err(Failure::new(message, hint));
                }
                Ok(Self { pairs, by: format!("the column `{id_column}`"), missing })
            }
            (Some(_), None) | (None, Some(_)) => {
                // By order, a shuffled release would be held against the wrong originals, and look safe.
                let message = format!("only one of {} and {name} has ids (`{id_column}`)", original.source.name);
                Err(Failure::new(message, "name the column that both have with `--id-column`"))
            }
            _ if shuffled => {
                let message =
                    format!("{name} was shuffled, as its run file says, and there are no ids to line it up by");
                Err(Failure::new(message, "release it again with ids, or evaluate it before it is shuffled"))
            }
            _ if original.texts.len() == released.texts.len() => {
                let pairs = (0..original.texts.len()).map(|place| (place, place)).collect();
                Ok(Self { pairs, by: "the order of the records".to_owned(), missing: 0 })
            }
            _ => {
                let (one, other) = (original.texts.len(), released.texts.len());
                let message = format!(
                    "{name} has {other} records and the originals {one}, and there are no ids to line them up by"
                );
                Err(Failure::new(
                    message,
                    format!("release the column `{id_column}` too, or name another with `--id-column`"),
                ))
            }
        }
    }
}

fn places<'a>(ids: &'a [Option<String>], file: &str, column: &str) -> Result<HashMap<&'a str, usize>, Failure> {
    let mut places = HashMap::with_capacity(ids.len());
    for (place, id) in ids.iter().enumerate() {
        let Some(id) = id else {
            let message = format!("record {} of {file} has no `{column}`", place + 1);
            return Err(Failure::new(message, "every record needs an id, or none"));
        };
        if places.insert(id.as_str(), place).is_some() {
            let message = format!("record {} of {file} has a `{column}` that was there before", place + 1);
            return Err(Failure::new(message, "ids must be different to line records up"));
        }
    }
    Ok(places)
}
