//! A tiny model that learns a tiny language.

use super::*;
use crate::testing::{card, train_for, vocabulary};

fn model(settings: LanguageModelSettings) -> LanguageModel {
    LanguageModel::new(settings, vocabulary(), &mut PrivacyRng::reproducible(5)).unwrap()
}

fn tiny() -> LanguageModelSettings {
    LanguageModelSettings { layers: 1, cells: 24, words: 8, max_tokens: 6, dropout: 0.0, negatives: None }
}

/// Texts in which each word is followed by the next of twenty, from a random one on.
fn texts(count: usize) -> Vec<Text> {
    let mut rng = PrivacyRng::reproducible(9);
    let mut text = || {
        let first = rng.below(20) as u32;
        [START].into_iter().chain((0..5).map(|i| 4 + (first + i) % 20)).chain([END]).collect()
    };
    (0..count).map(|_| text()).collect()
}

/// The probability of each id after some tokens, by texts that are written step by step.
fn expected(model: &LanguageModel, tokens: &[u32]) -> Vec<f64> {
    let mut prefixes = model.prefixes(5, 1.0).unwrap();
    tokens.iter().for_each(|token| prefixes.advance(&[Some(*token); 5]).unwrap());
    let exponentials: Vec<f64> = prefixes.logits(3).iter().map(|logit| f64::from(*logit).exp()).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|value| value / sum).collect()
}

#[test]
fn it_learns_what_follows_what_with_the_whole_vocabulary_and_with_a_sample() {
    for negatives in [None, Some(15)] {
        let mut model = model(LanguageModelSettings { negatives, ..tiny() });
        train_for(&mut model, &texts(400), 150, 1e-2);
        let after = expected(&model, &[6, 7]);
        assert!(after[8] > 0.8, "{negatives:?}: {}", after[8]);
        assert!(expected(&model, &[6, 7, 8, 9, 10])[END as usize] > 0.8);
    }
}

#[test]
fn surprisal_is_that_of_the_tokens_one_by_one() {
    let model = model(tiny());
    let text = &texts(1)[0];
    let by_step: f64 = (1..text.len()).map(|at| -expected(&model, &text[1..at])[text[at] as usize].ln()).sum();
    let found = model.surprisal(std::slice::from_ref(text), 1).unwrap();
    assert!((found - by_step).abs() < 1e-4, "{found} {by_step}");
}

#[test]
fn the_gradient_is_that_of_the_loss() {
    let mut model = model(LanguageModelSettings { layers: 2, ..tiny() });
    let examples = texts(4);
    let batch: Vec<&Text> = examples.iter().collect();
    let mut gradients = Gradients::plain(&model.store, 1);
    model.losses(&batch, &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
    let found = gradients.into_values();
    let slots: Vec<_> = model.store.parameters().map(|(name, slot)| (name.to_owned(), slot.range())).collect();
    for (name, range) in slots {
        let place = range.clone().max_by(|a, b| found[*a].abs().total_cmp(&found[*b].abs())).unwrap();
        let before = model.store.values()[place];
        let mut loss = |value: f32| {
            model.store.values_mut()[place] = value;
            model.evaluated(&batch, 1).unwrap()
        };
        let slope = (loss(before + 1e-2) - loss(before - 1e-2)) / 2e-2;
        loss(before);
        let gap = (slope - f64::from(found[place])).abs();
        assert!(gap < 2e-2 * slope.abs().max(0.05), "{name}: {slope} {}", found[place]);
    }
}

#[test]
fn a_document_is_cut_into_parts_that_know_the_token_before() {
    let model = model(tiny());
    let document = Document::read("wax wbx wcx wdx wex wfx wgx whx");
    let parts = model.examples(&document);
    assert_eq!(parts, [vec![START, 4, 5, 6, 7, 8, 9], vec![9, 10, 11, END]]);
    assert_eq!(model.examples(&Document::read("")), [[START, END]]);
}

#[test]
fn a_saved_model_expects_the_same() {
    let model = model(tiny());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model");
    model.save(&path, &card()).unwrap();
    let (again, _) = LanguageModel::open(&path).unwrap();
    assert_eq!(expected(&model, &[5, 6]), expected(&again, &[5, 6]));
    std::fs::write(path.join("vocabulary.txt"), "allonym-vocabulary 1 public\nother\n").unwrap();
    assert!(LanguageModel::open(&path).unwrap_err().to_string().contains("exchanged"));
}

/// The bits of what is expected of a text, whatever is written beside it.
#[test]
fn neighbours_do_not_change_a_bit() {
    let model = model(LanguageModelSettings { cells: 50, words: 33, ..tiny() });
    let logits = |others: u32, count: usize| {
        let mut left = count;
        let mut prefixes = model.prefixes(count, 0.85).unwrap();
        for token in [5, 9, 6, 20] {
            // The others end one after the other.
            left -= count.div_ceil(5).min(left - 1);
            let going = |text: usize| (text < left).then_some(if text == 0 { token } else { others });
            prefixes.advance(&(0..count).map(going).collect::<Vec<_>>()).unwrap();
        }
        assert!(left == count || prefixes.logits(left).is_empty(), "what has ended expects nothing");
        prefixes.logits(0).iter().map(|logit| logit.to_bits()).collect::<Vec<_>>()
    };
    let alone = logits(0, 1);
    assert!((1..=Prefixes::TEXTS).all(|count| logits(4 + count as u32 % 20, count) == alone));
}

#[test]
fn what_a_text_adds_to_a_private_step_is_its_own_clipped_gradient() {
    crate::testing::an_example_adds_its_own_clipped_gradient(&model(tiny()), &texts(7));
}
