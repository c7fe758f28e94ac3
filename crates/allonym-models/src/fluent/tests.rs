//! What is preferred, and what is expected, by a model that has learned nothing.

use super::*;
use crate::Embeddings;
use crate::language_model::LanguageModelSettings;
use crate::testing::card;
use allonym_dp::mechanism::Fluent;
use allonym_dp::{Drawing, Length, Outcome, PrivacyRng, Proposer, Terms, release};
use allonym_nn::Matrix;
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private, Vocabulary};
use std::sync::Arc;

/// Words of which the first two are frequent, and `good` and `great` are near.
fn model() -> FluentModel {
    let words = ["the", "was", "food", "good", "great", "room"];
    let file = format!("allonym-vocabulary 1 public\n{}\n", words.join("\n"));
    let vocabulary = Arc::new(Vocabulary::parse(&file).unwrap());
    let vectors = Matrix::of(3, 2, vec![1.0, 0.0, 0.8, 0.6, -1.0, 0.1]);
    let near = Near::of(&vocabulary, &Embeddings::of(["good", "great", "room"].map(str::to_owned), vectors)).unwrap();
    let settings = LanguageModelSettings { cells: 6, words: 4, ..LanguageModelSettings::default() };
    let language = LanguageModel::new(settings, vocabulary, &mut PrivacyRng::reproducible(4)).unwrap();
    FluentModel { language, near }
}

fn taste() -> Taste {
    Taste { frequent: 2, late: 2, early: 1, ..Taste::default() }
}

/// What is preferred after some words, best first.
fn preferred(text: &str, released: &[&str]) -> Vec<String> {
    let model = model();
    let vocabulary = model.language.vocabulary();
    let mut proposal = model.proposal_by(&Document::read(text), Length::Fixed, taste());
    let ids: Vec<TokenId> = released.iter().map(|word| TokenId::new(vocabulary.id(word))).collect();
    // Step by step, as a release asks.
    let mut scores = Vec::new();
    for step in 0..=ids.len() {
        scores = proposal.scores(&ids[..step]).to_vec();
    }
    let mut found: Vec<(usize, f32)> = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let token = |outcome: usize| Length::Fixed.token(Outcome::new(outcome as u32)).get();
    let name = |outcome: usize| vocabulary.word(token(outcome)).unwrap_or("<end>").to_owned();
    found.into_iter().map(|(outcome, _)| name(outcome)).collect()
}

#[test]
fn the_own_word_comes_first_then_words_that_say_something_nearby_and_near_words() {
    assert_eq!(preferred("the food was good", &[]), ["the", "food"]);
    assert_eq!(preferred("the food was good", &["the"]), ["food"], "a frequent word is wanted at its place alone");
    assert_eq!(preferred("the food was good", &["the", "food"]), ["was", "good", "great"]);
}

#[test]
fn what_was_not_said_stays_wanted_for_some_steps_and_what_was_said_is_not_wanted_again() {
    assert_eq!(preferred("the food was good", &["the", "room"]), ["was", "food", "good", "great"]);
    assert_eq!(preferred("the food was good", &["food", "the"]), ["was", "good", "great"], "said before its place");
}

#[test]
fn the_end_is_wanted_after_the_last_token_and_unknown_words_want_nothing() {
    assert_eq!(preferred("zzz", &[]), [] as [&str; 0]);
    assert_eq!(preferred("zzz", &["the"]), ["<end>"]);
    assert_eq!(preferred("", &[]), ["<end>"]);
    let model = model();
    let mut public = model.proposal_by(&Document::read("food"), Length::Public, taste());
    let food = TokenId::new(model.language.vocabulary().id("food"));
    assert!(public.scores(&[food]).iter().all(|score| *score == 0.0), "a public length has no end to draw");
}

#[test]
fn a_model_reads_back_as_it_was_but_for_rounding() {
    let (model, directory) = (model(), tempfile::tempdir().unwrap());
    let path = directory.path().join("model");
    model.save(&path, &card()).unwrap();
    let (again, found) = FluentModel::open(&path).unwrap();
    assert_eq!((again.near, found.kind.as_str()), (model.near, "fluent"));
    std::fs::remove_file(path.join("near.bin")).unwrap();
    assert!(FluentModel::open(&path).is_err());
}

/// Texts of a group must not show in each other's release, whatever their number.
#[test]
fn neighbours_and_their_number_do_not_change_a_release() {
    let model = model();
    let fluent = Fluent::new(6.0, 0.05, 4.0, Length::Fixed.outcomes(6)).unwrap();
    let released = |texts: &[&str]| {
        let drawing = |text: &&str| Drawing {
            proposer: Private::new(model.proposal(&Document::read(text), Length::Fixed)),
            rng: PrivacyRng::reproducible(7),
        };
        let mut drawings: Vec<_> = texts.iter().map(drawing).collect();
        let terms = Terms { max_tokens: 20, ..Terms::default() };
        let mut written = model.written(texts.len()).unwrap();
        release(&fluent, &mut written, &mut drawings, &terms).remove(0).into_value()
    };
    let text = "the food was great the room was good the food was the room";
    let alone = released(&[text]);
    assert_eq!(released(&[text, "good", "", "the the the the"]), alone);
    assert_eq!(released(&[text; Written::TEXTS]), alone);
}
