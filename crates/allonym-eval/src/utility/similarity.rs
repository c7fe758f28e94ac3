//! The similarity of each release to its original: the cosine of two sentence vectors.

use crate::error::EvalError;
use allonym_nn::encoder::SentenceEncoder;
use allonym_text::Cancelled;

/// Texts that are encoded at once.
const BATCH: usize = 256;

/// The cosine of each pair, between -1 and 1; 0 when the release of a text is empty, nothing when the original is. `done` receives the number of pairs so far.
///
/// # Errors
/// When the encoder fails, `done` cancels the work, or there are not as many texts on both sides.
pub fn similarities(
    encoder: &dyn SentenceEncoder,
    original: &[&str],
    released: &[&str],
    mut done: impl FnMut(usize) -> Result<(), Cancelled>,
) -> Result<Vec<Option<f64>>, EvalError> {
    if original.len() != released.len() {
        return Err(EvalError::Labels { rows: original.len(), labels: released.len() });
    }
    let threads = rayon::current_num_threads();
    let mut found = Vec::with_capacity(original.len());
    for (original, released) in original.chunks(BATCH).zip(released.chunks(BATCH)) {
        let vectors = [original, released].map(|texts| encoder.encode(texts, threads));
        let [originals, releases] = vectors;
        let (originals, releases) = (originals?, releases?);
        for (place, pair) in original.iter().zip(released).enumerate() {
            let cosine = cosine(originals.row(place), releases.row(place));
            let blank = |text: &str| text.trim().is_empty();
            found.push(match (blank(pair.0), blank(pair.1)) {
                (true, _) => None,
                (false, true) => Some(0.0),
                (false, false) => Some(cosine.unwrap_or(0.0)),
            });
        }
        done(found.len())?;
    }
    Ok(found)
}

/// Nothing when one of them has no direction.
fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    (lengths > 0.0).then(|| dot(a, b) / lengths)
}
