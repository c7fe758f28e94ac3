//! Noise on a whole text's latent vector (ADePT, Krishna et al. 2021), with the sensitivity that is needed.
//!
//! The vector is clipped, put on a grid, and gets discrete noise in every coordinate; a decoder that sees only the result
//! writes the text. The loss is that of the whole text, whatever its length. The paper clips in the L2 norm and
//! scales Laplace noise by that bound, which for n coordinates costs sqrt(n) times what it prints (Habernal 2021).
#![doc = include_str!("latent.md")]

use crate::accountant;
use crate::discrete::{gaussian, laplace};
use crate::error::DpError;
use crate::released::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// Grid steps in the clipping bound: the grid is this much finer than the signal.
const STEPS: f64 = (1 << 16) as f64;

/// How a vector is clipped and noised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Clip the L1 norm; Laplace noise. Pure.
    LaplaceL1,
    /// Clip the L2 norm; Laplace noise for the L1 distance of L2-clipped vectors, which is sqrt(n) larger. Pure.
    LaplaceL2,
    /// Clip the L2 norm; Gaussian noise, with this delta.
    Gaussian {
        /// The probability with which the loss may be larger.
        delta: f64,
    },
}

/// A mechanism on vectors.
#[derive(Clone, Debug)]
pub struct Latent {
    dimension: usize,
    clip: f64,
    noise: Noise,
    /// The scale of Laplace noise, or the variance of Gaussian noise, in grid steps.
    spread: u64,
}

impl Latent {
    /// A mechanism for vectors of this dimension, clipped at `clip`, with a total loss of at most `epsilon`.
    ///
    /// # Errors
    /// When a number is not positive, delta is outside (0, 1), or the noise would be too large for the grid.
    pub fn new(dimension: usize, clip: f64, epsilon: f64, noise: Noise) -> Result<Self, DpError> {
        for (setting, value) in [("epsilon", epsilon), ("clip", clip), ("dimension", dimension as f64)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(DpError::Setting { setting, value: value.to_string(), allowed: "a positive number" });
            }
        }
        let n = dimension as f64;
        // Any two clipped vectors differ by at most twice the bound.
        let spread = match noise {
            Noise::LaplaceL1 => 2.0 * STEPS / epsilon,
            Noise::LaplaceL2 => 2.0 * STEPS * n.sqrt() / epsilon,
            Noise::Gaussian { delta } => {
                let rho = rho_for(epsilon, delta)?;
                (2.0 * STEPS).powi(2) / (2.0 * rho)
            }
        };
        // The squares in the exact comparison of the Gaussian must fit 127 bits.
        if spread > 2.0_f64.powi(50) {
            let allowed = "larger: the noise would drown any signal";
            return Err(DpError::Setting { setting: "epsilon", value: epsilon.to_string(), allowed });
        }
        Ok(Self { dimension, clip, noise, spread: (spread.ceil() as u64).max(1) })
    }

    /// The loss of a whole text: (epsilon, delta), computed from the integers that are used.
    ///
    /// # Errors
    /// When delta is outside (0, 1).
    pub fn loss(&self) -> Result<(f64, f64), DpError> {
        let spread = self.spread as f64;
        Ok(match self.noise {
            Noise::LaplaceL1 => (2.0 * STEPS / spread, 0.0),
            Noise::LaplaceL2 => (2.0 * STEPS * (self.dimension as f64).sqrt() / spread, 0.0),
            Noise::Gaussian { delta } => {
                (accountant::zcdp::epsilon((2.0 * STEPS).powi(2) / (2.0 * spread), delta)?, delta)
            }
        })
    }

    /// The scale of the Laplace noise, or the standard deviation of the Gaussian, in the units of the vector.
    pub fn scale(&self) -> f64 {
        let steps = match self.noise {
            Noise::LaplaceL1 | Noise::LaplaceL2 => self.spread as f64,
            Noise::Gaussian { .. } => (self.spread as f64).sqrt(),
        };
        steps * self.clip / STEPS
    }

    /// What the paper would print for the same noise: it takes the L2 bound for the sensitivity of Laplace noise.
    pub fn paper_epsilon(&self) -> Option<f64> {
        matches!(self.noise, Noise::LaplaceL2).then(|| 2.0 * STEPS / self.spread as f64)
    }

    /// Draws the noised vector.
    pub fn draw(&self, vector: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<Vec<f32>> {
        vector.draw(|vector| {
            let step = self.clip / STEPS;
            let noised = self.on_grid(vector).into_iter().map(|value| {
                let noise = match self.noise {
                    Noise::LaplaceL1 | Noise::LaplaceL2 => laplace(self.spread, rng),
                    Noise::Gaussian { .. } => gaussian(self.spread, rng),
                };
                // Only now a float again: what follows depends on the noised integer alone.
                (value.saturating_add(noise) as f64 * step) as f32
            });
            noised.collect()
        })
    }

    /// The vector in grid steps, clipped so that its norm, in integers, is at most [`STEPS`].
    fn on_grid(&self, vector: &[f32]) -> Vec<i64> {
        let at = |i: usize| vector.get(i).copied().filter(|value| value.is_finite()).map_or(0.0, f64::from);
        let values: Vec<f64> = (0..self.dimension).map(at).collect();
        let norm = match self.noise {
            Noise::LaplaceL1 => values.iter().map(|value| value.abs()).sum::<f64>(),
            _ => values.iter().map(|value| value * value).sum::<f64>().sqrt(),
        };
        let mut scale = STEPS / self.clip.max(norm);
        loop {
            // Towards zero, so that the norm does not grow; the integers are checked all the same.
            let grid: Vec<i64> = values.iter().map(|value| (value * scale) as i64).collect();
            let bounded = match self.noise {
                Noise::LaplaceL1 => grid.iter().map(|x| x.unsigned_abs()).sum::<u64>() <= STEPS as u64,
                _ => grid.iter().map(|x| x.unsigned_abs().pow(2)).sum::<u64>() <= (STEPS * STEPS) as u64,
            };
            if bounded {
                return grid;
            }
            scale *= 1.0 - 1e-9;
        }
    }
}

