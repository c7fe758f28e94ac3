//! The features of style with the classifiers of the older papers: a decision tree (C4.5) and a support vector machine with a Gaussian kernel.

use super::linear::Seen;
use super::{Attacker, Learned, check};
use crate::classify::{RbfSvm, RbfSvmSettings, Tree, TreeSettings};
use crate::error::EvalError;
use crate::features::{Sparse, Standardised};

/// A decision tree on standardised features of style.
#[derive(Clone, Copy, Debug)]
pub(super) struct StyleTree;

/// A support vector machine with a Gaussian kernel on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct StyleRbf;

impl Attacker for StyleTree {
    fn name(&self) -> &'static str {
        "style-tree"
    }

    fn about(&self) -> &'static str {
        "features of style, decision tree (C4.5)"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        learn(texts, classes, count, |rows, labels| {
            let tree = Tree::fit(TreeSettings::default(), rows, labels, "class")?;
            Ok(Box::new(move |rows: &Sparse| tree.probabilities(rows)))
        })
    }
}

impl Attacker for StyleRbf {
    fn name(&self) -> &'static str {
        "style-rbf"
    }

    fn about(&self) -> &'static str {
        "features of style, support vector machine with a Gaussian kernel"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        learn(texts, classes, count, |rows, labels| {
            let machine = RbfSvm::fit(RbfSvmSettings::default(), rows, labels, "class")?;
            Ok(Box::new(move |rows: &Sparse| machine.decide_all(rows)))
        })
    }
}

/// Scores of rows for every class that was seen.
type Score = Box<dyn Fn(&Sparse) -> Result<Vec<Vec<f32>>, EvalError> + Send + Sync>;

fn learn(
    texts: &[&str],
    classes: &[u32],
    count: usize,
    fit: impl FnOnce(&Sparse, &[u32]) -> Result<Score, EvalError>,
) -> Result<Box<dyn Learned>, EvalError> {
    check(texts, classes, count)?;
    let (seen, labels) = Seen::of(classes, count);
    let features = Standardised::fit(texts)?;
    let score = fit(&features.transform(texts), &labels)?;
    Ok(Box::new(LearnedStyle { features, score, seen }))
}

struct LearnedStyle {
    features: Standardised,
    score: Score,
    seen: Seen,
}

impl Learned for LearnedStyle {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let mut scores = Vec::with_capacity(texts.len());
        // Rows have hardly a zero: a part at a time.
        for part in texts.chunks(4096) {
            let found = (self.score)(&self.features.transform(part))?;
            scores.extend(found.iter().map(|scores| self.seen.all(scores)));
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_two_writers_apart() {
        let texts: Vec<String> = (0..20)
            .map(|i| if i % 2 == 0 { format!("number {i}, and so, on") } else { format!("number {i} and so on!") })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..20).map(|i| i % 2 * 2).collect();
        for attacker in [&StyleTree as &dyn Attacker, &StyleRbf] {
            let scores = attacker.learn(&texts, &classes, 3).unwrap().scores(&["number 77, and so, on"]).unwrap();
            assert!(scores[0][0] > scores[0][2], "{}: {scores:?}", attacker.name());
            assert_eq!(scores[0][1], f32::NEG_INFINITY, "a class without texts");
        }
    }
}
