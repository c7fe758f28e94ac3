//! Adam (Kingma and Ba 2015), with the bias corrections of the paper.

use crate::buffer::Buffer;
use crate::error::NnError;
use crate::real::Real;
use crate::vectorise::vectorised;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdamSettings {
    /// How fast the first moment forgets. Default 0.9.
    pub beta1: f64,
    /// How fast the second moment forgets. Default 0.999.
    pub beta2: f64,
    /// Added to the root of the second moment. Default 1e-8.
    pub epsilon: f64,
}

impl Default for AdamSettings {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

/// Adam.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<T: Real> {
    settings: AdamSettings,
    steps: u64,
    /// First and second moments.
    moments: [Buffer<T>; 2],
}

impl<T: Real> Adam<T> {
    /// Adam for so many parameters.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(parameters: usize, settings: AdamSettings) -> Result<Self, NnError> {
        for (setting, value) in [("beta1", settings.beta1), ("beta2", settings.beta2)] {
            if !(0.0..1.0).contains(&value) {
                return Err(NnError::Setting { setting, value: value.to_string(), allowed: "at least 0 and below 1" });
            }
        }
        if !(settings.epsilon.is_finite() && settings.epsilon > 0.0) {
            let value = settings.epsilon.to_string();
            return Err(NnError::Setting { setting: "epsilon", value, allowed: "above 0" });
        }
        Ok(Self { settings, steps: 0, moments: [(); 2].map(|()| Buffer::zeros(parameters)) })
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Moves the parameters.
    ///
    /// # Panics
    /// When the numbers of parameters differ.
    pub fn step(&mut self, parameters: &mut [T], gradients: &[T], rate: f64, threads: usize) {
        let [first, second] = &mut self.moments;
        assert!(parameters.len() == first.len() && gradients.len() == first.len());
        self.steps += 1;
        let AdamSettings { beta1, beta2, epsilon } = self.settings;
        let correction = |beta: f64| 1.0 - beta.powi(i32::try_from(self.steps).unwrap_or(i32::MAX));
        let factors = Factors {
            beta1: T::of(beta1),
            beta2: T::of(beta2),
            rate: T::of(rate / correction(beta1)),
            root: T::of(1.0 / correction(beta2).sqrt()),
            epsilon: T::of(epsilon),
        };
        let part = parameters.len().div_ceil(threads.max(1)).max(1 << 16);
        if part >= parameters.len() {
            return descend(parameters, first, second, gradients, factors);
        }
        parameters
            .par_chunks_mut(part)
            .zip(first.par_chunks_mut(part))
            .zip(second.par_chunks_mut(part))
            .zip(gradients.par_chunks(part))
            .for_each(|(((parameters, first), second), gradients)| {
                descend(parameters, first, second, gradients, factors);
            });
    }

    /// What it remembers, for a checkpoint: steps, first and second moments.
    pub fn state(&self) -> (u64, &[T], &[T]) {
        (self.steps, &self.moments[0], &self.moments[1])
    }

    /// Goes on from what was remembered.
    ///
    /// # Panics
    /// When the numbers of parameters differ.
    pub fn restore(&mut self, steps: u64, first: &[T], second: &[T]) {
        self.steps = steps;
        self.moments[0].copy_from_slice(first);
        self.moments[1].copy_from_slice(second);
    }
}

#[derive(Clone, Copy)]
struct Factors<T> {
    beta1: T,
    beta2: T,
    rate: T,
    root: T,
    epsilon: T,
}

vectorised! {
    fn descend<T>(parameters: &mut [T], first: &mut [T], second: &mut [T], gradients: &[T], factors: Factors<T>) {
        let Factors { beta1, beta2, rate, root, epsilon } = factors;
        let (rest1, rest2) = (T::ONE - beta1, T::ONE - beta2);
        for (((parameter, first), second), gradient) in parameters.iter_mut().zip(first).zip(second).zip(gradients) {
            *first = beta1 * *first + rest1 * *gradient;
            *second = beta2 * *second + rest2 * *gradient * *gradient;
            *parameter -= rate * *first / (second.sqrt() * root + epsilon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_size_of_the_rate() {
        let mut adam = Adam::new(2, AdamSettings::default()).unwrap();
        let mut parameters = [1.0_f64, 1.0];
        adam.step(&mut parameters, &[5.0, -0.001], 0.1, 1);
        // Both moments are corrected to g and g^2, so the step is 0.1 g / (|g| + 1e-8).
        assert!((parameters[0] - 0.9).abs() < 1e-9 && (parameters[1] - 1.1).abs() < 1e-5);
    }

    #[test]
    fn threads_do_not_change_a_step() {
        let size = 300_000;
        let gradients: Vec<f32> = (0..size).map(|i| (i as f32).sin()).collect();
        let run = |threads| {
            let mut adam = Adam::new(size, AdamSettings::default()).unwrap();
            let mut parameters = vec![0.5_f32; size];
            adam.step(&mut parameters, &gradients, 0.01, threads);
            parameters
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for bad in [
            AdamSettings { beta1: 1.0, ..AdamSettings::default() },
            AdamSettings { beta2: -0.1, ..AdamSettings::default() },
            AdamSettings { epsilon: 0.0, ..AdamSettings::default() },
        ] {
            assert!(Adam::<f32>::new(1, bad).is_err());
        }
    }
}
