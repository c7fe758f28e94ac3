//! Noise on a whole text's latent vector (ADePT, Krishna et al. 2021), with the sensitivity that is needed.
//!
//! The vector is clipped, put on a grid, and gets discrete noise in every coordinate; a decoder that sees only the result
//! writes the text. The loss is that of the whole text, whatever its length. The paper clips in the L2 norm and
//! scales Laplace noise by that bound, which for n coordinates costs sqrt(n) times what it prints (Habernal 2021).
#![doc = include_str!("latent.md")]

mod audit;
#[cfg(test)]
mod mutants;

use crate::accountant;
use crate::discrete::{gaussian, laplace};
use crate::error::DpError;
use crate::exit::{DrawFrom, Released};
use crate::radial::Radial;
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
    /// Clip the L2 norm; noise whose density falls with its own L2 norm. Pure, and shorter than the one before by sqrt(2).
    LaplaceRadial,
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
            Noise::LaplaceL1 | Noise::LaplaceRadial => 2.0 * STEPS / epsilon,
            Noise::LaplaceL2 => 2.0 * STEPS * n.sqrt() / epsilon,
            Noise::Gaussian { delta } => {
                let rho = rho_for(epsilon, delta)?;
                (2.0 * STEPS).powi(2) / (2.0 * rho)
            }
        };
        // The squares in the exact comparison of the Gaussian must fit 127 bits; radial noise is n times as long as its scale.
        let longest = if noise == Noise::LaplaceRadial { n * spread } else { spread };
        if longest > 2.0_f64.powi(50) {
            let allowed = "larger: the noise would drown any signal";
            return Err(DpError::Setting { setting: "epsilon", value: epsilon.to_string(), allowed });
        }
        let mut latent = Self { dimension, clip, noise, spread: (spread.ceil() as u64).max(1) };
        // The loss is rounded up, which may put it a hair above what was asked for.
        while latent.loss()?.0 > epsilon {
            latent.spread += 1 + latent.spread / (1 << 40);
        }
        Ok(latent)
    }

    /// The loss of a whole text: (epsilon, delta), computed from the integers that are used, rounded up.
    ///
    /// # Errors
    /// When delta is outside (0, 1).
    pub fn loss(&self) -> Result<(f64, f64), DpError> {
        let spread = self.spread as f64;
        Ok(match self.noise {
            Noise::LaplaceL1 | Noise::LaplaceRadial => (ratio_up(2.0 * STEPS, spread), 0.0),
            Noise::LaplaceL2 => (ratio_up(2.0 * STEPS * root_up(self.dimension as f64), spread), 0.0),
            Noise::Gaussian { delta } => {
                (accountant::zcdp::epsilon((2.0 * STEPS).powi(2) / (2.0 * spread), delta)?, delta)
            }
        })
    }

    /// The scale of the Laplace noise, or the standard deviation of the Gaussian, in the units of the vector.
    pub fn scale(&self) -> f64 {
        let steps = match self.noise {
            Noise::Gaussian { .. } => (self.spread as f64).sqrt(),
            _ => self.spread as f64,
        };
        steps * self.clip / STEPS
    }

    /// The root of the mean squared length of the noise, in the units of the vector.
    pub fn noise_length(&self) -> f64 {
        let n = self.dimension as f64;
        // Variances: 2 b^2 a coordinate for Laplace noise of scale b; n (n + 1) b^2 in all for a length of Gamma(n, b).
        self.scale()
            * match self.noise {
                Noise::LaplaceL1 | Noise::LaplaceL2 => (2.0 * n).sqrt(),
                Noise::LaplaceRadial => (n * (n + 1.0)).sqrt(),
                Noise::Gaussian { .. } => n.sqrt(),
            }
    }

    /// What the paper would print for the same noise: it takes the L2 bound for the sensitivity of Laplace noise.
    pub fn paper_epsilon(&self) -> Option<f64> {
        matches!(self.noise, Noise::LaplaceL2).then(|| 2.0 * STEPS / self.spread as f64)
    }

    /// What the paper's noise truly costs where it prints this epsilon.
    pub fn true_epsilon_of_paper(printed: f64, dimension: usize) -> f64 {
        printed * root_up(dimension as f64)
    }

    /// Draws the noised vector.
    pub fn draw(&self, vector: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<Vec<f32>> {
        vector.draw(|vector| {
            let step = self.clip / STEPS;
            let noise = self.noise(rng);
            // Only now a float again: what follows depends on the noised integers alone.
            let noised = self.on_grid(vector).into_iter().zip(noise).map(|(value, noise)| i128::from(value) + noise);
            noised.map(|steps| (steps as f64 * step) as f32).collect()
        })
    }

    /// Noise for every coordinate, in grid steps.
    fn noise(&self, rng: &mut PrivacyRng) -> Vec<i128> {
        let mut each = |draw: fn(u64, &mut PrivacyRng) -> i64| {
            (0..self.dimension).map(|_| i128::from(draw(self.spread, rng))).collect()
        };
        match self.noise {
            Noise::LaplaceL1 | Noise::LaplaceL2 => each(laplace),
            Noise::Gaussian { .. } => each(gaussian),
            Noise::LaplaceRadial => Radial::draw(self.dimension, self.spread, rng),
        }
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

/// A quotient that is not smaller than the true one.
fn ratio_up(numerator: f64, denominator: f64) -> f64 {
    let ratio = numerator / denominator;
    // The fused product has the sign of the exact one.
    if ratio.mul_add(denominator, -numerator) < 0.0 { ratio.next_up() } else { ratio }
}

/// A root that is not smaller than the true one.
fn root_up(number: f64) -> f64 {
    let root = number.sqrt();
    if root.mul_add(root, -number) < 0.0 { root.next_up() } else { root }
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

    #[test]
    fn clipping_is_exact_in_integers() {
        for noise in [Noise::LaplaceL1, Noise::LaplaceL2, Noise::LaplaceRadial] {
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
    fn clipping_never_overshoots_whatever_rounding_does() {
        let mut rng = PrivacyRng::reproducible(1);
        for dimension in [1, 2, 7, 64] {
            for noise in [Noise::LaplaceL1, Noise::LaplaceRadial] {
                let latent = Latent::new(dimension, 0.1, 1.0, noise).unwrap();
                for _ in 0..500 {
                    let vector: Vec<f32> = (0..dimension).map(|_| rng.bits() as i64 as f32 * 1e-18).collect();
                    let grid = latent.on_grid(&vector);
                    let power = if noise == Noise::LaplaceL1 { 1 } else { 2 };
                    let size: u64 = grid.iter().map(|x| x.unsigned_abs().pow(power)).sum();
                    assert!(size <= (STEPS as u64).pow(power));
                }
            }
        }
    }

    #[test]
    fn radial_noise_is_shorter_than_noise_in_each_coordinate() {
        // n = 512: b sqrt(n (n + 1)) at b = 2C / epsilon, against sqrt(2 n) times sqrt(n) b: about the root of 2.
        let length = |noise| Latent::new(512, 1.0, 1.0, noise).unwrap().noise_length();
        let ratio = length(Noise::LaplaceL2) / length(Noise::LaplaceRadial);
        assert!((ratio - (2.0_f64 * 512.0 / 513.0).sqrt()).abs() < 1e-4, "{ratio}");
        let loss = Latent::new(512, 1.0, 0.7, Noise::LaplaceRadial).unwrap().loss().unwrap();
        assert!(loss.0 <= 0.7 && loss.0 > 0.6999 && loss.1 == 0.0);
    }

    #[test]
    fn losses_are_rounded_up() {
        assert_eq!((ratio_up(1.0, 4.0), root_up(16.0)), (0.25, 4.0));
        // The nearest float to 1/10 is above it, to 1/3 below; to the root of 2 above, of 3 below.
        assert_eq!((ratio_up(1.0, 10.0), ratio_up(1.0, 3.0)), (0.1, (1.0_f64 / 3.0).next_up()));
        assert_eq!((root_up(2.0), root_up(3.0)), (2.0_f64.sqrt(), 3.0_f64.sqrt().next_up()));
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
