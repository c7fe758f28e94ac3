//! For every word, the words that can stand in its place: the nearest by word vectors, best first.
//!
//! A table of a few nearest words says all that a proposal needs of the vectors, in a tenth of their space and without a product at every token.

use crate::embeddings::Embeddings;
use crate::error::ModelError;
use crate::lexical::unit;
use allonym_nn::Matrix;
use allonym_text::Vocabulary;
use allonym_text::vocabulary::SPECIAL;
use rayon::prelude::*;
use std::path::Path;

/// How many words are kept for each.
const KEPT: usize = 16;
/// The first line of the file; the table follows: for each word, ids as two bytes, little end first, and the cosine as a byte.
const HEAD: &[u8] = b"allonym-near 1 16\n";
/// Bytes of an entry.
const ENTRY: usize = 3;

/// Nearest words of every id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// [`KEPT`] ids and cosines for each word, special tokens left out. Those that are missing have cosine 0.
    entries: Vec<(u16, u8)>,
}

impl Near {
    /// The nearest words by vectors of a file. Words that the file has no vector for have no near words.
    ///
    /// # Errors
    /// When the vocabulary has more ids than fit into the table.
    pub fn of(vocabulary: &Vocabulary, embeddings: &Embeddings) -> Result<Self, ModelError> {
        if vocabulary.ids() > u32::from(u16::MAX) {
            let (value, allowed) = (vocabulary.ids().to_string(), "at most 65535");
            return Err(ModelError::Setting { setting: "vocabulary-size", value, allowed });
        }
        let of = |word: usize| embeddings.vector(vocabulary.word((word + SPECIAL.len()) as u32)?).map(unit);
        let nothing = vec![0.0; embeddings.dimension()];
        let units = (0..vocabulary.words()).flat_map(|word| of(word).unwrap_or_else(|| nothing.clone())).collect();
        let units = Matrix::of(vocabulary.words(), embeddings.dimension(), units);
        Ok(Self { entries: (0..units.rows()).into_par_iter().flat_map_iter(|word| nearest(&units, word)).collect() })
    }

    /// The words near one, best first, with their cosines above 0.
    pub fn of_word(&self, id: u32) -> impl Iterator<Item = (u32, f32)> {
        let start = (id as usize).checked_sub(SPECIAL.len()).map_or(self.entries.len(), |word| word * KEPT);
        let entries = self.entries.get(start..start + KEPT).unwrap_or_default();
        entries
            .iter()
            .filter(|(_, cosine)| *cosine > 0)
            .map(|(id, cosine)| (u32::from(*id), f32::from(*cosine) / 255.0))
    }

    pub(super) fn to_file(&self) -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        for (id, cosine) in &self.entries {
            bytes.extend(id.to_le_bytes());
            bytes.push(*cosine);
        }
        bytes
    }

    pub(super) fn parse(path: &Path, bytes: &[u8], vocabulary: &Vocabulary) -> Result<Self, ModelError> {
        let table = bytes.strip_prefix(HEAD).ok_or_else(|| ModelError::broken(path, "is no table of near words"))?;
        if table.len() != vocabulary.words() * KEPT * ENTRY {
            return Err(ModelError::broken(path, "has another number of words than the vocabulary"));
        }
        let entry = |bytes: &[u8]| (u16::from_le_bytes([bytes[0], bytes[1]]), bytes[2]);
        let entries: Vec<(u16, u8)> = table.chunks_exact(ENTRY).map(entry).collect();
        let known = SPECIAL.len() as u32..vocabulary.ids();
        if entries.iter().any(|(id, cosine)| *cosine > 0 && !known.contains(&u32::from(*id))) {
            return Err(ModelError::broken(path, "names a word that the vocabulary has not"));
        }
        Ok(Self { entries })
    }
}

/// The entries of a word.
fn nearest(units: &Matrix<f32>, word: usize) -> Vec<(u16, u8)> {
    let own = units.row(word);
    let cosine = |other: usize| own.iter().zip(units.row(other)).map(|(a, b)| a * b).sum::<f32>();
    let mut all: Vec<(f32, usize)> =
        (0..units.rows()).filter(|other| *other != word).map(|other| (cosine(other), other)).collect();
    let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if all.len() > KEPT {
        all.select_nth_unstable_by(KEPT - 1, order);
        all.truncate(KEPT);
    }
    all.sort_unstable_by(order);
    let entry =
        |(cosine, other): (f32, usize)| ((other + SPECIAL.len()) as u16, (cosine.clamp(0.0, 1.0) * 255.0) as u8);
    let mut entries: Vec<(u16, u8)> = all.into_iter().map(entry).collect();
    entries.resize(KEPT, (0, 0));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (Vocabulary, Near) {
        let vocabulary = Vocabulary::parse("allonym-vocabulary 1 public\ngood\ngreat\nbad\ntable\nzzz\n").unwrap();
        let words = ["good", "great", "bad", "table"].map(str::to_owned).to_vec();
        let vectors = Matrix::of(4, 2, vec![2.0, 0.0, 0.8, 0.6, -1.0, 0.0, 0.0, 3.0]);
        let near = Near::of(&vocabulary, &Embeddings::of(words, vectors)).unwrap();
        (vocabulary, near)
    }

    #[test]
    fn near_words_come_best_first_and_opposite_ones_not_at_all() {
        let (_, near) = table();
        let of = |id| near.of_word(id).map(|(word, cosine)| (word, (cosine * 10.0).round() as u32)).collect::<Vec<_>>();
        assert_eq!(of(4), [(5, 8)], "good: great; a right angle and an opposite are not near");
        assert_eq!(of(5), [(4, 8), (7, 6)]);
        assert_eq!(of(8), [], "no vector");
        assert_eq!(of(0), [], "a special token");
        assert_eq!(of(99), []);
    }

    #[test]
    fn a_table_reads_back_and_a_damaged_one_does_not() {
        let (vocabulary, near) = table();
        let file = near.to_file();
        let parse = |bytes: &[u8]| Near::parse(Path::new("near.bin"), bytes, &vocabulary);
        assert_eq!(parse(&file).unwrap(), near);
        assert!(parse(&file[..file.len() - 1]).unwrap_err().to_string().contains("another number"));
        assert!(parse(b"other").is_err());
        let mut foreign = file;
        (foreign[HEAD.len()], foreign[HEAD.len() + 1]) = (0xff, 0xff);
        assert!(parse(&foreign).unwrap_err().to_string().contains("a word that the vocabulary has not"));
    }
}
