//! Attribution by random subspaces (Koppel, Schler and Argamon 2011): who is nearest again and again, whichever features are looked at.
//!
//! Texts are counts of character 4-grams that have no space in them; a word of up to four characters is one as a whole. For each of 100
//! random halves of the features the author with the most similar counts wins; the score is the share of wins. A small one means that
//! nobody stands out: "I do not know". Counts are dampened to ln(1 + count) and weighted by how rare an n-gram is; with bare counts, the
//! few most frequent decide alone (on blog posts, a third fewer authors are found).

use super::{Attacker, Learned, check};
use crate::error::EvalError;
use crate::features::{ByHash, Sparse, hash_of};
use allonym_dp::PrivacyRng;
use allonym_nn::sparse::{LANES, gather};
use rayon::prelude::*;

/// Characters of an n-gram.
const LENGTH: usize = 4;

/// The attacker's settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subspace {
    /// How many of the most frequent n-grams are looked at.
    features: usize,
    /// How many random halves.
    halves: usize,
    /// The smallest share of wins with which an author is named.
    sure_from: f32,
}

impl Subspace {
    /// Somebody is always named.
    pub(super) const DEFAULT: Self = Self { features: 25_000, halves: 100, sure_from: 0.0 };
}

impl Attacker for Subspace {
    fn name(&self) -> &'static str {
        "subspace"
    }

    fn about(&self) -> &'static str {
        "character 4-grams without spaces, most similar author in 100 random halves of them"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let sizes = check(texts, classes, count)?;
        let grams = Grams::fit(texts, self.features)?;
        let lanes = count.next_multiple_of(LANES);
        let mut profiles = vec![0.0_f32; grams.width() * lanes];
        for (texts, classes) in texts.chunks(512).zip(classes.chunks(512)) {
            let rows = grams.rows(texts);
            for (row, class) in classes.iter().enumerate() {
                for (column, value) in rows.row(row).iter() {
                    profiles[column * lanes + *class as usize] += value;
                }
            }
        }
        for (numbers, weight) in profiles.chunks_exact_mut(lanes).zip(&grams.weights) {
            numbers.iter_mut().for_each(|number| *number = number.ln_1p() * weight);
        }
        let mut rng = PrivacyRng::reproducible(0);
        let halves: Vec<Half> =
            (0..self.halves).map(|_| Half::draw(grams.width(), &profiles, lanes, &mut rng)).collect();
        let seen = sizes.iter().map(|size| *size > 0).collect();
        Ok(Box::new(LearnedSubspace { grams, lanes, profiles, halves, seen, sure_from: self.sure_from }))
    }
}

/// The n-grams that are looked at.
struct Grams {
    columns: ByHash<u32>,
    /// ln((1 + texts) / (1 + texts with the n-gram)).
    weights: Vec<f32>,
}

impl Grams {
    fn fit(texts: &[&str], most: usize) -> Result<Self, EvalError> {
        // Occurrences, and texts with the n-gram.
        let mut found: ByHash<(u64, u32)> = ByHash::default();
        for batch in texts.chunks(512) {
            let counted: Vec<Vec<(u64, u32)>> = batch.par_iter().map(|text| counts(text)).collect();
            for (gram, count) in counted.into_iter().flatten() {
                let known = found.entry(gram).or_default();
                *known = (known.0 + u64::from(count), known.1 + 1);
            }
        }
        let mut ranked: Vec<(u64, (u64, u32))> = found.into_iter().collect();
        ranked.sort_unstable_by_key(|(gram, (count, _))| (std::cmp::Reverse(*count), *gram));
        ranked.truncate(most);
        if ranked.is_empty() {
            return Err(EvalError::NoFeatures);
        }
        let all = texts.len() as f64 + 1.0;
        let weight = |(_, (_, texts)): &(u64, (u64, u32))| (all / (f64::from(*texts) + 1.0)).ln() as f32;
        let columns = ranked.iter().zip(0..).map(|((gram, _), column)| (*gram, column)).collect();
        Ok(Self { columns, weights: ranked.iter().map(weight).collect() })
    }

    fn width(&self) -> usize {
        self.columns.len()
    }

    /// The bare counts of some texts.
    fn rows(&self, texts: &[&str]) -> Sparse {
        let row = |text: &&str| {
            let known =
                counts(text).into_iter().filter_map(|(gram, count)| Some((*self.columns.get(&gram)?, count as f32)));
            let mut row: Vec<(u32, f32)> = known.collect();
            row.sort_unstable_by_key(|(column, _)| *column);
            row
        };
        let found: Vec<Vec<(u32, f32)>> = texts.par_iter().map(row).collect();
        let mut rows = Sparse::new(self.width());
        found.into_iter().for_each(|row| rows.push(row));
        rows
    }
}

