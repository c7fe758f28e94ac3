//! Residual IDF (Church and Gale 1995): how much more a word keeps to few texts than chance would have it.
//!
//! The IDF of a word is `-log2` of the share of texts in which it occurs. If its occurrences were strewn over the texts at random
//! (Poisson), that share would be `1 - exp(-occurrences / texts)`. The difference is large for words of content, which come in clusters,
//! and near 0 for words that are of no text in particular.

use crate::error::EvalError;
use crate::utility::tokens;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// Texts that are read at once.
const BATCH: usize = 512;

/// A word with its residual IDF.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResidualIdf {
    /// The word, in lower case.
    pub word: String,
    /// Texts in which it occurs.
    pub texts: u64,
    /// Occurrences in all.
    pub occurrences: u64,
    /// Observed IDF minus the IDF of chance, in bits.
    pub residual: f64,
}

/// The words of texts that occur in at least `fewest_texts` of them: the largest residual first, of equals the first in the alphabet.
///
/// # Errors
/// When there are no texts, or no word is left.
pub fn residual_idf<Text: AsRef<str> + Sync>(texts: &[Text], fewest_texts: u64) -> Result<Vec<ResidualIdf>, EvalError> {
    if texts.is_empty() {
        return Err(EvalError::NoTexts);
    }
    let mut found: HashMap<String, (u64, u64)> = HashMap::new();
    for batch in texts.chunks(BATCH) {
        let counted: Vec<Vec<(String, u64)>> = batch.par_iter().map(|text| words(text.as_ref())).collect();
        for (word, count) in counted.into_iter().flatten() {
            let known = found.entry(word).or_default();
            known.0 += 1;
            known.1 += count;
        }
    }
    let all = texts.len() as f64;
    let mut ranked: Vec<ResidualIdf> = found
        .into_iter()
        .filter(|(_, (texts, _))| *texts >= fewest_texts)
        .map(|(word, (texts, occurrences))| {
            let observed = -(texts as f64 / all).log2();
            // exp_m1 keeps the digits of rare words.
            let chance = -(-(-(occurrences as f64) / all).exp_m1()).log2();
            ResidualIdf { word, texts, occurrences, residual: observed - chance }
        })
        .collect();
    if ranked.is_empty() {
        return Err(EvalError::NoFeatures);
    }
    ranked.sort_by(|a, b| b.residual.total_cmp(&a.residual).then_with(|| a.word.cmp(&b.word)));
    Ok(ranked)
}

/// The different words of a text with their counts.
fn words(text: &str) -> Vec<(String, u64)> {
    let mut words = tokens(text);
    words.retain(|word| word.starts_with(char::is_alphabetic));
    words.sort_unstable();
    words.chunk_by(|a, b| a == b).map(|same| (same[0].clone(), same.len() as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_by_hand() {
        // Four texts. `boat` occurs four times, all in one text: IDF 2; by chance 1 - exp(-1) = 0.632121, IDF 0.661728.
        // `the` occurs four times, once in each: IDF 0 and the same chance.
        let ranked = residual_idf(&["The boat, boat boat BOAT!", "the", "the", "the sea"], 1).unwrap();
        let of = |word| ranked.iter().find(|found| found.word == word).unwrap();
        assert!((of("boat").residual - 1.338_272).abs() < 1e-6);
        assert!((of("the").residual + 0.661_728).abs() < 1e-6);
        // `sea`, once: IDF 2; by chance 1 - exp(-1/4) = 0.221199, IDF 2.176582.
        assert!((of("sea").residual + 0.176_582).abs() < 1e-5);
        let order: Vec<&str> = ranked.iter().map(|found| found.word.as_str()).collect();
        assert_eq!(order, ["boat", "sea", "the"]);
        assert_eq!((of("boat").texts, of("boat").occurrences), (1, 4));
    }

    #[test]
    fn rare_words_are_left_out() {
        let ranked = residual_idf(&["aa bb", "aa"], 2).unwrap();
        assert_eq!((ranked.len(), ranked[0].word.as_str()), (1, "aa"));
        assert!(matches!(residual_idf(&["aa"], 2), Err(EvalError::NoFeatures)));
        assert!(matches!(residual_idf(&[] as &[&str], 1), Err(EvalError::NoTexts)));
    }
}
