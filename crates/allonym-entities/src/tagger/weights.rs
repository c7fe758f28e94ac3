//! The scores of features: a row of small integers for each, with one scale.

use super::hash::Places;

/// Scores by feature.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) width: usize,
    pub(super) features: Vec<u32>,
    pub(super) scales: Vec<f32>,
    pub(super) steps: Vec<i8>,
    places: Places,
}

impl Weights {
    /// Of features and their rows in whole steps.
    pub(super) fn new(width: usize, features: Vec<u32>, scales: Vec<f32>, steps: Vec<i8>) -> Self {
        let places = Places::of((0..features.len()).map(|row| (features[row], row as u32)));
        Self { width, features, scales, steps, places }
    }

    /// Rounds rows of scores, and leaves out those that say next to nothing.
    pub(super) fn rounded(width: usize, features: &[u32], rows: &[f32], least: f32) -> Self {
        let (mut kept, mut scales, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for (feature, row) in features.iter().zip(rows.chunks_exact(width)) {
            let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            if largest < least {
                continue;
            }
            kept.push(*feature);
            scales.push(largest / 127.0);
            steps.extend(row.iter().map(|value| (value / largest * 127.0).round() as i8));
        }
        Self::new(width, kept, scales, steps)
    }

    /// Adds the rows of some features.
    pub(super) fn add(&self, features: &[u32], sums: &mut [f32]) {
        for feature in features {
            if let Some(row) = self.places.get(*feature) {
                let row = row as usize;
                let (scale, steps) = (self.scales[row], &self.steps[row * self.width..(row + 1) * self.width]);
                sums.iter_mut().zip(steps).for_each(|(sum, step)| *sum += scale * f32::from(*step));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_to_half_a_step_and_small_ones_left_out() {
        let weights = Weights::rounded(2, &[7, 9], &[1.27, -0.304, 0.001, 0.002], 0.01);
        let mut sums = [1.0, 1.0];
        weights.add(&[7, 9, 11], &mut sums);
        assert!((sums[0] - 2.27).abs() < 1e-6 && (sums[1] - 0.7).abs() < 1e-6, "{sums:?}");
        assert_eq!(weights.features, [7]);
    }
}
