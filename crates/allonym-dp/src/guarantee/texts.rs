//! Guarantees of methods that release each record's text by itself.

use super::Guarantee;
use super::bound::{Adjacency, Bound, Unit};
use super::statement::Statement;
use crate::compose::total;
use crate::error::DpError;
use crate::latent::Latent;
use crate::length::Length;
use crate::mechanism::Mechanism;
use crate::terms::Terms;

/// What survives a large loss.
const MEASURE: &str = "facts and style that survive at a loss of this size: measure them";

/// How far apart the words of a vocabulary are, in the norm of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordDistances {
    /// The median distance to the nearest other word.
    pub median_nearest: f64,
    /// An upper bound on the distance between two words.
    pub largest: f64,
}

impl Guarantee {
    /// The guarantee of a mechanism that draws each token, under these terms. `seeded` says that the user chose the
    /// randomness, which voids it.
    ///
    /// # Errors
    /// When the delta of the terms is outside [0, 1).
    pub fn for_tokens(mechanism: &dyn Mechanism, terms: &Terms, seeded: bool) -> Result<Self, DpError> {
        let loss = mechanism.loss();
        let draws = terms.max_tokens as u64;
        let (of_tokens, accounting) = total(&loss, draws, terms.delta)?;
        let bound = Bound::Differential {
            epsilon_per_token: Some(loss.epsilon),
            epsilon_total: of_tokens + terms.length_loss()?,
            delta: if of_tokens == 0.0 || accounting == "pure composition" { 0.0 } else { terms.delta },
            accounting: accounting.to_owned(),
        };
        let adjacency = match terms.length {
            Length::Fixed | Length::Private => Adjacency::AnyTexts,
            Length::Public => Adjacency::SameTokenCount,
        };
        let mut guarantee =
            Self(Statement::new(mechanism.name(), bound, Unit::Text, adjacency, seeded)).with_terms(terms);
        if mechanism.claimed_by() != env!("CARGO_PKG_NAME") {
            guarantee = guarantee.with_made_by(mechanism.claimed_by());
        }
        guarantee.0.paper_epsilon_total = mechanism.paper_epsilon().map(|epsilon| epsilon * draws as f64);
        if terms.length == Length::Public {
            guarantee.push_not_protected(token_count(terms));
        }
        if loss.epsilon > 0.0 {
            guarantee.push_not_protected(MEASURE);
        }
        Ok(guarantee)
    }

    /// The guarantee of noise on the vector of each word: `epsilon` per unit of distance.
    ///
    /// # Errors
    /// When epsilon is not positive or the distances are not finite.
    pub fn for_word_noise(
        method: &str,
        epsilon: f64,
        distances: WordDistances,
        terms: &Terms,
        seeded: bool,
    ) -> Result<Self, DpError> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            let value = epsilon.to_string();
            return Err(DpError::Setting { setting: "epsilon", value, allowed: "a positive number" });
        }
        let WordDistances { median_nearest, largest } = distances;
        if !(largest >= 0.0 && largest.is_finite()) {
            return Err(DpError::Unbounded);
        }
        // Rounded up: a sum of floats may fall short in its last digits.
        let each = epsilon * largest * (1.0 + 1e-12);
        let bound = Bound::Metric {
            epsilon_per_distance: epsilon,
            largest_distance: largest,
            epsilon_per_token: each,
            epsilon_total: each * terms.max_tokens as f64,
            delta: 0.0,
            accounting: "pure composition, for words at the largest distance".to_owned(),
        };
        let statement = Statement::new(method, bound, Unit::Text, Adjacency::SameTokenCount, seeded);
        let mut guarantee = Self(statement).with_terms(terms);
        guarantee.push_also(format!(
            "metric privacy: {epsilon} per unit of distance between two words in this norm; the median distance to the nearest word is {median_nearest:.3}, the largest between two words {largest:.3}"
        ));
        guarantee.push_assumption("noise of 64-bit floats counts as exact");
        guarantee.push_not_protected(token_count(terms));
        guarantee
            .push_not_protected("the order of the words, and words that are far apart: they are easy to distinguish");
        guarantee.push_not_protected(MEASURE);
        Ok(guarantee)
    }

    /// The guarantee of noise on one vector for the whole text.
    ///
    /// # Errors
    /// When the noise has no bound.
    pub fn for_latent(method: &str, latent: &Latent, terms: &Terms, seeded: bool) -> Result<Self, DpError> {
        let (epsilon_total, delta) = latent.loss()?;
        let accounting = "noise on one vector for the whole text".to_owned();
        let bound = Bound::Differential { epsilon_per_token: None, epsilon_total, delta, accounting };
        let statement = Statement::new(method, bound, Unit::Text, Adjacency::AnyTexts, seeded);
        let mut guarantee = Self(statement).with_terms(terms);
        guarantee.0.paper_epsilon_total = latent.paper_epsilon();
        guarantee.push_not_protected(MEASURE);
        Ok(guarantee)
    }
}

fn token_count(terms: &Terms) -> String {
    format!("the number of tokens of each text, up to {}", terms.max_tokens)
}
