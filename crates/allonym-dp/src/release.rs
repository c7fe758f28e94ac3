//! Draws the tokens of records: the one loop from original texts to released ones.

use crate::context::PublicContext;
use crate::exit::Released;
use crate::mechanism::{Draw, Mechanism};
use crate::rng::PrivacyRng;
use crate::terms::Terms;
use allonym_text::Private;
use allonym_text::vocabulary::TokenId;

/// Scores the outcomes of the next draw, with knowledge of the original text.
pub trait Proposer {
    /// How many tokens the original has.
    fn tokens(&self) -> usize;

    /// A score for each outcome of the next draw, given what was released so far. Empty if the mechanism reads none.
    fn scores(&mut self, released: &[TokenId]) -> &[f32];
}

impl<P: Proposer + ?Sized> Proposer for &mut P {
    fn tokens(&self) -> usize {
        (**self).tokens()
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        (**self).scores(released)
    }
}

impl<P: Proposer + ?Sized> Proposer for Box<P> {
    fn tokens(&self) -> usize {
        (**self).tokens()
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        (**self).scores(released)
    }
}

/// What a public model expects of several texts, each after its released tokens. It is given no other.
pub trait Expectation {
    /// The logit of every vocabulary id as the next token of a text; empty where nothing is expected.
    fn logits(&self, text: usize) -> &[f32];

    /// Takes in the next released token of each text: `None` for those that have ended.
    fn after(&mut self, released: &[Option<TokenId>]);
}

/// Expects nothing: for mechanisms that do not read the public context.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoExpectation;

impl Expectation for NoExpectation {
    fn logits(&self, _: usize) -> &[f32] {
        &[]
    }

    fn after(&mut self, _: &[Option<TokenId>]) {}
}

/// A record while it is drawn: its proposer, which knows the original, and its own random numbers.
#[derive(Debug)]
pub struct Drawing<P> {
    /// Its proposals.
    pub proposer: Private<P>,
    /// Its random numbers.
    pub rng: PrivacyRng,
}

/// Draws the releases of records side by side, as token ids, without the end of the text and what follows it. None depends
/// on which others are beside it.
pub fn release<P: Proposer>(
    mechanism: &dyn Mechanism,
    expectation: &mut dyn Expectation,
    drawings: &mut [Drawing<P>],
    terms: &Terms,
) -> Vec<Released<Vec<TokenId>>> {
    let draws = |drawing: &mut Drawing<P>| {
        terms.draws(drawing.proposer.as_ref().map(|proposer| proposer.tokens()), &mut drawing.rng)
    };
    // How many draws each record has left.
    let mut left: Vec<usize> = drawings.iter_mut().map(draws).collect();
    let (first, reads_context) = (terms.length.first_token().get() as usize, mechanism.reads_context());
    let mut texts: Vec<Vec<TokenId>> = left.iter().map(|draws| Vec::with_capacity(*draws)).collect();
    let mut drawn = vec![None; drawings.len()];
    while left.iter().any(|draws| *draws > 0) {
        let records = drawings.iter_mut().zip(&mut texts).zip(&mut left).zip(&mut drawn).enumerate();
        for (place, (((drawing, text), left), drawn)) in records {
            *drawn = None;
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let context = match reads_context {
                true => PublicContext::expecting(expectation.logits(place).get(first..).unwrap_or_default()),
                false => PublicContext::NONE,
            };
            let scores = drawing.proposer.as_mut().map(|proposer| proposer.scores(text));
            let outcome = mechanism.draw(scores, &context, &mut drawing.rng).into_value();
            let token = terms.length.token(outcome);
            if token == TokenId::END {
                // What is left unsaid after a drawn end depends on the release alone. The whole length is charged.
                *left = 0;
            } else {
                text.push(token);
                *drawn = Some(token);
            }
        }
        if reads_context {
            expectation.after(&drawn);
        }
    }
    texts.into_iter().map(Released::by_mechanism).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::Length;
    use crate::mechanism::{self, Parameters};

    struct Counted(usize);

    impl Proposer for Counted {
        fn tokens(&self) -> usize {
            self.0
        }

        fn scores(&mut self, _: &[TokenId]) -> &[f32] {
            &[]
        }
    }

    fn ids(mechanism: &dyn Mechanism, tokens: usize, terms: &Terms, seed: u64) -> Vec<u32> {
        let drawing = Drawing { proposer: Private::new(Counted(tokens)), rng: PrivacyRng::reproducible(seed) };
        let released = release(mechanism, &mut NoExpectation, &mut [drawing], terms).remove(0);
        released.into_value().into_iter().map(TokenId::get).collect()
    }

    fn released(length: Length, tokens: usize, words: usize) -> Vec<u32> {
        let mechanism = mechanism::by_name("random", &Parameters::default(), length.outcomes(words)).unwrap();
        let terms = Terms { max_tokens: 10, length, ..Terms::default() };
        ids(&*mechanism, tokens, &terms, 1)
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
                let terms = Terms { max_tokens: 10, length: Length::Fixed, ..Terms::default() };
                ids(&*mechanism, 3, &terms, *seed).len() < 10
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
}
