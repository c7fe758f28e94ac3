//! How a model that writes texts chooses tokens.

use allonym_dp::PrivacyRng;
use allonym_nn::unit;
use allonym_text::vocabulary::END;

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by it: below 1 texts are more usual, above 1 less.
    pub temperature: f64,
    /// The most tokens of a text.
    pub max_tokens: usize,
}

/// A text as ids, without its end.
pub type Written = Vec<u32>;

/// The weight of the end and of every word, and their sum; padding, the unknown word and the start are never written.
pub(crate) fn weights_of(logits: &[f32], temperature: f64) -> (Vec<f64>, f64) {
    let logits = &logits[END as usize..];
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights: Vec<f64> = logits.iter().map(|logit| (f64::from(logit - largest) / temperature).exp()).collect();
    let sum = weights.iter().sum();
    (weights, sum)
}

/// A token by its weight.
pub(crate) fn drawn(weights: &[f64], sum: f64, rng: &mut PrivacyRng) -> u32 {
    let mut left = unit(rng.bits()) * sum;
    for (place, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return place as u32 + END;
        }
    }
    END
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_as_often_as_their_logits_say() {
        let logits = [9.0, 9.0, 9.0, 0.0, (2.0_f32).ln(), f32::NEG_INFINITY];
        let rng = &mut PrivacyRng::reproducible(3);
        let mut counts = [0_u32; 6];
        let (weights, sum) = weights_of(&logits, 1.0);
        (0..30_000).for_each(|_| counts[drawn(&weights, sum, rng) as usize] += 1);
        assert_eq!((counts[0], counts[1], counts[2], counts[5]), (0, 0, 0, 0), "only the end and words");
        // 1 in 3, within five standard deviations.
        assert!((f64::from(counts[3]) - 10_000.0).abs() < 5.0 * (30_000.0_f64 * 2.0 / 9.0).sqrt(), "{counts:?}");
    }
}
