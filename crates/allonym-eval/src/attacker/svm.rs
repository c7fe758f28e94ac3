//! TF-IDF of n-grams and a linear support vector machine: on most benchmarks of authorship no weaker than large networks.

use super::linear::LearnedLinear;
use super::{Attacker, Learned};
use crate::classify::{LinearSvm, SvmSettings};
use crate::error::EvalError;
use crate::features::{Ngrams, TfIdfSettings};

/// A linear support vector machine on n-grams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Svm {
    name: &'static str,
    about: &'static str,
    ngrams: Ngrams,
}

impl Svm {
    /// On three to five characters.
    pub(super) const CHARACTERS: Self = Self {
        name: "char-svm",
        about: "character 3- to 5-grams, TF-IDF, linear support vector machine",
        // Case is a habit too.
        ngrams: Ngrams { lower_case: false, ..Ngrams::CHARACTERS },
    };
    /// On words and pairs of words.
    pub(super) const WORDS: Self = Self {
        name: "word-svm",
        about: "words and pairs of words, TF-IDF, linear support vector machine",
        ngrams: Ngrams::WORDS,
    };
}

impl Attacker for Svm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let settings = TfIdfSettings { ngrams: self.ngrams, ..TfIdfSettings::default() };
        LearnedLinear::learn(settings, texts, classes, count, |rows, labels| {
            LinearSvm::fit(SvmSettings::default(), rows, labels, "classes")
        })
    }
}
