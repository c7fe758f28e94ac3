//! What the two classifiers still find in texts that were written again.

use super::data::{Known, Sequence};
use super::judges::{Classifier, Classifiers};
use crate::failure::Failure;
use allonym_eval::classify::largest;
use allonym_eval::measure::{Interval, area_under_curve};
use allonym_models::ete_anon::Text;
use allonym_text::Vocabulary;
use serde::Serialize;

/// How often a classifier is right, and how well it ranks.
#[derive(Clone, Debug, Serialize)]
pub struct Right {
    /// The share of texts whose class it names.
    pub accuracy: Interval,
    /// The area under the curve; of several classes the mean of each against the rest.
    pub area: Option<f64>,
}

/// What is found in some texts.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Of the author.
    pub author: Right,
    /// Of the sentiment.
    pub sentiment: Right,
    /// The share of an original's words that stand in what was written.
    pub kept: f64,
}

/// The same for all sequences, those of beginnings and those of ends.
#[derive(Clone, Debug, Serialize)]
pub struct FoundIn {
    /// All.
    pub all: Found,
    /// Beginnings of records.
    pub first: Option<Found>,
    /// Ends of records.
    pub last: Option<Found>,
}

/// Ids as words between single spaces, as classifiers learned them.
pub(crate) fn in_words(text: &Text, vocabulary: &Vocabulary) -> String {
    text.iter().filter_map(|id| vocabulary.word(*id)).collect::<Vec<_>>().join(" ")
}

/// What classifiers find in the test sequences as they were written.
pub(crate) fn found_in(written: &[String], known: &Known, classifiers: &Classifiers) -> Result<FoundIn, Failure> {
    let places = |keep: &dyn Fn(&Sequence) -> bool| -> Vec<usize> {
        (0..known.test.len()).filter(|place| keep(&known.test[*place])).collect()
    };
    let of = |places: Vec<usize>| match places.is_empty() {
        true => Ok(None),
        false => found(&places, written, known, classifiers).map(Some),
    };
    let Some(all) = of(places(&|_| true))? else {
        return Err(Failure::new("there is no record to test with", "give more records"));
    };
    Ok(FoundIn { all, first: of(places(&|sequence| sequence.first))?, last: of(places(&|sequence| !sequence.first))? })
}

fn found(places: &[usize], written: &[String], known: &Known, classifiers: &Classifiers) -> Result<Found, Failure> {
    let texts: Vec<&str> = places.iter().map(|place| written[*place].as_str()).collect();
    let truths =
        |of: fn(&Sequence) -> u32| -> Vec<u32> { places.iter().map(|place| of(&known.test[*place])).collect() };
    let (mut kept, mut words) = (0, 0);
    for (place, text) in places.iter().zip(&texts) {
        let mut left: Vec<&str> = text.split(' ').collect();
        for word in known.test[*place].words.split(' ') {
            words += 1;
            if let Some(at) = left.iter().position(|other| other.eq_ignore_ascii_case(word)) {
                left.swap_remove(at);
                kept += 1;
            }
        }
    }
    Ok(Found {
        author: right(&classifiers.authors, &texts, &truths(|sequence| sequence.subject.author))?,
        sentiment: right(&classifiers.sentiment, &texts, &truths(|sequence| u32::from(sequence.subject.positive)))?,
        kept: f64::from(kept) / f64::from(words.max(1)),
    })
}

/// How a classifier does on some texts.
pub(crate) fn right(classifier: &Classifier, texts: &[&str], truths: &[u32]) -> Result<Right, Failure> {
    let chances = classifier.probabilities(texts)?;
    let hits = chances.iter().zip(truths).filter(|(chances, truth)| largest(chances) == **truth).count();
    let classes = chances.first().map_or(0, Vec::len);
    // Of two classes one says everything.
    let judged = if classes == 2 { 1..2 } else { 0..classes };
    let areas: Vec<f64> = judged
        .filter_map(|class| {
            let scores: Vec<f32> = chances.iter().map(|chances| chances[class]).collect();
            let positive: Vec<bool> = truths.iter().map(|truth| *truth as usize == class).collect();
            area_under_curve(&scores, &positive)
        })
        .collect();
    let area = (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64);
    let accuracy = Interval::of_share(hits, texts.len())
        .ok_or_else(|| Failure::new("there is no record to test with", "give more records"))?;
    Ok(Right { accuracy, area })
}
