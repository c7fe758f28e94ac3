//! A linear support vector machine on the features of style (Zheng et al. 2006): it can say which habits gave a writer away.

use super::linear::Seen;
use super::{Attacker, Learned, Reason, check, strongest};
use crate::classify::{Linear, LinearSvm, SvmSettings};
use crate::error::EvalError;
use crate::features::{FEATURES, Standardised};

/// A linear support vector machine on standardised features of style.
#[derive(Clone, Copy, Debug)]
pub(super) struct StyleSvm;

/// Rows are some thirty times as long as those of TF-IDF, so a loss must cost about a thousandth; and there is no need of the last digit.
const SETTINGS: SvmSettings = SvmSettings { cost: 0.002, tolerance: 0.01, rounds: 200 };

impl Attacker for StyleSvm {
    fn name(&self) -> &'static str {
        "style-svm"
    }

    fn about(&self) -> &'static str {
        "features of style (lexical, syntactic, structural, idiosyncratic), linear support vector machine"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        check(texts, classes, count)?;
        let (seen, labels) = Seen::of(classes, count);
        let features = Standardised::fit(texts)?;
        let machine = LinearSvm::fit(SETTINGS, &features.transform(texts), &labels, "class")?;
        Ok(Box::new(LearnedStyle { features, machine, seen }))
    }
}

struct LearnedStyle {
    features: Standardised,
    machine: Linear,
    seen: Seen,
}

impl Learned for LearnedStyle {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let mut scores = Vec::with_capacity(texts.len());
        // Rows have hardly a zero: a part at a time.
        for part in texts.chunks(4096) {
            let decisions = self.machine.decide_all(&self.features.transform(part))?;
            scores.extend(decisions.iter().map(|decisions| self.seen.all(decisions)));
        }
        Ok(scores)
    }

    /// The weight of a habit is its value in the text times by how much its weight for the class is above that of the mean class.
    fn reasons(&self, text: &str, class: u32) -> Vec<Reason> {
        let Some(class) = self.seen.place(class) else { return Vec::new() };
        let rows = self.features.transform(&[text]);
        let classes = self.machine.classes();
        let reason = |(feature, value): (usize, f32)| {
            let mean = (0..classes).map(|class| self.machine.weight(class, feature)).sum::<f32>() / classes as f32;
            Reason {
                feature: format!("{}: {}", FEATURES[feature].name, FEATURES[feature].about),
                spans: Vec::new(),
                weight: value * (self.machine.weight(class, feature) - mean),
            }
        };
        strongest(rows.row(0).iter().map(reason).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_that_tells_two_writers_apart_is_the_first_reason() {
        let texts = ["no, no, no", "a, cat", "one, two, three", "no no no!", "a cat!", "one two three!"];
        let learned = StyleSvm.learn(&texts, &[0, 0, 0, 2, 2, 2], 3).unwrap();
        let scores = learned.scores(&["the, dog", "the dog!"]).unwrap();
        assert!(scores[0][0] > scores[0][2] && scores[1][2] > scores[1][0]);
        assert_eq!(scores[0][1], f32::NEG_INFINITY);
        let reasons = learned.reasons("a dog!", 2);
        assert!(
            reasons[..6].iter().any(|reason| reason.feature.starts_with("mark-exclamation") && reason.weight > 0.0)
        );
        // With two classes the mean is 0, so reasons are differences of scores; fewer than fifty habits are in play.
        let other = learned.reasons("cat!", 2);
        assert!(reasons.len() < 50 && other.len() < 50);
        let sum = |reasons: &[Reason]| reasons.iter().map(|reason| reason.weight).sum::<f32>();
        let scores = learned.scores(&["a dog!", "cat!"]).unwrap();
        assert!((sum(&reasons) - sum(&other) - (scores[0][2] - scores[1][2])).abs() < 1e-4);
    }
}
