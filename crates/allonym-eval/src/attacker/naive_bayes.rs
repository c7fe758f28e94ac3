//! Counts of words and naive Bayes: how attribution began (Mosteller and Wallace 1964), and quick on any number of texts.

use super::linear::LearnedLinear;
use super::{Attacker, Learned};
use crate::classify::{NaiveBayes, NaiveBayesSettings};
use crate::error::EvalError;
use crate::features::{Ngrams, TfIdfSettings};

/// Naive Bayes on words.
#[derive(Clone, Copy, Debug)]
pub(super) struct BayesWords;

impl Attacker for BayesWords {
    fn name(&self) -> &'static str {
        "naive-bayes"
    }

    fn about(&self) -> &'static str {
        "counts of words, multinomial naive Bayes"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let ngrams = Ngrams { longest: 1, ..Ngrams::WORDS };
        let settings = TfIdfSettings { ngrams, counts_only: true, ..TfIdfSettings::default() };
        LearnedLinear::learn(settings, texts, classes, count, |rows, labels| {
            Ok(NaiveBayes::fit(NaiveBayesSettings::default(), rows, labels, "classes")?.linear)
        })
    }
}
