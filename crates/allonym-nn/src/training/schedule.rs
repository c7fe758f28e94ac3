//! How the learning rate changes.

use serde::{Deserialize, Serialize};

/// The learning rate over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Schedule {
    /// Steps in which it grows in equal parts to its full size. Default 0.
    pub warm_up: u64,
    /// What happens then. Default constant.
    pub decay: Decay,
}

/// How the learning rate falls after the warm-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decay {
    /// Not at all.
    #[default]
    Constant,
    /// In equal parts to zero at the end.
    Linear,
    /// As half a wave of a cosine to zero at the end (Loshchilov and Hutter 2017).
    Cosine,
}

impl Schedule {
    /// What the learning rate is multiplied with in a step, counted from 0, of a run of `steps`.
    pub fn factor(&self, step: u64, steps: u64) -> f64 {
        if step < self.warm_up {
            return (step + 1) as f64 / self.warm_up as f64;
        }
        let part = (step - self.warm_up) as f64 / steps.saturating_sub(self.warm_up).max(1) as f64;
        match self.decay {
            Decay::Constant => 1.0,
            Decay::Linear => (1.0 - part).max(0.0),
            Decay::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * part.min(1.0)).cos()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_grows_and_then_falls() {
        let schedule = |decay| Schedule { warm_up: 4, decay };
        let factors = |decay| [0, 3, 4, 8, 11].map(|step| schedule(decay).factor(step, 12));
        assert_eq!(factors(Decay::Constant), [0.25, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(factors(Decay::Linear), [0.25, 1.0, 1.0, 0.5, 0.125]);
        let cosine = factors(Decay::Cosine);
        // (1 + cos(7/8 pi)) / 2 = 0.038060
        assert!(cosine[2] == 1.0 && (cosine[3] - 0.5).abs() < 1e-12 && (cosine[4] - 0.038_060).abs() < 1e-6);
    }
}
