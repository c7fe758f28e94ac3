//! What a release promises, as a value that every run prints.
//!
//! The statement says first what is not protected. It never shows the loss of one token as if it were the loss of the
//! text.

use crate::compose::total;
use crate::error::DpError;
use crate::length::Length;
use crate::mechanism::Mechanism;
use crate::terms::Terms;
use serde::Serialize;
use std::fmt;

/// Above this total the worst-case bound says nothing useful: odds may change by a factor of e^20, half a billion.
const VACUOUS: f64 = 20.0;

/// Whether there is a proof, and of what.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Strength {
    /// Differential privacy of one record's text.
    Differential {
        /// The true loss of one draw, where each token is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        epsilon_per_token: Option<f64>,
        /// The loss of one record's whole text.
        epsilon_total: f64,
        /// The probability with which the loss may be larger; 0 for a pure guarantee.
        delta: f64,
        /// How the total was computed from the draws.
        method: &'static str,
    },
    /// No formal guarantee: only measured attacks say what is hidden.
    Empirical,
}

/// The promise of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guarantee {
    /// The mechanism, by its name in the catalogue.
    pub mechanism: String,
    /// What is promised.
    #[serde(flatten)]
    pub strength: Strength,
    /// Whose privacy is counted.
    pub unit: &'static str,
    /// Between which texts the promise holds.
    pub adjacency: String,
    /// The most tokens of a record that are drawn.
    pub max_tokens: usize,
    /// How the length of a text is treated.
    pub length: Length,
    /// What the source of the mechanism would print as its total, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_epsilon_total: Option<f64>,
    /// What else is promised, or is worth knowing with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What must be true for the promise to hold.
    pub assumptions: Vec<String>,
    /// What is not protected.
    pub not_protected: Vec<String>,
    /// Why the promise does not hold as it stands, besides a seed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<String>,
    /// Whether the randomness came from a seed that the user chose, which voids the promise.
    pub seeded: bool,
}

impl Guarantee {
    /// What a record released by this mechanism under these terms is promised. `seeded` says that the user chose the
    /// randomness, which voids it.
    ///
    /// # Errors
    /// When the terms ask for a delta outside [0, 1).
    pub fn of(mechanism: &dyn Mechanism, terms: &Terms, seeded: bool) -> Result<Self, DpError> {
        let loss = mechanism.loss();
        let draws = terms.max_tokens as u64;
        let (of_tokens, method) = total(&loss, draws, terms.delta)?;
        let epsilon_total = of_tokens + terms.length_loss()?;
        let mut not_protected = Vec::new();
        if terms.length == Length::Public {
            not_protected.push(format!("the number of tokens of each text, up to {}", terms.max_tokens));
        }
        if loss.epsilon > 0.0 {
            not_protected.push("facts and style that survive at a loss of this size: measure them".into());
        }
        let delta = if of_tokens == 0.0 || method == "pure composition" { 0.0 } else { terms.delta };
        Ok(Self {
            mechanism: mechanism.name().to_owned(),
            strength: Strength::Differential { epsilon_per_token: Some(loss.epsilon), epsilon_total, delta, method },
            unit: "one record's text",
            adjacency: match terms.length {
                Length::Fixed | Length::Private => "any two texts".to_owned(),
                Length::Public => "any two texts of the same number of tokens".to_owned(),
            },
            max_tokens: terms.max_tokens,
            length: terms.length,
            paper_epsilon_total: mechanism.paper_epsilon().map(|epsilon| epsilon * draws as f64),
            also: Vec::new(),
            assumptions: Vec::new(),
            not_protected,
            void: Vec::new(),
            seeded,
        })
    }

    /// Whether the promise stands: there is a proof, and the randomness is secret.
    pub fn holds(&self) -> bool {
        !self.seeded && self.void.is_empty() && self.strength != Strength::Empirical
    }

