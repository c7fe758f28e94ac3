//! Burrows's Delta (2002): how much a text differs from each author in the use of the most frequent words.
//!
//! The share of each word becomes a deviation from the mean of all texts. Delta is the mean difference of these numbers from those of an
//! author's texts taken together. A short text uses few of the words, and is therefore near to whoever uses the fewest: from the distance to
//! an author we take away the mean distance of all texts to that author. (On blog posts of 100 words the original finds half as many.) Cosine Delta (Smith and Aldridge 2011; Evert et al. 2017) takes the angle between them instead, which
//! minds how a text deviates and not how far.

use super::{Attacker, Learned, Reason, centred, check, strongest};
use crate::error::EvalError;
use crate::features::FrequentWords;
use rayon::prelude::*;

/// Burrows's Delta, in one of its forms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delta {
    name: &'static str,
    about: &'static str,
    form: Form,
    /// How many of the most frequent words are looked at.
    words: usize,
    /// Whether the mean score of all texts is taken from the score of a class.
    centred: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Burrows,
    Cosine,
}

impl Delta {
    /// Mean absolute differences.
    pub(super) const BURROWS: Self = Self {
        name: "delta",
        about: "Burrows's Delta: mean difference in the use of the 500 most frequent words",
        form: Form::Burrows,
        words: 500,
        centred: true,
    };
    /// The angle between the differences.
    pub(super) const COSINE: Self = Self {
        name: "cosine-delta",
        about: "Cosine Delta: the angle between deviations in the use of the 500 most frequent words",
        form: Form::Cosine,
        words: 500,
        centred: false,
    };
}

impl Attacker for Delta {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        check(texts, classes, count)?;
        Ok(Box::new(LearnedDelta::fit(*self, texts, classes, count)?))
    }
}

struct LearnedDelta {
    form: Form,
    words: FrequentWords,
    means: Vec<f32>,
    deviations: Vec<f32>,
    /// The deviations of each class from the mean; of a class without a text, none.
    profiles: Vec<Option<Vec<f32>>>,
    /// What is taken from the score of each class.
    offsets: Vec<f32>,
}

impl LearnedDelta {
    fn fit(delta: Delta, texts: &[&str], classes: &[u32], count: usize) -> Result<Self, EvalError> {
        let words = FrequentWords::fit(texts, delta.words)?;
        let width = words.words().len();
        let (mut sums, mut squares) = (vec![0.0_f64; width], vec![0.0_f64; width]);
        // Occurrences of each word in the texts of a class, and all its words.
        let mut profiles = vec![(vec![0_u64; width], 0_u64); count];
        for (texts, classes) in texts.chunks(512).zip(classes.chunks(512)) {
            let counted: Vec<(Vec<u32>, u32)> = texts.par_iter().map(|text| words.counts(text)).collect();
            for ((counts, all), class) in counted.iter().zip(classes) {
                let (profile, total) = &mut profiles[*class as usize];
                *total += u64::from(*all);
                for (word, occurrences) in counts.iter().enumerate() {
                    let share = f64::from(*occurrences) / f64::from((*all).max(1));
                    sums[word] += share;
                    squares[word] += share * share;
                    profile[word] += u64::from(*occurrences);
                }
            }
        }
        let count = texts.len() as f64;
        let deviation = |(square, sum): (&f64, &f64)| (square / count - (sum / count).powi(2)).max(0.0).sqrt() as f32;
        let mut learned = Self {
            form: delta.form,
            words,
            means: sums.iter().map(|sum| (sum / count) as f32).collect(),
            deviations: squares.iter().zip(&sums).map(deviation).collect(),
            profiles: Vec::new(),
            offsets: vec![0.0; profiles.len()],
        };
        let profile = |(counts, all): (Vec<u64>, u64)| {
            (all > 0).then(|| learned.standardise(counts.iter().map(|count| *count as f32 / all as f32).collect()))
        };
        learned.profiles = profiles.into_iter().map(profile).collect();
        if delta.centred {
            learned.offsets = learned.mean_scores(texts);
        }
        Ok(learned)
    }

    /// Shares as deviations from the mean; a word that all texts use alike says nothing.
    fn standardise(&self, mut shares: Vec<f32>) -> Vec<f32> {
        for (share, (mean, deviation)) in shares.iter_mut().zip(self.means.iter().zip(&self.deviations)) {
            *share = if *deviation > 0.0 { (*share - mean) / deviation } else { 0.0 };
        }
        shares
    }

    fn read(&self, text: &str) -> Option<Vec<f32>> {
        let (counts, all) = self.words.counts(text);
        (all > 0).then(|| self.standardise(counts.iter().map(|count| *count as f32 / all as f32).collect()))
    }

