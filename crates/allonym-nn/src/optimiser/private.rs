//! The private step (Abadi et al. 2016): from the sum of clipped gradients to what an optimiser may see.
//!
//! `(sum + N(0, (noise clip)^2)) / expected batch size`, for every parameter. What the optimiser makes of it, moments and all, costs nothing
//! more: DP-SGD and DP-Adam have the same price. The divisor is a public number. Dividing by the number of examples that
//! were drawn would tell how many there were.

use super::noise;
use crate::buffer::Buffer;
use crate::error::NnError;
use crate::gradient::Clipped;
use crate::real::Real;
use crate::vectorise::scale;
use allonym_dp::Entropy;
use serde::{Deserialize, Serialize};

/// Settings of private training. They have no defaults: each of them decides what is promised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PrivateSettings {
    /// The standard deviation of the noise, as a multiple of `clip`. 0 adds none and protects nothing.
    pub noise: f64,
    /// The largest norm of an example's gradient. Infinity clips nothing and protects nothing.
    pub clip: f64,
    /// The probability with which the loss of privacy may be larger than epsilon.
    pub delta: f64,
    /// Shows and records the loss of every step. It is computed from the examples without noise, so whoever sees it
    /// must be allowed to see them. Default false.
    #[serde(default)]
    pub owner_only: bool,
    /// The noise of another release of sums over all the same examples, in units of the most that one changes: it is paid from the same price. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<f64>,
}

impl PrivateSettings {
    /// Checks every setting.
    ///
    /// # Errors
    /// When one is out of range: an infinite clip is for tests, and only without noise.
    pub fn check(&self) -> Result<(), NnError> {
        let refuse =
            |setting, value: f64, allowed| Err(NnError::Setting { setting, value: value.to_string(), allowed });
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            return refuse("noise", self.noise, "0 or more");
        }
        if self.clip.is_nan() || self.clip <= 0.0 || (self.clip.is_infinite() && self.noise > 0.0) {
            return refuse("clip", self.clip, "above 0, and finite where there is noise");
        }
        if !(self.delta > 0.0 && self.delta < 1.0) {
            return refuse("delta", self.delta, "above 0 and below 1");
        }
        Ok(())
    }

    /// Why these settings protect nothing, if so.
    pub fn unprotected(&self) -> Option<&'static str> {
        if self.clip.is_infinite() {
            Some("gradients are not clipped")
        } else if self.noise == 0.0 {
            Some("no noise is added")
        } else {
            None
        }
    }
}

/// Adds the noise of each step. Not `Clone`: a copy would add the same noise twice.
#[derive(Debug)]
pub struct PrivateStep {
    settings: PrivateSettings,
    expected_batch: f64,
    entropy: Entropy,
    step: u64,
}

impl PrivateStep {
    /// Steps whose batches have so many examples on average. `steps` have been made before; a key from the operating system is new in each
    /// process, so that noise never comes twice, and a seeded one goes on where it was.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: PrivateSettings, expected_batch: f64, entropy: Entropy, steps: u64) -> Result<Self, NnError> {
        settings.check()?;
        if !(expected_batch.is_finite() && expected_batch > 0.0) {
            let value = expected_batch.to_string();
            return Err(NnError::Setting { setting: "batch", value, allowed: "above 0" });
        }
        Ok(Self { settings, expected_batch, entropy, step: steps })
    }

    /// The settings.
    pub fn settings(&self) -> &PrivateSettings {
        &self.settings
    }

    /// Why what it does is not private, if so: settings that protect nothing, or a seed that somebody knows.
    pub fn not_private(&self) -> Option<&'static str> {
        let seeded = self.entropy.is_reproducible().then_some("the noise comes from a seed");
        self.settings.unprotected().or(seeded)
    }

    /// What an optimiser may see of a batch's gradients. A batch without examples has a sum of zeros ([`PrivateStep::of_none`]), and gets
    /// noise as every other.
    pub fn noised<T: Real>(&mut self, clipped: Clipped<T>, threads: usize) -> Buffer<T> {
        let mut values = clipped.sum;
        let factor = 1.0 / self.expected_batch;
        if self.settings.noise > 0.0 {
            let deviation = self.settings.noise * self.settings.clip;
            noise::add(&mut values, deviation, factor, &self.entropy, self.step, threads);
        } else {
            scale(&mut values, T::of(factor));
        }
        self.step += 1;
        values
    }

    /// The same for a batch without examples, of a model with so many parameters.
    pub fn of_none<T: Real>(&mut self, parameters: usize, threads: usize) -> Buffer<T> {
        self.noised(Clipped { sum: Buffer::zeros(parameters), norms: Vec::new() }, threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: PrivateSettings =
        PrivateSettings { noise: 2.0, clip: 0.5, delta: 1e-5, owner_only: false, beside: None };

    fn step(settings: PrivateSettings) -> PrivateStep {
        PrivateStep::new(settings, 4.0, Entropy::reproducible(1), 0).unwrap()
    }

    #[test]
    fn without_noise_the_sum_is_divided_by_the_expected_batch() {
        let mut step = step(PrivateSettings { noise: 0.0, ..SETTINGS });
        // One example where four were expected.
        let clipped = Clipped { sum: vec![2.0_f32, -4.0].into(), norms: vec![7.0] };
        assert_eq!(*step.noised(clipped, 1), [0.5, -1.0]);
        assert_eq!(step.not_private(), Some("no noise is added"));
    }

    #[test]
    fn a_batch_without_examples_gets_as_much_noise_as_any_other() {
        let noise = step(SETTINGS).of_none::<f64>(100_000, 1);
        let variance = noise.iter().map(|v| v * v).sum::<f64>() / 1e5;
        // (2 * 0.5 / 4)^2 = 0.0625; the estimate's deviation is 0.0625 * sqrt(2 / 1e5), 4.9 of them 0.00137.
        assert!((variance - 0.0625).abs() < 0.001_37, "{variance}");
    }

    #[test]
    fn no_two_steps_share_their_noise() {
        let mut step = step(SETTINGS);
        let [first, second] = [(); 2].map(|()| step.of_none::<f64>(100, 1));
        assert!(first.iter().zip(second.iter()).all(|(a, b)| a != b));
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for bad in [
            PrivateSettings { noise: -1.0, ..SETTINGS },
            PrivateSettings { noise: f64::NAN, ..SETTINGS },
            PrivateSettings { clip: 0.0, ..SETTINGS },
            PrivateSettings { clip: f64::NAN, ..SETTINGS },
            PrivateSettings { clip: f64::INFINITY, ..SETTINGS },
            PrivateSettings { delta: 0.0, ..SETTINGS },
            PrivateSettings { delta: 1.0, ..SETTINGS },
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
        assert!(PrivateStep::new(SETTINGS, 0.0, Entropy::reproducible(1), 0).is_err());
    }

    #[test]
    fn a_known_seed_is_not_private_and_a_key_of_the_system_is() {
        assert_eq!(step(SETTINGS).not_private(), Some("the noise comes from a seed"));
        let secret = PrivateStep::new(SETTINGS, 4.0, Entropy::from_os().unwrap(), 0).unwrap();
        assert_eq!(secret.not_private(), None);
    }
}
