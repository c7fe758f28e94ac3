//! A small network on embedded n-grams (Sari, Vlachos and Stevenson 2017): every n-gram has a vector, a text is the mean of its n-grams'
//! vectors, and one layer with a softmax names the author. Unlike a linear machine it learns which n-grams mean the same.

use super::embedding_bag::{Bag, BagSettings};
use super::{Attacker, Learned, check};
use crate::error::EvalError;
use crate::features::{Ngrams, Sparse, TfIdf, TfIdfSettings, Unit};

/// The network's settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct NgramNetwork {
    /// How many of the most frequent n-grams have a vector, of characters and of words each.
    most: usize,
    /// Whether words and pairs of words have vectors too.
    words: bool,
    training: BagSettings,
}

impl NgramNetwork {
    /// Characters alone: on blog posts, words beside them found fewer authors.
    pub(super) const DEFAULT: Self = Self { most: 40_000, words: false, training: BagSettings::DEFAULT };
}

impl Attacker for NgramNetwork {
    fn name(&self) -> &'static str {
        "ngram-network"
    }

    fn about(&self) -> &'static str {
        "mean of learned vectors of character 2- to 4-grams, softmax"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let sizes = check(texts, classes, count)?;
        let characters = Ngrams { unit: Unit::Characters, shortest: 2, longest: 4, lower_case: false };
        let fit = |ngrams| TfIdf::fit(counts(ngrams, Some(self.most)), texts);
        let mut vocabularies = vec![fit(characters)?];
        if self.words {
            // Texts of characters without a word have characters alone.
            vocabularies.extend(fit(Ngrams::WORDS).ok());
        }
        let rows = rows(&vocabularies, texts);
        let bag = Bag::fit(self.training, &rows, classes, count);
        Ok(Box::new(LearnedNetwork { vocabularies, bag, seen: sizes.iter().map(|size| *size > 0).collect() }))
    }
}

fn counts(ngrams: Ngrams, most: Option<usize>) -> TfIdfSettings {
    TfIdfSettings { ngrams, most, counts_only: true, ..TfIdfSettings::default() }
}

/// The rows of texts: the share of each n-gram in its vocabulary, the vocabularies side by side.
fn rows(vocabularies: &[TfIdf], texts: &[&str]) -> Sparse {
    let parts: Vec<Sparse> = vocabularies.iter().map(|vocabulary| vocabulary.transform(texts)).collect();
    let mut rows = Sparse::new(parts.iter().map(Sparse::width).sum());
    for row in 0..texts.len() {
        let mut first = 0;
        let mut all = Vec::new();
        for part in &parts {
            let row = part.row(row);
            let sum: f32 = row.values.iter().sum();
            all.extend(row.iter().map(|(column, count)| ((first + column) as u32, count / sum)));
            first += part.width();
        }
        rows.push(all);
    }
    rows
}

struct LearnedNetwork {
    vocabularies: Vec<TfIdf>,
    bag: Bag,
    seen: Vec<bool>,
}

impl Learned for LearnedNetwork {
    /// Logarithms of probabilities. A text without a known n-gram has the same for every class.
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let mut scores = Vec::with_capacity(texts.len());
        for texts in texts.chunks(2048) {
            scores.extend(self.bag.scores(&rows(&self.vocabularies, texts)));
        }
        for scores in &mut scores {
            let unseen = scores.iter_mut().zip(&self.seen).filter(|(_, seen)| !**seen);
            unseen.for_each(|(score, _)| *score = f32::NEG_INFINITY);
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_with_different_words_are_told_apart() {
        let texts: Vec<String> = (0..60)
            .map(|i| format!("{} number {} {}", ["boats sail", "trains ride"][i % 2], i % 7, ["far", "near"][i % 2]))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..60).map(|i| 2 * (i % 2)).collect();
        let learned = NgramNetwork::DEFAULT.learn(&texts, &classes, 3).unwrap();
        let scores = learned.scores(&["a boat that sails far", "riding a train", ""]).unwrap();
        assert!(scores[0][0] > scores[0][2] && scores[1][2] > scores[1][0]);
        assert!(scores.iter().all(|scores| scores[1] == f32::NEG_INFINITY && scores[0].is_finite()));
        let again = NgramNetwork::DEFAULT.learn(&texts, &classes, 3).unwrap();
        assert_eq!(again.scores(&["a boat"]).unwrap(), learned.scores(&["a boat"]).unwrap(), "the same every time");
    }

    #[test]
    fn words_can_have_vectors_too() {
        let texts = ["aa bb", "bb aa", "cc dd", "dd cc"];
        let words = NgramNetwork { words: true, ..NgramNetwork::DEFAULT };
        let scores =
            |network: NgramNetwork| network.learn(&texts, &[0, 0, 1, 1], 2).unwrap().scores(&["aa cc"]).unwrap();
        assert_ne!(scores(words), scores(NgramNetwork::DEFAULT));
    }

    #[test]
    fn rows_have_a_mean_for_characters_and_one_for_words() {
        let fit = |ngrams| TfIdf::fit(counts(ngrams, None), &["abc de"]).unwrap();
        let both = [fit(Ngrams::CHARACTERS), fit(Ngrams::WORDS)];
        let rows = rows(&both, &["abc de"]);
        assert_eq!(rows.width(), both[0].width() + both[1].width());
        assert!((rows.row(0).values.iter().sum::<f32>() - 2.0).abs() < 1e-6);
    }
}