    /// The mean scores of texts that have words, for each class.
    fn mean_scores(&self, texts: &[&str]) -> Vec<f32> {
        let (mut sums, mut judged) = (vec![0.0_f64; self.profiles.len()], 0.0);
        for texts in texts.chunks(512) {
            let scores: Vec<Option<Vec<f32>>> =
                texts.par_iter().map(|text| Some(self.score(&self.read(text)?))).collect();
            for scores in scores.iter().flatten() {
                judged += 1.0;
                sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += f64::from(*score));
            }
        }
        let known = |(sum, profile): (&f64, &Option<_>)| if profile.is_some() { (sum / judged) as f32 } else { 0.0 };
        sums.iter().zip(&self.profiles).map(known).collect()
    }

    fn score(&self, text: &[f32]) -> Vec<f32> {
        let of = |(profile, offset): (&Option<Vec<f32>>, &f32)| match profile {
            Some(profile) => self.parts(text, profile).sum::<f32>() - offset,
            None => f32::NEG_INFINITY,
        };
        self.profiles.iter().zip(&self.offsets).map(of).collect()
    }

    /// What each word adds to the score of a class.
    fn parts<'a>(&self, text: &'a [f32], profile: &'a [f32]) -> Box<dyn Iterator<Item = f32> + 'a> {
        let pairs = text.iter().zip(profile);
        match self.form {
            Form::Burrows => {
                let width = text.len() as f32;
                Box::new(pairs.map(move |(text, profile)| -(text - profile).abs() / width))
            }
            Form::Cosine => {
                let lengths = (length(text) * length(profile)).max(f32::MIN_POSITIVE);
                Box::new(pairs.map(move |(text, profile)| text * profile / lengths))
            }
        }
    }
}

fn length(values: &[f32]) -> f32 {
    values.iter().map(|value| value * value).sum::<f32>().sqrt()
}

impl Learned for LearnedDelta {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let blank = |profile: &Option<_>| if profile.is_some() { 0.0 } else { f32::NEG_INFINITY };
        let score = |text: &&str| match self.read(text) {
            Some(text) => centred(self.score(&text)),
            None => self.profiles.iter().map(blank).collect(),
        };
        Ok(texts.par_iter().map(score).collect())
    }

    /// Words of the text, by how much more each adds to the score of the class than to the mean score of all.
    fn reasons(&self, text: &str, class: u32) -> Vec<Reason> {
        let Some(Some(profile)) = self.profiles.get(class as usize) else { return Vec::new() };
        let Some(read) = self.read(text) else { return Vec::new() };
        let mut weights: Vec<f32> = self.parts(&read, profile).collect();
        let known = self.profiles.iter().flatten().count() as f32;
        for other in self.profiles.iter().flatten() {
            weights.iter_mut().zip(self.parts(&read, other)).for_each(|(weight, part)| *weight -= part / known);
        }
        let named = self.words.words().iter().zip(self.words.spans(text)).zip(weights);
        let reason = |((word, spans), weight): ((&String, Vec<_>), f32)| {
            let feature = if spans.is_empty() { format!("no `{word}`") } else { format!("use of `{word}`") };
            Reason { feature, spans, weight }
        };
        strongest(named.map(reason).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shares of `aa`: 1, 1/2, 0, 0 (the last has only `bb`). Mean 3/8, mean square 5/16, variance 11/64, deviation 0.414578; `bb` is the
    // opposite. Class 0 has three of four words `aa`: (3/4 - 3/8) / 0.414578 = 0.904534. Class 2 has none: -0.904534.
    fn learned(delta: Delta) -> Box<dyn Learned> {
        delta.learn(&["aa aa", "aa bb", "bb", "bb bb"], &[0, 0, 2, 2], 3).unwrap()
    }

    #[test]
    fn burrows_by_hand() {
        // A text `aa` has 1.507557 and -1.507557: differences of 0.603023 twice to class 0, of 2.412091 to class 2. Their mean is taken off.
        let scores = learned(Delta { centred: false, ..Delta::BURROWS }).scores(&["aa", ""]).unwrap();
        assert!((scores[0][0] - 0.904_534).abs() < 1e-5 && (scores[0][2] + 0.904_534).abs() < 1e-5, "{scores:?}");
        assert_eq!(scores[0][1], f32::NEG_INFINITY);
        assert_eq!((scores[1][0], scores[1][2]), (0.0, 0.0), "nothing speaks for anybody");
    }

    #[test]
    fn centred_by_hand() {
        // Texts are at 1.507557, 0.301511, -0.904534, -0.904534: mean distance 1.206045 to class 0 at 0.904534, 1.206045 - 0.301511 to
        // class 2 at -0.904534, where two of the texts are.
        let scores = learned(Delta::BURROWS).scores(&["aa"]).unwrap();
        // 1.206045 - 0.603023 = 0.603022 and 0.904534 - 2.412091 = -1.507557; less their mean, -0.452268.
        assert!((scores[0][0] - 1.055_29).abs() < 1e-5 && (scores[0][2] + 1.055_29).abs() < 1e-5, "{scores:?}");
    }

    #[test]
    fn cosine_by_hand() {
        // With two opposite words all vectors lie on one line.
        let scores = learned(Delta::COSINE).scores(&["aa", "bb"]).unwrap();
        assert!((scores[0][0] - 1.0).abs() < 1e-5 && (scores[0][2] + 1.0).abs() < 1e-5);
        assert!((scores[1][0] + 1.0).abs() < 1e-5);
    }

    #[test]
    fn words_that_speak_for_a_class_are_named_with_their_places() {
        let reasons = learned(Delta::BURROWS).reasons("aa! AA", 0);
        let of = |feature| reasons.iter().find(|reason| reason.feature == feature).unwrap();
        // Mean part of both classes: (-0.301511 - 1.206045) / 2; class 0 is 0.452267 above it with each word.
        assert!(reasons.iter().all(|reason| (reason.weight - 0.452_267).abs() < 1e-5));
        assert_eq!((of("use of `aa`").spans.as_slice(), of("no `bb`").spans.len()), ([0..2, 4..6].as_slice(), 0));
    }
}
