//! Learns the scores: the likelihood of what people marked is raised, a sentence at a time.

use super::annotated::{Annotated, Sentence};
use super::chain::Chain;
use super::features::{Elsewhere, features};
use super::hash::Places;
use super::labels::Labels;
use super::vary::{Chance, capital, misspelt, small};
use super::weights::Weights;
use super::{Knowledge, Tagger};
use allonym_text::{CancelToken, Cancelled};
use std::collections::HashMap;

/// How a tagger learns.
#[derive(Clone, Debug, PartialEq)]
pub struct Learning {
    /// Passes over all sentences.
    pub epochs: usize,
    /// The length of steps.
    pub rate: f32,
    /// How strongly scores are drawn towards 0.
    pub decay: f32,
    /// Features that occur less often are left out.
    pub least: usize,
    /// The part of features that is left out at each token while learning, so that none is relied on alone.
    pub dropped: f64,
    /// The part of sentences that is also learned without capitals, in capitals (a fifth as often), and misspelt.
    pub varied: f64,
    /// Rows of scores that are all smaller than this are left out of the trained tagger.
    pub negligible: f32,
    /// Where random choices begin.
    pub seed: u64,
}

impl Default for Learning {
    fn default() -> Self {
        Self { epochs: 8, rate: 0.03, decay: 2e-6, least: 2, dropped: 0.1, varied: 0.3, negligible: 0.1, seed: 1 }
    }
}

/// A sentence as features and labels.
struct Lesson {
    tokens: Vec<Vec<u32>>,
    labels: Vec<usize>,
}

/// Learns a tagger from annotated texts. `done` hears of every pass: its number and the mean loss of a token, in nats.
///
/// # Errors
/// When it is cancelled.
pub fn learn(
    kinds: Vec<String>,
    knowledge: Knowledge,
    texts: &[Annotated],
    learning: &Learning,
    cancel: &CancelToken,
    mut done: impl FnMut(usize, f64),
) -> Result<Tagger, Cancelled> {
    let labels = Labels::of(kinds.len());
    let mut chance = Chance::new(learning.seed);
    let mut lessons = lessons(texts, labels, &knowledge, learning, &mut chance);
    let features = frequent(&lessons, learning.least);
    let places = Places::of((0..features.len()).map(|row| (features[row], row as u32)));
    for lesson in &mut lessons {
        lesson.tokens.iter_mut().for_each(|token| *token = token.iter().filter_map(|f| places.get(*f)).collect());
    }
    let mut student = Student::new(labels, features.len());
    // The mean over the later passes is steadier than the last of them.
    let (mut sums, mut summed) = (vec![0.0_f32; student.rows.len()], 0.0_f32);
    for epoch in 1..=learning.epochs {
        for place in (1..lessons.len()).rev() {
            lessons.swap(place, chance.below(place + 1));
        }
        let rate = learning.rate * (1.0 - 0.9 * (epoch - 1) as f32 / learning.epochs as f32);
        let mut loss = 0.0;
        for lesson in &lessons {
            cancel.check()?;
            loss += student.take(lesson, learning, rate, &mut chance);
        }
        let tokens: usize = lessons.iter().map(|lesson| lesson.labels.len()).sum();
        done(epoch, loss / tokens.max(1) as f64);
        if epoch > learning.epochs / 2 {
            sums.iter_mut().zip(&student.rows).for_each(|(sum, row)| *sum += row);
            summed += 1.0;
        }
    }
    sums.iter_mut().for_each(|sum| *sum /= summed.max(1.0));
    let weights = Weights::rounded(labels.count(), &features, &sums, learning.negligible);
    Ok(Tagger::new(kinds, knowledge, weights, student.chain))
}

fn lessons(
    texts: &[Annotated],
    labels: Labels,
    knowledge: &Knowledge,
    learning: &Learning,
    chance: &mut Chance,
) -> Vec<Lesson> {
    let known = knowledge.known();
    let mut lessons = Vec::new();
    for document in texts.iter().flat_map(|text| &text.documents) {
        let tokens: Vec<Vec<&str>> =
            document.iter().map(|sentence| sentence.tokens.iter().map(String::as_str).collect()).collect();
        let elsewhere = Elsewhere::of(tokens.iter().map(Vec::as_slice));
        let mut add = |sentence: &Sentence, elsewhere: &Elsewhere| {
            let tokens: Vec<&str> = sentence.tokens.iter().map(String::as_str).collect();
            let labels = labels.of_spans(tokens.len(), &sentence.spans);
            lessons.push(Lesson { tokens: features(&tokens, elsewhere, &known), labels });
        };
        for sentence in document.iter().filter(|sentence| !sentence.tokens.is_empty()) {
            add(sentence, &elsewhere);
            // Who writes one sentence carelessly writes all so: nothing is known from elsewhere.
            let nowhere = Elsewhere::default();
            if chance.happens(learning.varied) {
                add(&small(sentence), &nowhere);
            }
            if chance.happens(learning.varied / 5.0) {
                add(&capital(sentence), &nowhere);
            }
            if !sentence.spans.is_empty() && chance.happens(learning.varied) {
                add(&misspelt(sentence, chance), &elsewhere);
            }
        }
    }
    lessons
}