/// The largest rho of zero-concentrated privacy that gives (epsilon, delta).
fn rho_for(epsilon: f64, delta: f64) -> Result<f64, DpError> {
    let (mut low, mut high) = (0.0, epsilon);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if accountant::zcdp::epsilon(middle, delta)? <= epsilon { low = middle } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clopper_pearson::bounds;
    use crate::statistics::FALSE_ALARM;

    /// A lower bound of the loss between two vectors, by where one coordinate falls.
    fn black_box(first: impl Fn(&mut PrivacyRng) -> f32, second: impl Fn(&mut PrivacyRng) -> f32, cut: f32) -> f64 {
        const DRAWS: u64 = 20_000;
        let count = |draw: &dyn Fn(&mut PrivacyRng) -> f32, seed| {
            let mut rng = PrivacyRng::reproducible(seed);
            (0..DRAWS).filter(|_| draw(&mut rng) > cut).count() as u64
        };
        let (low, _) = bounds(count(&first, 1), DRAWS, 1.0 - FALSE_ALARM).unwrap();
        let (_, high) = bounds(count(&second, 2), DRAWS, 1.0 - FALSE_ALARM).unwrap();
        (low / high).ln()
    }

    /// The released first coordinate of a vector with `value` there, and nothing elsewhere.
    fn first(latent: &Latent, value: f32) -> impl Fn(&mut PrivacyRng) -> f32 + '_ {
        let vector: Vec<f32> = (0..latent.dimension).map(|i| if i == 0 { value } else { 0.0 }).collect();
        move |rng| latent.draw(Private::new(&vector), rng).value()[0]
    }

    #[test]
    fn opposite_vectors_are_told_apart_as_claimed_and_no_better() {
        let latent = Latent::new(1, 1.0, 2.0, Noise::LaplaceL1).unwrap();
        let found = black_box(first(&latent, 1e9), first(&latent, -1e9), 1.0);
        assert!(found <= latent.loss().unwrap().0 && found > 1.7, "{found}");
    }

    #[test]
    fn half_the_sensitivity_would_be_found() {
        // Scale C instead of 2C: noise for epsilon 4 under a claim of 2.
        let wrong = Latent::new(1, 1.0, 4.0, Noise::LaplaceL1).unwrap();
        assert!(black_box(first(&wrong, 1e9), first(&wrong, -1e9), 1.0) > 2.0);
    }

    #[test]
    fn laplace_noise_for_the_l2_bound_would_be_found() {
        // The paper's scale under L2 clipping: every coordinate may differ by 2 / sqrt(n), and all of them tell.
        const N: usize = 16;
        let paper = Latent { dimension: N, clip: 1.0, noise: Noise::LaplaceL2, spread: (2.0 * STEPS / 2.0) as u64 };
        let side = |sign: f32| {
            let paper = paper.clone();
            let vector = vec![sign; N];
            move |rng: &mut PrivacyRng| {
                let drawn = paper.draw(Private::new(&vector), rng);
                drawn.value().iter().map(|x| x.clamp(-0.25, 0.25)).sum::<f32>()
            }
        };
        assert!(black_box(side(1.0), side(-1.0), 1.5) > 2.0);
        assert!((paper.loss().unwrap().0 - 8.0).abs() < 1e-3); // 2 sqrt(16)
    }

    #[test]
    fn clipping_is_exact_in_integers() {
        for noise in [Noise::LaplaceL1, Noise::LaplaceL2] {
            let latent = Latent::new(3, 0.7, 1.0, noise).unwrap();
            for vector in [[1e30, -1e30, 1e30], [0.7, 0.0, 0.0], [f32::NAN, f32::INFINITY, 0.3], [0.1, 0.2, -0.1]] {
                let grid = latent.on_grid(&vector);
                let l1: u64 = grid.iter().map(|x| x.unsigned_abs()).sum();
                let l2: u64 = grid.iter().map(|x| x.unsigned_abs().pow(2)).sum();
                assert!(if noise == Noise::LaplaceL1 { l1 <= STEPS as u64 } else { l2 <= (STEPS * STEPS) as u64 });
            }
        }
    }

    #[test]
    fn gaussian_noise_costs_what_was_asked_for() {
        let latent = Latent::new(512, 1.0, 1.0, Noise::Gaussian { delta: 1e-5 }).unwrap();
        let (epsilon, delta) = latent.loss().unwrap();
        assert!(epsilon <= 1.0 && epsilon > 0.999 && delta == 1e-5, "{epsilon}");
        // The continuous Gaussian would do with sigma = 2 * 3.7306; the discrete one, by concentration, needs a little more.
        assert!((7.46..8.5).contains(&latent.scale()), "{}", latent.scale());
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (dimension, clip, epsilon) in
            [(0, 1.0, 1.0), (3, 0.0, 1.0), (3, f64::NAN, 1.0), (3, 1.0, 0.0), (3, 1.0, f64::INFINITY)]
        {
            assert!(Latent::new(dimension, clip, epsilon, Noise::LaplaceL1).is_err());
        }
        for delta in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(Latent::new(3, 1.0, 1.0, Noise::Gaussian { delta }).is_err());
        }
    }
}
