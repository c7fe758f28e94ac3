//! The guarantee of synthetic texts: the core computes the bound, this file adds what it does not cover.

use super::settings::{Method, Names, SynthesisSettings};
use crate::failure::Failure;
use allonym_dp::Guarantee;
use allonym_dp::guarantee::RecordLoss;
use allonym_dp::histogram::Shares;

impl Method {
    /// The name of the method, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tuned => "tuned",
            Self::Lstm => "lstm",
            Self::Unigram => "unigram",
        }
    }
}

/// The guarantee of words drawn by noisy shares, counted once for each of so many labels.
pub(super) fn of_shares(settings: &SynthesisSettings, epsilon: f64, labels: usize) -> Result<Guarantee, Failure> {
    let seeded = settings.seed.is_some();
    let mut guarantee = Guarantee::for_shares(settings.method.name(), &Shares::new(epsilon)?, labels, seeded);
    guarantee.push_not_protected(counts_of_records(settings));
    guarantee.push_not_protected("several records of one author together: n of them cost n times");
    let mut guarantee = with_limits(settings, guarantee, true);
    guarantee.push_assumption("the words and the settings were chosen without these records");
    Ok(guarantee)
}

/// The guarantee of models trained with these losses, one per label.
pub(super) fn of_training(settings: &SynthesisSettings, losses: &[Option<RecordLoss>]) -> Guarantee {
    let seeded = settings.seed.is_some();
    let mut guarantee = Guarantee::for_private_training(settings.method.name(), losses, seeded);
    let noised = !losses.contains(&None);
    guarantee.push_not_protected(counts_of_records(settings));
    guarantee.push_not_protected(match noised {
        true => "several records of one author together: n of them cost n times and more, and delta grows faster",
        false => "anything: a text may be repeated as it was",
    });
    let mut guarantee = with_limits(settings, guarantee, noised);
    guarantee.push_assumption(match (settings.method, &settings.model) {
        (Method::Lstm, _) => "the words and the settings were chosen without these records",
        (_, None) => {
            "the language model, the words and the settings were chosen without these records (the program's model has read 20,000 reviews of films)"
        }
        (_, Some(_)) => {
            "the language model that you gave, the words and the settings were chosen without these records (whether it has read them cannot be checked)"
        }
    });
    guarantee.push_assumption("noise on a fine grid counts as Gaussian, and sums of 32-bit floats as exact");
    guarantee
}

/// What is public about the number of records.
fn counts_of_records(settings: &SynthesisSettings) -> &'static str {
    match settings.label_column.is_some() {
        true => "which labels there are, how they are written, and how many records each has",
        false => "how many records there are",
    }
}

/// Adds the limits that all methods share.
fn with_limits(settings: &SynthesisSettings, mut guarantee: Guarantee, noised: bool) -> Guarantee {
    guarantee.push_not_protected("what many records have in common: that is what is learned");
    guarantee.push_not_protected("other runs on the same records, such as those that chose the settings");
    if noised {
        guarantee.push_not_protected(match settings.names {
            Names::Stay => "names by anything but the noise (`--names public` generalizes them first)",
            Names::Public | Names::KAnonymous => "names that the tagger does not find, by anything but the noise",
        });
        guarantee.push_also("any number of texts can be written at no further privacy cost (post-processing)");
    }
    if settings.names != Names::KAnonymous {
        return guarantee;
    }
    guarantee.push_not_protected(format!(
        "one of your records by the bound below: the form that replaces a name depends on all records (until {} share it), so one more or less changes others too, and no epsilon of this size bounds that",
        settings.k
    ));
    guarantee.after_generalization()
}

/// An epsilon as it is printed: rounded up.
pub(super) fn up(epsilon: f64) -> f64 {
    (epsilon * 1e4).ceil() / 1e4
}
