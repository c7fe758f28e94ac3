//! Table I of DPvG: what four classifiers learn about labels from texts.

use allonym_eval::EvalError;
use allonym_eval::classify::{
    Logistic, LogisticSettings, NaiveBayes, NaiveBayesSettings, RbfSvm, RbfSvmSettings, Tree, TreeSettings,
};
use allonym_eval::features::{Ngrams, TfIdf, TfIdfSettings, Unit};
use allonym_eval::measure::f1_of_classes;
use serde::Serialize;

/// The classifiers, by the paper's names.
pub const CLASSIFIERS: [&str; 4] = ["MLR", "SVM-RBF", "MNB", "DT-C4.5"];

/// Texts and the number of each one's label.
#[derive(Clone, Copy)]
pub(super) struct Labelled<'a> {
    pub(super) texts: &'a [String],
    pub(super) labels: &'a [u32],
}

/// For every classifier, the F1 of every label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Polarity {
    /// The classifier.
    pub classifier: &'static str,
    /// The F1 of each label, in the labels' order.
    pub f1: Vec<f64>,
    /// The share of texts whose label is named.
    pub accuracy: f64,
}

/// Learns from some texts and tests on others. Kernels of all pairs of texts take long: the SVM learns from at most `most_of_svm` texts.
pub(super) fn polarity(
    learned: Labelled<'_>,
    tested: Labelled<'_>,
    most_of_svm: usize,
) -> Result<Vec<Polarity>, EvalError> {
    let ngrams = Ngrams { unit: Unit::Words, shortest: 1, longest: 1, lower_case: true };
    let settings = |counts_only| TfIdfSettings { ngrams, counts_only, fewest_texts: 2, ..TfIdfSettings::default() };
    let mut rows = Vec::new();
    for counts_only in [false, true] {
        let features = TfIdf::fit(settings(counts_only), learned.texts)?;
        rows.push((features.transform(learned.texts), features.transform(tested.texts)));
    }
    let ((weighted, of_tests), (counted, counted_tests)) = (&rows[0], &rows[1]);
    let what = "labels";
    let some: Vec<usize> = (0..learned.texts.len().min(most_of_svm)).collect();
    let svm = RbfSvm::fit(RbfSvmSettings::default(), &weighted.select(&some), &learned.labels[..some.len()], what)?;
    let tree = TreeSettings { fewest_rows: 25, ..TreeSettings::default() };
    let guesses = [
        Logistic::fit(LogisticSettings::default(), weighted, learned.labels, what)?.predict(of_tests)?,
        svm.predict(of_tests)?,
        NaiveBayes::fit(NaiveBayesSettings::default(), counted, learned.labels, what)?.predict(counted_tests)?,
        Tree::fit(tree, counted, learned.labels, what)?.predict(counted_tests)?,
    ];
    let labels = learned.labels.iter().chain(tested.labels).max().map_or(0, |most| most + 1);
    let of = |(classifier, guesses): (&&'static str, Vec<u32>)| Polarity {
        classifier,
        f1: f1(&guesses, tested.labels, labels),
        accuracy: guesses.iter().zip(tested.labels).filter(|(guess, label)| guess == label).count() as f64
            / guesses.len().max(1) as f64,
    };
    Ok(CLASSIFIERS.iter().zip(guesses).map(of).collect())
}

/// The F1 of every label; 0 for one that neither occurs nor is guessed.
fn f1(guesses: &[u32], labels: &[u32], count: u32) -> Vec<f64> {
    let guesses: Vec<Option<u32>> = guesses.iter().copied().map(Some).collect();
    let found = f1_of_classes(labels, &guesses, &vec![1; labels.len()], count as usize);
    found.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f1_by_hand() {
        // Label 0: guessed 3 times, 2 of them right, of 4. 2 * 2 / (3 + 4). Label 1: 1 right, guessed 3 times, of 2.
        assert_eq!(f1(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 0, 0, 1], 2), [4.0 / 7.0, 2.0 / 5.0]);
    }

    #[test]
    fn every_classifier_learns_what_words_tell() {
        let text = |i: usize| format!("it was {} number{}", if i.is_multiple_of(2) { "great" } else { "awful" }, i % 7);
        let texts: Vec<String> = (0..200).map(text).collect();
        let labels: Vec<u32> = (0..200).map(|i| i % 2).collect();
        let all = Labelled { texts: &texts, labels: &labels };
        let found = polarity(all, all, 100).unwrap();
        assert_eq!(found.iter().map(|row| row.classifier).collect::<Vec<_>>(), CLASSIFIERS);
        assert!(found.iter().all(|row| row.accuracy == 1.0 && row.f1 == [1.0, 1.0]), "{found:?}");
    }
}