/// The features that occur often enough, in a fixed order.
fn frequent(lessons: &[Lesson], least: usize) -> Vec<u32> {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for feature in lessons.iter().flat_map(|lesson| &lesson.tokens).flatten() {
        *counts.entry(*feature).or_default() += 1;
    }
    let mut features: Vec<u32> =
        counts.into_iter().filter(|(_, count)| *count >= least).map(|(feature, _)| feature).collect();
    features.sort_unstable();
    features
}

/// Scores on their way, with the sums of squares that shorten their steps (AdaGrad; Duchi, Hazan and Singer 2011).
struct Student {
    labels: Labels,
    rows: Vec<f32>,
    squares: Vec<f32>,
    chain: Chain,
    chain_squares: Vec<f32>,
}

impl Student {
    fn new(labels: Labels, features: usize) -> Self {
        let count = labels.count();
        Self {
            labels,
            rows: vec![0.0; features * count],
            squares: vec![0.0; features * count],
            chain: Chain::new(labels, vec![0.0; count * count]),
            chain_squares: vec![0.0; count * count],
        }
    }

    /// One sentence; returns its loss.
    fn take(&mut self, lesson: &Lesson, learning: &Learning, rate: f32, chance: &mut Chance) -> f64 {
        let count = self.labels.count();
        let mut scores = vec![0.0; lesson.labels.len() * count];
        let kept: Vec<Vec<u32>> = lesson
            .tokens
            .iter()
            .map(|token| token.iter().copied().filter(|_| !chance.happens(learning.dropped)).collect())
            .collect();
        for (scores, token) in scores.chunks_exact_mut(count).zip(&kept) {
            for feature in token {
                let row = &self.rows[*feature as usize * count..(*feature as usize + 1) * count];
                scores.iter_mut().zip(row).for_each(|(score, weight)| *score += weight);
            }
        }
        let mut pairs = vec![0.0_f64; count * count];
        let (whole, likely) = self.chain.marginals(&scores, |before, label, p| pairs[before * count + label] += p);
        let loss = whole - self.chain.score_of(&scores, &lesson.labels);
        lesson.labels.windows(2).for_each(|pair| pairs[pair[0] * count + pair[1]] -= 1.0);
        for ((score, square), gradient) in self.chain.scores_mut().iter_mut().zip(&mut self.chain_squares).zip(&pairs) {
            step(score, square, *gradient as f32, rate, learning.decay);
        }
        let mut gradient = vec![0.0_f32; count];
        for ((token, label), likely) in kept.iter().zip(&lesson.labels).zip(likely.chunks_exact(count)) {
            gradient.iter_mut().zip(likely).for_each(|(gradient, likely)| *gradient = *likely as f32);
            gradient[*label] -= 1.0;
            // What is known already teaches nothing.
            if gradient[*label].abs() < 1e-4 {
                continue;
            }
            for feature in token {
                let range = *feature as usize * count..(*feature as usize + 1) * count;
                let row = self.rows[range.clone()].iter_mut().zip(&mut self.squares[range]);
                for ((score, square), gradient) in row.zip(&gradient) {
                    step(score, square, *gradient, rate, learning.decay);
                }
            }
        }
        loss
    }
}

#[inline(always)]
fn step(score: &mut f32, square: &mut f32, gradient: f32, rate: f32, decay: f32) {
    let gradient = gradient + decay * *score;
    *square += gradient * gradient;
    *score -= rate * gradient / (square.sqrt() + 1e-6);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::Span;

    /// Names follow `mr`, places follow `in`; the words themselves say nothing.
    fn texts() -> Annotated {
        let mut sentences = Vec::new();
        for word in ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta"] {
            for (before, kind) in [("mr", 0), ("in", 1)] {
                let tokens = ["we", "saw", before, word, "."].map(str::to_owned).to_vec();
                sentences.push(Sentence { tokens, spans: vec![Span { tokens: 3..4, kind }] });
            }
        }
        Annotated { documents: vec![sentences] }
    }

    #[test]
    fn it_learns_what_is_there_to_learn() {
        let kinds = vec!["person".to_owned(), "place".to_owned()];
        let learning = Learning { epochs: 20, rate: 0.1, ..Learning::default() };
        let mut losses = Vec::new();
        let tagger =
            learn(kinds, Knowledge::default(), &[texts()], &learning, &CancelToken::new(), |_, loss| losses.push(loss))
                .unwrap();
        assert!(losses[19] < 0.1 * losses[0], "{losses:?}");
        let found = |tokens: &[&str]| tagger.tag(&[tokens], 0.0).remove(0);
        assert_eq!(found(&["they", "saw", "mr", "Omega", "."]), [Span { tokens: 3..4, kind: 0 }]);
        assert_eq!(found(&["they", "saw", "in", "Omega", "."]), [Span { tokens: 3..4, kind: 1 }]);
        assert_eq!(found(&["they", "saw", "."]), []);
        assert_eq!(found(&[]), []);
        assert!(!tagger.tag(&[&["they", "saw", "."]], 100.0)[0].is_empty(), "eager to find anything");
    }

    #[test]
    fn the_same_seed_learns_the_same() {
        let kinds = vec!["person".to_owned(), "place".to_owned()];
        let learned = || {
            learn(kinds.clone(), Knowledge::default(), &[texts()], &Learning::default(), &CancelToken::new(), |_, _| ())
                .unwrap()
        };
        assert_eq!(learned().to_file(), learned().to_file());
    }
}
