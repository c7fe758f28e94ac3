//! What a text still says: at each place the word that stood there counts in full, and a word that is near it in part.
//!
//! The paper's reward asks for a sentiment and for an author who is not found, and for nothing else; an agent that learns it well writes lists of words. Whoever wants to read the
//! text can let this count too.

use super::auto_encoder::Text;
use allonym_nn::loss::EmbeddingReward;
use allonym_nn::{Into, Matrix, multiply};
use allonym_text::vocabulary::{END, SPECIAL};
use rayon::prelude::*;

/// Near words that count for each word.
const NEAR: usize = 8;
/// A word below this cosine is not near.
const LEAST: f32 = 0.5;
/// Words whose neighbours are looked for at once.
const TOGETHER: usize = 64;

/// What counts for each word, and how much all of it counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Content {
    weight: f64,
    /// Near words of each id with what they count; nothing where words have no given vectors.
    near: Vec<Vec<(u32, f32)>>,
}

impl Content {
    /// With this weight; vectors, one for each id, say which words are near.
    pub(super) fn new(weight: f64, vectors: Option<&Matrix<f32>>) -> Self {
        let near = vectors.filter(|_| weight > 0.0).map(near_words).unwrap_or_default();
        Self { weight, near }
    }

    /// How much it counts.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// What one word counts where another stood.
    fn counts(&self, stood: u32, written: u32) -> f32 {
        if stood == written {
            return 1.0;
        }
        let near = self.near.get(stood as usize).into_iter().flatten();
        near.filter(|(id, _)| *id == written).map(|(_, counts)| *counts).sum()
    }

    /// The part of a text that is still said, from 0 to 1. Words that were not known cannot be, and do not count.
    pub(super) fn kept(&self, original: &Text, written: &Text) -> f64 {
        let places = places(original);
        let counts =
            |(place, stood): &(usize, u32)| f64::from(self.counts(*stood, written.get(*place).copied().unwrap_or(END)));
        places.iter().map(counts).sum::<f64>() / places.len().max(1) as f64
    }

    /// What is worth more at each place of a text.
    pub(super) fn worth(&self, original: &Text) -> Vec<Vec<(u32, f32)>> {
        let places = places(original);
        let mut worth = vec![Vec::new(); original.len()];
        if self.weight == 0.0 {
            return worth;
        }
        let each = (self.weight / places.len().max(1) as f64) as f32;
        for (place, stood) in places {
            let near = self.near.get(stood as usize).into_iter().flatten();
            worth[place] =
                std::iter::once((stood, each)).chain(near.map(|(id, counts)| (*id, each * counts))).collect();
        }
        worth
    }
}

/// Places with the words that stand there, and with the end; not those of unknown words.
fn places(text: &Text) -> Vec<(usize, u32)> {
    text.iter().copied().enumerate().filter(|(_, id)| *id >= END).collect()
}

fn near_words(vectors: &Matrix<f32>) -> Vec<Vec<(u32, f32)>> {
    let units = EmbeddingReward::unit_vectors(vectors.clone());
    let (ids, width) = (units.rows(), units.columns());
    let starts: Vec<usize> = (SPECIAL.len().min(ids)..ids).step_by(TOGETHER).collect();
    let of = |start: &usize| -> Vec<Vec<(u32, f32)>> {
        let rows = TOGETHER.min(ids - start);
        let own = Matrix::of(rows, width, units.values()[start * width..(start + rows) * width].to_vec());
        let mut cosines = Matrix::zeros(rows, ids);
        multiply(cosines.view_mut(), Into::Replace, own.view(), units.view().transposed(), 1);
        (0..rows).map(|row| nearest(cosines.row(row), start + row)).collect()
    };
    let special = vec![Vec::new(); SPECIAL.len().min(ids)];
    special.into_iter().chain(starts.par_iter().flat_map_iter(of).collect::<Vec<_>>()).collect()
}

fn nearest(cosines: &[f32], own: usize) -> Vec<(u32, f32)> {
    let others = cosines.iter().copied().enumerate().skip(SPECIAL.len());
    let mut near: Vec<(u32, f32)> = others
        .filter(|(id, cosine)| *id != own && *cosine >= LEAST)
        .map(|(id, cosine)| (id as u32, cosine.min(1.0)))
        .collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    near.truncate(NEAR);
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_text::vocabulary::UNKNOWN;

    /// Seven ids: four special ones, and two words with a cosine of 0.8; a third at a right angle to the first.
    fn vectors() -> Matrix<f32> {
        let words = [2.0, 0.0, 0.8, 0.6, 0.0, 3.0];
        Matrix::of(7, 2, [0.0; 8].into_iter().chain(words).collect())
    }

    #[test]
    fn a_word_counts_in_full_at_its_place_and_a_near_one_in_part() {
        let content = Content::new(0.5, Some(&vectors()));
        let original = vec![4, 6, UNKNOWN, END];
        let kept = |written: &[u32]| (content.kept(&original, &written.to_vec()) * 30.0).round() as u32;
        assert_eq!(kept(&[4, 6, 6]), 30, "what was not known does not count, and it ends where it did");
        assert_eq!(kept(&[5, 6, 6]), 28, "0.8 for a near word");
        assert_eq!(kept(&[6, 4, 6]), 10, "at another place");
        assert_eq!(kept(&[]), 10, "only the end");
        // Three places share a half; 5 is near 4 by 0.8, 6 by 0.6 near 5 alone.
        let sixth = 0.5_f32 / 3.0;
        assert_eq!(
            content.worth(&original),
            [vec![(4, sixth), (5, sixth * 0.8)], vec![(6, sixth), (5, sixth * 0.6)], vec![], vec![(END, sixth)]]
        );
    }

    #[test]
    fn without_vectors_only_the_word_itself_counts_and_without_weight_nothing() {
        let content = Content::new(1.0, None);
        assert_eq!(content.kept(&vec![4, END], &vec![5]), 0.5);
        assert_eq!(content.worth(&vec![4, END]), [vec![(4, 0.5)], vec![(END, 0.5)]]);
        assert_eq!(Content::new(0.0, Some(&vectors())).worth(&vec![4, END]), [vec![], vec![]]);
        assert_eq!(content.kept(&vec![UNKNOWN], &vec![4]), 0.0);
    }
}
