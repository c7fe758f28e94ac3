//! Which tokens a softmax should favour, and how much.
//!
//! All our losses over a vocabulary are `- sum_v w_v ln p_v` with few weights `w_v` that are not zero: cross-entropy has one, the
//! embedding reward of ER-AE has a dozen. The gradient with respect to the logits is `(sum w) p - w` for all of them.

use crate::error::NnError;
use crate::real::Real;
use crate::vectorise::largest;

/// The weights of each row.
pub trait Targets<T>: Send + Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Appends the tokens of a row that have a weight, and their weights. May look at the logits, which are constants to it. The same
    /// row and logits must give the same weights again.
    fn of_row(&self, row: usize, logits: &[T], weights: &mut Vec<(u32, T)>);
}

/// Cross-entropy: each row has one token.
#[derive(Clone, Debug)]
pub struct Tokens(Vec<u32>);

impl Tokens {
    /// The token of each row.
    ///
    /// # Errors
    /// When one of them is outside the vocabulary.
    pub fn new(tokens: Vec<u32>, vocabulary: usize) -> Result<Self, NnError> {
        check(&tokens, vocabulary)?;
        Ok(Self(tokens))
    }
}

pub(super) fn check(tokens: &[u32], vocabulary: usize) -> Result<(), NnError> {
    match tokens.iter().find(|token| **token as usize >= vocabulary) {
        Some(token) => Err(NnError::Token { layer: "loss".into(), token: *token, vocabulary }),
        None => Ok(()),
    }
}

impl<T: Real> Targets<T> for Tokens {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn of_row(&self, row: usize, _: &[T], weights: &mut Vec<(u32, T)>) {
        weights.push((self.0[row], T::ONE));
    }
}

/// The places of the `count` largest numbers, largest first; of equal ones the first. Numbers that are none count as the smallest.
pub fn top<T: Real>(values: &[T], count: usize, places: &mut Vec<u32>) {
    places.clear();
    if count == 0 {
        return;
    }
    // Most parts hold nothing that is large enough, which vector instructions see at once.
    const PART: usize = 128;
    let rating = |value: T| T::of(f64::NEG_INFINITY).max(value);
    for (part, numbers) in values.chunks(PART).enumerate() {
        let enough = |places: &[u32], value: T| match places.last() {
            Some(last) if places.len() == count => value > rating(values[*last as usize]),
            _ => true,
        };
        if !enough(places, largest(numbers)) {
            continue;
        }
        for (place, value) in (part * PART..).zip(numbers) {
            if !enough(places, *value) {
                continue;
            }
            if places.len() == count {
                places.pop();
            }
            let better = |other: &u32| rating(values[*other as usize]) >= rating(*value);
            let rank = places.iter().position(|other| !better(other)).unwrap_or(places.len());
            places.insert(rank, place as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_of_equals_the_first() {
        let mut places = Vec::new();
        top(&[1.0_f32, 5.0, 3.0, 5.0, 4.0], 3, &mut places);
        assert_eq!(places, [1, 3, 4]);
        top(&[1.0_f32, 2.0], 5, &mut places);
        assert_eq!(places, [1, 0]);
        top(&[1.0_f32], 0, &mut places);
        assert!(places.is_empty());
    }

    #[test]
    fn what_is_no_number_comes_last() {
        let mut places = Vec::new();
        top(&[f32::NAN, 1.0, f32::NAN, 2.0], 3, &mut places);
        assert_eq!(places, [3, 1, 0]);
        let mut values = vec![f32::NAN; 300];
        values[299] = -5.0;
        top(&values, 1, &mut places);
        assert_eq!(places, [299]);
    }

    #[test]
    fn the_largest_of_many_are_those_that_sorting_finds() {
        let values: Vec<f32> = (0..1000_u64).map(|i| ((i * 7919) % 1009) as f32).collect();
        let mut sorted: Vec<u32> = (0..1000).collect();
        sorted.sort_by(|a, b| values[*b as usize].total_cmp(&values[*a as usize]));
        let mut places = Vec::new();
        top(&values, 20, &mut places);
        assert_eq!(places, sorted[..20]);
    }
}
