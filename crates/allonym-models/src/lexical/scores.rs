//! Cosines of words as the scores that a mechanism reads.
//!
//! A row has the end of the text first and then every word. In a token's place the end is never good; after the last token
//! nothing else is.

use allonym_dp::mechanism::Reads;
use allonym_dp::vector_noise::Vectors;

/// Cosines are multiplied by this before their exponentials become probabilities: a temperature of 1/15. The usual range of ten of
/// logits then holds the words with a cosine above 1/3; whatever is less alike is not told apart.
const SHARPNESS: f32 = 15.0;
/// Where the best word stands among logits: at the upper end of the usual range of ten.
const BEST_LOGIT: f32 = 5.0;
/// Above this cosine, distances are computed from the vectors: 1 minus a rounded cosine would lose too many digits. The others are
/// right to a millionth.
const NEAR: f32 = 0.95;

/// The score of an outcome that could not be better, and of one that could not be worse.
fn extremes(reads: Reads) -> (f32, f32) {
    match reads {
        Reads::Nothing | Reads::Probabilities | Reads::Ratings => (1.0, 0.0),
        // No cosine is below -1: not even the least similar word may lose to the end.
        Reads::Order => (1.0, -2.0),
        Reads::Logits => (1e4, -1e4),
        Reads::Distances => (0.0, 1e9),
    }
}

/// The scores after the last token.
pub(super) fn at_the_end(reads: Reads, words: usize) -> Vec<f32> {
    let (best, worst) = extremes(reads);
    std::iter::once(best).chain(std::iter::repeat_n(worst, words)).collect()
}

/// The scores in place of a token with this vector of unit length (or of none: then every word is as good as another), which is the
/// word `own` of the vocabulary or none of it.
pub(super) fn for_token(
    reads: Reads,
    units: &Vectors,
    vector: &[f32],
    own: Option<usize>,
    cosines: impl Iterator<Item = f32>,
) -> Vec<f32> {
    let (_, worst) = extremes(reads);
    let mut scores = vec![worst];
    scores.extend(cosines.map(|cosine| cosine.clamp(-1.0, 1.0)));
    if let Some(own) = own {
        // A word is like itself, whatever rounding says, and even without a vector.
        scores[own + 1] = 1.0;
    }
    let words = &mut scores[1..];
    match reads {
        Reads::Nothing | Reads::Order => {}
        Reads::Ratings => words.iter_mut().for_each(|score| *score = score.max(0.0)),
        Reads::Logits => words.iter_mut().for_each(|score| *score = SHARPNESS * (*score - 1.0) + BEST_LOGIT),
        Reads::Probabilities => {
            words.iter_mut().for_each(|score| *score = (SHARPNESS * (*score - 1.0)).exp());
            let sum: f64 = words.iter().map(|score| f64::from(*score)).sum();
            words.iter_mut().for_each(|score| *score = (f64::from(*score) / sum) as f32);
        }
        Reads::Distances => {
            for (index, score) in words.iter_mut().enumerate() {
                *score = if Some(index) == own {
                    0.0
                } else if *score > NEAR {
                    distance(units.row(index), vector)
                } else {
                    (2.0 - 2.0 * *score).sqrt()
                };
            }
        }
    }
    scores
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt() as f32
}
