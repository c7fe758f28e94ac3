//! Counts of n-grams, weighted by how rare they are (TF-IDF), with scikit-learn's definition.
//!
//! A count (or 1 + ln of it) times `ln((1 + texts) / (1 + texts with the n-gram)) + 1`; then each row is scaled to length 1.

use super::counts::{HashMap, hash, of_text};
use super::ngrams::{Ngrams, Scratch};
use super::sparse::Sparse;
use crate::error::EvalError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Texts that are counted at once.
const BATCH: usize = 512;

/// Settings of the weighting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TfIdfSettings {
    /// Which n-grams. Default: three to five characters.
    pub ngrams: Ngrams,
    /// Whether counts are dampened to 1 + ln. Default false.
    pub dampened: bool,
    /// Whether rows are the counts themselves, neither weighted nor scaled to length 1. Default false.
    pub counts_only: bool,
    /// The fewest texts in which an n-gram must occur. Default 1.
    pub fewest_texts: usize,
    /// The most n-grams that are kept: those that occur most often in all. Default: all.
    pub most: Option<usize>,
}

impl Default for TfIdfSettings {
    fn default() -> Self {
        Self { ngrams: Ngrams::CHARACTERS, dampened: false, counts_only: false, fewest_texts: 1, most: None }
    }
}

/// The n-grams that were found in some texts, and their weights.
#[derive(Clone, Debug)]
pub struct TfIdf {
    settings: TfIdfSettings,
    columns: HashMap<u32>,
    weights: Vec<f32>,
}

/// What is known of an n-gram while texts are counted.
#[derive(Clone, Copy, Default)]
struct Found {
    texts: u32,
    occurrences: u64,
}

impl TfIdf {
    /// Finds the n-grams of texts.
    ///
    /// # Errors
    /// When there are no texts, a setting is out of range, or no n-gram is left.
    pub fn fit<Text: AsRef<str> + Sync>(settings: TfIdfSettings, texts: &[Text]) -> Result<Self, EvalError> {
        let Ngrams { shortest, longest, .. } = settings.ngrams;
        if shortest == 0 || longest < shortest {
            let value = format!("{shortest} to {longest}");
            return Err(EvalError::Setting { setting: "ngrams", value, allowed: "from at least 1 up" });
        }
        if texts.is_empty() {
            return Err(EvalError::NoTexts);
        }
        let mut found: HashMap<Found> = HashMap::default();
        for batch in texts.chunks(BATCH) {
            for text in counts(settings.ngrams, batch) {
                for (hash, count) in text {
                    let known = found.entry(hash).or_default();
                    known.texts += 1;
                    known.occurrences += u64::from(count);
                }
            }
        }
        let mut kept: Vec<(u64, Found)> =
            found.into_iter().filter(|(_, found)| found.texts as usize >= settings.fewest_texts).collect();
        // Of equals the one with the smaller hash: an order that does not depend on the map's.
        kept.sort_unstable_by_key(|(hash, found)| (std::cmp::Reverse(found.occurrences), *hash));
        kept.truncate(settings.most.unwrap_or(usize::MAX));
        if kept.is_empty() {
            return Err(EvalError::NoFeatures);
        }
        let all = texts.len() as f64;
        let weight = |found: &Found| match settings.counts_only {
            true => 1.0,
            false => (((1.0 + all) / (1.0 + f64::from(found.texts))).ln() + 1.0) as f32,
        };
        let weights = kept.iter().map(|(_, found)| weight(found)).collect();
        // Frequent n-grams have small columns, so that what is used together lies together.
        let columns = kept.iter().enumerate().map(|(column, (hash, _))| (*hash, column as u32)).collect();
        Ok(Self { settings, columns, weights })
    }

    /// How many n-grams there are.
    pub fn width(&self) -> usize {
        self.weights.len()
    }

    /// The column of an n-gram.
    pub fn column(&self, ngram: &str) -> Option<usize> {
        self.columns.get(&hash(ngram)).map(|column| *column as usize)
    }

    /// The weight of a column.
    pub fn weight(&self, column: usize) -> f32 {
        self.weights[column]
    }

    /// Which n-grams are taken.
    pub fn ngrams(&self) -> Ngrams {
        self.settings.ngrams
    }

    /// The rows of some texts.
    pub fn transform<Text: AsRef<str> + Sync>(&self, texts: &[Text]) -> Sparse {
        let mut rows = Sparse::new(self.width());
        for batch in texts.chunks(BATCH) {
            let batch: Vec<Vec<(u32, f32)>> =
                batch.par_iter().map_init(Default::default, |scratch, text| self.row(text.as_ref(), scratch)).collect();
            batch.into_iter().for_each(|row| rows.push(row));
        }
        rows
    }

