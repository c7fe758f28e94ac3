//! Perplexity and grammaticality under a model of words, counted from a public text that is given.
//!
//! The model has runs of up to three words with interpolated Kneser-Ney smoothing (one discount for each length). Grammaticality is SLOR (Kann et al.
//! 2018): how much likelier a text is than its words alone, for each token. It rises with order and falls when words are thrown together,
//! whether they are rare or not.

use crate::error::EvalError;
use crate::utility::tokens;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

const UNKNOWN: u32 = 0;
const EDGE: u32 = 1;

/// How fluent some texts are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fluency {
    /// e to the mean surprise of a token.
    pub perplexity: f64,
    /// The mean over texts of the log-probability beyond that of the words alone, for each token.
    pub grammaticality: f64,
}

/// Probabilities of words after the two before.
#[derive(Clone, Debug)]
pub struct WordModel {
    words: HashMap<String, u32>,
    /// For each run of three how often it occurred; for shorter ones, after how many different words.
    runs: [HashMap<[u32; 3], u32>; 3],
    /// For each context: the sum of its runs' counts, and how many different runs it has.
    contexts: [HashMap<[u32; 2], (u32, u32)>; 3],
    discounts: [f64; 3],
    /// How many different words stand behind the unknown one.
    unknown: f64,
    /// How often each word occurred, for its probability alone.
    occurrences: Vec<u32>,
    all: f64,
}

impl WordModel {
    /// Counts a text; words that occur once stand for all that are unknown.
    ///
    /// # Errors
    /// When it has no words.
    pub fn fit(texts: &[&str]) -> Result<Self, EvalError> {
        let texts: Vec<Vec<String>> =
            texts.par_iter().map(|text| tokens(text)).filter(|words| !words.is_empty()).collect();
        let mut counts: HashMap<&str, u32> = HashMap::new();
        texts.iter().flatten().for_each(|word| *counts.entry(word).or_default() += 1);
        let mut known: Vec<&str> = counts.iter().filter(|(_, count)| **count > 1).map(|(word, _)| *word).collect();
        if known.is_empty() {
            return Err(EvalError::NoFeatures);
        }
        known.sort_unstable();
        let unknown = (counts.len() - known.len()).max(1) as f64;
        let words: HashMap<String, u32> =
            known.into_iter().enumerate().map(|(place, word)| (word.to_owned(), place as u32 + 2)).collect();
        let mut model = Self {
            occurrences: vec![0; words.len() + 2],
            words,
            runs: Default::default(),
            contexts: Default::default(),
            discounts: [0.75; 3],
            unknown,
            all: 0.0,
        };
        for text in &texts {
            let ids = model.ids(text);
            for run in ids.windows(3) {
                model.occurrences[run[2] as usize] += 1;
                model.all += 1.0;
                *model.runs[2].entry([run[0], run[1], run[2]]).or_default() += 1;
            }
        }
        // A shorter run counts by how many different words it follows.
        for length in [2, 1] {
            let longer: Vec<[u32; 3]> = model.runs[length].keys().copied().collect();
            for mut run in longer {
                run[2 - length] = u32::MAX;
                *model.runs[length - 1].entry(run).or_default() += 1;
            }
        }
        for length in 0..3 {
            let (mut ones, mut twos) = (0.0, 0.0);
            for (run, count) in &model.runs[length] {
                let context = model.contexts[length].entry([run[0], run[1]]).or_default();
                context.0 += count;
                context.1 += 1;
                ones += f64::from(u8::from(*count == 1));
                twos += f64::from(u8::from(*count == 2));
            }
            // Ney, Essen and Kneser 1994; a tiny text may have none that occur twice.
            model.discounts[length] =
                if ones + twos > 0.0 { (ones / (ones + 2.0 * twos)).clamp(0.1, 0.95) } else { 0.5 };
        }
        Ok(model)
    }

