//! Audits of whole texts that are drawn around what a public model expects.

use super::text_audit::{Words, found_in, released as released_by};
use crate::Released;
use crate::guarantee::Guarantee;
use crate::length::Length;
use crate::mechanism::{Fluent, Mechanism};
use crate::release::{Drawing, Expectation, release};
use crate::rng::PrivacyRng;
use crate::terms::Terms;
use allonym_text::vocabulary::{END, TokenId};

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

    fn after(&mut self, released: &[Option<TokenId>]) {
        self.step += 1;
        self.raise(released[0].map(TokenId::get));
    }
}

fn released(words: &[u32], peeks: bool, rng: &mut PrivacyRng) -> Vec<u32> {
    released_by(&fluent(), &mut Again::new(peeks.then_some(words)), words, &TERMS, rng)
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
            fn after(&mut self, _: &[Option<TokenId>]) {}
        }
        let mut flat = Flat(vec![0.0; 6]);
        let drawn = release(&fluent(), &mut flat, &mut drawings, &TERMS);
        drawn.into_iter().map(Released::into_value).collect::<Vec<_>>()
    };
    let together = draw(&[&[1], &[2, 2]]);
    assert_eq!([draw(&[&[1]]), draw(&[&[2, 2]])].concat(), together);
}
