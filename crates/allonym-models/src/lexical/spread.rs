//! How far apart the words of a vocabulary are: without it, an epsilon per unit of distance says nothing.

use allonym_dp::DpError;
use allonym_dp::vector_noise::{LANES, Vectors};

/// Words whose nearest neighbours are looked up, evenly spread over the vocabulary.
const SAMPLE: usize = 2000;

/// Distances between the words of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median distance of a word to its nearest neighbour; in a large vocabulary, of 2000 words.
    pub median_nearest: f64,
    /// The largest distance of two words, rounded up: times epsilon, what tells any two words apart at most.
    pub largest: f64,
}

impl Spread {
    /// The spread of vectors by straight distance.
    ///
    /// # Errors
    /// When the vectors are so far apart that a 32-bit float cannot say how far.
    pub(super) fn of(vectors: &Vectors) -> Result<Self, DpError> {
        let centred = centred(vectors)?;
        Ok(Self { median_nearest: median_nearest(&centred), largest: largest(&centred)? })
    }
}

/// The mean of the rows.
pub(super) fn mean(vectors: &Vectors) -> Vec<f64> {
    let count = vectors.rows().len() as f64;
    let mut mean = vec![0.0; vectors.dimension()];
    vectors
        .rows()
        .for_each(|row| row.iter().zip(&mut mean).for_each(|(value, mean)| *mean += f64::from(*value) / count));
    mean
}

/// The rows around their mean, the farthest first: small numbers lose less by rounding.
fn centred(vectors: &Vectors) -> Result<Vectors, DpError> {
    let mean = mean(vectors);
    let around = |row: &[f32]| -> Vec<f32> {
        row.iter().zip(&mean).map(|(value, mean)| (f64::from(*value) - mean) as f32).collect()
    };
    let mut rows: Vec<(f64, Vec<f32>)> = vectors.rows().map(around).map(|row| (square(&row), row)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    Vectors::new(vectors.dimension(), rows.into_iter().flat_map(|(_, row)| row).collect())
}

fn square(row: &[f32]) -> f64 {
    row.iter().map(|value| f64::from(*value).powi(2)).sum()
}

/// Half the square of the distance between two rows, by their product.
fn half_square_of_distance(vectors: &Vectors, a: usize, b: usize, product: f32) -> f64 {
    vectors.half_square(a) + vectors.half_square(b) - f64::from(product)
}

fn median_nearest(vectors: &Vectors) -> f64 {
    let count = vectors.rows().len();
    let sample: Vec<usize> = (0..count.min(SAMPLE)).map(|i| i * count / count.min(SAMPLE)).collect();
    let (mut products, mut distances) = (Vec::new(), Vec::with_capacity(sample.len()));
    for group in sample.chunks(LANES) {
        let points: Vec<&[f32]> = group.iter().map(|index| vectors.row(*index)).collect();
        vectors.products(0..count, &points, &mut products);
        for (lane, index) in group.iter().enumerate() {
            let others = products.iter().enumerate().filter(|(other, _)| other != index);
            let halves = others.map(|(other, lanes)| half_square_of_distance(vectors, *index, other, lanes[lane]));
            distances.push((2.0 * halves.fold(f64::INFINITY, f64::min)).max(0.0).sqrt());
        }
    }
    median(&mut distances)
}

/// The middle one of some numbers, or the upper one of the two in the middle; 0 of none.
pub(super) fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// The largest distance, of rows that stand around zero, the farthest first. No pair is farther apart than both are from zero, so the
/// search ends early where some words lie far out.
fn largest(vectors: &Vectors) -> Result<f64, DpError> {
    let halves: Vec<f32> = (0..vectors.rows().len()).map(|index| vectors.half_square(index) as f32).collect();
    let radius = |index: usize| (2.0 * vectors.half_square(index)).sqrt();
    if 4.0 * radius(0).powi(2) > f64::from(f32::MAX) {
        return Err(DpError::Setting {
            setting: "vectors",
            value: format!("{:.0e} away from their mean", radius(0)),
            allowed: "nearer than the root of the largest 32-bit float",
        });
    }
    // A sum of n rounded products errs by at most n units of the product of the lengths; centring, half the squares and the
    // differences add less than eight.
    let error = (vectors.dimension() + 8) as f64 / f64::from(1 << 24) * radius(0).powi(2);
    let (mut largest, mut products) = (0.0_f64, Vec::new());
    for start in (0..halves.len()).step_by(LANES) {
        let end = (start + LANES).min(halves.len());
        if radius(start) + radius(0) <= (2.0 * largest).sqrt() {
            break;
        }
        let points: Vec<&[f32]> = (start..end).map(|index| vectors.row(index)).collect();
        vectors.products(0..end, &points, &mut products);
        // For each point, the largest half square less the product.
        let mut farthest = [f32::NEG_INFINITY; LANES];
        for (lanes, half) in products.iter().zip(&halves) {
            farthest.iter_mut().zip(lanes).for_each(|(farthest, product)| *farthest = farthest.max(half - product));
        }
        for (index, farthest) in (start..end).zip(farthest) {
            largest = largest.max(vectors.half_square(index) + f64::from(farthest));
        }
    }
    Ok((2.0 * (largest + error)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_dp::PrivacyRng;

    #[test]
    fn the_spread_of_three_words_by_hand() {
        // (0, 0), (3, 4), (3, 0): distances 5, 3 and 4; nearest 3, 4 and 3.
        let vectors = Vectors::new(2, vec![0.0, 0.0, 3.0, 4.0, 3.0, 0.0]).unwrap();
        let spread = Spread::of(&vectors).unwrap();
        assert!((spread.median_nearest - 3.0).abs() < 1e-5, "{spread:?}");
        assert!(spread.largest >= 5.0 && spread.largest < 5.0 + 1e-4, "{spread:?}");
    }

    #[test]
    fn the_largest_distance_is_never_too_small_and_the_search_may_end_early() {
        let mut rng = PrivacyRng::reproducible(1);
        for far in [1.0, 50.0] {
            let mut values: Vec<f32> = (0..200 * 5).map(|_| (rng.bits() % 2000) as f32 / 1000.0 - 1.0).collect();
            values[500] *= far;
            let vectors = Vectors::new(5, values).unwrap();
            let distance = |a: &[f32], b: &[f32]| -> f64 {
                a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt()
            };
            let pairs = vectors.rows().flat_map(|a| vectors.rows().map(move |b| distance(a, b)));
            let expected = pairs.fold(0.0, f64::max);
            let found = Spread::of(&vectors).unwrap().largest;
            assert!(found >= expected && found < expected * (1.0 + 1e-5), "{found} for {expected}");
        }
    }

    #[test]
    fn distances_beyond_every_32_bit_float_are_refused() {
        assert!(Spread::of(&Vectors::new(1, vec![3e38, -3e38, 1.0]).unwrap()).is_err());
    }
}
