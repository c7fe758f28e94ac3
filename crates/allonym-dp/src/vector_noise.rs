//! Metric privacy by noise in the embedding space (Feyisetan et al. 2020; with a Mahalanobis norm, Xu et al. 2020).
//!
//! The word's vector gets noise of density proportional to e^(-epsilon |z|), and the nearest word of the vocabulary is
//! released. The nearest-word step costs nothing, and the original word must be allowed to win.
//!
//! **Claim.** Between words at distance d in the norm, the odds differ by at most e^(epsilon d). **Proof.** The densities of
//! x + z and x' + z at any point differ by that factor, by the triangle inequality; the nearest word is computed from the
//! noised point alone. QED.
//!
//! **Claim.** Between texts of equally many words, word i at distance d_i, the odds differ by at most e^(epsilon (d_1 + d_2 + ..)).
//! **Proof.** Every word has noise of its own, so probabilities are multiplied, and so are the bounds. How many words there are is not
//! hidden. QED.
//!
//! The noise is made of 64-bit floats, unlike that of the other mechanisms: an outcome of probability below about 2^-50 may
//! be impossible. The guarantee says so.

mod audit;
mod mahalanobis;
#[cfg(test)]
mod mutants;
mod vectors;

pub use vectors::{LANES, Vectors};

use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;
use mahalanobis::Root;

/// The norm in which distance, and so privacy, is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// Straight distance.
    Euclidean,
    /// Distance in units of the vocabulary's own spread, mixed with the Euclidean one: `lambda` in [0, 1).
    Mahalanobis {
        /// The part of the vocabulary's covariance.
        lambda: f64,
    },
}

/// Noise on a word's vector, then the nearest word.
#[derive(Clone, Debug)]
pub struct VectorNoise {
    vectors: Vectors,
    epsilon: f64,
    root: Option<Root>,
}

impl VectorNoise {
    /// The mechanism with this loss per unit of distance in the norm.
    ///
    /// # Errors
    /// When epsilon is not a positive number or lambda is outside [0, 1).
    pub fn new(vectors: Vectors, epsilon: f64, norm: Norm) -> Result<Self, DpError> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(DpError::Setting {
                setting: "epsilon",
                value: epsilon.to_string(),
                allowed: "a positive number",
            });
        }
        let root = match norm {
            Norm::Euclidean => None,
            Norm::Mahalanobis { lambda } if (0.0..1.0).contains(&lambda) => Some(Root::of(&vectors, lambda)),
            Norm::Mahalanobis { lambda } => {
                return Err(DpError::Setting { setting: "lambda", value: lambda.to_string(), allowed: "in [0, 1)" });
            }
        };
        Ok(Self { vectors, epsilon, root })
    }

    /// Draws a word for an original vector.
    pub fn draw(&self, vector: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32> {
        vector.draw(|vector| self.vectors.nearest(&self.noised(vector, rng)))
    }

    /// Draws a word for each vector of a text, as [`Self::draw`] would one after the other, but many times faster. How many vectors
    /// there are is part of the release.
    pub fn draw_all(&self, text: Private<&[&[f32]]>, rng: &mut PrivacyRng) -> Released<Vec<u32>> {
        text.draw(|vectors| {
            let mut words = Vec::with_capacity(vectors.len());
            // In groups, so that the points of a long text are not all in memory.
            for group in vectors.chunks(16 * LANES) {
                let points: Vec<Vec<f64>> = group.iter().map(|vector| self.noised(vector, rng)).collect();
                words.extend(self.vectors.nearest_to_all(&points));
            }
            words
        })
    }

    /// The loss per unit of distance.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The vectors among which the nearest is sought.
    pub fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// The vectors in coordinates in which the distance of the norm is the straight one.
    ///
    /// # Errors
    /// When a coordinate is beyond every 32-bit float.
    pub fn vectors_in_norm(&self) -> Result<Vectors, DpError> {
        self.root.as_ref().map_or_else(|| Ok(self.vectors.clone()), |root| root.straighten(&self.vectors))
    }

    /// A vector with noise on it. What it lacks and what is no number counts as zero.
    fn noised(&self, vector: &[f32], rng: &mut PrivacyRng) -> Vec<f64> {
        let at = |i: usize| vector.get(i).copied().filter(|value| value.is_finite()).map_or(0.0, f64::from);
        self.noise(rng).iter().enumerate().map(|(i, z)| at(i) + z).collect()
    }

    /// A vector of Gamma(n, 1 / epsilon) length in a uniform direction, stretched by the norm.
    fn noise(&self, rng: &mut PrivacyRng) -> Vec<f64> {
        let n = self.vectors.dimension();
        let radius = (0..n).map(|_| -uniform(rng).ln()).sum::<f64>() / self.epsilon;
        let direction: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
        let length = direction.iter().map(|z| z * z).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let ball: Vec<f64> = direction.iter().map(|z| radius * z / length).collect();
        match &self.root {
            None => ball,
            Some(root) => root.stretch(&ball),
        }
    }
}

