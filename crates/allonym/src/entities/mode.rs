//! How it is decided what is said in the place of a name.

use super::generalize::GeneralizeSettings;
use crate::failure::Failure;
use allonym_dp::counts::LargeCounts;
use allonym_dp::{Entropy, Purpose};
use allonym_entities::Kind;
use allonym_entities::generalise::{Ladders, Value, initials as first_letters, k_anonymous};
use allonym_text::Private;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Until every form stands in at least k records: counted exactly, so it depends on all records.
    #[default]
    KAnonymous,
    /// By public knowledge alone: every record by itself.
    Public,
    /// Until about k records share a form, counted with noise.
    Private,
}

impl Mode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::KAnonymous => "k-anonymous",
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// What a name is, and what may be said for it.
pub(super) type Named = (Kind, Vec<String>);

/// What is said for each ladder.
pub(super) enum Cut {
    /// By the ladder.
    Steps(HashMap<Vec<String>, usize>),
    /// By the kind and public numbers.
    Public { least_people: u64, initials: bool },
    /// The first form that was named as shared.
    Named(HashSet<String>),
}

impl Cut {
    /// The form that is said.
    pub(super) fn form(&self, kind: Kind, ladder: &[String], ladders: &Ladders) -> String {
        let anything = kind.anything();
        let general = || ladder.iter().find(|form| *form == anything).cloned().unwrap_or_default();
        match self {
            Self::Steps(steps) => {
                // What was not counted is not said: the last step is nothing.
                let step = steps.get(ladder).copied().unwrap_or(ladder.len() - 1);
                ladder[step].clone()
            }
            Self::Named(named) => ladder.iter().find(|form| named.contains(*form)).cloned().unwrap_or_else(general),
            Self::Public { least_people, initials } => match kind {
                Kind::Person if *initials => first_letters(&ladder[0]).unwrap_or_else(general),
                // A hierarchy without numbers of people is cut at its top.
                Kind::Place if !ladders.places.has_people() => {
                    ladders.places.above(&ladder[0]).last().map_or_else(general, |top| (*top).to_owned())
                }
                Kind::Place => {
                    let many =
                        |form: &&String| ladders.places.people(form).is_some_and(|people| people >= *least_people);
                    ladder.iter().find(many).cloned().unwrap_or_else(general)
                }
                Kind::Organisation => ladder[1].clone(),
                Kind::Date => {
                    let year = |form: &&String| form.len() == 4 && form.bytes().all(|byte| byte.is_ascii_digit());
                    ladder.iter().find(year).cloned().unwrap_or_else(general)
                }
                _ => general(),
            },
        }
    }
}

/// The most forms of one ladder that are counted: a place, what it lies in, and so on. Public.
pub(super) const COUNTED: usize = 4;

/// Steps of a ladder that are counted: not those that are always said, nor star and nothing.
fn counted(ladder: &[String]) -> impl Iterator<Item = &String> {
    // Before `anything`, the star and nothing; a person's `anything` is the star.
    let last = ladder.iter().position(|form| Kind::ALL.iter().any(|kind| kind.anything() == form));
    ladder[..last.unwrap_or(0)].iter().take(COUNTED)
}

impl GeneralizeSettings {
    /// The noise on counts in `private` mode.
    pub(super) fn large_counts(&self) -> Result<LargeCounts, Failure> {
        let contributions = u32::try_from(self.names_each as usize * COUNTED).unwrap_or(u32::MAX);
        Ok(LargeCounts::new(self.epsilon, self.delta, contributions, self.k)?)
    }