    fn row(&self, text: &str, (scratch, hashes): &mut (Scratch, Vec<u64>)) -> Vec<(u32, f32)> {
        let counts = of_text(self.settings.ngrams, text, scratch, hashes);
        let mut row: Vec<(u32, f32)> = counts
            .into_iter()
            .filter_map(|(hash, count)| {
                let column = *self.columns.get(&hash)?;
                let count = if self.settings.dampened { 1.0 + (count as f32).ln() } else { count as f32 };
                Some((column, count * self.weights[column as usize]))
            })
            .collect();
        row.sort_unstable_by_key(|(column, _)| *column);
        if self.settings.counts_only {
            return row;
        }
        let length = row.iter().map(|(_, value)| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32;
        if length > 0.0 {
            row.iter_mut().for_each(|(_, value)| *value /= length);
        }
        row
    }
}

fn counts<Text: AsRef<str> + Sync>(ngrams: Ngrams, texts: &[Text]) -> Vec<Vec<(u64, u32)>> {
    texts
        .par_iter()
        .map_init(Default::default, |(scratch, hashes): &mut (Scratch, Vec<u64>), text| {
            of_text(ngrams, text.as_ref(), scratch, hashes)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Unit;

    fn words() -> TfIdfSettings {
        let ngrams = Ngrams { unit: Unit::Words, shortest: 1, longest: 1, lower_case: true };
        TfIdfSettings { ngrams, ..TfIdfSettings::default() }
    }

    #[test]
    fn weights_by_hand() {
        // Two texts; `was` is in both: ln(3/3) + 1 = 1; `good` in one: ln(3/2) + 1 = 1.405465.
        let tf_idf = TfIdf::fit(words(), &["was good", "was was bad"]).unwrap();
        assert_eq!(tf_idf.width(), 3);
        let (was, good) = (tf_idf.column("was").unwrap(), tf_idf.column("good").unwrap());
        assert!((tf_idf.weight(was) - 1.0).abs() < 1e-6 && (tf_idf.weight(good) - 1.405_465).abs() < 1e-6);
        let rows = tf_idf.transform(&["Was good", "nothing known"]);
        // Length sqrt(1 + 1.405465^2) = 1.724912.
        let value = |column| rows.row(0).iter().find(|(c, _)| *c == column).unwrap().1;
        assert!((value(was) - 0.579_739).abs() < 1e-5 && (value(good) - 0.814_802).abs() < 1e-5);
        assert_eq!(rows.row(1).columns.len(), 0, "a text without known words is an empty row");
    }

    #[test]
    fn counts_alone_are_neither_weighted_nor_scaled() {
        let settings = TfIdfSettings { counts_only: true, ..words() };
        let counts = TfIdf::fit(settings, &["was good", "was was bad"]).unwrap();
        let rows = counts.transform(&["was was was good"]);
        assert_eq!(rows.row(0).iter().find(|(c, _)| Some(*c) == counts.column("was")).unwrap().1, 3.0);
        assert_eq!(rows.row(0).iter().find(|(c, _)| Some(*c) == counts.column("good")).unwrap().1, 1.0);
    }

    #[test]
    fn rare_ones_and_all_but_the_most_frequent_are_left_out() {
        let texts = ["aa bb", "aa cc", "aa bb"];
        let fewest = TfIdf::fit(TfIdfSettings { fewest_texts: 2, ..words() }, &texts).unwrap();
        assert!(fewest.width() == 2 && fewest.column("cc").is_none());
        let most = TfIdf::fit(TfIdfSettings { most: Some(1), ..words() }, &texts).unwrap();
        assert_eq!((most.width(), most.column("aa")), (1, Some(0)));
    }

    #[test]
    fn nothing_to_learn_from_is_an_error() {
        assert!(matches!(TfIdf::fit(words(), &[] as &[&str]), Err(EvalError::NoTexts)));
        assert!(matches!(TfIdf::fit(words(), &["", "!"]), Err(EvalError::NoFeatures)));
        let backwards = Ngrams { shortest: 3, longest: 2, ..Ngrams::CHARACTERS };
        let settings = TfIdfSettings { ngrams: backwards, ..words() };
        assert!(matches!(TfIdf::fit(settings, &["a"]), Err(EvalError::Setting { .. })));
    }
}
