//! Which words the texts of each label have, counted once with noise, and the public model tilted towards them.

use super::labels::Labelled;
use super::plan::Planned;
use super::settings::SynthesisSettings;
use super::unigram::{DEVIATIONS, Unigram};
use super::writer::{Public, Words};
use crate::failure::Failure;
use crate::spending::Accounting;
use allonym_dp::presence::Presence;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_io::{Compression, Output};
use allonym_models::Sampling;
use allonym_models::language_model::LanguageModel;
use allonym_models::tuned::{Expected, Observed, Tilt, Tuned, TunedSettings, outcomes, tilts, usual_weights};
use allonym_nn::NnError;
use allonym_text::{Activity, CancelToken, Observer, Private, Vocabulary};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Texts that are written to learn what the model would give, in every round: half as many as there are records, within these. With few records the noise is larger than what more
/// texts would tell.
const TEXTS: [usize; 2] = [16, 500];
/// Rounds. A tilt changes what comes after a word as well, so one is not enough.
const ROUNDS: usize = 3;
/// The seed of texts that are written to be counted: they are public, and the same on every machine.
const SEED: u64 = 71;

/// What was found, for each label: kept in the directory of the training, so that words are counted once.
#[derive(Serialize, Deserialize)]
struct Found {
    /// For each label its records and the noise, and how many outcomes there are: sums of other noise would have another price.
    drawn: (Vec<(usize, f64)>, usize),
    /// The noisy sums.
    sums: Vec<Vec<f64>>,
    /// The tilt of every id, once it is known.
    tilts: Option<Vec<Tilt>>,
}

