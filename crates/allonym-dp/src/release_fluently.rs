//! Draws the tokens of several records side by side, around what a public model expects after what was released of each.

use crate::mechanism::Fluent;
use crate::release::{Proposer, Terms};
use crate::released::Released;
use crate::rng::PrivacyRng;
use allonym_text::Private;
use allonym_text::vocabulary::END;

/// What a public model expects of several texts, each after its released tokens. It is given no other.
pub trait Expectation {
    /// The logit of every vocabulary id as the next token of a text.
    fn logits(&self, text: usize) -> &[f32];

    /// Takes in what was released as the next token of each text: nothing of those that have ended.
    fn after(&mut self, released: &[Option<u32>]);
}

/// A record on its way: what proposes, with knowledge of the original, and its own random numbers.
#[derive(Debug)]
pub struct Drawing<P> {
    /// Its proposals.
    pub proposer: Private<P>,
    /// Its random numbers.
    pub rng: PrivacyRng,
}

/// Draws the releases of records, as [`crate::release()`] does for one. None depends on which others are beside it.
pub fn release_fluently<P: Proposer>(
    fluent: &Fluent,
    expectation: &mut dyn Expectation,
    drawings: &mut [Drawing<P>],
    terms: &Terms,
) -> Vec<Released<Vec<u32>>> {
    let draws: Vec<usize> =
        drawings.iter_mut().map(|drawing| terms.draws(&drawing.proposer, &mut drawing.rng)).collect();
    let first = terms.length.id_of(0) as usize;
    let mut texts = vec![Vec::new(); drawings.len()];
    let mut ended = vec![false; drawings.len()];
    for step in 0..draws.iter().copied().max().unwrap_or(0) {
        let writes = |place: usize| !ended[place] && step < draws[place];
        if !(0..drawings.len()).any(writes) {
            break;
        }
        let mut drawn = vec![None; drawings.len()];
        for (place, drawing) in drawings.iter_mut().enumerate() {
            if ended[place] || step >= draws[place] {
                continue;
            }
            let expected = fluent.expected(expectation.logits(place).get(first..).unwrap_or_default());
            let scores = drawing.proposer.as_mut().map(|proposer| proposer.scores(&texts[place]));
            let id = terms.length.id_of(expected.draw(scores, &mut drawing.rng).into_value());
            if id == END {
                // What is left unsaid after a drawn end depends on the release alone. The whole length is charged.
                ended[place] = true;
            } else {
                texts[place].push(id);
                drawn[place] = Some(id);
            }
        }
        expectation.after(&drawn);
    }
    texts.into_iter().map(Released::by_mechanism).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::text_audit::{Words, found_in};
    use crate::length::Length;
    use crate::{Guarantee, Mechanism};

    const EPSILON: f64 = 1.5;
    const TERMS: Terms = Terms { max_tokens: 2, length: Length::Fixed, buckets: 10, length_epsilon: 4.4, delta: 0.0 };
    /// The end of a text and two words.
    const OUTCOMES: u32 = 3;

    fn fluent() -> Fluent {
        Fluent::new(EPSILON, 0.2, 0.1, OUTCOMES).unwrap()
    }

    /// Expects a word to be followed by itself. A mutant looks at the original instead of the release.
    struct Again {
        logits: Vec<f32>,
        peeked: Option<Vec<u32>>,
        step: usize,
    }

    impl Again {
        fn new(peeked: Option<&[u32]>) -> Self {
            let mut new = Self { logits: vec![0.0; 6], peeked: peeked.map(<[_]>::to_vec), step: 0 };
            new.raise(None);
            new
        }

        fn raise(&mut self, released: Option<u32>) {
            let seen = match &self.peeked {
                None => released,
                Some(original) => original.get(self.step).map(|word| word + END),
            };
            self.logits = vec![0.0; 6];
            if let Some(id) = seen {
                self.logits[id as usize] = 1.0;
            }
        }
    }

    impl Expectation for Again {
        fn logits(&self, _: usize) -> &[f32] {
            &self.logits
        }

        fn after(&mut self, released: &[Option<u32>]) {
            self.step += 1;
            self.raise(released[0]);
        }
    }

    fn released(words: &[u32], peeks: bool, rng: &mut PrivacyRng) -> Vec<u32> {
        let stream = PrivacyRng::reproducible(rng.bits());
        let mut drawings = [Drawing { proposer: Words::new(words, OUTCOMES), rng: stream }];
        let mut model = Again::new(peeks.then_some(words));
        release_fluently(&fluent(), &mut model, &mut drawings, &TERMS).remove(0).into_value()
    }

    fn claim() -> f64 {
        Guarantee::for_tokens(&fluent(), &TERMS, false).unwrap().epsilon_total().unwrap()
    }

    #[test]
    fn a_text_shows_what_its_guarantee_says_and_no_more() {
        let found = found_in(OUTCOMES, |words, rng| released(words, false, rng));
        assert!(found <= claim() && found > 0.6 * claim(), "{found} of {}", claim());
    }

    #[test]
    fn a_model_that_peeks_at_the_original_would_be_found() {
        let found = found_in(OUTCOMES, |words, rng| released(words, true, rng));
        assert!(found > claim(), "{found} of {}", claim());
    }

    #[test]
    fn charging_only_the_words_that_came_out_would_be_found() {
        // One word and a drawn end are two draws; whoever stops the price at the emitted length charges one.
        let found = found_in(OUTCOMES, |words, rng| released(words, false, rng));
        assert!(found > fluent().loss().epsilon, "{found}");
    }

    #[test]
    fn a_record_does_not_depend_on_those_beside_it() {
        let draw = |texts: &[&[u32]]| {
            let drawing = |text: &&[u32]| Drawing {
                proposer: Words::new(text, OUTCOMES),
                rng: PrivacyRng::reproducible(u64::from(text[0])),
            };
            let mut drawings: Vec<_> = texts.iter().map(drawing).collect();
            struct Flat(Vec<f32>);
            impl Expectation for Flat {
                fn logits(&self, _: usize) -> &[f32] {
                    &self.0
                }
                fn after(&mut self, _: &[Option<u32>]) {}
            }
            let mut flat = Flat(vec![0.0; 6]);
            let drawn = release_fluently(&fluent(), &mut flat, &mut drawings, &TERMS);
            drawn.into_iter().map(Released::into_value).collect::<Vec<_>>()
        };
        let together = draw(&[&[1], &[2, 2]]);
        assert_eq!([draw(&[&[1]]), draw(&[&[2, 2]])].concat(), together);
    }
}
