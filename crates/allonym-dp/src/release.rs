//! Draws the tokens of one record: the only road from an original text to a released one.

use crate::error::DpError;
use crate::length::Length;
use crate::mechanism::Mechanism;
use crate::released::Released;
use crate::rng::PrivacyRng;
use allonym_text::Private;
use allonym_text::vocabulary::END;

/// The terms of a release, public and the same for every record of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The most tokens that are drawn for a record.
    pub max_tokens: usize,
    /// What becomes of the length.
    pub length: Length,
    /// The probability with which the total may be larger than printed: 0 for pure composition.
    pub delta: f64,
}

/// The most tokens of a record that may be asked for: beyond it a total has no meaning left, and memory has an end.
const MOST_TOKENS: usize = 1_000_000;

impl Terms {
    /// Checks the terms.
    ///
    /// # Errors
    /// When no token or more than a million would be drawn, or delta is not a probability below one.
    pub fn check(self) -> Result<Self, DpError> {
        if !(self.delta >= 0.0 && self.delta < 1.0) {
            let allowed = "0 for a pure total, or a probability below 1";
            return Err(DpError::Setting { setting: "delta", value: self.delta.to_string(), allowed });
        }
        if (1..=MOST_TOKENS).contains(&self.max_tokens) {
            return Ok(self);
        }
        Err(DpError::Setting {
            setting: "max-tokens",
            value: self.max_tokens.to_string(),
            allowed: "between 1 and 1000000",
        })
    }
}

/// What proposes the next token, with knowledge of the original text.
pub trait Proposer {
    /// How many tokens the original has.
    fn tokens(&self) -> usize;

    /// A score for each outcome of the next draw, given what was released so far. Empty if the mechanism reads none.
    fn scores(&mut self, released: &[u32]) -> &[f32];
}

/// Draws the release of one record, as vocabulary ids, without the end and what follows it.
pub fn release<P: Proposer>(
    mechanism: &dyn Mechanism,
    mut proposer: Private<P>,
    terms: &Terms,
    rng: &mut PrivacyRng,
) -> Released<Vec<u32>> {
    let draws = match terms.length {
        Length::Fixed => terms.max_tokens,
        Length::Public => {
            let tokens = proposer.as_ref().map(|p| p.tokens());
            tokens
                .declassify("length `public`: the number of tokens is declared part of the release")
                .min(terms.max_tokens)
        }
    };
    let mut ids = Vec::with_capacity(draws);
    for _ in 0..draws {
        let scores = proposer.as_mut().map(|p| p.scores(&ids));
        let id = terms.length.id_of(mechanism.draw(scores, rng).into_value());
        if id == END {
            // What is left unsaid after a drawn end depends on the release alone. The whole length is charged.
            break;
        }
        ids.push(id);
    }
    Released::by_mechanism(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::{self, Parameters};

    struct Counted(usize);

    impl Proposer for Counted {
        fn tokens(&self) -> usize {
            self.0
        }

        fn scores(&mut self, _: &[u32]) -> &[f32] {
            &[]
        }
    }

    fn released(length: Length, tokens: usize, words: usize) -> Vec<u32> {
        let mechanism = mechanism::by_name("random", &Parameters::default(), length.outcomes(words)).unwrap();
        let terms = Terms { max_tokens: 10, length, delta: 0.0 };
        release(&*mechanism, Private::new(Counted(tokens)), &terms, &mut PrivacyRng::reproducible(1)).into_value()
    }

    #[test]
    fn with_a_fixed_length_the_original_has_no_influence() {
        assert_eq!(released(Length::Fixed, 0, 1000), released(Length::Fixed, 500, 1000));
    }

    #[test]
    fn with_a_public_length_the_count_is_kept_up_to_the_maximum() {
        assert_eq!(released(Length::Public, 0, 1000).len(), 0);
        assert_eq!(released(Length::Public, 7, 1000).len(), 7);
        assert_eq!(released(Length::Public, 70, 1000).len(), 10);
    }

    #[test]
    fn a_drawn_end_ends_the_text() {
        // Two words and the end: after ten draws it is nearly certain (1 - (2/3)^10 = .98) that one was the end.
        let ends = (0..200)
            .filter(|seed| {
                let mechanism =
                    mechanism::by_name("random", &Parameters::default(), Length::Fixed.outcomes(2)).unwrap();
                let terms = Terms { max_tokens: 10, length: Length::Fixed, delta: 0.0 };
                let mut rng = PrivacyRng::reproducible(*seed);
                release(&*mechanism, Private::new(Counted(3)), &terms, &mut rng).value().len() < 10
            })
            .count();
        assert!(ends > 150, "{ends}");
    }

    #[test]
    fn no_special_token_is_ever_released() {
        for length in Length::ALL {
            assert!(released(length, 10, 3).iter().all(|id| (4..7).contains(id)));
        }
    }

    #[test]
    fn terms_without_a_token_are_refused() {
        for max_tokens in [0, MOST_TOKENS + 1] {
            assert!(Terms { max_tokens, length: Length::Fixed, delta: 0.0 }.check().is_err());
        }
    }
}
