//! Word vectors of a file, and those of a vocabulary made from them.
//!
//! GloVe and word2vec write a word and its numbers on a line; other tools write a matrix (safetensors) beside a list of words. A vocabulary
//! always has words that the file has not. They must not all be alike, or a model could not tell them apart and a similarity of
//! 1 would stand between any two of them: a clitic gets the vector of the word that it stands for, a little moved; every other word gets a
//! direction of its own, drawn from its letters, as long as the others usually are.

use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use allonym_nn::Matrix;
use allonym_nn::checkpoint::read_matrix;
use allonym_text::vocabulary::SPECIAL;
use allonym_text::{Vocabulary, key};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Words with their vectors.
#[derive(Clone, Debug)]
pub struct Embeddings {
    rows: HashMap<String, usize>,
    vectors: Matrix<f32>,
}

/// Where the vectors of a vocabulary came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Words that the file has.
    pub found: usize,
    /// Words that stand for another word, whose vector they got.
    pub alike: usize,
    /// Words that got a direction of their own.
    pub made: usize,
}

/// Short forms and the words that they stand for. Lists of vectors often lack them, and no text does.
const STANDS_FOR: &[(&str, &str)] = &[
    ("n't", "not"),
    ("'s", "is"),
    ("'m", "am"),
    ("'re", "are"),
    ("'ll", "will"),
    ("'ve", "have"),
    ("'d", "would"),
    ("'em", "them"),
    ("ca", "can"),
    ("wo", "will"),
    ("gon", "going"),
    ("na", "to"),
    ("a", "an"),
    ("i", "me"),
    ("&", "and"),
    ("...", "."),
    ("``", "\""),
    ("''", "\""),
    ("`", "'"),
];

/// How far a word is moved from the one it stands for, as a part of that one's length.
const MOVED: f32 = 0.3;