    /// Decides by the names of all records: for each record, the ladders of its names in their order.
    pub(super) fn decide(
        &self,
        records: Private<Vec<Vec<Named>>>,
        entropy: &Entropy,
    ) -> Result<(Cut, Vec<Value>), Failure> {
        match self.mode {
            Mode::Public => {
                let values = records.map(|records| values(&records));
                let values = values.declassify("generalize: how many records share each form, told to their owner");
                Ok((Cut::Public { least_people: self.least_people, initials: self.initials }, values))
            }
            Mode::KAnonymous => {
                let values = records
                    .map(|records| values(&records))
                    .declassify("generalize: k-anonymous, an exact count decides, and the statement says so");
                let steps = k_anonymous(&values, self.k as usize);
                let steps = values.iter().zip(steps).map(|(value, step)| (value.ladder.clone(), step)).collect();
                Ok((Cut::Steps(steps), values))
            }
            Mode::Private => {
                let counts = self.large_counts()?;
                let each = self.names_each as usize;
                let forms = records.as_ref().map(|records| forms(records, each));
                // Which forms there are is as private as their counts; only those that are named leave.
                let numbers = forms.as_ref().map(|forms| forms.iter().map(|(_, count)| *count).collect());
                let named = counts.named(numbers, &mut entropy.stream(Purpose::Counts, 0)).into_value();
                let named = forms
                    .map(|forms| {
                        forms.into_iter().zip(named).filter(|(_, named)| *named).map(|((name, _), _)| name).collect()
                    })
                    .declassify("generalize: forms that a noisy count named");
                let values = records
                    .map(|records| values(&records))
                    .declassify("generalize: how many records share each form, told to their owner");
                Ok((Cut::Named(named), values))
            }
        }
    }
}

/// Every name with the records that have it.
fn values(records: &[Vec<Named>]) -> Vec<Value> {
    let mut found: HashMap<&Named, Vec<u32>> = HashMap::new();
    for (record, ladders) in records.iter().enumerate() {
        for named in ladders {
            let (numbers, record) = (found.entry(named).or_default(), u32::try_from(record).unwrap_or(u32::MAX));
            if numbers.last() != Some(&record) {
                numbers.push(record);
            }
        }
    }
    let mut values: Vec<Value> = found
        .into_iter()
        .map(|((kind, ladder), records)| Value { kind: *kind, ladder: ladder.clone(), records })
        .collect();
    values.sort_by(|a, b| (&a.ladder, a.kind).cmp(&(&b.ladder, b.kind)));
    values
}

/// How many records count for each form; each counts for the forms of its first few names, once for each.
fn forms(records: &[Vec<Named>], each: usize) -> Vec<(String, u64)> {
    let mut found: HashMap<&str, u64> = HashMap::new();
    for ladders in records {
        let mut names: Vec<&Vec<String>> = Vec::new();
        for (_, ladder) in ladders {
            if names.len() < each && !names.contains(&ladder) {
                names.push(ladder);
            }
        }
        let own: HashSet<&str> = names.into_iter().flat_map(|ladder| counted(ladder)).map(String::as_str).collect();
        own.into_iter().for_each(|form| *found.entry(form).or_default() += 1);
    }
    let mut forms: Vec<(String, u64)> = found.into_iter().map(|(form, count)| (form.to_owned(), count)).collect();
    // Noise is drawn in this order: it must not depend on how a table was laid out.
    forms.sort();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(forms: &[&str]) -> Vec<String> {
        forms.iter().map(|form| (*form).to_owned()).collect()
    }

    #[test]
    fn a_record_counts_for_its_first_names_alone_and_once() {
        let place = |name: &str| (Kind::Place, ladder(&[name, "France", "somewhere", "*", ""]));
        let (lyon, nice) = (place("Lyon"), place("Nice"));
        let records = [vec![lyon.clone(), lyon, nice.clone()], vec![nice]];
        let found = |each| forms(&records, each);
        assert_eq!(found(1), [("France".into(), 2), ("Lyon".into(), 1), ("Nice".into(), 1)]);
        assert_eq!(found(2), [("France".into(), 2), ("Lyon".into(), 1), ("Nice".into(), 2)]);
        // No record touches more counts than its price says.
        let alone = forms(&records[..1], 2);
        assert!(alone.iter().map(|(_, count)| count).sum::<u64>() as usize <= 2 * COUNTED);
    }

    #[test]
    fn what_is_always_said_is_not_counted() {
        assert_eq!(counted(&ladder(&["Ann Lee", "A. L.", "*", ""])).count(), 2);
        assert_eq!(counted(&ladder(&["a phone number", "*", ""])).count(), 0);
        assert_eq!(counted(&ladder(&["a", "b", "c", "d", "e", "f", "somewhere", "*", ""])).count(), COUNTED);
    }

    #[test]
    fn a_name_that_was_not_counted_is_not_said() {
        let cut = Cut::Steps(HashMap::new());
        assert_eq!(cut.form(Kind::Person, &ladder(&["Ann", "A.", "*", ""]), &Ladders::default()), "");
    }
}
