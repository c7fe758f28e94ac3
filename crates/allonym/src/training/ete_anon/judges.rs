//! The two classifiers that agents are rewarded by: words by TF-IDF, a linear support vector machine, and probabilities by sigmoids.

use super::data::Sequence;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_eval::classify::{Linear, LinearSvm, Sigmoids, SvmSettings};
use allonym_eval::features::{Ngrams, TfIdf, TfIdfSettings, Unit};
use allonym_models::ete_anon::{Chance, Judge, JudgedClass, Judges};
use allonym_text::Vocabulary;
use allonym_text::vocabulary::SPECIAL;

/// Single words, as the paper has them.
const WORDS: Ngrams = Ngrams { unit: Unit::Words, shortest: 1, longest: 1, lower_case: true };

/// Probabilities are fitted to what was not learned from, in so many parts.
const FOLDS: usize = 3;

/// A classifier of texts.
pub(crate) struct Classifier {
    features: TfIdf,
    machine: Linear,
    sigmoids: Sigmoids,
}

impl Classifier {
    /// Learns from texts and their classes.
    pub(crate) fn learn(texts: &[&str], classes: &[u32], what: &'static str, seed: u64) -> Result<Self, Failure> {
        let mut places: Vec<usize> = (0..texts.len()).collect();
        PrivacyRng::reproducible(seed).shuffle(&mut places);
        // Each class in turns, so that whoever has two texts is learned from in every fold.
        places.sort_by_key(|place| classes[*place]);
        let part = |held: bool, fold: usize| -> (Vec<&str>, Vec<u32>) {
            let chosen = places.iter().enumerate().filter(|(order, _)| (order % FOLDS == fold) == held);
            chosen.map(|(_, place)| (texts[*place], classes[*place])).unzip()
        };
        let (mut scores, mut truths) = (Vec::new(), Vec::new());
        for fold in 0..FOLDS {
            let (rest, of_rest) = part(false, fold);
            let (held, of_held) = part(true, fold);
            let (features, machine) = fit(&rest, &of_rest, what)?;
            scores.extend(machine.decide_all(&features.transform(&held))?);
            truths.extend(of_held);
        }
        let (features, machine) = fit(texts, classes, what)?;
        Ok(Self { features, machine, sigmoids: Sigmoids::fit(&scores, &truths)? })
    }

    /// The probabilities of all classes, for texts whatever their words are.
    pub(crate) fn probabilities(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let scores = self.machine.decide_all(&self.features.transform(texts))?;
        Ok(scores.iter().map(|scores| self.sigmoids.probabilities(scores)).collect())
    }

    /// The same as a table over the words of a vocabulary.
    pub(crate) fn judge(&self, vocabulary: &Vocabulary) -> Result<Judge, Failure> {
        let ids = vocabulary.ids() as usize;
        // A token may be several words here, such as one with a hyphen, or none, such as a comma.
        let columns: Vec<Vec<usize>> = (0..ids).map(|id| self.columns_of(vocabulary.word(id as u32), id)).collect();
        let length = |columns: &Vec<usize>| {
            columns.iter().map(|column| self.features.weight(*column).powi(2)).sum::<f32>().sqrt()
        };
        let rarity: Vec<f32> = columns.iter().map(length).collect();
        let class = |class: usize| {
            let weight = |(columns, rarity): (&Vec<usize>, &f32)| {
                let of = |column: &usize| self.features.weight(*column) * self.machine.weight(class, *column);
                if *rarity > 0.0 { columns.iter().map(of).sum::<f32>() / rarity } else { 0.0 }
            };
            let sigmoid = self.sigmoids.of_class(class);
            JudgedClass {
                weights: columns.iter().zip(&rarity).map(weight).collect(),
                offset: self.machine.offset(class),
                chance: Chance { slope: sigmoid.slope, offset: sigmoid.offset },
            }
        };
        let classes: Vec<JudgedClass> = (0..self.machine.classes()).map(class).collect();
        Ok(Judge::new(rarity, &classes)?)
    }

    fn columns_of(&self, word: Option<&str>, id: usize) -> Vec<usize> {
        let mut columns = Vec::new();
        if let Some(word) = word.filter(|_| id >= SPECIAL.len()) {
            WORDS.each_with_span(word, |ngram, _| columns.extend(self.features.column(ngram)));
        }
        columns
    }
}

fn fit(texts: &[&str], classes: &[u32], what: &'static str) -> Result<(TfIdf, Linear), Failure> {
    let features = TfIdf::fit(TfIdfSettings { ngrams: WORDS, ..TfIdfSettings::default() }, texts)?;
    let machine = LinearSvm::fit(SvmSettings::default(), &features.transform(texts), classes, what)?;
    Ok((features, machine))
}

/// Both classifiers.
pub(crate) struct Classifiers {
    /// Of authors, by their numbers.
    pub(crate) authors: Classifier,
    /// Of sentiment: negative, positive.
    pub(crate) sentiment: Classifier,
}

impl Classifiers {
    /// One of authors that learns from what became of sequences.
    pub(crate) fn authors_of(sequences: &[&Sequence], written: &[String], seed: u64) -> Result<Classifier, Failure> {
        let texts: Vec<&str> = written.iter().map(String::as_str).collect();
        let authors: Vec<u32> = sequences.iter().map(|sequence| sequence.subject.author).collect();
        Classifier::learn(&texts, &authors, "authors", seed)
    }

    pub(crate) fn learn(sequences: &[Sequence], seed: u64) -> Result<Self, Failure> {
        let texts: Vec<&str> = sequences.iter().map(|sequence| sequence.words.as_str()).collect();
        let authors: Vec<u32> = sequences.iter().map(|sequence| sequence.subject.author).collect();
        let sentiments: Vec<u32> = sequences.iter().map(|sequence| u32::from(sequence.subject.positive)).collect();
        Ok(Self {
            authors: Classifier::learn(&texts, &authors, "authors", seed)?,
            sentiment: Classifier::learn(&texts, &sentiments, "sentiments", seed)?,
        })
    }

    pub(crate) fn judges(&self, vocabulary: &Vocabulary, alpha: f64) -> Result<Judges, Failure> {
        let (sentiment, authors) = (self.sentiment.judge(vocabulary)?, self.authors.judge(vocabulary)?);
        Ok(Judges { sentiment, authors, others: Vec::new(), alpha })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_of_ids_says_what_the_classifier_says_of_words() {
        let texts: Vec<String> = (0..90)
            .map(|i| format!("the {} is {} , number {i}", ["cat", "dog", "house"][i % 3], ["good", "bad"][i % 2]))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..90).map(|i| i % 3).collect();
        let classifier = Classifier::learn(&texts, &classes, "classes", 1).unwrap();
        let vocabulary = Vocabulary::english(5000).unwrap();
        let judge = classifier.judge(&vocabulary).unwrap();
        for text in ["the dog is good , good , good", "cat house", ", ,", "a well-known cat"] {
            let ids: Vec<u32> = text.split(' ').map(|token| vocabulary.id(token)).collect();
            let expected = &classifier.probabilities(&[text]).unwrap()[0];
            for (found, expected) in judge.probabilities(&ids).iter().zip(expected) {
                assert!((found - f64::from(*expected)).abs() < 1e-5, "{text}: {found} {expected}");
            }
        }
    }
}