impl Embeddings {
    /// Reads vectors as GloVe and word2vec write them (also packed: `.gz`), or a matrix of a `.safetensors` file whose words stand in
    /// `vocab.txt` or `words.txt` beside it, one a line.
    ///
    /// # Errors
    /// When a file cannot be read or is not of this kind.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        if path.extension().is_some_and(|ending| ending == "safetensors") {
            Self::matrix(path)
        } else {
            Self::lines(path)
        }
    }

    /// Vectors that are there already, for words that are different.
    pub fn of(words: impl IntoIterator<Item = String>, vectors: Matrix<f32>) -> Self {
        let mut rows = HashMap::with_capacity(vectors.rows());
        for (row, word) in words.into_iter().enumerate().take(vectors.rows()) {
            rows.entry(word).or_insert(row);
        }
        Self { rows, vectors }
    }

    fn lines(path: &Path) -> Result<Self, ModelError> {
        let file = std::fs::File::open(path).map_err(ModelError::file(path))?;
        let packed = path.extension().is_some_and(|ending| ending == "gz");
        let input: Box<dyn Read> =
            if packed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
        let mut input = BufReader::with_capacity(1 << 20, input);
        let (mut rows, mut values, mut width) = (HashMap::new(), Vec::new(), None);
        let (mut line, mut number) = (Vec::new(), 0);
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line).map_err(ModelError::file(path))? == 0 {
                break;
            }
            number += 1;
            let other = || {
                ModelError::broken(
                    path,
                    format!("is no list of word vectors: line {number} is not a word with its numbers"),
                )
            };
            let text = std::str::from_utf8(&line).map_err(|_| other())?;
            // Some lists have words with spaces inside: the numbers are counted from the end, once their number is known.
            let parts: Vec<&str> = text.trim_end_matches(['\n', '\r', ' ']).split([' ', '\t']).collect();
            if parts.len() < 2 {
                return Err(other());
            }
            // The first line of word2vec counts words and numbers.
            if number == 1 && parts.len() == 2 && parts.iter().all(|part| part.parse::<u64>().is_ok()) {
                continue;
            }
            let count = *width.get_or_insert(parts.len() - 1);
            if parts.len() <= count {
                return Err(other());
            }
            let (word, numbers) = parts.split_at(parts.len() - count);
            let start = values.len();
            for part in numbers {
                values.push(part.parse().ok().filter(|value: &f32| value.is_finite()).ok_or_else(other)?);
            }
            let next = start / count;
            if *rows.entry(word.join(" ")).or_insert(next) != next {
                values.truncate(start);
            }
        }
        let Some(width) = width else {
            return Err(ModelError::broken(path, "has no word vectors"));
        };
        Ok(Self { vectors: Matrix::of(values.len() / width, width, values), rows })
    }

    fn matrix(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(ModelError::file(path))?;
        let vectors =
            read_matrix(path, &bytes, &["embedding", "embeddings.word_embeddings.weight", "embedding.weight"])?;
        let beside = ["words.txt", "vocab.txt"].map(|name| path.with_file_name(name));
        let Some(list) = beside.iter().find(|list| list.is_file()) else {
            return Err(ModelError::broken(path, "has no `words.txt` beside it, which names its rows, one a line"));
        };
        let words = std::fs::read_to_string(list).map_err(ModelError::file(list))?;
        let count = words.lines().count();
        if count != vectors.rows() {
            return Err(ModelError::broken(list, format!("has {count} words for {} vectors", vectors.rows())));
        }
        Ok(Self::of(words.lines().map(str::to_owned), vectors))
    }

    /// Every word with its vector.
    pub fn into_words(self) -> HashMap<String, Vec<f32>> {
        let Self { rows, vectors } = self;
        rows.into_iter().map(|(word, row)| (word, vectors.row(row).to_vec())).collect()
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How long the vectors are.
    pub fn dimension(&self) -> usize {
        self.vectors.columns()
    }

    /// The vector of a word, in its own case or in lower case.
    pub fn vector(&self, word: &str) -> Option<&[f32]> {
        let row = self.rows.get(word).or_else(|| self.rows.get(&*key(word)))?;
        Some(self.vectors.row(*row))
    }

    /// A vector for every id of a vocabulary, special tokens first. A word that has none gets numbers of its own, each normal with this variance, as ETE-Anon's paper has it.
    pub fn with_normal(&self, vocabulary: &Vocabulary, variance: f64) -> (Matrix<f32>, Filled) {
        let (mut values, mut filled) = (Vec::new(), Filled::default());
        let deviation = variance.sqrt() as f32;
        for id in 0..vocabulary.ids() {
            let special = SPECIAL.get(id as usize);
            let word = special.copied().or_else(|| vocabulary.word(id)).unwrap_or_default();
            match self.vector(word).filter(|_| special.is_none()) {
                Some(vector) => {
                    filled.found += 1;
                    values.extend_from_slice(vector);
                }
                None => {
                    filled.made += usize::from(special.is_none());
                    values.extend(self.normal(word).into_iter().map(|value| deviation * value));
                }
            }
        }
        (Matrix::of(vocabulary.ids() as usize, self.dimension(), values), filled)
    }

    /// A vector for every id of a vocabulary, special tokens first.
    pub fn for_vocabulary(&self, vocabulary: &Vocabulary) -> (Matrix<f32>, Filled) {
        let (mut values, mut filled) = (Vec::new(), Filled::default());
        let usual = self.usual_length();
        for special in SPECIAL {
            values.extend(self.made(special, usual));
        }
        for id in SPECIAL.len() as u32..vocabulary.ids() {
            let word = vocabulary.word(id).unwrap_or_default();
            let alike =
                || STANDS_FOR.iter().find(|(short, _)| *short == key(word)).and_then(|(_, long)| self.vector(long));
            if let Some(vector) = self.vector(word) {
                filled.found += 1;
                values.extend_from_slice(vector);
            } else if let Some(vector) = alike() {
                filled.alike += 1;
                let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
                let other = self.made(word, MOVED * length);
                values.extend(vector.iter().zip(other).map(|(value, other)| value + other));
            } else {
                filled.made += 1;
                values.extend(self.made(word, usual));
            }
        }
        (Matrix::of(vocabulary.ids() as usize, self.dimension(), values), filled)
    }

    /// The mean length of the vectors.
    fn usual_length(&self) -> f32 {
        let length = |row: usize| self.vectors.row(row).iter().map(|value| value * value).sum::<f32>().sqrt();
        let sum: f64 = (0..self.vectors.rows()).map(|row| f64::from(length(row))).sum();
        (sum / self.vectors.rows().max(1) as f64) as f32
    }

    /// Normal numbers that belong to a word, the same on every machine.
    fn normal(&self, word: &str) -> Vec<f32> {
        let digest = Sha256::digest(key(word).as_bytes());
        let seed = digest.iter().take(8).fold(0, |seed: u64, byte| seed << 8 | u64::from(*byte));
        let mut rng = PrivacyRng::reproducible(seed);
        // Twelve uniform numbers make a normal one, near enough, and by sums alone.
        let normal =
            |rng: &mut PrivacyRng| (0..12).map(|_| (rng.bits() >> 40) as f32 / (1 << 24) as f32).sum::<f32>() - 6.0;
        (0..self.dimension()).map(|_| normal(&mut rng)).collect()
    }

    /// A direction that belongs to a word.
    fn made(&self, word: &str, length: f32) -> Vec<f32> {
        let direction = self.normal(word);
        let own = direction.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        direction.into_iter().map(|value| value * length / own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, contents: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, contents).unwrap();
        (directory, path)
    }

    fn cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn vectors_are_read_as_glove_and_word2vec_write_them() {
        for contents in ["the 1 2\nnew york 3 4\n", "2 2\nthe 1 2 \nnew york 3 4"] {
            let (_kept, path) = file("vectors.txt", contents.as_bytes());
            let found = Embeddings::read(&path).unwrap();
            assert_eq!((found.len(), found.dimension()), (2, 2));
            assert_eq!(found.vector("The").unwrap(), [1.0, 2.0]);
            assert_eq!(found.vector("new york").unwrap(), [3.0, 4.0]);
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"the 1 2\n").unwrap();
        let (_kept, path) = file("vectors.txt.gz", &packed.finish().unwrap());
        assert_eq!(Embeddings::read(&path).unwrap().len(), 1);
    }

    #[test]
    fn vectors_are_read_as_a_matrix_with_its_words_beside_it() {
        let matrix = Matrix::of(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let bytes = allonym_nn::checkpoint::matrix_file("anything", &matrix).unwrap();
        let (kept, path) = file("vectors.safetensors", &bytes);
        assert!(Embeddings::read(&path).unwrap_err().to_string().contains("words.txt"));
        std::fs::write(kept.path().join("words.txt"), "one\ntwo\n").unwrap();
        assert_eq!(Embeddings::read(&path).unwrap().vector("two").unwrap(), [4.0, 5.0, 6.0]);
        std::fs::write(kept.path().join("words.txt"), "one\n").unwrap();
        assert!(Embeddings::read(&path).unwrap_err().to_string().contains("has 1 words for 2 vectors"));
    }

    #[test]
    fn files_of_another_kind_are_refused_with_the_line() {
        for (contents, line) in [("the 1 2\na b\n", 2), ("the 1 x\n", 1), ("the 1 2\nof 1 nan\n", 2), ("word\n", 1)] {
            let (_kept, path) = file("vectors.txt", contents.as_bytes());
            let error = Embeddings::read(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line} is not a word with its numbers")), "{error}");
        }
        let (_kept, path) = file("vectors.txt", b"");
        assert!(Embeddings::read(&path).unwrap_err().to_string().contains("has no word vectors"));
    }

    #[test]
    fn words_without_a_vector_are_not_alike_and_clitics_are_near_what_they_stand_for() {
        let words = ["not", "and", "me"].map(str::to_owned);
        let vectors = Matrix::of(3, 50, (0..150).map(|i| ((i * 31) % 17) as f32 - 8.0).collect());
        let embeddings = Embeddings::of(words, vectors);
        let vocabulary = Vocabulary::parse("allonym-vocabulary 1 public\nnot\nn't\nzebra\nquark\n").unwrap();
        let (filled, counts) = embeddings.for_vocabulary(&vocabulary);
        assert_eq!(counts, Filled { found: 1, alike: 1, made: 2 });
        let row = |word: &str| filled.row(vocabulary.id(word) as usize);
        assert!(cosine(row("not"), row("n't")) > 0.9 && row("not") != row("n't"));
        assert!(cosine(row("zebra"), row("quark")).abs() < 0.5);
        let length = |values: &[f32]| values.iter().map(|v| v * v).sum::<f32>().sqrt();
        assert!((length(row("zebra")) - length(row("quark"))).abs() < 1e-3);
        assert_eq!(filled, embeddings.for_vocabulary(&vocabulary).0, "the same every time");

        let (normal, counts) = embeddings.with_normal(&vocabulary, 0.25);
        assert_eq!(counts, Filled { found: 1, alike: 0, made: 3 });
        assert_eq!(normal.row(vocabulary.id("not") as usize), row("not"));
        // Of 150 numbers the mean square is within five standard deviations of a quarter.
        let made = ["n't", "zebra", "quark"].map(|word| normal.row(vocabulary.id(word) as usize)).concat();
        let square = made.iter().map(|value| value * value).sum::<f32>() / 150.0;
        assert!((square - 0.25).abs() < 5.0 * 0.25 * (2.0_f32 / 150.0).sqrt(), "{square}");
    }
}
