//! A tiny model that learns a tiny language.

use super::*;
use crate::Embeddings;
use crate::testing::{card, train_for, vocabulary};
use allonym_dp::mechanism::Reads;
use allonym_dp::{Length, Outcome, Proposer};
use allonym_text::vocabulary::TokenId;

fn model(settings: ErAeSettings) -> ErAe {
    let vocabulary = vocabulary();
    let words: Vec<String> = (4..vocabulary.ids()).map(|id| vocabulary.word(id).unwrap().to_owned()).collect();
    let mut rng = PrivacyRng::reproducible(5);
    let values = (0..words.len() * 8).map(|_| (rng.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect();
    let vectors = Matrix::of(words.len(), 8, values);
    let (vectors, _) = Embeddings::of(words, vectors).for_vocabulary(&vocabulary);
    ErAe::new(settings, vocabulary, Arc::new(vectors), &mut rng).unwrap()
}

fn tiny(attention: bool) -> ErAeSettings {
    ErAeSettings { layers: 1, cells: 24, latent: 24, attention, max_tokens: 6, ..ErAeSettings::default() }
}

fn texts(count: usize) -> Vec<Text> {
    let mut rng = PrivacyRng::reproducible(9);
    let mut text = || {
        let length = 1 + rng.below(6) as usize;
        (0..length).map(|_| 4 + rng.below(20) as u32).chain([END]).collect()
    };
    (0..count).map(|_| text()).collect()
}

fn trained(settings: ErAeSettings, steps: u64) -> ErAe {
    let mut model = model(settings);
    let examples = texts(400);
    train_for(&mut model, &examples, steps, 5e-3);
    model
}

/// The gradient of the loss, held against small steps of parameters from every layer.
#[test]
fn the_gradient_is_that_of_the_loss() {
    for (attention, layers) in [(false, 2), (true, 1)] {
        let mut model = model(ErAeSettings { layers, ..tiny(attention) });
        let examples = texts(5);
        let batch: Vec<&Text> = examples.iter().collect();
        let mut gradients = Gradients::plain(&model.store, 1);
        model.losses(&batch, &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
        let found = gradients.into_values();
        let slots: Vec<(String, std::ops::Range<usize>)> =
            model.store.parameters().map(|(name, slot)| (name.to_owned(), slot.range())).collect();
        for (name, range) in slots {
            // The largest gradient of the layer: the loss is in 32 bits, and small ones drown.
            let place = range.clone().max_by(|a, b| found[*a].abs().total_cmp(&found[*b].abs())).unwrap();
            let before = model.store.values()[place];
            let mut loss = |value: f32| {
                model.store.values_mut()[place] = value;
                model.evaluate(&batch, 1).unwrap().iter().sum::<f64>()
            };
            let (above, below) = (loss(before + 1e-2), loss(before - 1e-2));
            loss(before);
            let slope = (above - below) / 2e-2;
            let gap = (slope - f64::from(found[place])).abs();
            assert!(gap < 2e-2 * slope.abs().max(0.05), "{name}: {slope} {}", found[place]);
        }
    }
}

#[test]
fn private_gradients_of_examples_sum_to_the_plain_one() {
    let model = model(tiny(true));
    let examples = texts(7);
    let batch: Vec<&Text> = examples.iter().collect();
    let rng = || PrivacyRng::reproducible(1);
    let mut plain = Gradients::plain(&model.store, 1);
    model.losses(&batch, &mut plain, &mut rng()).unwrap();
    let mut private = Gradients::private(&model.store, batch.len(), 1);
    model.losses(&batch, &mut private, &mut rng()).unwrap();
    let clipped = private.clipped(&model.store, 1e9);
    let (plain, sum) = (plain.into_values(), clipped.sum);
    let far = plain.iter().zip(sum.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far < 1e-3, "{far}");
    // And the norm of an example is that of its own gradient.
    let mut alone = Gradients::plain(&model.store, 1);
    model.losses(&batch[2..3], &mut alone, &mut rng()).unwrap();
    let norm = alone.into_values().iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    assert!((norm / clipped.norms[2] - 1.0).abs() < 1e-3, "{norm} {}", clipped.norms[2]);
}

#[test]
fn a_trained_model_reconstructs_texts_it_has_not_seen() {
    for attention in [false, true] {
        let model = trained(tiny(attention), 400);
        let unseen = texts(440).split_off(400);
        let found = model.reconstruction(&unseen, 1).unwrap();
        assert!(found.by_length[0].accuracy() > if attention { 0.8 } else { 0.2 }, "{attention} {found:?}");
    }
}

#[test]
fn the_neighbours_of_a_text_do_not_change_a_bit_of_what_is_proposed_for_it() {
    for attention in [false, true] {
        let model = model(ErAeSettings { cells: 40, latent: 20, layers: 2, ..tiny(attention) });
        let all: Vec<Vec<Text>> = texts(150).into_iter().map(|text| vec![text]).collect();
        let together = model.encode(&all).unwrap();
        for (text, together) in all.iter().zip(&together) {
            let alone = model.encode(std::slice::from_ref(text)).unwrap();
            assert_eq!(alone[0].0, together.0);
        }
    }
}

#[test]
fn long_texts_are_proposed_piece_by_piece_and_then_their_end() {
    let model = trained(tiny(true), 400);
    let pieces = vec![vec![5, 6, 7, END], vec![8, 9, END]];
    let mut encoded = model.encode(&[pieces]).unwrap();
    let mut proposal = model.proposal(encoded.remove(0), Length::Fixed, Reads::Probabilities);
    assert_eq!(proposal.tokens(), 5);
    let best = |scores: &[f32]| (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap() as u32;
    let mut token = |step: usize| {
        let best = best(proposal.scores(&vec![TokenId::new(4); step]));
        Length::Fixed.token(Outcome::new(best)).get()
    };
    let found: Vec<u32> = (0..8).map(&mut token).collect();
    assert_eq!(found, [5, 6, 7, 8, 9, END, END, END]);
    let sum: f32 = proposal.scores(&[TokenId::new(4); 2]).iter().sum();
    assert!((sum - 1.0).abs() < 1e-5);
    let mut encoded = model.encode(&[vec![vec![END]]]).unwrap();
    let mut empty = model.proposal(encoded.remove(0), Length::Public, Reads::Order);
    assert_eq!((empty.tokens(), empty.scores(&[]).len()), (0, model.vocabulary.words()));
}

#[test]
fn documents_are_cut_at_sentences_and_long_sentences_at_the_maximum() {
    let model = model(tiny(false));
    let sizes = |text: &str| model.pieces(&Document::read(text)).iter().map(|p| p.len() - 1).collect::<Vec<_>>();
    assert_eq!(sizes(""), [0]);
    assert_eq!(sizes("wax wbx."), [3]);
    assert_eq!(sizes("One two. Three four five."), [3, 4], "seven do not fit into six");
    assert_eq!(sizes("Yes. No."), [4], "two short sentences stand together");
    assert_eq!(sizes("a b c d e f g h i j k l m"), [6, 6, 1]);
    assert!(model.pieces(&Document::read("Yes. No.")).iter().all(|piece| piece.last() == Some(&END)));
}

#[test]
fn a_saved_model_proposes_the_same_and_a_broken_one_is_refused_by_name() {
    let model = trained(tiny(true), 20);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model");
    let card = card();
    model.save(&path, &card).unwrap();
    let (again, read) = ErAe::open(&path).unwrap();
    assert_eq!((read.kind.as_str(), again.shape()), ("er-ae", model.shape()));
    let text = vec![vec![vec![5, 6, END]]];
    assert_eq!(again.encode(&text).unwrap()[0].0, model.encode(&text).unwrap()[0].0);

    let error = || ErAe::open(&path).map(|_| ()).unwrap_err().to_string();
    let words = std::fs::read(path.join("vocabulary.txt")).unwrap();
    std::fs::write(path.join("vocabulary.txt"), &words[..words.len() - 4]).unwrap();
    assert!(error().contains("vocabulary.txt` is not the file that the model was trained with"), "{}", error());
    std::fs::write(path.join("vocabulary.txt"), &words).unwrap();
    let numbers = std::fs::read(path.join("model.safetensors")).unwrap();
    std::fs::write(path.join("model.safetensors"), &numbers[..1000]).unwrap();
    assert!(error().contains("model.safetensors` is"), "{}", error());
    std::fs::remove_file(path.join("card.toml")).unwrap();
    assert!(error().contains("card.toml"), "{}", error());
}

#[test]
fn the_reward_moves_probability_from_the_original_to_words_that_are_near() {
    let plain = trained(tiny(true), 600);
    let before = plain.reconstruction(&texts(100), 1).unwrap();
    let mut model = plain.with_reward(allonym_nn::loss::RewardSettings::default());
    let examples = texts(400);
    train_for(&mut model, &examples, 1500, 3e-3);
    let after = model.reconstruction(&texts(100), 1).unwrap();
    assert!(after.original < before.original && after.cosine > before.cosine + 0.1, "{before:?} {after:?}");
}

#[test]
fn what_a_text_adds_to_a_private_step_is_its_own_clipped_gradient() {
    for attention in [false, true] {
        crate::testing::an_example_adds_its_own_clipped_gradient(&model(tiny(attention)), &texts(7));
    }
}