/// A float in (0, 1].
fn uniform(rng: &mut PrivacyRng) -> f64 {
    ((rng.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// A standard normal float (Box and Muller).
fn normal(rng: &mut PrivacyRng) -> f64 {
    (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::assert_distribution;

    fn draws(mechanism: &VectorNoise, original: &[f32], outcomes: usize) -> Vec<u64> {
        let mut rng = PrivacyRng::reproducible(1);
        let mut counts = vec![0; outcomes];
        for _ in 0..50_000 {
            counts[*mechanism.draw(Private::new(original), &mut rng).value() as usize] += 1;
        }
        counts
    }

    #[test]
    fn on_a_line_the_noise_is_laplace() {
        // Words at 0, 1 and 3 with epsilon 1: the borders are 0.5 and 2. From 0: P(z < .5) = 1 - e^-.5 / 2,
        // P(z > 2) = e^-2 / 2.
        let vectors = Vectors::new(1, vec![0.0, 1.0, 3.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 1.0, Norm::Euclidean).unwrap();
        let (near, far) = (1.0 - (-0.5_f64).exp() / 2.0, (-2.0_f64).exp() / 2.0);
        assert_distribution(&draws(&mechanism, &[0.0], 3), &[near, 1.0 - near - far, far]);
    }

    #[test]
    fn the_radius_is_gamma_and_not_normal() {
        // In two dimensions Gamma(2, 1 / epsilon): P(r < 1) = 1 - 2 / e at epsilon 1.
        let vectors = Vectors::new(2, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 1.0, Norm::Euclidean).unwrap();
        let mut rng = PrivacyRng::reproducible(2);
        let mut counts = [0; 2];
        for _ in 0..50_000 {
            let length = mechanism.noise(&mut rng).iter().map(|z| z * z).sum::<f64>().sqrt();
            counts[usize::from(length >= 1.0)] += 1;
        }
        let inside = 1.0 - 2.0 / std::f64::consts::E;
        assert_distribution(&counts, &[inside, 1.0 - inside]);
    }

    #[test]
    fn a_whole_text_is_drawn_as_its_words_one_after_the_other() {
        let mut rng = PrivacyRng::reproducible(5);
        let values = (0..8 * 500).map(|_| (rng.bits() % 1000) as f32 / 100.0).collect();
        let vectors = Vectors::new(8, values).unwrap();
        for norm in [Norm::Euclidean, Norm::Mahalanobis { lambda: 0.8 }] {
            let mechanism = VectorNoise::new(vectors.clone(), 2.0, norm).unwrap();
            let text: Vec<&[f32]> = vectors.rows().take(300).collect();
            let mut rng = PrivacyRng::reproducible(6);
            let together = mechanism.draw_all(Private::new(&text), &mut rng).into_value();
            let mut rng = PrivacyRng::reproducible(6);
            let apart: Vec<u32> =
                text.iter().map(|vector| mechanism.draw(Private::new(vector), &mut rng).into_value()).collect();
            assert_eq!(together, apart);
        }
    }

    #[test]
    #[ignore = "measures speed: cargo test --release -p allonym-dp words_a_second -- --ignored --nocapture"]
    fn words_a_second() {
        let mut rng = PrivacyRng::reproducible(1);
        let values: Vec<f32> = (0..20_000 * 100).map(|_| normal(&mut rng) as f32).collect();
        let vectors = Vectors::new(100, values).unwrap();
        let text: Vec<&[f32]> = vectors.rows().take(1000).collect();
        for norm in [Norm::Euclidean, Norm::Mahalanobis { lambda: 0.5 }] {
            let mechanism = VectorNoise::new(vectors.clone(), 10.0, norm).unwrap();
            let start = std::time::Instant::now();
            for vector in &text[..100] {
                std::hint::black_box(mechanism.draw(Private::new(vector), &mut rng));
            }
            let slow = 100.0 / start.elapsed().as_secs_f64();
            let start = std::time::Instant::now();
            std::hint::black_box(mechanism.draw_all(Private::new(&text), &mut rng));
            let fast = 1000.0 / start.elapsed().as_secs_f64();
            println!("{norm:?}: {slow:.0} words a second one by one, {fast:.0} together");
        }
    }

    #[test]
    fn the_original_word_can_win_and_bad_vectors_are_harmless() {
        let vectors = Vectors::new(1, vec![0.0, 1.0]).unwrap();
        let mechanism = VectorNoise::new(vectors, 100.0, Norm::Euclidean).unwrap();
        assert!(draws(&mechanism, &[0.0], 2)[0] > 49_000);
        assert_eq!(draws(&mechanism, &[f32::NAN], 2), draws(&mechanism, &[0.0], 2));
        assert!(Vectors::new(2, vec![0.0; 3]).is_err() && Vectors::new(1, vec![0.0, f32::NAN]).is_err());
    }
}
