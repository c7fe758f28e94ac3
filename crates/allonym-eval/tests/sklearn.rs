//! Agreement with scikit-learn, on texts and numbers that `fixtures/make_sklearn.py` made up.

use allonym_eval::classify::{
    LinearSvm, Logistic, LogisticSettings, NaiveBayes, NaiveBayesSettings, RbfSvm, RbfSvmSettings, Sigmoids,
    SvmSettings, Tree, TreeSettings,
};
use allonym_eval::features::{Ngrams, Sparse, TfIdf, TfIdfSettings, Unit};
use allonym_eval::measure::Judged;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Fixture {
    train: Vec<String>,
    train_labels: Vec<u32>,
    uneven_labels: Vec<u32>,
    test: Vec<String>,
    test_labels: Vec<u32>,
    tf_idf: HashMap<String, Named>,
    linear_svc: Vec<Vec<f32>>,
    linear_svc_two: Vec<f32>,
    logistic: Vec<Vec<f32>>,
    logistic_costly: Vec<Vec<f32>>,
    logistic_two: Vec<f32>,
    naive_bayes: Vec<Vec<f32>>,
    calibration: Calibration,
    measures: Measures,
    numbers: Numbers,
    rbf: Decided,
    rbf_two: Vec<f32>,
    rbf_texts: Decided,
    tree_accuracy: f64,
}

#[derive(Deserialize)]
struct Named {
    width: usize,
    rows: Vec<HashMap<String, f32>>,
}