    /// Two edges, the words, an edge.
    fn ids(&self, words: &[String]) -> Vec<u32> {
        let of = |word: &String| self.words.get(word).copied().unwrap_or(UNKNOWN);
        let edges = [EDGE, EDGE];
        edges.into_iter().chain(words.iter().map(of)).chain([EDGE]).collect()
    }

    /// The probability of a word after two others.
    fn probability(&self, run: [u32; 3]) -> f64 {
        let mut probability = 1.0 / self.occurrences.len() as f64;
        for length in 0..3 {
            let mut run = run;
            run[..2 - length].fill(u32::MAX);
            let Some((sum, different)) = self.contexts[length].get(&[run[0], run[1]]) else { break };
            let (sum, discount) = (f64::from(*sum), self.discounts[length]);
            let count = self.runs[length].get(&run).map_or(0.0, |count| f64::from(*count));
            probability = ((count - discount).max(0.0) + discount * f64::from(*different) * probability) / sum;
        }
        probability
    }

    /// Judges texts; nothing when none of them has a token.
    pub fn judge(&self, texts: &[&str]) -> Option<Fluency> {
        let found: Vec<(f64, f64, usize)> = texts
            .par_iter()
            .map(|text| {
                let ids = self.ids(&tokens(text));
                let smoothed = |word: u32| {
                    (f64::from(self.occurrences[word as usize]) + 1.0) / (self.all + self.occurrences.len() as f64)
                };
                let (mut together, mut alone) = (0.0, 0.0);
                for run in ids.windows(3) {
                    // An unknown word is one of many: were it a single one, gibberish would be what the model expects.
                    let among = if run[2] == UNKNOWN { self.unknown.ln() } else { 0.0 };
                    together += self.probability([run[0], run[1], run[2]]).ln() - among;
                    alone += smoothed(run[2]).ln() - among;
                }
                (together, alone, ids.len() - 2)
            })
            .filter(|(_, _, tokens)| *tokens > 1)
            .collect();
        if found.is_empty() {
            return None;
        }
        let tokens: usize = found.iter().map(|(_, _, tokens)| tokens).sum();
        let together: f64 = found.iter().map(|(together, _, _)| together).sum();
        let gains = found.iter().map(|(together, alone, tokens)| (together - alone) / *tokens as f64);
        Some(Fluency {
            perplexity: (-together / tokens as f64).exp(),
            grammaticality: gains.sum::<f64>() / found.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> WordModel {
        WordModel::fit(&["the cat sat", "the cat ran", "the dog sat", "the dog ran", "a cat sat", "a dog sat"]).unwrap()
    }

    #[test]
    fn probabilities_after_any_context_sum_to_one() {
        let model = model();
        for context in [[EDGE, EDGE], [EDGE, 5], [5, 3], [UNKNOWN, UNKNOWN], [6, 6]] {
            let sum: f64 =
                (0..model.occurrences.len() as u32).map(|w| model.probability([context[0], context[1], w])).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{context:?}: {sum}");
        }
    }

    #[test]
    fn order_makes_fluent_and_words_thrown_together_do_not() {
        let model = model();
        let (good, bad) = (model.judge(&["the cat sat"]).unwrap(), model.judge(&["sat the the cat"]).unwrap());
        assert!(good.perplexity < bad.perplexity && good.grammaticality > bad.grammaticality);
        // Words that the model never saw surprise it, however many there are.
        let public: Vec<String> = (0..300).map(|i| format!("the cat number{i} sat")).collect();
        let public: Vec<&str> = public.iter().map(String::as_str).collect();
        let model_of_many = WordModel::fit(&public).unwrap();
        let judge = |text: &str| model_of_many.judge(&[text]).unwrap().perplexity;
        assert!(judge("xq zv kj pw") > 3.0 * judge("the cat sat"));
        assert!(model.judge(&[""]).is_none());
        assert!(matches!(WordModel::fit(&["once only"]), Err(EvalError::NoFeatures)));
    }
}
