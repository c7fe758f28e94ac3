//! A tagger as a file: a line of text, then numbers.

use super::chain::Chain;
use super::labels::Labels;
use super::weights::Weights;
use super::{Knowledge, Tagger};
use thiserror::Error;

const HEAD: &str = "allonym-tagger 1";

/// A file of a tagger that is none.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct TaggerFileError(&'static str);

impl Tagger {
    /// The bytes of its file.
    pub fn to_file(&self) -> Vec<u8> {
        let Knowledge { clusters, senses, names } = &self.knowledge;
        let Weights { features, scales, steps, .. } = &self.weights;
        let sizes = format!("{} {} {} {}", clusters.len(), senses.len(), names.len(), features.len());
        let mut bytes = format!("{HEAD} {} {sizes}\n", self.kinds.join(",")).into_bytes();
        self.chain.scores().iter().for_each(|score| bytes.extend(score.to_le_bytes()));
        for (key, value) in clusters.iter().chain(senses).chain(names) {
            bytes.extend(key.to_le_bytes());
            bytes.extend(&value.to_le_bytes()[..3]);
        }
        features.iter().for_each(|feature| bytes.extend(feature.to_le_bytes()));
        scales.iter().for_each(|scale| bytes.extend(scale.to_le_bytes()));
        bytes.extend(steps.iter().map(|step| *step as u8));
        bytes
    }

    /// Reads what [`Tagger::to_file`] wrote.
    ///
    /// # Errors
    /// When it is something else, of a later version, or cut short.
    pub fn parse(bytes: &[u8]) -> Result<Self, TaggerFileError> {
        const CUT: TaggerFileError = TaggerFileError("the tagger's file is cut off, or is longer than it says");
        let end = bytes.iter().take(4096).position(|byte| *byte == b'\n');
        let line = end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
        let rest = line.and_then(|line| line.strip_prefix(HEAD)).and_then(|line| line.strip_prefix(' '));
        let (Some(rest), Some(end)) = (rest, end) else {
            return Err(TaggerFileError("this is no tagger's file, or one of a later version"));
        };
        let words: Vec<&str> = rest.split(' ').collect();
        let [kinds, sizes @ ..] = &words[..] else { return Err(CUT) };
        let sizes: Option<Vec<usize>> = sizes.iter().map(|size| size.parse().ok()).collect();
        let Some([clusters, senses, names, features]) = sizes.as_deref().and_then(|s| <[usize; 4]>::try_from(s).ok())
        else {
            return Err(CUT);
        };
        let kinds: Vec<String> = kinds.split(',').map(str::to_owned).collect();
        let labels = Labels::of(kinds.len());
        let mut left = Left(&bytes[end + 1..]);
        let pairs = labels.count() * labels.count();
        let chain = left.take(pairs, 4).ok_or(CUT)?.map(float).collect();
        let entry = |bytes: &[u8]| (whole(&bytes[..4]), whole(&[bytes[4], bytes[5], bytes[6], 0]));
        let clusters = left.take(clusters, 7).ok_or(CUT)?.map(entry).collect();
        let senses = left.take(senses, 7).ok_or(CUT)?.map(entry).collect();
        let names = left.take(names, 7).ok_or(CUT)?.map(entry).collect();
        let hashes: Vec<u32> = left.take(features, 4).ok_or(CUT)?.map(whole).collect();
        let scales: Vec<f32> = left.take(features, 4).ok_or(CUT)?.map(float).collect();
        let steps = left.take(features, labels.count()).ok_or(CUT)?.flatten().map(|byte| *byte as i8).collect();
        if !left.0.is_empty() {
            return Err(CUT);
        }
        let chain = Chain::new(labels, chain);
        if !scales.iter().chain(chain.scores()).all(|score| score.is_finite()) {
            return Err(TaggerFileError("the tagger's file has a number that is none"));
        }
        let weights = Weights::new(labels.count(), hashes, scales, steps);
        Ok(Self::new(kinds, Knowledge { clusters, senses, names }, weights, chain))
    }
}

/// What is left of a file.
struct Left<'a>(&'a [u8]);

impl<'a> Left<'a> {
    fn take(&mut self, count: usize, size: usize) -> Option<std::slice::ChunksExact<'a, u8>> {
        let (taken, left) = self.0.split_at_checked(count.checked_mul(size)?)?;
        self.0 = left;
        Some(taken.chunks_exact(size))
    }
}

fn whole(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn float(bytes: &[u8]) -> f32 {
    f32::from_bits(whole(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::{Annotated, Learning, learn};

    #[test]
    fn a_tagger_reads_back_and_a_damaged_one_does_not() {
        let kinds = vec!["person".to_owned()];
        let texts = Annotated::parse("Ann B-PER\nLee I-PER\nleft O\n", &kinds).unwrap();
        let mut knowledge = Knowledge::default();
        knowledge.add_clusters("Ann\t0101\n");
        knowledge.add_names("first-name", "Ann\n");
        let learning = Learning { least: 1, ..Learning::default() };
        let tagger =
            learn(kinds, knowledge, &[texts], &learning, &allonym_text::CancelToken::new(), |_, _| ()).unwrap();
        let file = tagger.to_file();
        let again = Tagger::parse(&file).unwrap();
        assert_eq!(again.to_file(), file);
        let tokens: &[&str] = &["Ann", "Lee", "left"];
        assert_eq!(again.tag(&[tokens], 0.0), tagger.tag(&[tokens], 0.0));
        for len in [0, 5, 20, file.len() / 2, file.len() - 1] {
            assert!(Tagger::parse(&file[..len]).is_err(), "{len}");
        }
        assert!(Tagger::parse(&[&file[..], &[0]].concat()).is_err());
        assert!(Tagger::parse(b"allonym-tagger 1 person 9999999999999 1 1 1\n").is_err());
    }
}
