//! Random replacement ("Random-R" in Bo et al. 2019 and 2021): every token is a uniform draw from the vocabulary.
//!
//! It hides everything and keeps nothing. The papers measure with it how low an attack can go.

use crate::error::DpError;
use crate::guarantee::{Guarantee, Strength};
use crate::length::Length;
use crate::mechanism::Mechanism;
use crate::release::Terms;
use crate::released::Released;
use crate::rng::PrivacyRng;
use allonym_text::Private;

/// Uniform replacement over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct Random {
    outcomes: u32,
}

impl Random {
    pub(super) const NAME: &'static str = "random";
    pub(super) const SUMMARY: &'static str =
        "each token is a uniform draw from the vocabulary (Random-R): hides everything, keeps no meaning";

    /// Random replacement over this many outcomes.
    ///
    /// # Errors
    /// When there are fewer than two outcomes.
    pub fn for_outcomes(outcomes: u32) -> Result<Self, DpError> {
        if outcomes < 2 {
            return Err(DpError::Setting { setting: "vocabulary", value: outcomes.to_string(), allowed: "2 or more" });
        }
        Ok(Self { outcomes })
    }
}

impl Mechanism for Random {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn outcomes(&self) -> u32 {
        self.outcomes
    }

    fn distribution(&self, _scores: &[f32]) -> Vec<f64> {
        vec![1.0 / f64::from(self.outcomes); self.outcomes as usize]
    }

    fn draw(&self, _scores: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32> {
        Released::by_mechanism(rng.below(u64::from(self.outcomes)) as u32)
    }

    /// Epsilon 0. Proof: a draw does not read the scores, so the distribution of every draw, and of any number of
    /// them, is the same for any two texts; with a public length, for any two texts of the same length.
    fn guarantee(&self, terms: &Terms) -> Guarantee {
        let mut not_protected = Vec::new();
        if terms.length == Length::Public {
            not_protected.push(format!("the number of tokens of each text, up to {}", terms.max_tokens));
        }
        Guarantee {
            mechanism: Self::NAME,
            strength: Strength::Differential {
                epsilon_per_token: 0.0,
                epsilon_total: 0.0,
                delta: 0.0,
                method: "exact",
            },
            unit: "one record's text",
            adjacency: match terms.length {
                Length::Fixed => "any two texts".to_owned(),
                Length::Public => "any two texts of the same number of tokens".to_owned(),
            },
            max_tokens: terms.max_tokens,
            length: terms.length,
            paper_epsilon_total: None,
            assumptions: Vec::new(),
            not_protected,
            seeded: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_costs_nothing() {
        let terms = Terms { max_tokens: 50, length: Length::Fixed };
        let guarantee = Random::for_outcomes(20_000).unwrap().guarantee(&terms);
        assert!(matches!(guarantee.strength, Strength::Differential { epsilon_total: 0.0, delta: 0.0, .. }));
        assert!(guarantee.not_protected.is_empty());
    }

    #[test]
    fn a_public_length_is_named_as_unprotected() {
        let terms = Terms { max_tokens: 50, length: Length::Public };
        let guarantee = Random::for_outcomes(20_000).unwrap().guarantee(&terms);
        assert_eq!(guarantee.not_protected, ["the number of tokens of each text, up to 50"]);
        assert!(guarantee.adjacency.contains("same number of tokens"));
    }

    #[test]
    fn one_outcome_is_refused() {
        assert!(Random::for_outcomes(1).is_err() && Random::for_outcomes(2).is_ok());
    }
}
