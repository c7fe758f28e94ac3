//! What a generalisation promises, and what it does not.

use super::generalize::GeneralizeSettings;
use super::mode::{COUNTED, Mode};
use super::names::Finder;
use crate::failure::Failure;
use allonym_entities::generalise::Ladders;
use serde::Serialize;
use std::fmt;

/// A statement, what is not protected first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statement {
    /// The mode.
    pub mode: &'static str,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// What is.
    pub protected: Vec<String>,
    /// What the choice of forms costs when a record is added or removed: epsilon and delta. None where no such bound holds.
    pub price: Option<(f64, f64)>,
    /// The same when a record is exchanged for another.
    pub price_of_exchange: Option<(f64, f64)>,
}

impl Statement {
    pub(super) fn of(settings: &GeneralizeSettings, finder: &Finder, ladders: &Ladders) -> Result<Self, Failure> {
        let (steps, people) = (ladders.steps(), ladders.places.has_people());
        let mut not_protected = vec![
            "everything in the texts that is no name: it passes as it was written, style included".to_owned(),
            match finder {
                Finder::Tagger(_) => {
                    "names that the tagger does not find: it misses some (docs/entities.md has how many)"
                }
                Finder::Given(_) => "names that the other tool did not find: only addresses, numbers and dates are looked for besides",
            }
            .to_owned(),
            "how many names a text has, and where; columns that pass; the order of the records".to_owned(),
            "who has several records: records are counted, not people; and forms that are common each can be rare together".to_owned(),
        ];
        let k = settings.k;
        let (mut price, mut price_of_exchange) = (None, None);
        let protected = match settings.mode {
            Mode::KAnonymous => {
                let others = if settings.across {
                    "any number of others".to_owned()
                } else {
                    let most = k.saturating_sub(1) as usize * steps;
                    format!("up to {most} others for each of its names, and more where a name lies in two things")
                };
                not_protected.push(format!(
                    "one record against who knows the others: the forms depend on all records, and taking one away can change {others}"
                ));
                vec![
                    format!(
                        "every form that is said in place of a name stands in at least {k} records (what fewer share is left out)"
                    ),
                    "this is k-anonymity of names, not differential privacy: no epsilon bounds it".to_owned(),
                ]
            }
            Mode::Public => {
                (price, price_of_exchange) = (Some((0.0, 0.0)), Some((0.0, 0.0)));
                vec![
                    format!(
                        "people as {}, places {}, organisations by their kind, dates by their year: all by public knowledge",
                        if settings.initials { "initials" } else { "a star" },
                        match people {
                            true => format!("with at least {} people", settings.least_people),
                            false => "by the top of your hierarchy, which has no numbers of people".to_owned(),
                        }
                    ),
                    "each record is changed by itself: the choice of forms costs nothing (stability 1), and what is done with the result later costs what it says".to_owned(),
                ]
            }
            Mode::Private => {
                let counts = settings.large_counts()?;
                (price, price_of_exchange) = (Some(counts.price()), Some(counts.price_of_exchange()));
                let ((epsilon, delta), (twice, delta_twice)) = (counts.price(), counts.price_of_exchange());
                vec![
                    format!(
                        "a name or what it lies in is said if about {:.0} records share it, by a noisy count; else a word for anything (`somewhere`, `*`)",
                        counts.usual_least()
                    ),
                    format!(
                        "the choice of forms costs epsilon {epsilon}, delta {delta:e} for adding or removing a record ({twice}, {delta_twice:.2e} for exchanging one); it adds to what is done with the result later"
                    ),
                    format!(
                        "a record counts for its first {} names, each with at most {COUNTED} forms",
                        settings.names_each
                    ),
                ]
            }
        };
        if settings.mode != Mode::KAnonymous {
            let learned = "anything, if the tagger, the hierarchies or another tool learned from these records";
            not_protected.push(format!("{learned}: they must be public"));
        }
        if settings.files.seed.is_some() && settings.mode == Mode::Private {
            // Whoever knows the seed takes the noise away.
            (price, price_of_exchange) = (None, None);
            not_protected.push("anything: not private, the noise is seeded".to_owned());
        }
        Ok(Self { mode: settings.mode.name(), not_protected, protected, price, price_of_exchange })
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "not protected")?;
        self.not_protected.iter().try_for_each(|line| writeln!(f, "  - {line}"))?;
        writeln!(f, "names, mode `{}`", self.mode)?;
        self.protected.iter().try_for_each(|line| writeln!(f, "  - {line}"))
    }
}
