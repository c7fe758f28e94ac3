//! The classifier of intents, and whether its losses tell who was in its training.

use allonym_dp::PrivacyRng;
use allonym_eval::EvalError;
use allonym_eval::attack::membership_by_score;
use allonym_eval::classify::{Logistic, LogisticSettings, Softmax};
use allonym_eval::features::{Ngrams, TfIdf, TfIdfSettings};
use allonym_eval::measure::Interval;
use serde::Serialize;

/// What a loss costs beside the penalty, where membership is attacked: a hundred times the usual, so that the classifier learns its texts by heart, as
/// far as it can. Accuracy is measured with the usual cost: texts that were noised should not be learned by heart.
const BY_HEART: f64 = 100.0;

/// Logistic regression on words and pairs of words (TF-IDF).
pub struct IntentClassifier {
    /// Nothing, when the texts had no words: then the commonest class is all that was learned.
    learned: Option<(TfIdf, Softmax)>,
    /// The classes that were seen.
    seen: Vec<u32>,
    /// The logarithm of each one's share.
    shares: Vec<f32>,
}

impl IntentClassifier {
    /// Learns from texts and their classes.
    ///
    /// # Errors
    /// When there are no texts, or only one class.
    pub fn learn(texts: &[&str], classes: &[u32]) -> Result<Self, EvalError> {
        Self::learn_at(LogisticSettings::default(), texts, classes)
    }

    fn learn_at(settings: LogisticSettings, texts: &[&str], classes: &[u32]) -> Result<Self, EvalError> {
        let mut seen = classes.to_vec();
        seen.sort_unstable();
        seen.dedup();
        // Without gaps, so that nothing has to be learned about classes that are not there.
        let labels: Vec<u32> = classes.iter().map(|class| seen.partition_point(|other| other < class) as u32).collect();
        let mut counts = vec![0_usize; seen.len()];
        labels.iter().for_each(|label| counts[*label as usize] += 1);
        let shares = counts.iter().map(|count| (*count as f32 / classes.len() as f32).ln()).collect();
        let words = TfIdfSettings { ngrams: Ngrams::WORDS, ..TfIdfSettings::default() };
        let learned = match TfIdf::fit(words, texts) {
            Err(EvalError::NoFeatures) => None,
            Err(error) => return Err(error),
            Ok(features) => {
                let softmax = Logistic::fit(settings, &features.transform(texts), &labels, "intents")?;
                Some((features, softmax))
            }
        };
        Ok(Self { learned, seen, shares })
    }

    /// For each text the logarithms of the probabilities of the classes that were seen.
    fn judge(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        match &self.learned {
            Some((features, softmax)) => softmax.log_probabilities_all(&features.transform(texts)),
            None => Ok(vec![self.shares.clone(); texts.len()]),
        }
    }

    /// The share of texts whose class it names.
    ///
    /// # Errors
    /// When there are no texts.
    pub fn accuracy(&self, texts: &[&str], classes: &[u32]) -> Result<Interval, EvalError> {
        let named = |row: &Vec<f32>| {
            let best = (0..row.len()).reduce(|best, place| if row[place] > row[best] { place } else { best });
            best.map(|place| self.seen[place])
        };
        let hits = self.judge(texts)?.iter().zip(classes).filter(|(row, class)| named(row) == Some(**class)).count();
        Interval::of_share(hits, texts.len()).ok_or(EvalError::NothingToTest)
    }

    /// How little each text's own class surprises it. A class that it has not seen surprises without end.
    ///
    /// # Errors
    /// When a text cannot be judged.
    pub fn known(&self, texts: &[&str], classes: &[u32]) -> Result<Vec<f64>, EvalError> {
        let own = |row: &Vec<f32>, class: &u32| {
            self.seen.binary_search(class).map_or(f64::NEG_INFINITY, |place| f64::from(row[place]))
        };
        Ok(self.judge(texts)?.iter().zip(classes).map(|(row, class)| own(row, class)).collect())
    }
}