#[derive(Deserialize)]
struct Calibration {
    held_out: Vec<Vec<f32>>,
    probabilities: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Measures {
    macro_f1: f64,
    auc: f64,
    accuracy: f64,
}

#[derive(Deserialize)]
struct Numbers {
    rows: Vec<Vec<f32>>,
    labels: Vec<u32>,
    learn: usize,
}

#[derive(Deserialize)]
struct Decided {
    decisions: Vec<Vec<f32>>,
    classes: Vec<u32>,
}

static FIXTURE: LazyLock<Fixture> =
    LazyLock::new(|| serde_json::from_str(include_str!("../fixtures/sklearn.json")).unwrap());

/// Words and pairs of words of the texts to learn from and to test.
static WORDS: LazyLock<(Sparse, Sparse)> =
    LazyLock::new(|| rows(TfIdfSettings { ngrams: Ngrams::WORDS, ..TfIdfSettings::default() }));

fn rows(settings: TfIdfSettings) -> (Sparse, Sparse) {
    let features = TfIdf::fit(settings, &FIXTURE.train).unwrap();
    (features.transform(&FIXTURE.train), features.transform(&FIXTURE.test))
}

/// The rows of the first two classes and their labels.
fn first_two(rows: &Sparse, labels: &[u32]) -> (Sparse, Vec<u32>) {
    let places: Vec<usize> = (0..labels.len()).filter(|place| labels[*place] < 2).collect();
    (rows.select(&places), places.iter().map(|place| labels[*place]).collect())
}

/// Some rows of the made-up numbers.
fn numbers(range: std::ops::Range<usize>) -> (Sparse, &'static [u32]) {
    let Numbers { rows, labels, .. } = &FIXTURE.numbers;
    let mut sparse = Sparse::new(rows[0].len());
    for row in &rows[range.clone()] {
        sparse.push((0..).zip(row.iter().copied()).filter(|(_, value)| *value != 0.0));
    }
    (sparse, &labels[range])
}

/// The largest difference.
fn apart(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f32 {
    assert_eq!((found.len(), found[0].len()), (expected.len(), expected[0].len()));
    let pairs = found.iter().flatten().zip(expected.iter().flatten());
    pairs.map(|(found, expected)| (found - expected).abs()).fold(0.0, f32::max)
}

/// The numbers of the second class, each as a row.
fn second(found: &[Vec<f32>]) -> Vec<Vec<f32>> {
    found.iter().map(|scores| vec![scores[1]]).collect()
}

fn each_a_row(numbers: &[f32]) -> Vec<Vec<f32>> {
    numbers.iter().map(|number| vec![*number]).collect()
}

#[test]
fn weighted_n_grams_are_the_same() {
    let characters = Ngrams { shortest: 2, longest: 3, ..Ngrams::CHARACTERS };
    let single = Ngrams { unit: Unit::Words, shortest: 1, longest: 1, lower_case: true };
    let plain = TfIdfSettings::default();
    for (name, settings) in [
        ("words", TfIdfSettings { ngrams: Ngrams::WORDS, ..plain }),
        ("characters", TfIdfSettings { ngrams: characters, fewest_texts: 3, ..plain }),
        ("dampened", TfIdfSettings { ngrams: single, dampened: true, fewest_texts: 2, ..plain }),
        ("counts", TfIdfSettings { ngrams: single, counts_only: true, ..plain }),
    ] {
        let expected = &FIXTURE.tf_idf[name];
        let features = TfIdf::fit(settings, &FIXTURE.train).unwrap();
        assert_eq!(features.width(), expected.width, "{name}");
        let found = features.transform(&FIXTURE.test[..expected.rows.len()]);
        for (row, expected) in expected.rows.iter().enumerate() {
            let found: HashMap<usize, f32> = found.row(row).iter().collect();
            assert_eq!(found.len(), expected.len(), "{name}: {row}");
            for (ngram, value) in expected {
                let found = found[&features.column(ngram).unwrap()];
                assert!((found - value).abs() < 1e-5, "{name}: {row}: {ngram:?}: {found} {value}");
            }
        }
    }
}

#[test]
fn linear_machines_decide_the_same() {
    let machine = LinearSvm::fit(SvmSettings::default(), &WORDS.0, &FIXTURE.train_labels, "classes").unwrap();
    let apart_by = apart(&machine.decide_all(&WORDS.1).unwrap(), &FIXTURE.linear_svc);
    assert!(apart_by < 1e-3, "{apart_by}");
    let (rows, labels) = first_two(&WORDS.0, &FIXTURE.train_labels);
    let two = LinearSvm::fit(SvmSettings { cost: 0.5, ..SvmSettings::default() }, &rows, &labels, "classes").unwrap();
    let apart_by = apart(&second(&two.decide_all(&WORDS.1).unwrap()), &each_a_row(&FIXTURE.linear_svc_two));
    assert!(apart_by < 1e-3, "two classes: {apart_by}");
}

#[test]
fn logistic_regressions_find_the_same_probabilities() {
    for (cost, expected) in [(1.0, &FIXTURE.logistic), (30.0, &FIXTURE.logistic_costly)] {
        let settings = LogisticSettings { cost, ..LogisticSettings::default() };
        let found = Logistic::fit(settings, &WORDS.0, &FIXTURE.train_labels, "classes").unwrap();
        let apart_by = apart(&found.probabilities(&WORDS.1).unwrap(), expected);
        assert!(apart_by < 1e-3, "cost {cost}: {apart_by}");
    }
    let (rows, labels) = first_two(&WORDS.0, &FIXTURE.train_labels);
    let settings = LogisticSettings { cost: 2.0, ..LogisticSettings::default() };
    let two = Logistic::fit(settings, &rows, &labels, "classes").unwrap();
    let apart_by = apart(&second(&two.probabilities(&WORDS.1).unwrap()), &each_a_row(&FIXTURE.logistic_two));
    assert!(apart_by < 1e-3, "two classes: {apart_by}");
}

#[test]
fn naive_bayes_finds_the_same_log_probabilities() {
    let ngrams = Ngrams { longest: 1, ..Ngrams::WORDS };
    let (train, test) = rows(TfIdfSettings { ngrams, counts_only: true, ..TfIdfSettings::default() });
    let settings = NaiveBayesSettings { smoothing: 0.7, ..NaiveBayesSettings::default() };
    let bayes = NaiveBayes::fit(settings, &train, &FIXTURE.uneven_labels, "classes").unwrap();
    let apart_by = apart(&bayes.log_probabilities_all(&test).unwrap(), &FIXTURE.naive_bayes);
    assert!(apart_by < 1e-4, "{apart_by}");
}

#[test]
fn kernel_machines_decide_the_same() {
    let learn = FIXTURE.numbers.learn;
    let ((train, labels), (test, _)) = (numbers(0..learn), numbers(learn..learn + 100));
    let machine = RbfSvm::fit(RbfSvmSettings::default(), &train, labels, "classes").unwrap();
    let apart_by = apart(&machine.decide_all(&test).unwrap(), &FIXTURE.rbf.decisions);
    assert!(apart_by < 1e-2, "{apart_by}");
    assert_eq!(machine.predict(&test).unwrap(), FIXTURE.rbf.classes);

    let (rows, labels) = first_two(&train, labels);
    let settings = RbfSvmSettings { cost: 5.0, gamma: Some(0.2), ..RbfSvmSettings::default() };
    let two = RbfSvm::fit(settings, &rows, &labels, "classes").unwrap();
    let apart_by = apart(&second(&two.decide_all(&test).unwrap()), &each_a_row(&FIXTURE.rbf_two));
    assert!(apart_by < 1e-2, "two classes: {apart_by}");

    let machine = RbfSvm::fit(RbfSvmSettings::default(), &WORDS.0, &FIXTURE.train_labels, "classes").unwrap();
    let apart_by = apart(&machine.decide_all(&WORDS.1).unwrap(), &FIXTURE.rbf_texts.decisions);
    assert!(apart_by < 1e-2, "texts: {apart_by}");
    assert_eq!(machine.predict(&WORDS.1).unwrap(), FIXTURE.rbf_texts.classes);
}

#[test]
fn sigmoids_find_the_same_probabilities() {
    let sigmoids = Sigmoids::fit(&FIXTURE.calibration.held_out, &FIXTURE.train_labels).unwrap();
    let found: Vec<Vec<f32>> = FIXTURE.linear_svc.iter().map(|scores| sigmoids.probabilities(scores)).collect();
    let apart_by = apart(&found, &FIXTURE.calibration.probabilities);
    assert!(apart_by < 1e-3, "{apart_by}");
}

#[test]
fn measures_are_the_same() {
    let judged = Judged {
        truth: FIXTURE.test_labels.clone(),
        scores: FIXTURE.logistic.clone(),
        sure_from: f32::NEG_INFINITY,
        learned: vec![48; 5],
    };
    let found = judged.measure().unwrap();
    let expected = &FIXTURE.measures;
    assert!((found.macro_f1.value - expected.macro_f1).abs() < 1e-6);
    assert!((found.auc.unwrap().value - expected.auc).abs() < 1e-6);
    assert!((found.accuracy.value - expected.accuracy).abs() < 1e-6);
}

#[test]
fn the_tree_is_about_as_good() {
    let Numbers { learn, labels, .. } = &FIXTURE.numbers;
    let ((train, train_labels), (test, truth)) = (numbers(0..*learn), numbers(*learn..labels.len()));
    let tree = Tree::fit(TreeSettings::default(), &train, train_labels, "classes").unwrap();
    let guesses = tree.predict(&test).unwrap();
    let accuracy = guesses.iter().zip(truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64;
    assert!((accuracy - FIXTURE.tree_accuracy).abs() < 0.03, "{accuracy} {}", FIXTURE.tree_accuracy);
}
