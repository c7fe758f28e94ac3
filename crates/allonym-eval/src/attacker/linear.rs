//! What all attackers with a weight for every n-gram and class have in common.

use super::{Learned, Reason, strongest};
use crate::classify::Linear;
use crate::error::EvalError;
use crate::features::{Sparse, TfIdf, TfIdfSettings};
use std::collections::HashMap;

/// Classes without a text get no number, so that no classifier has to learn that they are impossible.
pub(super) struct Seen {
    /// The classes that have texts.
    classes: Vec<u32>,
    /// How many there are with the others.
    count: usize,
}

impl Seen {
    /// The classes of some texts, and each text's place among them.
    pub(super) fn of(classes: &[u32], count: usize) -> (Self, Vec<u32>) {
        let mut seen = classes.to_vec();
        seen.sort_unstable();
        seen.dedup();
        let places: HashMap<u32, u32> = seen.iter().enumerate().map(|(place, class)| (*class, place as u32)).collect();
        let renumbered = classes.iter().map(|class| places[class]).collect();
        (Self { classes: seen, count }, renumbered)
    }

    /// Scores of all classes from those of the classes that were seen; a class that was not has the smallest of all.
    pub(super) fn all(&self, scores: &[f32]) -> Vec<f32> {
        let mut all = vec![f32::NEG_INFINITY; self.count];
        self.classes.iter().zip(scores).for_each(|(class, score)| all[*class as usize] = *score);
        all
    }

    /// The place of a class among those that were seen.
    pub(super) fn place(&self, class: u32) -> Option<usize> {
        self.classes.binary_search(&class).ok()
    }
}

/// N-grams and their weights.
pub(super) struct LearnedLinear {
    features: TfIdf,
    machine: Linear,
    seen: Seen,
}

impl LearnedLinear {
    /// Learns n-grams, and then weights by `fit`, which gets rows and classes without gaps.
    pub(super) fn learn(
        settings: TfIdfSettings,
        texts: &[&str],
        classes: &[u32],
        count: usize,
        fit: impl FnOnce(&Sparse, &[u32]) -> Result<Linear, EvalError>,
    ) -> Result<Box<dyn Learned>, EvalError> {
        if texts.len() != classes.len() {
            return Err(EvalError::Labels { rows: texts.len(), labels: classes.len() });
        }
        let (seen, labels) = Seen::of(classes, count);
        let features = TfIdf::fit(settings, texts)?;
        let machine = fit(&features.transform(texts), &labels)?;
        Ok(Box::new(Self { features, machine, seen }))
    }
}

impl Learned for LearnedLinear {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let scores = self.machine.decide_all(&self.features.transform(texts))?;
        Ok(scores.iter().map(|scores| self.seen.all(scores)).collect())
    }

    /// The weight of an n-gram is its value in the text times by how much its weight for the class is above that of the mean class.
    fn reasons(&self, text: &str, class: u32) -> Vec<Reason> {
        let Some(class) = self.seen.place(class) else { return Vec::new() };
        let rows = self.features.transform(&[text]);
        let classes = self.machine.classes();
        let mut found: HashMap<usize, Reason> = HashMap::new();
        for (column, value) in rows.row(0).iter() {
            let sum: f32 = (0..classes).map(|class| self.machine.weight(class, column)).sum();
            let weight = value * (self.machine.weight(class, column) - sum / classes as f32);
            found.insert(column, Reason { feature: String::new(), spans: Vec::new(), weight });
        }
        self.features.ngrams().each_with_span(text, |ngram, span| {
            let Some(reason) = self.features.column(ngram).and_then(|column| found.get_mut(&column)) else { return };
            if reason.feature.is_empty() {
                ngram.clone_into(&mut reason.feature);
            }
            reason.spans.push(span);
        });
        strongest(found.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{REASONS, find};
    use crate::classify::largest;

    const TEXTS: [&str; 6] = [
        "the red fox ran",
        "a red fox sat there",
        "one blue whale swam",
        "the blue whale sang",
        "some green frogs croaked",
        "a green frog sat",
    ];

    #[test]
    fn every_linear_attacker_knows_what_it_learned_and_no_class_it_has_not_seen() {
        for name in ["char-svm", "word-svm", "logistic", "naive-bayes"] {
            let learned = find(name).unwrap().learn(&TEXTS, &[0, 0, 2, 2, 3, 3], 5).unwrap();
            let scores = learned.scores(&["Red Fox", "a blue  whale", "green frog", ""]).unwrap();
            let guesses: Vec<u32> = scores.iter().take(3).map(|scores| largest(scores)).collect();
            assert_eq!(guesses, [0, 2, 3], "{name}");
            let unseen = scores.iter().all(|s| s.len() == 5 && s[1] == f32::NEG_INFINITY && s[4] == f32::NEG_INFINITY);
            assert!(unseen, "{name}");
        }
    }

    #[test]
    fn reasons_add_up_to_the_score_above_the_mean() {
        for name in ["char-svm", "word-svm", "logistic", "naive-bayes"] {
            let learned = find(name).unwrap().learn(&TEXTS, &[0, 0, 1, 1, 2, 2], 3).unwrap();
            // Few enough n-grams that none is left out. The offsets are in the scores of an empty text.
            let scores = learned.scores(&["a red sea", ""]).unwrap();
            let above = |scores: &[f32]| scores[0] - scores.iter().sum::<f32>() / 3.0;
            let reasons = learned.reasons("a red sea", 0);
            let sum: f32 = reasons.iter().map(|reason| reason.weight).sum();
            assert!(reasons.len() < REASONS && (sum - above(&scores[0]) + above(&scores[1])).abs() < 1e-5, "{name}");
        }
    }

    #[test]
    fn the_strongest_reason_comes_first_and_knows_its_places() {
        let learned = find("word-svm").unwrap().learn(&TEXTS, &[0, 0, 1, 1, 2, 2], 3).unwrap();
        let text = "Not RED, and  red again; the whale";
        let reasons = learned.reasons(text, 0);
        let red = &reasons[0];
        assert_eq!((red.feature.as_str(), red.spans.as_slice()), ("red", [4..7, 14..17].as_slice()));
        assert!(red.weight > 0.0 && reasons.windows(2).all(|pair| pair[0].weight.abs() >= pair[1].weight.abs()));
        assert!(reasons.iter().any(|reason| reason.feature == "whale" && reason.weight < 0.0));
        assert!(learned.reasons(text, 7).is_empty(), "nothing speaks for a class without texts");
    }
}