/// What the losses of a classifier tell about who was in its training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Membership {
    /// The chance that a member has the smaller loss; 0.5 is blind guessing.
    pub auc: Option<Interval>,
    /// Members that are found less others that are taken for one, at a threshold learned from other texts; 0 is blind guessing.
    pub advantage: Interval,
    /// The share of members that is found with at most 1 % false alarms.
    pub found_at_one_percent: Option<f64>,
}

/// Attacks a classifier that learns from one half of the texts in the form `seen` (transformed, or as they were). The attacker has the originals of
/// both halves. Both come from the same part of the data by lot, or the attack would measure how the parts differ.
///
/// # Errors
/// When there are too few texts or only one class.
pub fn membership_of(original: &[&str], seen: &[&str], classes: &[u32], seed: u64) -> Result<Membership, EvalError> {
    let mut places: Vec<usize> = (0..original.len()).collect();
    PrivacyRng::reproducible(seed).shuffle(&mut places);
    // Halves of the same even size: then the tested texts are half members too, and an accuracy is an advantage.
    let half = original.len() / 4 * 2;
    let (members, others) = (&places[..half], &places[half..2 * half]);
    let of = |texts: &[&'_ str], places: &[usize]| -> Vec<String> {
        places.iter().map(|place| texts[*place].to_owned()).collect()
    };
    let classes_of = |places: &[usize]| -> Vec<u32> { places.iter().map(|place| classes[*place]).collect() };
    let learned_from = of(seen, members);
    let settings = LogisticSettings { cost: BY_HEART, ..LogisticSettings::default() };
    let classifier = IntentClassifier::learn_at(settings, &as_str(&learned_from), &classes_of(members))?;
    let known = |places: &[usize]| classifier.known(&as_str(&of(original, places)), &classes_of(places));
    let finding = membership_by_score("loss", &known(members)?, &known(others)?)?;
    Ok(Membership {
        auc: finding.measures.auc,
        advantage: advantage(finding.measures.accuracy),
        found_at_one_percent: finding.found_at_one_percent,
    })
}

/// Members found less others taken for one, where as many of each were tested.
pub(super) fn advantage(accuracy: Interval) -> Interval {
    let Interval { value, low, high } = accuracy;
    let [value, low, high] = [value, low, high].map(|accuracy| 2.0 * accuracy - 1.0);
    Interval { value, low, high }
}

pub(super) fn as_str(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_classifier_names_what_it_learned_and_the_commonest_class_when_there_are_no_words() {
        let (texts, classes) = (["red fox", "a red fox", "blue whale", "one blue whale", "a red one"], [7, 7, 3, 3, 7]);
        let classifier = IntentClassifier::learn(&texts, &classes).unwrap();
        assert_eq!(classifier.accuracy(&["red", "blue", "fox", "whale"], &[7, 3, 7, 9]).unwrap().value, 0.75);
        assert_eq!(classifier.known(&["whale"], &[9]).unwrap(), [f64::NEG_INFINITY], "a class that was not there");
        let nothing = IntentClassifier::learn(&["", "", "", "", ""], &classes).unwrap();
        assert_eq!(nothing.accuracy(&["red", "blue"], &[7, 3]).unwrap().value, 0.5);
        // Two of five are of class 3.
        assert!((nothing.known(&["blue"], &[3]).unwrap()[0] - 0.4_f64.ln()).abs() < 1e-6);
    }

    #[test]
    fn members_are_found_where_labels_are_learned_by_heart_and_not_where_their_texts_were_replaced() {
        // Every text has a word of its own, and its class is by lot: only a member's can be known.
        let mut rng = PrivacyRng::reproducible(4);
        let texts: Vec<String> = (0..400).map(|i| format!("word{i}")).collect();
        let classes: Vec<u32> = (0..400).map(|_| rng.below(2) as u32).collect();
        let found = membership_of(&as_str(&texts), &as_str(&texts), &classes, 1).unwrap();
        assert!(found.advantage.low > 0.8 && found.auc.unwrap().value > 0.95, "{found:?}");
        let replaced = vec!["nothing"; 400];
        let hidden = membership_of(&as_str(&texts), &replaced, &classes, 1).unwrap();
        assert!(hidden.advantage.low <= 0.0 && hidden.advantage.high >= 0.0, "{hidden:?}");
    }
}
