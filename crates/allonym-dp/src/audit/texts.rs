//! Audits of whole releases by draws alone: what texts and runs do with mechanisms that are right.

use super::Effort;
use super::black_box::{Halves, lower_bound};
use super::text_audit::{found_in, released};
use crate::context::PublicContext;
use crate::guarantee::Guarantee;
use crate::length::Length;
use crate::mechanism::{Draw, Mechanism, RandomizedResponse};
use crate::release::NoExpectation;
use crate::rng::{Entropy, PrivacyRng, Purpose};
use crate::terms::Terms;
use allonym_text::Private;
use allonym_text::vocabulary::END;

/// The loss of one draw.
const EPSILON: f64 = 1.5;
/// The end of a text and two words.
const OUTCOMES: u32 = 3;
const TERMS: Terms = Terms { max_tokens: 2, length: Length::Fixed, buckets: 10, length_epsilon: 4.4, delta: 0.0 };

fn mechanism() -> RandomizedResponse {
    RandomizedResponse::new(EPSILON, OUTCOMES).unwrap()
}

/// What two texts of a word and of two words show, if this is what becomes of them.
fn found(run: impl Fn(&[u32], &mut PrivacyRng) -> Vec<u32>) -> f64 {
    found_in(OUTCOMES, run)
}

fn as_released(words: &[u32], rng: &mut PrivacyRng) -> Vec<u32> {
    released(&mechanism(), &mut NoExpectation, words, &TERMS, rng)
}

/// What the guarantee says of a text.
fn claim() -> f64 {
    Guarantee::for_tokens(&mechanism(), &TERMS, false).unwrap().epsilon_total().unwrap()
}

#[test]
fn a_text_shows_what_its_guarantee_says_and_no_more() {
    let found = found(as_released);
    assert!(found <= claim() && found > 0.9 * claim(), "{found} of {}", claim());
}

#[test]
fn charging_only_the_words_that_came_out_would_be_found() {
    // One word and a drawn end are two draws, and both tell; whoever counts released words charges one.
    let one_word = mechanism().loss().epsilon;
    assert!(found(as_released) > one_word);
}

#[test]
fn charging_a_sentence_instead_of_the_text_would_be_found() {
    // Two sentences of a word each: the longest sentence costs one draw, the text two.
    let sentence = Terms { max_tokens: 1, ..TERMS };
    let by_sentence = |words: &[u32], rng: &mut PrivacyRng| -> Vec<u32> {
        let sentences = [words.first(), words.get(1)].map(|word| word.copied().map_or(Vec::new(), |word| vec![word]));
        sentences.map(|words| released(&mechanism(), &mut NoExpectation, &words, &sentence, rng)).concat()
    };
    assert!(found(by_sentence) > mechanism().loss().epsilon);
}

#[test]
fn stopping_where_the_original_does_would_be_found() {
    let cut = |words: &[u32], rng: &mut PrivacyRng| -> Vec<u32> {
        let mut released = as_released(words, rng);
        released.truncate(words.len());
        released
    };
    assert!(found(cut) > claim());
}

#[test]
fn an_original_that_passes_after_an_unlucky_draw_would_be_found() {
    // A release that shares no word with the original is "unreadable", so one word of it is put back.
    let mended = |words: &[u32], rng: &mut PrivacyRng| -> Vec<u32> {
        let mut released = as_released(words, rng);
        if released.is_empty() {
            released.push(words[0] + END);
        }
        released
    };
    assert!(found(mended) > claim());
}

/// What a record shows of itself if a reader knows another record of the same run, whose stream has this number.
fn beside_another_record(stream_of_other: u64) -> f64 {
    let own = 1 << 20;
    let cells = (OUTCOMES * OUTCOMES) as usize;
    let mut runs = 0;
    let draw = |word: u32, rng: &mut PrivacyRng| {
        let scores: Vec<f32> = (0..OUTCOMES).map(|outcome| if outcome == word { 1.0 } else { 0.0 }).collect();
        mechanism().draw(Private::new(&scores), &PublicContext::NONE, rng).into_value().position()
    };
    let effort = Effort::default();
    lower_bound(&Halves::count(2, cells, &effort, 1 << 45, |text, _| {
        runs += 1;
        let run = Entropy::reproducible(runs);
        let first = draw(text as u32, &mut run.stream(Purpose::Record, own));
        let second = draw(0, &mut run.stream(Purpose::Record, stream_of_other));
        first * OUTCOMES as usize + second
    }))
}

#[test]
fn two_records_with_the_same_random_words_would_be_found() {
    // The other record's text is known, so its release tells the random word, and that tells this record's text.
    let claim = mechanism().loss().epsilon;
    assert!(beside_another_record(1 << 20) > claim);
    assert!(beside_another_record((1 << 20) + 1) <= claim);
}
