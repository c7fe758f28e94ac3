//! The optimiser that the settings name.

use super::{Adam, AdamSettings, Sgd};
use crate::error::NnError;
use serde::{Deserialize, Serialize};

/// Which optimiser.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum OptimiserSettings {
    /// Adam.
    Adam {
        /// How fast the first moment forgets. Default 0.9.
        #[serde(default = "beta1")]
        beta1: f64,
        /// How fast the second moment forgets. Default 0.999.
        #[serde(default = "beta2")]
        beta2: f64,
        /// Added to the root of the second moment. Default 1e-8.
        #[serde(default = "epsilon")]
        epsilon: f64,
    },
    /// Gradient descent.
    Sgd {
        /// How much of the last step is made again. Default 0.
        #[serde(default)]
        momentum: f64,
    },
}

fn beta1() -> f64 {
    AdamSettings::default().beta1
}

fn beta2() -> f64 {
    AdamSettings::default().beta2
}

fn epsilon() -> f64 {
    AdamSettings::default().epsilon
}

impl Default for OptimiserSettings {
    fn default() -> Self {
        Self::Adam { beta1: beta1(), beta2: beta2(), epsilon: epsilon() }
    }
}

/// Adam or gradient descent.
#[derive(Clone, Debug)]
pub enum Optimiser {
    /// Adam.
    Adam(Adam<f32>),
    /// Gradient descent.
    Sgd(Sgd<f32>),
}

impl Optimiser {
    /// The optimiser for so many parameters.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: OptimiserSettings, parameters: usize) -> Result<Self, NnError> {
        match settings {
            OptimiserSettings::Adam { beta1, beta2, epsilon } => {
                Ok(Self::Adam(Adam::new(parameters, AdamSettings { beta1, beta2, epsilon })?))
            }
            OptimiserSettings::Sgd { momentum } if (0.0..1.0).contains(&momentum) => {
                Ok(Self::Sgd(Sgd::new(parameters, momentum)))
            }
            OptimiserSettings::Sgd { momentum } => {
                let (setting, allowed) = ("momentum", "at least 0 and below 1");
                Err(NnError::Setting { setting, value: momentum.to_string(), allowed })
            }
        }
    }

    /// Moves the parameters.
    pub fn step(&mut self, parameters: &mut [f32], gradients: &[f32], rate: f64, threads: usize) {
        match self {
            Self::Adam(adam) => adam.step(parameters, gradients, rate, threads),
            Self::Sgd(sgd) => sgd.step(parameters, gradients, rate),
        }
    }

    /// What it remembers, by name.
    pub fn memory(&self) -> Vec<(&'static str, &[f32])> {
        match self {
            Self::Adam(adam) => {
                let (_, first, second) = adam.state();
                vec![("first", first), ("second", second)]
            }
            Self::Sgd(sgd) => vec![("velocity", sgd.state())],
        }
    }

    /// Goes on from what was remembered after so many steps, in the order of [`Optimiser::memory`].
    ///
    /// # Panics
    /// When it remembered something else.
    pub fn restore(&mut self, steps: u64, memory: &[Vec<f32>]) {
        match (self, memory) {
            (Self::Adam(adam), [first, second]) => adam.restore(steps, first, second),
            (Self::Sgd(sgd), [velocity]) => sgd.state_mut().copy_from_slice(velocity),
            _ => panic!("an optimiser of another kind"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_optimiser_goes_on_as_if_nothing_had_happened() {
        for settings in [OptimiserSettings::default(), OptimiserSettings::Sgd { momentum: 0.9 }] {
            let mut optimiser = Optimiser::new(settings, 2).unwrap();
            let mut parameters = [1.0, -1.0];
            optimiser.step(&mut parameters, &[0.3, 0.1], 0.1, 1);
            let mut restored = Optimiser::new(settings, 2).unwrap();
            let memory: Vec<Vec<f32>> = optimiser.memory().into_iter().map(|(_, values)| values.to_vec()).collect();
            restored.restore(1, &memory);
            let mut again = parameters;
            optimiser.step(&mut parameters, &[-0.2, 0.5], 0.1, 1);
            restored.step(&mut again, &[-0.2, 0.5], 0.1, 1);
            assert_eq!(parameters, again);
        }
    }

    #[test]
    fn settings_are_read_by_name_and_checked() {
        let read = |text: &str| serde_json::from_str::<OptimiserSettings>(text);
        assert_eq!(read(r#"{"kind": "adam"}"#).unwrap(), OptimiserSettings::default());
        assert_eq!(read(r#"{"kind": "sgd"}"#).unwrap(), OptimiserSettings::Sgd { momentum: 0.0 });
        assert!(read(r#"{"kind": "newton"}"#).is_err());
        assert!(Optimiser::new(OptimiserSettings::Sgd { momentum: 1.0 }, 1).is_err());
    }
}
