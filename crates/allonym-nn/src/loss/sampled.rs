//! Sampled softmax (Jean et al. 2015): the target of each row against a sample of the vocabulary that all rows share.
//!
//! Logits are lowered by the logarithm of how often a token is expected in the sample, so that the gradient is that of the full softmax in
//! expectation as the sample grows. It is for large vocabularies and plain steps; a private step takes the full softmax.

use super::Loss;
use super::targets::check;
use crate::error::NnError;
use crate::gradient::Gradients;
use crate::layer::Linear;
use crate::matrix::Matrix;
use crate::product::{Into, multiply};
use crate::real::Real;
use crate::sequences::Sequences;
use crate::store::{Store, unit};
use crate::vectorise::{add_scaled, dot, exponentiate, largest};
use allonym_dp::PrivacyRng;

/// A distribution from which negatives are drawn: log-uniform, which suits a vocabulary that is sorted by frequency.
#[derive(Clone, Debug)]
pub struct Negatives {
    tokens: Vec<u32>,
    vocabulary: usize,
    /// Whether it is no sample.
    whole: bool,
}

impl Negatives {
    /// Draws `count` tokens, with repetition, token `v` with a chance of ln((v + 2) / (v + 1)) / ln(vocabulary + 1).
    ///
    /// # Errors
    /// When the vocabulary or the sample is empty.
    pub fn draw(count: usize, vocabulary: usize, rng: &mut PrivacyRng) -> Result<Self, NnError> {
        if count == 0 || vocabulary == 0 {
            return Err(NnError::Setting { setting: "negatives", value: count.to_string(), allowed: "at least 1" });
        }
        let draw = |bits| ((unit(bits) * ((vocabulary + 1) as f64).ln()).exp() as usize - 1).min(vocabulary - 1) as u32;
        Ok(Self { tokens: (0..count).map(|_| draw(rng.bits())).collect(), vocabulary, whole: false })
    }

    /// All tokens, each once: the softmax over the whole vocabulary.
    ///
    /// # Errors
    /// When the vocabulary is empty.
    pub fn all(vocabulary: usize) -> Result<Self, NnError> {
        if vocabulary == 0 {
            return Err(NnError::Setting { setting: "vocabulary", value: "0".into(), allowed: "at least 1" });
        }
        Ok(Self { tokens: (0..vocabulary as u32).collect(), vocabulary, whole: true })
    }

    /// The logarithm of how often a token is expected in the sample.
    fn ln_expected(&self, token: u32) -> f64 {
        if self.whole {
            return 0.0;
        }
        let place = f64::from(token);
        let chance = ((place + 2.0) / (place + 1.0)).ln() / ((self.vocabulary + 1) as f64).ln();
        (chance * self.tokens.len() as f64).ln()
    }
}

/// What each row is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a, T> {
    /// The token of each row.
    pub targets: &'a [u32],
    /// The tokens that all rows are compared with.
    pub negatives: &'a Negatives,
    /// How much each row counts.
    pub weights: &'a [T],
}

/// Rows that were compared with the sample.
struct Compared<T: Real> {
    loss: Loss<T>,
    /// The weights of the sample's tokens.
    sampled: Matrix<T>,
    /// What flows back to the logits of the sample's tokens, and of each row's target.
    to_logits: Matrix<T>,
    to_targets: Vec<T>,
}

