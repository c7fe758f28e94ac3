//! Attribution by compression: the author is whose texts tell best what comes next.
//!
//! Each author's texts train a model of characters that a compressor would use; a text goes to the author whose model needs the fewest
//! bits for it (Teahan and Harper 2003). No feature is chosen by anybody: spelling, words, punctuation and layout all count.

use super::ppm::Models;
use super::{Attacker, Learned, check};
use crate::error::EvalError;
use rayon::prelude::*;

/// A compressor for each author.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compression {
    /// The most bytes that are learned, of all authors together: a byte takes about 50 bytes of memory.
    most: usize,
}

impl Compression {
    pub(super) const DEFAULT: Self = Self { most: 16 << 20 };
}

impl Attacker for Compression {
    fn name(&self) -> &'static str {
        "compression"
    }

    fn about(&self) -> &'static str {
        "a compressor (PPM, order 5) for each author: whose needs the fewest bits"
    }

    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        let sizes = check(texts, classes, count)?;
        let mut writers = vec![Vec::new(); count];
        for (text, class) in texts.iter().zip(classes) {
            writers[*class as usize].push(text.as_bytes());
        }
        let most = self.most / sizes.iter().filter(|size| **size > 0).count();
        writers.iter_mut().for_each(|texts| shorten(texts, most));
        Ok(Box::new(LearnedCompression {
            models: Models::fit(&writers),
            seen: sizes.iter().map(|size| *size > 0).collect(),
        }))
    }
}

/// Cuts texts that are more than `most` bytes together: each keeps the same share, its beginning, so that all of them are heard.
fn shorten(texts: &mut [&[u8]], most: usize) {
    let all: usize = texts.iter().map(|text| text.len()).sum();
    if all > most {
        let share = most as f64 / all as f64;
        texts.iter_mut().for_each(|text| *text = &text[..(text.len() as f64 * share) as usize]);
    }
}

struct LearnedCompression {
    models: Models,
    seen: Vec<bool>,
}

impl Learned for LearnedCompression {
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let score = |text: &&str| {
            let length = text.len().max(1) as f64;
            let bits = self.models.bits(text.as_bytes());
            let of = |(bits, seen): (&f64, &bool)| if *seen { (-bits / length) as f32 } else { f32::NEG_INFINITY };
            bits.iter().zip(&self.seen).map(of).collect()
        };
        Ok(texts.par_iter().map(score).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_bits_for_a_byte_below_zero() {
        let learned = Compression::DEFAULT.learn(&["abab", "c"], &[0, 2], 3).unwrap();
        let scores = learned.scores(&["ab", ""]).unwrap();
        // (log2 3 + log2 1.5) / 2, by hand in the model's own test.
        assert!((scores[0][0] + 1.084_963).abs() < 1e-5 && scores[0][1] == f32::NEG_INFINITY);
        assert_eq!((scores[1][0], scores[1][2]), (0.0, 0.0), "an empty text costs nobody anything");
    }

    #[test]
    fn authors_who_wrote_too_much_are_shortened_evenly() {
        let mut texts: Vec<&[u8]> = vec![b"aaaaaaaa", b"bbbb"];
        shorten(&mut texts, 6);
        assert_eq!(texts, [b"aaaa".as_slice(), b"bb"]);
        shorten(&mut texts, 6);
        assert_eq!(texts.concat().len(), 6);
    }
}