/// The n-grams of a text, by hash, with their counts.
fn counts(text: &str) -> Vec<(u64, u32)> {
    let (mut hashes, mut bounds) = (Vec::new(), Vec::new());
    for word in text.split_whitespace() {
        bounds.clear();
        bounds.extend(word.char_indices().map(|(at, _)| at));
        bounds.push(word.len());
        match bounds.len() <= LENGTH + 1 {
            true => hashes.push(hash_of(word)),
            false => hashes.extend(bounds.windows(LENGTH + 1).map(|gram| hash_of(&word[gram[0]..gram[LENGTH]]))),
        }
    }
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// Half of the features, and how long each profile is in them.
struct Half {
    chosen: Vec<bool>,
    /// 1 divided by the length; 0 for a profile without any of these features.
    scales: Vec<f32>,
}

impl Half {
    fn draw(width: usize, profiles: &[f32], lanes: usize, rng: &mut PrivacyRng) -> Self {
        let mut chosen: Vec<bool> = (0..width).map(|feature| feature < width.div_ceil(2)).collect();
        rng.shuffle(&mut chosen);
        let mut squares = vec![0.0_f32; lanes];
        for (numbers, _) in profiles.chunks_exact(lanes).zip(&chosen).filter(|(_, chosen)| **chosen) {
            squares.iter_mut().zip(numbers).for_each(|(square, number)| *square += number * number);
        }
        let scale = |square: f32| if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        Self { chosen, scales: squares.into_iter().map(scale).collect() }
    }
}

struct LearnedSubspace {
    grams: Grams,
    lanes: usize,
    /// For each feature a number for each class.
    profiles: Vec<f32>,
    halves: Vec<Half>,
    seen: Vec<bool>,
    sure_from: f32,
}

impl LearnedSubspace {
    /// The share of halves each class wins. The length of the text is the same for all, and left out.
    fn wins(&self, columns: &[u32], values: &[f32]) -> Vec<f32> {
        let mut wins: Vec<f32> = self.seen.iter().map(|seen| if *seen { 0.0 } else { f32::NEG_INFINITY }).collect();
        let (mut some_columns, mut some_values) = (Vec::new(), Vec::new());
        let mut products = vec![0.0; self.lanes];
        for half in &self.halves {
            some_columns.clear();
            some_values.clear();
            for (column, value) in columns.iter().zip(values).filter(|(column, _)| half.chosen[**column as usize]) {
                some_columns.push(*column);
                some_values.push(value.ln_1p() * self.grams.weights[*column as usize]);
            }
            gather(&some_columns, &some_values, &self.profiles, self.lanes, &mut products);
            products.iter_mut().zip(&half.scales).for_each(|(product, scale)| *product *= scale);
            let winner = crate::classify::largest(&products) as usize;
            if products[winner] > 0.0 {
                wins[winner] += 1.0 / self.halves.len() as f32;
            }
        }
        wins
    }
}

impl Learned for LearnedSubspace {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let mut scores = Vec::with_capacity(texts.len());
        for texts in texts.chunks(512) {
            let rows = self.grams.rows(texts);
            let wins =
                (0..rows.rows()).into_par_iter().map(|row| self.wins(rows.row(row).columns, rows.row(row).values));
            scores.extend(wins.collect::<Vec<_>>());
        }
        Ok(scores)
    }

    fn sure_from(&self) -> f32 {
        self.sure_from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n_grams_have_no_space_and_short_words_are_whole() {
        let expected = ["a", "fine", "bana", "anan", "nana"].map(hash_of);
        let found = counts("a banana  fine");
        assert_eq!(found.len(), 5);
        assert!(expected.iter().all(|gram| found.contains(&(*gram, 1))));
        assert_eq!(counts("so so"), [(hash_of("so"), 2)]);
    }

    #[test]
    fn nearest_profiles_win_by_hand() {
        // One half of two features each time: either `aa` or `bb`. The text has both. Class 0 has only `aa` and wins where `aa` is
        // chosen; class 2 has `bb` alone and wins the rest.
        let subspace = Subspace { features: 2, halves: 50, sure_from: 0.4 };
        let learned = subspace.learn(&["aa aa", "bb"], &[0, 2], 3).unwrap();
        let scores = learned.scores(&["aa bb", "aa", "unknown", ""]).unwrap();
        assert!((scores[0][0] + scores[0][2] - 1.0).abs() < 1e-5 && scores[0][0] > 0.2 && scores[0][2] > 0.2);
        // `aa` is chosen in as many halves as before; in the others there is nothing to compare, and nobody wins.
        assert!((scores[1][0] - scores[0][0]).abs() < 1e-6 && scores[1][2] == 0.0);
        assert_eq!((scores[2][0], scores[2][1], scores[3][2]), (0.0, f32::NEG_INFINITY, 0.0));
        assert_eq!(learned.sure_from(), 0.4);
    }

    #[test]
    fn every_half_has_half_of_the_features_and_lengths_by_hand() {
        let profiles = [3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0];
        let half = Half::draw(4, &profiles, 2, &mut PrivacyRng::reproducible(7));
        assert_eq!(half.chosen.iter().filter(|chosen| **chosen).count(), 2);
        // sqrt(9 + 9) whichever two are chosen.
        assert!((half.scales[0] - 1.0 / 18.0_f32.sqrt()).abs() < 1e-6 && half.scales[1] == 0.0);
    }
}