fn compare<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    sequences: &Sequences,
    sample: &Sample<'_, T>,
    threads: usize,
) -> Result<Compared<T>, NnError> {
    let Sample { targets, negatives, weights } = *sample;
    let (rows, width, vocabulary) = (vectors.rows(), vectors.columns(), layer.weight().rows());
    check(targets, vocabulary)?;
    if targets.len() != rows || weights.len() != rows || sequences.rows() != rows {
        return Err(NnError::shape("sampled softmax", "number of targets", targets.len(), rows));
    }
    if negatives.vocabulary != vocabulary {
        return Err(NnError::shape("sampled softmax", "vocabulary of the sample", negatives.vocabulary, vocabulary));
    }
    let count = negatives.tokens.len();
    let (weight, bias) = (store.slice(layer.weight()), layer.bias().map(|bias| store.slice(bias)));
    let row_of = |token: u32| &weight[token as usize * width..(token as usize + 1) * width];
    let offset = |token: u32| bias.map_or(T::ZERO, |bias| bias[token as usize]) - T::of(negatives.ln_expected(token));

    let sampled: Vec<T> = negatives.tokens.iter().flat_map(|token| row_of(*token).iter().copied()).collect();
    let sampled = Matrix::of(count, width, sampled);
    let offsets: Vec<T> = negatives.tokens.iter().map(|token| offset(*token)).collect();
    let mut logits = Matrix::zeros(rows, count);
    multiply(logits.view_mut(), Into::Replace, vectors.view(), sampled.view().transposed(), threads);

    let mut loss = Loss { of_examples: vec![0.0; sequences.len()], back: Matrix::zeros(rows, width) };
    let mut to_targets = vec![T::ZERO; rows];
    for row in 0..rows {
        let target = targets[row];
        let own = dot(vectors.row(row), row_of(target)) + offset(target);
        let logits = logits.row_mut(row);
        for ((logit, offset), token) in logits.iter_mut().zip(&offsets).zip(&negatives.tokens) {
            // The target itself is not its own negative.
            *logit = if *token == target { T::of(-1e30) } else { *logit + *offset };
        }
        let highest = largest(logits).max(own);
        let of_own = (own - highest).exp();
        let sum = exponentiate(logits, highest) + of_own;
        let factor = weights[row] / sum;
        logits.iter_mut().for_each(|logit| *logit *= factor);
        to_targets[row] = weights[row] * (of_own / sum - T::ONE);
        let example = sequences.sequence_of_row()[row] as usize;
        loss.of_examples[example] += weights[row].wide() * (sum.wide().ln() - (own - highest).wide());
    }
    multiply(loss.back.view_mut(), Into::Replace, logits.view(), sampled.view(), threads);
    for (row, target) in targets.iter().enumerate() {
        add_scaled(loss.back.row_mut(row), to_targets[row], row_of(*target));
    }
    Ok(Compared { loss, sampled, to_logits: logits, to_targets })
}

/// Computes the loss of one target token for each row against the sample, adds the gradients of the layer, and returns what flows back.
///
/// # Errors
/// When the shapes do not fit, a token is outside the vocabulary, or the step is private.
pub fn sampled_softmax<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    sequences: &Sequences,
    sample: &Sample<'_, T>,
    gradients: &mut Gradients<T>,
) -> Result<Loss<T>, NnError> {
    if gradients.is_private() {
        let allowed = "the full softmax in a private step";
        return Err(NnError::Setting { setting: "softmax", value: "sampled".into(), allowed });
    }
    let threads = gradients.threads();
    let Compared { loss, sampled, to_logits, to_targets } = compare(layer, store, vectors, sequences, sample, threads)?;
    let (count, width) = (sampled.rows(), sampled.columns());
    let mut to_sampled = Matrix::zeros(count, width);
    multiply(to_sampled.view_mut(), Into::Replace, to_logits.view().transposed(), vectors.view(), threads);
    let mut to_offsets = vec![T::ZERO; count];
    (0..vectors.rows()).for_each(|row| add_scaled(&mut to_offsets, T::ONE, to_logits.row(row)));

    let all = gradients.summed();
    let mut give = |token: u32, vector: &[T], factor: T, to_bias: T| {
        let start = layer.weight().range().start + token as usize * width;
        add_scaled(&mut all[start..start + width], factor, vector);
        if let Some(bias) = layer.bias() {
            all[bias.range().start + token as usize] += to_bias;
        }
    };
    for (place, token) in sample.negatives.tokens.iter().enumerate() {
        give(*token, to_sampled.row(place), T::ONE, to_offsets[place]);
    }
    for (row, target) in sample.targets.iter().enumerate() {
        give(*target, vectors.row(row), to_targets[row], to_targets[row]);
    }
    Ok(loss)
}

/// The same for a layer that is not trained: its loss, and what flows back to the vectors. A private step may use it too, if the sample was drawn without
/// the examples and is the same for every part of the step: then the loss of an example depends on no other.
///
/// # Errors
/// When the shapes do not fit, or a token is outside the vocabulary.
pub fn sampled_loss<T: Real>(
    layer: &Linear,
    store: &Store<T>,
    vectors: &Matrix<T>,
    sequences: &Sequences,
    sample: &Sample<'_, T>,
    threads: usize,
) -> Result<Loss<T>, NnError> {
    Ok(compare(layer, store, vectors, sequences, sample, threads)?.loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_tokens_are_drawn_more_often_as_stated() {
        let negatives = Negatives::draw(20_000, 50, &mut PrivacyRng::reproducible(3)).unwrap();
        let mut counts = [0.0; 50];
        negatives.tokens.iter().for_each(|token| counts[*token as usize] += 1.0);
        for (token, count) in counts.iter().enumerate() {
            let expected = negatives.ln_expected(token as u32).exp();
            // Six standard deviations for each of 50 counts.
            assert!((count - expected).abs() < 6.0 * expected.sqrt(), "{token}: {count} for {expected}");
        }
    }
}