/// What is learned of each label's words; none if it was stopped.
pub(super) fn learn(
    settings: &SynthesisSettings,
    plans: &[Planned],
    labelled: &Labelled,
    public: &Public,
    (entropy, accounting): (&Entropy, &Accounting),
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Option<Vec<Words>>, Failure> {
    if settings.words() == 0.0 {
        return Ok(Some(plans.iter().map(|_| Words::None).collect()));
    }
    let path = settings.work.join("training").join("words.json");
    let outcomes = usual_weights(public.vocabulary()).len();
    let drawn = (plans.iter().map(|plan| (plan.records, plan.noise_of_words())).collect(), outcomes);
    let mut found = match settings.resume.then(|| read(&path)).transpose()?.flatten() {
        Some(found) if found.drawn == drawn && found.sums.iter().all(|sums| sums.len() == outcomes) => found,
        Some(_) => {
            let message = format!("{} has sums of other records or with other noise", path.display());
            return Err(Failure::refusal(message, "begin anew in another directory, at a price of its own"));
        }
        None if settings.work.join("training").join("label-0").exists() => {
            let message =
                format!("{} is missing, and training has begun: words would be counted twice", path.display());
            return Err(Failure::refusal(message, "begin anew in another directory, at a price of its own"));
        }
        None => {
            observer.begin(Activity::Counting, "counting words");
            let found =
                Found { drawn, sums: sums(plans, labelled, public.vocabulary(), entropy, accounting)?, tilts: None };
            // They are used by nothing before they are kept: a run that is gone on with does not count twice.
            keep(&path, &found)?;
            found
        }
    };
    let Public::Language(language, _) = public else {
        let seeds =
            plans.iter().zip(&found.sums).map(|(plan, sums)| Words::Seeds(seeds(plan, sums, public.vocabulary())));
        return Ok(Some(seeds.collect()));
    };
    if found.tilts.is_none() {
        found.tilts = fit(settings, plans, &found.sums, language, observer, cancel)?;
        if found.tilts.is_some() {
            keep(&path, &found)?;
        }
    }
    Ok(found.tilts.map(|tilts| tilts.into_iter().map(Words::Tilt).collect()))
}

/// The tilt with which the public model writes the words of each label's sums; none if it was stopped.
fn fit(
    settings: &SynthesisSettings,
    plans: &[Planned],
    sums: &[Vec<f64>],
    language: &LanguageModel,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<Option<Vec<Tilt>>, Failure> {
    let weights = usual_weights(language.vocabulary());
    let mut known = vec![vec![0.0; weights.len()]; plans.len()];
    let mut likeness: Vec<Option<Vec<f64>>> = vec![None; plans.len()];
    let tilts = |known: &[Vec<f64>], likeness: &[Option<Vec<f64>>]| -> Vec<Tilt> {
        let each = known.iter().zip(likeness);
        each.map(|(known, likeness)| Tilt::of_outcomes(known, likeness.as_deref(), language.vocabulary())).collect()
    };
    for round in 1..=ROUNDS {
        observer.begin(Activity::Training, &format!("fitting the words of the model, round {round} of {ROUNDS}"));
        let Some(expected) = expected(settings, plans, &tilts(&known, &likeness), (&weights, language), cancel)? else {
            return Ok(None);
        };
        known = fitted(plans, sums, &expected, &known);
        if round == 1 {
            // From now on drafts are chosen by these numbers, which does about half of the work.
            likeness = known.iter().cloned().map(Some).collect();
            known.iter_mut().flatten().for_each(|number| *number *= 0.5);
        }
    }
    Ok(Some(tilts(&known, &likeness)))
}

/// Seed words by how many texts have them, as far as they stand out of the noise.
fn seeds(plan: &Planned, sums: &[f64], vocabulary: &Vocabulary) -> Unigram {
    let weights = usual_weights(vocabulary);
    // The end is no word, and behind the words stand those that come first.
    let words = 1..vocabulary.words() + 1;
    let least = DEVIATIONS * plan.noise_of_words();
    let share = |word: usize| if sums[word] >= least { sums[word] / weights[word] } else { 0.0 };
    Unigram::of(&words.map(share).collect::<Vec<_>>(), f64::MIN_POSITIVE)
}

/// The noisy sums of each label.
fn sums(
    plans: &[Planned],
    labelled: &Labelled,
    vocabulary: &Vocabulary,
    entropy: &Entropy,
    _accounting: &Accounting,
) -> Result<Vec<Vec<f64>>, Failure> {
    let (mut sums, weights) = (Vec::new(), usual_weights(vocabulary));
    for (place, (plan, texts)) in plans.iter().zip(labelled.texts.values()).enumerate() {
        let of_all = |texts: &Vec<Vec<u32>>| texts.iter().map(|text| outcomes(text, vocabulary)).collect();
        let records: Private<Vec<Vec<u32>>> = texts.as_ref().map(of_all);
        let rng = &mut entropy.stream(Purpose::Counts, place as u64);
        let records = records.as_ref().map(|records| records.iter().map(Vec::as_slice));
        let presence = Presence::new(plan.noise_of_words())?;
        sums.push(presence.of_records(records, &weights, rng).into_value());
    }
    Ok(sums)
}

/// What texts of the model with each label's tilt give, a record; none if it was cancelled.
fn expected(
    settings: &SynthesisSettings,
    plans: &[Planned],
    tilts: &[Tilt],
    (weights, language): (&[f64], &LanguageModel),
    cancel: &CancelToken,
) -> Result<Option<Vec<Expected>>, Failure> {
    let sampling = Sampling { temperature: 1.0, max_tokens: settings.max_tokens };
    let records: usize = plans.iter().map(|plan| plan.records).sum();
    let texts = (records / 2).clamp(TEXTS[0], TEXTS[1]);
    let of = |tilt: &Tilt| -> Result<Option<Expected>, Failure> {
        let model = Tuned::tilted(TunedSettings { rank: 1, ..TunedSettings::default() }, language, tilt.clone())?;
        let stream = |text: u64| PrivacyRng::reproducible(SEED * 1_000_003 + text);
        match model.watched(texts, sampling, weights, stream, cancel) {
            Err(NnError::Cancelled(_)) => Ok(None),
            watched => Ok(Some(watched?)),
        }
    };
    // At first all labels have the same.
    match tilts {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            Ok(of(first)?.map(|of_all| vec![of_all; tilts.len()]))
        }
        all => all.iter().map(of).collect(),
    }
}

/// The most likely tilts, after texts with the known ones gave what was expected.
fn fitted(plans: &[Planned], sums: &[Vec<f64>], expected: &[Expected], known: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let expected: Vec<Vec<f64>> =
        plans.iter().zip(expected).map(|(plan, expected)| expected.of_records(plan.records)).collect();
    let mut fitted = known.to_vec();
    for outcome in 0..known[0].len() {
        let observed = |label: usize| Observed {
            sum: sums[label][outcome],
            expected: expected[label][outcome],
            at: known[label][outcome],
            noise: plans[label].noise_of_words(),
        };
        let observed: Vec<Observed> = (0..plans.len()).map(observed).collect();
        fitted.iter_mut().zip(tilts(&observed)).for_each(|(of_label, tilt)| of_label[outcome] = tilt);
    }
    fitted
}

fn read(path: &PathBuf) -> Result<Option<Found>, Failure> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::reading("the counted words", path, &error)),
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|_| {
            Failure::new(
                format!("{} is damaged", path.display()),
                "begin anew in another directory: words are then counted again, at the same price again",
            )
        }),
    }
}

/// Writes the whole file or nothing.
fn keep(path: &Path, found: &Found) -> Result<(), Failure> {
    let mut file = Output::create(path, Compression::None)?;
    file.write(serde_json::to_string(found).unwrap_or_default().as_bytes())?;
    Ok(file.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_to_the_bit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.json");
        let rng = &mut PrivacyRng::reproducible(3);
        // The second number is one that a careless reader takes for its neighbour.
        let mut noises = vec![(40, 1.0), (40, 1.5547660157550753)];
        noises.extend((0..500).map(|_| (40, 10.0 * allonym_nn::unit(rng.bits()))));
        let sums = vec![noises.iter().map(|(_, noise)| noise / 3.0).collect()];
        let found = Found { drawn: (noises, 502), sums, tilts: None };
        keep(&path, &found).unwrap();
        let again = read(&path).unwrap().unwrap();
        assert!(again.drawn == found.drawn && again.sums == found.sums);
    }
}
