//! TF-IDF of words and logistic regression: a little behind the support vector machine, but its scores are log-probabilities up to a
//! number that all classes share.

use super::linear::LearnedLinear;
use super::{Attacker, Learned};
use crate::classify::{Logistic, LogisticSettings};
use crate::error::EvalError;
use crate::features::{Ngrams, TfIdfSettings};

/// Logistic regression on words and pairs of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogisticWords;

impl Attacker for LogisticWords {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn about(&self) -> &'static str {
        "words and pairs of words, TF-IDF, logistic regression"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let settings = TfIdfSettings { ngrams: Ngrams::WORDS, ..TfIdfSettings::default() };
        LearnedLinear::learn(settings, texts, classes, count, |rows, labels| {
            Ok(Logistic::fit(LogisticSettings::default(), rows, labels, "classes")?.linear)
        })
    }
}
