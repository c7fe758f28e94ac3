//! How far a release has moved from the style of its originals.

use super::{FEATURES, Standardised};
use crate::error::EvalError;
use allonym_dp::PrivacyRng;
use rayon::prelude::*;
use serde::Serialize;

/// Features that are named.
const NAMED: usize = 10;

/// How the style changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StyleChange {
    /// The distance of an original and its release, in standardised features: the mean over pairs.
    pub distance: f64,
    /// For scale: the mean distance of two originals drawn at random. 0 when there is only one.
    pub between_originals: f64,
    /// The features that changed most, at most ten.
    pub most_changed: Vec<FeatureChange>,
}

/// How a feature changed, in deviations among the originals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureChange {
    /// The name of the feature.
    pub name: &'static str,
    /// What it says of a text.
    pub about: &'static str,
    /// The mean size of the change.
    pub size: f64,
    /// The mean change: above 0 when releases have more of it.
    pub shift: f64,
}

/// Compares originals with their releases, in the same order; means and deviations are those of the originals.
///
/// # Errors
/// When there are no texts, or not as many releases as originals.
pub fn style_change<Text: AsRef<str> + Sync>(original: &[Text], released: &[Text]) -> Result<StyleChange, EvalError> {
    if original.len() != released.len() {
        return Err(EvalError::Labels { rows: original.len(), labels: released.len() });
    }
    let standardised = Standardised::fit(original)?;
    let count = original.len();
    // Every original is compared with its release, and with the next original in a random order.
    let mut order: Vec<usize> = (0..count).collect();
    PrivacyRng::reproducible(0).shuffle(&mut order);
    let mut totals =
        Totals { distance: 0.0, between: 0.0, sizes: vec![0.0; FEATURES.len()], shifts: vec![0.0; FEATURES.len()] };
    let values = |text: &Text| standardised.values(text.as_ref());
    // Sums in the order of the texts, a batch at a time: the same whatever the number of threads.
    let places: Vec<usize> = (0..count).collect();
    for batch in places.chunks(512) {
        let rows: Vec<[Vec<f32>; 3]> = batch
            .par_iter()
            .map(|place| {
                let other = order[(place + 1) % count];
                [values(&original[order[*place]]), values(&released[order[*place]]), values(&original[other])]
            })
            .collect();
        rows.iter().for_each(|[original, released, other]| totals.add(original, released, other));
    }
    Ok(totals.finish(count as f64))
}

struct Totals {
    distance: f64,
    between: f64,
    sizes: Vec<f64>,
    shifts: Vec<f64>,
}

impl Totals {
    fn add(&mut self, original: &[f32], released: &[f32], other: &[f32]) {
        self.distance += distance(original, released);
        self.between += distance(original, other);
        for (feature, (original, released)) in original.iter().zip(released).enumerate() {
            let change = f64::from(released - original);
            self.sizes[feature] += change.abs();
            self.shifts[feature] += change;
        }
    }

    fn finish(self, count: f64) -> StyleChange {
        let mut order: Vec<usize> = (0..FEATURES.len()).filter(|feature| self.sizes[*feature] > 0.0).collect();
        order.sort_by(|a, b| self.sizes[*b].total_cmp(&self.sizes[*a]));
        let change = |feature: &usize| FeatureChange {
            name: &FEATURES[*feature].name,
            about: &FEATURES[*feature].about,
            size: self.sizes[*feature] / count,
            shift: self.shifts[*feature] / count,
        };
        StyleChange {
            distance: self.distance / count,
            between_originals: self.between / count,
            most_changed: order.iter().take(NAMED).map(change).collect(),
        }
    }
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_stay_have_not_changed() {
        let texts = ["One two, three!", "And I said so.", "what"];
        let change = style_change(&texts, &texts).unwrap();
        assert_eq!((change.distance, change.most_changed.len()), (0.0, 0));
        assert!(change.between_originals > 0.0);
    }

    #[test]
    fn a_change_of_one_letter_by_hand() {
        // `b` for `c` in the second text: the shares of both letters change. Of two texts with shares 1 and 0, the
        // mean is 1/2 and the deviation 1/2: a change from 0 to 1 is 2 deviations. sqrt(4 + 4) = 2.828427; over two pairs, half of it.
        let change = style_change(&["bb", "cc"], &["bb", "bb"]).unwrap();
        assert!((change.distance - 2.828_427 / 2.0).abs() < 1e-5, "{change:?}");
        // The two originals differ in the same two features.
        assert!((change.between_originals - 2.828_427).abs() < 1e-5);
        let names: Vec<_> = change.most_changed.iter().map(|c| (c.name, c.size, c.shift)).collect();
        assert_eq!(names, [("letter-b", 1.0, 1.0), ("letter-c", 1.0, -1.0)]);
    }

    #[test]
    fn there_must_be_a_release_for_every_original() {
        assert!(matches!(style_change(&["a", "b"], &["a"]), Err(EvalError::Labels { rows: 2, labels: 1 })));
    }
}
