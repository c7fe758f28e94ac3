//! The guarantee of a generalization of names: the core computes the bound, this file adds what it does not cover.

use super::generalize::GeneralizeSettings;
use super::mode::{COUNTED, Mode};
use super::names::Finder;
use crate::failure::Failure;
use allonym_dp::Guarantee;
use allonym_dp::guarantee::Unit;
use allonym_entities::generalise::Ladders;

/// The guarantee of a run with these settings.
pub(super) fn guarantee(
    settings: &GeneralizeSettings,
    finder: &Finder,
    ladders: &Ladders,
) -> Result<Guarantee, Failure> {
    let method = format!("generalize ({})", settings.mode.name());
    let mut guarantee = match settings.mode {
        Mode::KAnonymous => Guarantee::measured(&method, Unit::Text, false).with_dependence_on_other_records(),
        Mode::Public => Guarantee::measured(&method, Unit::Text, false),
        Mode::Private => Guarantee::for_counts(&method, &settings.large_counts()?, settings.files.seed.is_some()),
    };
    guarantee
        .push_not_protected("everything in the texts that is no name: it passes as it was written, style included");
    guarantee.push_not_protected(match finder {
        Finder::Tagger(_) => "names that the tagger does not find: it misses some (docs/entities.md has its recall)",
        Finder::Given(_) => {
            "names that the other tool did not find: only addresses, numbers and dates are looked for besides"
        }
    });
    guarantee.push_not_protected("how many names a text has, and where; columns that pass; the order of the records");
    guarantee.push_not_protected(
        "who has several records: records are counted, not people; and forms that are common each can be rare together",
    );
    match settings.mode {
        Mode::KAnonymous => k_anonymous(settings, ladders.steps(), &mut guarantee),
        Mode::Public => public(settings, ladders.places.has_people(), &mut guarantee),
        Mode::Private => private(settings, &mut guarantee)?,
    }
    if settings.mode != Mode::KAnonymous {
        guarantee.push_assumption("the tagger, the hierarchies and the other tool did not learn from these records");
    }
    Ok(guarantee)
}

fn k_anonymous(settings: &GeneralizeSettings, steps: usize, guarantee: &mut Guarantee) {
    let k = settings.k;
    let others = if settings.across {
        "any number of others".to_owned()
    } else {
        let most = k.saturating_sub(1) as usize * steps;
        format!("up to {most} others for each of its names, and more where a name lies in two things")
    };
    guarantee.push_not_protected(format!(
        "one record against who knows the others: the forms depend on all records, and taking one away can change {others}"
    ));
    guarantee.push_also(format!(
        "every form that replaces a name occurs in at least {k} records (names that fewer share are left out)"
    ));
    guarantee.push_also("this is k-anonymity of names, not differential privacy: no epsilon bounds it");
}

fn public(settings: &GeneralizeSettings, has_people: bool, guarantee: &mut Guarantee) {
    guarantee.push_also(format!(
        "people as {}, places {}, organizations by their kind, dates by their year: all by public knowledge",
        if settings.initials { "initials" } else { "a star" },
        match has_people {
            true => format!("with at least {} people", settings.least_people),
            false => "by the top of your hierarchy, which has no numbers of people".to_owned(),
        }
    ));
    guarantee.push_also("each record is changed by itself: the choice of forms has no privacy cost (stability 1), and later analyses cost what they state");
}

fn private(settings: &GeneralizeSettings, guarantee: &mut Guarantee) -> Result<(), Failure> {
    guarantee.push_also(format!(
        "a name, or what it lies in, is kept if about {:.0} records share it, by a noisy count; otherwise it becomes a word for anything (`somewhere`, `*`)",
        settings.large_counts()?.usual_least()
    ));
    guarantee.push_also("the cost of this choice adds to that of later analyses of the result");
    guarantee.push_also(format!(
        "a record counts for its first {} names, each with at most {COUNTED} forms",
        settings.names_each
    ));
    if settings.files.seed.is_some() {
        guarantee.push_not_protected("anything: not private, the noise is seeded");
    }
    Ok(())
}