    /// The most that a reader's belief in a guess may become: a prior `p` at most `p e^E / (1 - p + p e^E)`.
    pub fn worst_posterior(&self, prior: f64) -> Option<f64> {
        match self.strength {
            Strength::Differential { epsilon_total, delta: 0.0, .. } => {
                // Written with e^-E, which cannot overflow.
                Some(prior / (prior + (1.0 - prior) * (-epsilon_total).exp()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "not protected")?;
        for line in &self.not_protected {
            writeln!(f, "  - {line}")?;
        }
        writeln!(f, "protected by `{}`", self.mechanism)?;
        if self.seeded {
            writeln!(f, "  not private: seeded. Whoever knows the seed knows every draw, and may undo the release.")?;
            writeln!(f, "  With secret randomness it would be:")?;
        }
        for reason in &self.void {
            writeln!(f, "  void: {reason}. Otherwise it would be:")?;
        }
        match &self.strength {
            Strength::Empirical => {
                writeln!(f, "  no formal guarantee: rely on measured attacks")?;
            }
            Strength::Differential { epsilon_per_token, epsilon_total, delta, method } => {
                writeln!(f, "  epsilon {} for {}, delta {delta} ({method})", figure(*epsilon_total), self.unit)?;
                if let Some(paper) = self.paper_epsilon_total {
                    writeln!(f, "  the paper would print epsilon {}", figure(paper))?;
                }
                match epsilon_per_token {
                    Some(each) => writeln!(
                        f,
                        "  that is {} for each of at most {} tokens, length {}",
                        figure(*each),
                        self.max_tokens,
                        self.length
                    )?,
                    None => writeln!(f, "  in one draw for the whole text, whatever its length")?,
                }
                writeln!(f, "  between {}", self.adjacency)?;
                if *epsilon_total > VACUOUS {
                    writeln!(f, "  a bound this large promises nothing in the worst case: rely on measured attacks")?;
                } else if let Some(posterior) = self.worst_posterior(0.01) {
                    writeln!(
                        f,
                        "  a guess believed at 1 % is believed at {:.3} % afterwards, at most",
                        100.0 * posterior
                    )?;
                }
            }
        }
        for line in &self.also {
            writeln!(f, "  {line}")?;
        }
        writeln!(f, "assuming that")?;
        for line in &self.assumptions {
            writeln!(f, "  - {line}")?;
        }
        Ok(())
    }
}

/// A loss with four digits, rounded up so that the printed figure is never smaller than the true one.
fn figure(epsilon: f64) -> String {
    // Bounds carry an upward slack of 1e-12, which must not show as a whole digit.
    if epsilon == 0.0 { "0".to_owned() } else { format!("{:.4}", (epsilon * 1e4 - 1e-6).ceil() / 1e4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarantee(epsilon_total: f64) -> Guarantee {
        Guarantee {
            mechanism: "example".into(),
            strength: Strength::Differential {
                epsilon_per_token: Some(epsilon_total / 50.0),
                epsilon_total,
                delta: 0.0,
                method: "pure",
            },
            unit: "one record's text",
            adjacency: "any two texts".into(),
            max_tokens: 50,
            length: Length::Fixed,
            paper_epsilon_total: None,
            also: Vec::new(),
            assumptions: vec!["the vocabulary is public".into()],
            not_protected: vec!["other columns".into()],
            void: Vec::new(),
            seeded: false,
        }
    }

    #[test]
    fn what_is_not_protected_comes_first() {
        let statement = guarantee(1.0).to_string();
        assert!(statement.find("not protected").unwrap() < statement.find("protected by").unwrap());
        assert!(statement.starts_with("not protected\n  - other columns\n"));
    }

    #[test]
    fn a_total_above_twenty_is_called_vacuous() {
        assert!(guarantee(20.1).to_string().contains("promises nothing in the worst case"));
        assert!(!guarantee(19.9).to_string().contains("promises nothing"));
    }

    #[test]
    fn a_seeded_release_says_that_it_is_not_private() {
        let seeded = Guarantee { seeded: true, ..guarantee(1.0) };
        assert!(seeded.to_string().contains("not private: seeded"));
        assert!(!seeded.holds() && guarantee(1.0).holds());
    }

    #[test]
    fn the_posterior_is_bounded_by_the_odds() {
        // Prior odds 1/99, times e^1: 2.71828/99 = .027457; as a probability .027457/1.027457 = .026724.
        let posterior = guarantee(1.0).worst_posterior(0.01).unwrap();
        assert!((posterior - 0.026_724).abs() < 1e-6, "{posterior}");
        assert_eq!(guarantee(0.0).worst_posterior(0.01), Some(0.01));
        assert_eq!(guarantee(1e6).worst_posterior(0.01), Some(1.0));
    }

    #[test]
    fn printed_figures_are_rounded_up() {
        assert_eq!(figure(1.000_01), "1.0001");
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(0.5 * (1.0 + 1e-12)), "0.5000");
    }

    #[test]
    fn json_has_the_words_of_the_glossary() {
        let json = serde_json::to_value(guarantee(1.0)).unwrap();
        assert_eq!(json["epsilon_total"], 1.0);
        assert_eq!(json["epsilon_per_token"], 0.02);
        assert_eq!(json["delta"], 0.0);
        assert_eq!(json["length"], "fixed");
    }
}
