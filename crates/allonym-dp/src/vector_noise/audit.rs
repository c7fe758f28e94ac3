//! An audit of noise on word vectors by draws alone, and test doubles with a bug each.

use super::{Norm, VectorNoise, Vectors, normal};
use crate::clopper_pearson::bounds;
use crate::rng::PrivacyRng;
use crate::statistics::FALSE_ALARM;
use allonym_text::Private;

/// Three words on a line, the first two at distance 1, of which epsilon 1 makes a loss of 1.
fn words() -> Vectors {
    Vectors::new(1, vec![0.0, 1.0, 6.0]).unwrap()
}

/// The largest loss that one of the words shows between originals at 0 and at 1.
fn found(draw: impl Fn(f64, &mut PrivacyRng) -> u32) -> f64 {
    const DRAWS: u64 = 200_000;
    let [from_zero, from_one] = [0.0, 1.0].map(|original| {
        let mut rng = PrivacyRng::reproducible(7);
        let mut counts = [0; 3];
        (0..DRAWS).for_each(|_| counts[draw(original, &mut rng) as usize] += 1);
        // Three words, two directions, two bounds each.
        counts.map(|count| bounds(count, DRAWS, 1.0 - FALSE_ALARM / 12.0).unwrap())
    });
    let loss = |first: (f64, f64), second: (f64, f64)| (first.0 / second.1).ln();
    from_zero.into_iter().zip(from_one).map(|(a, b)| loss(a, b).max(loss(b, a))).fold(0.0, f64::max)
}

#[test]
fn near_words_are_told_apart_as_claimed_and_no_better() {
    let mechanism = VectorNoise::new(words(), 1.0, Norm::Euclidean).unwrap();
    let found = found(|original, rng| mechanism.draw(Private::new(&[original as f32]), rng).into_value());
    assert!(found <= 1.0 && found > 0.8, "{found}");
}

#[test]
fn normal_noise_would_be_found() {
    // It falls faster than e^-|z|: the far word is out of reach of one original before it is of the other.
    assert!(found(|original, rng| words().nearest(&[original + normal(rng)])) > 1.0);
}

#[test]
fn a_nearest_word_that_may_not_be_the_original_would_be_found() {
    let mechanism = VectorNoise::new(words(), 1.0, Norm::Euclidean).unwrap();
    let other = |original: f64, rng: &mut PrivacyRng| loop {
        let drawn = mechanism.draw(Private::new(&[original as f32]), rng).into_value();
        if f64::from(drawn) != original {
            return drawn;
        }
    };
    assert!(found(other) > 1.0);
}
