//! Random replacement ("Random-R" in Bo et al. 2019 and 2021): every token is a uniform draw from the vocabulary.
//!
//! It hides everything and keeps nothing. The papers measure with it how low an attack can go.

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::Parameters;
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;

/// Uniform replacement over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Random {
    outcomes: u32,
}

impl Random {
    pub(super) const NAME: &'static str = "random";
    pub(super) const SUMMARY: &'static str =
        "each token is a uniform draw from the vocabulary (Random-R): hides everything, keeps no meaning";
    pub(super) const READS: &'static [&'static str] = &[];

    pub(super) fn build(_: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        Ok(Self { outcomes })
    }
}

impl Mechanism for Random {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.outcomes
    }

    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    fn distribution(&self, _: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(vec![1.0 / f64::from(self.outcomes); self.outcomes as usize])
    }

    fn choose(&self, _: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new(rng.below(u64::from(self.outcomes)) as u32)
    }

    /// Nothing. Proof: a draw does not read the scores, so the distribution of every draw, and of any number of them, is
    /// the same for any two texts; with a public length, for any two texts of the same length.
    fn loss(&self) -> Loss {
        Loss { epsilon: 0.0, class: Class::Independent }
    }
}
