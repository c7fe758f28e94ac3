//! Checks that style tells the demo authors apart and that content does not.
//!
//! The classifier is a nearest centroid: texts become vectors of weighted features, each class is the sum of its
//! vectors, and a text goes to the class with the largest cosine. It is weaker than the attacks of the toolkit, so what
//! it finds they find too.

use super::{Demo, DemoRecord, content_words};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Texts of each author; the first 35 are for training.
const TEXTS: usize = 50;
const TRAINING: usize = 35;
const AUTHORS: usize = 20;

/// Numbers of features with their weights, in the order of the numbers.
type Vector = BTreeMap<usize, f64>;

/// All character sequences of two to four, with case and punctuation.
fn character_grams(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    (2..=4).flat_map(|size| letters.windows(size).map(|gram| gram.iter().collect())).collect()
}

/// All words in lower case.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect()
}

/// Counts of features times the logarithm of their rarity among the training texts, scaled to length one; and how
/// many features there are. Features that no training text has are left out.
fn vectors(texts: &[Vec<String>], training: usize) -> (Vec<Vector>, usize) {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut texts_with: Vec<f64> = Vec::new();
    for text in &texts[..training] {
        for feature in text.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            let next = numbers.len();
            let number = *numbers.entry(feature).or_insert(next);
            texts_with.resize(numbers.len(), 0.0);
            texts_with[number] += 1.0;
        }
    }
    let vector = |text: &Vec<String>| {
        let mut vector = Vector::new();
        for number in text.iter().filter_map(|feature| numbers.get(feature.as_str())) {
            *vector.entry(*number).or_default() += 1.0 + (training as f64 / texts_with[*number]).ln();
        }
        let length = length(vector.values());
        vector.values_mut().for_each(|weight| *weight /= length);
        vector
    };
    (texts.iter().map(vector).collect(), numbers.len())
}

fn length<'a>(weights: impl Iterator<Item = &'a f64>) -> f64 {
    weights.map(|weight| weight * weight).sum::<f64>().sqrt().max(f64::MIN_POSITIVE)
}

/// The share of held-out texts whose class is found.
fn accuracy(seed: u64, class: fn(&DemoRecord) -> &str, features: impl Fn(&str) -> Vec<String>) -> f64 {
    let records: Vec<DemoRecord> = Demo { authors: AUTHORS, texts: TEXTS, seed }.records().collect();
    let texts: Vec<Vec<String>> = records.iter().map(|record| features(&record.text)).collect();
    let training = AUTHORS * TRAINING;
    let (vectors, size) = vectors(&texts, training);

    let mut centroids: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (record, vector) in records.iter().zip(&vectors).take(training) {
        let centroid = centroids.entry(class(record)).or_insert_with(|| vec![0.0; size]);
        for (number, weight) in vector {
            centroid[*number] += weight;
        }
    }
    let nearest = |vector: &Vector| {
        let cosine = |centroid: &[f64], length: f64| vector.iter().map(|(n, w)| w * centroid[*n]).sum::<f64>() / length;
        let scores = centroids.iter().map(|(name, centroid)| (name, cosine(centroid, length(centroid.iter()))));
        scores.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(name, _)| *name)
    };
    let held_out = records.iter().zip(&vectors).skip(training);
    let found = held_out.filter(|(record, vector)| nearest(vector) == Some(class(record))).count();
    found as f64 / (records.len() - training) as f64
}

/// As `accuracy`, by content words only.
fn accuracy_of_content(seed: u64, class: fn(&DemoRecord) -> &str) -> f64 {
    let lexemes: BTreeSet<&str> = content_words().collect();
    accuracy(seed, class, |text| words(text).into_iter().filter(|word| lexemes.contains(word.as_str())).collect())
}

#[test]
fn style_finds_most_authors_but_not_all() {
    for seed in [7, 1] {
        let found = accuracy(seed, |record| &record.author, character_grams);
        assert!((0.60..=0.95).contains(&found), "seed {seed}: {found:.3} of held-out texts");
    }
}

#[test]
fn content_does_not_find_authors() {
    // Chance is 1/20; 2.5 times chance of 300 texts is 37.5, 6 standard deviations above the 15 expected.
    for seed in [7, 1, 2, 3] {
        let found = accuracy_of_content(seed, |record| &record.author);
        assert!(found < 2.5 / AUTHORS as f64, "seed {seed}: {found:.3} of held-out texts");
    }
}

#[test]
fn content_tells_praise_from_complaint() {
    let found = accuracy_of_content(7, |record| record.label);
    assert!(found > 0.85, "{found:.3} of held-out texts");
}
