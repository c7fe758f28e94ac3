//! Dropout: numbers, or whole words, that are left out at random while training.

use crate::error::NnError;
use crate::matrix::Matrix;
use crate::real::Real;
use allonym_dp::PrivacyRng;

/// Leaves out numbers at random and scales the others up, so that the expectation stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    rate: f64,
}

impl Dropout {
    /// Dropout of a share of the numbers.
    ///
    /// # Errors
    /// When the rate is not in [0, 1).
    pub fn new(rate: f64) -> Result<Self, NnError> {
        if (0.0..1.0).contains(&rate) {
            Ok(Self { rate })
        } else {
            Err(NnError::Setting { setting: "dropout", value: rate.to_string(), allowed: "at least 0 and below 1" })
        }
    }

    /// Applies it in place. Returns the factors, which the way back needs; nothing when the rate is 0.
    pub fn forward<T: Real>(self, values: &mut Matrix<T>, rng: &mut PrivacyRng) -> Option<Vec<T>> {
        if self.rate == 0.0 {
            return None;
        }
        let (threshold, keep) = (threshold(self.rate), T::of(1.0 / (1.0 - self.rate)));
        let mut factors = Vec::with_capacity(values.values().len());
        for pair in values.values().chunks(2) {
            let bits = rng.bits();
            let halves = [bits as u32, (bits >> 32) as u32];
            factors.extend(halves[..pair.len()].iter().map(|half| if *half < threshold { T::ZERO } else { keep }));
        }
        self::scale(values, &factors);
        Some(factors)
    }
}

/// The gradient of dropout is dropout with the same factors.
pub fn scale<T: Real>(values: &mut Matrix<T>, factors: &[T]) {
    values.values_mut().iter_mut().zip(factors).for_each(|(value, factor)| *value *= *factor);
}

fn threshold(rate: f64) -> u32 {
    (rate * 2_f64.powi(32)).round() as u32
}

/// Replaces tokens by a placeholder at random (Bowman et al. 2016), so that a generator must look at the latent vector.
///
/// # Errors
/// When the rate is not in [0, 1).
pub fn word_dropout(tokens: &mut [u32], rate: f64, placeholder: u32, rng: &mut PrivacyRng) -> Result<(), NnError> {
    Dropout::new(rate)?;
    let threshold = threshold(rate);
    for token in tokens {
        if (rng.bits() as u32) < threshold {
            *token = placeholder;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_left_out_and_the_rest_grows() {
        let mut values = Matrix::of(100, 101, vec![1.0_f32; 10_100]);
        let factors = Dropout::new(0.2).unwrap().forward(&mut values, &mut PrivacyRng::reproducible(1)).unwrap();
        assert_eq!(values.values(), factors);
        let dropped = factors.iter().filter(|factor| **factor == 0.0).count();
        // 2020 expected, standard deviation 40: 4.9 of them.
        assert!((1824..2217).contains(&dropped), "{dropped}");
        assert!(factors.iter().all(|factor| *factor == 0.0 || *factor == 1.25));
    }

    #[test]
    fn a_rate_of_zero_changes_nothing_and_a_rate_of_one_is_refused() {
        let mut values = Matrix::of(1, 2, vec![1.0_f32, 2.0]);
        assert!(Dropout::new(0.0).unwrap().forward(&mut values, &mut PrivacyRng::reproducible(1)).is_none());
        assert_eq!(values.values(), [1.0, 2.0]);
        assert!(Dropout::new(1.0).is_err() && Dropout::new(f64::NAN).is_err() && Dropout::new(-0.1).is_err());
    }

    #[test]
    fn words_are_replaced_by_the_placeholder() {
        let mut tokens = vec![5; 1000];
        word_dropout(&mut tokens, 0.5, 3, &mut PrivacyRng::reproducible(1)).unwrap();
        let replaced = tokens.iter().filter(|token| **token == 3).count();
        assert!((422..578).contains(&replaced) && tokens.iter().all(|token| [3, 5].contains(token)));
    }
}
