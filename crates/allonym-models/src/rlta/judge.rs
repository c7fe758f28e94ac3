//! Linear classifiers of vectors: of the task, and of private attributes.

use allonym_nn::Matrix;

/// A linear classifier whose scores are logarithms of chances, up to a number that all classes share.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorJudge {
    /// A row for each class.
    weights: Matrix<f32>,
    offsets: Vec<f32>,
}

impl VectorJudge {
    /// A row of weights and an offset for each class.
    ///
    /// # Panics
    /// When there is not an offset for each class.
    pub fn new(weights: Matrix<f32>, offsets: Vec<f32>) -> Self {
        assert_eq!(weights.rows(), offsets.len(), "an offset for each class");
        Self { weights, offsets }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.offsets.len()
    }

    /// The chances of all classes.
    pub fn probabilities(&self, vector: &[f32]) -> Vec<f64> {
        let score = |class: usize| {
            let sum: f32 = self.weights.row(class).iter().zip(vector).map(|(weight, value)| weight * value).sum();
            f64::from(sum + self.offsets[class])
        };
        let scores: Vec<f64> = (0..self.classes()).map(score).collect();
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let parts: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum: f64 = parts.iter().sum();
        parts.iter().map(|part| part / sum).collect()
    }

    /// How much likelier the right class is than the likeliest other one.
    pub fn lead(&self, vector: &[f32], right: u32) -> f64 {
        let chances = self.probabilities(vector);
        chances[right as usize] - chances[likeliest_other(&chances, right)]
    }

    /// Adds the slope of the lead, so many times.
    pub(super) fn add_slope(&self, vector: &[f32], right: u32, times: f64, slope: &mut [f32]) {
        let chances = self.probabilities(vector);
        let (right, other) = (right as usize, likeliest_other(&chances, right));
        let lead = chances[right] - chances[other];
        for (class, chance) in chances.iter().enumerate() {
            let own = f64::from(u8::from(class == right)) - f64::from(u8::from(class == other));
            let to_score = (times * chance * (own - lead)) as f32;
            slope.iter_mut().zip(self.weights.row(class)).for_each(|(slope, weight)| *slope += to_score * weight);
        }
    }
}

fn likeliest_other(chances: &[f64], right: u32) -> usize {
    let others = (0..chances.len()).filter(|class| *class != right as usize);
    others.max_by(|a, b| chances[*a].total_cmp(&chances[*b])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_by_hand() {
        let judge = VectorJudge::new(Matrix::of(3, 2, vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0]), vec![0.0, 0.0, 2_f32.ln()]);
        // Scores ln 4, ln 2, ln 2: chances 1/2, 1/4, 1/4.
        let vector = [4_f32.ln(), 2_f32.ln()];
        let chances = judge.probabilities(&vector);
        assert!(chances.iter().zip([0.5, 0.25, 0.25]).all(|(found, expected)| (found - expected).abs() < 1e-6));
        assert!((judge.lead(&vector, 0) - 0.25).abs() < 1e-6 && (judge.lead(&vector, 1) + 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_slope_is_that_of_the_lead() {
        let judge = VectorJudge::new(Matrix::of(3, 2, vec![1.0, 0.5, -0.5, 1.0, 0.25, -2.0]), vec![0.1, 0.0, -0.2]);
        let vector = [0.3, -0.4];
        for right in 0..3 {
            let mut slope = [0.0; 2];
            judge.add_slope(&vector, right, 3.0, &mut slope);
            for place in 0..2 {
                let at = |by: f32| {
                    let mut moved = vector;
                    moved[place] += by;
                    judge.lead(&moved, right)
                };
                let expected = 3.0 * (at(1e-2) - at(-1e-2)) / 2e-2;
                assert!((f64::from(slope[place]) - expected).abs() < 2e-3, "{right} {place}: {slope:?} {expected}");
            }
        }
    }
}
