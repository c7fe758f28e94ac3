//! A tiny model that learns a tiny language.

use super::*;
use crate::testing::{card, train_for, vocabulary};
use allonym_dp::latent::Noise;
use allonym_text::Private;
use allonym_text::vocabulary::{SPECIAL, UNKNOWN};

fn model(settings: AdeptSettings) -> Adept {
    Adept::new(settings, vocabulary(), None, &mut PrivacyRng::reproducible(5)).unwrap()
}

fn tiny(norm: Norm, bound: f64) -> AdeptSettings {
    let clip = Clip { norm, bound };
    AdeptSettings { cells: 24, words: 8, latent: 6, clip, max_tokens: 6, word_dropout: 0.0, ..AdeptSettings::default() }
}

/// Texts of one to six words out of eight.
fn texts(count: usize) -> Vec<Text> {
    texts_of(count, 6)
}

fn texts_of(count: usize, longest: u64) -> Vec<Text> {
    let mut rng = PrivacyRng::reproducible(9);
    let mut text = || {
        let length = 1 + rng.below(longest) as usize;
        (0..length).map(|_| 4 + rng.below(8) as u32).chain([END]).collect()
    };
    (0..count).map(|_| text()).collect()
}

fn trained(settings: AdeptSettings, steps: u64) -> Adept {
    let mut model = model(settings);
    let examples = texts_of(400, 2);
    train_for(&mut model, &examples, steps, 1e-2);
    model
}

/// In 64 bits, with words dropped and noise added, against small steps of parameters from every layer.
#[test]
fn the_gradient_is_that_of_the_loss() {
    // With the larger weights every vector is clipped, with the usual ones none.
    for (norm, bound, weights) in [(Norm::L1, 0.1, 30.0), (Norm::L2, 3.0, 30.0), (Norm::L2, 3.0, 1.0)] {
        let settings = AdeptSettings { layers: 2, word_dropout: 0.3, noise: 0.2, ..tiny(norm, bound) };
        let mut store = Store::<f64>::new();
        let network = Network::new(&settings, 30, None, &mut store, &mut PrivacyRng::reproducible(5)).unwrap();
        let (_, latent) = store.parameters().find(|(name, _)| *name == "latent.weight").unwrap();
        store.values_mut()[latent.range()].iter_mut().for_each(|value| *value *= weights);
        let examples = texts(5);
        let batch: Vec<&[u32]> = examples.iter().map(Vec::as_slice).collect();
        let forward = |store: &Store<f64>| {
            let pass = network.forward(store, &batch, Some(&mut PrivacyRng::reproducible(3)), 1).unwrap();
            let targets = Arc::new(Tokens::new(pass.tokens(), 30).unwrap());
            (pass, targets)
        };
        let (pass, targets) = forward(&store);
        assert_eq!(pass.clipped(settings.clip), if weights > 1.0 { 5 } else { 0 });
        let mut gradients = Gradients::plain(&store, 1);
        let (vectors, sequences) = (pass.vectors.clone(), pass.sequences.clone());
        let each = vec![1.0; vectors.rows()];
        let loss = softmax(&network.output, &store, &vectors, &sequences, targets, each, &mut gradients).unwrap();
        network.backward(&store, pass, loss.back, &mut gradients);
        let found = gradients.into_values();
        let slots: Vec<(String, std::ops::Range<usize>)> =
            store.parameters().map(|(name, slot)| (name.to_owned(), slot.range())).collect();
        for (name, range) in slots {
            let place = range.clone().max_by(|a, b| found[*a].abs().total_cmp(&found[*b].abs())).unwrap();
            assert!(found[place].abs() > 1e-6, "{name}: nothing flows back");
            let before = store.values()[place];
            let mut loss = |value: f64| {
                store.values_mut()[place] = value;
                let (pass, targets) = forward(&store);
                Evaluated::of(&network.output, &store, &pass.vectors, &*targets, 1).unwrap().loss
            };
            let slope = (loss(before + 1e-5) - loss(before - 1e-5)) / 2e-5;
            loss(before);
            let gap = (slope - found[place]).abs();
            assert!(gap < 1e-5 * slope.abs().max(1e-2), "{norm:?} {bound} {name}: {slope} {}", found[place]);
        }
    }
}

#[test]
fn private_gradients_of_examples_sum_to_the_plain_one() {
    let model = model(tiny(Norm::L2, 0.1));
    let examples = texts(7);
    let batch: Vec<&Text> = examples.iter().collect();
    let rng = || PrivacyRng::reproducible(1);
    let mut plain = Gradients::plain(&model.store, 1);
    model.losses(&batch, &mut plain, &mut rng()).unwrap();
    let mut private = Gradients::private(&model.store, batch.len(), 1);
    model.losses(&batch, &mut private, &mut rng()).unwrap();
    let clipped = private.clipped(&model.store, 1e9);
    let far = plain.into_values().iter().zip(clipped.sum.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far < 1e-3, "{far}");
    // And the norm of an example is that of its own gradient.
    let mut alone = Gradients::plain(&model.store, 1);
    model.losses(&batch[2..3], &mut alone, &mut rng()).unwrap();
    let norm = alone.into_values().iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    assert!((norm / clipped.norms[2] - 1.0).abs() < 1e-3, "{norm} {}", clipped.norms[2]);
}

#[test]
fn a_trained_model_writes_texts_again_that_it_has_not_seen() {
    for norm in [Norm::L1, Norm::L2] {
        let model = trained(tiny(norm, 1.0), 1000);
        let found = model.reconstruction(&texts_of(600, 2)[400..]).unwrap();
        // Of eight words one is guessed right once in eight times.
        assert!(found.accuracy() > 0.5, "{norm:?} {found:?}");
        assert!(found.clipped > 0 && found.texts == 200);
    }
}

#[test]
fn the_neighbours_of_a_text_do_not_change_a_bit_of_its_vector_or_of_what_is_decoded() {
    let model = model(AdeptSettings { cells: 40, layers: 2, ..tiny(Norm::L2, 1.0) });
    let all = texts(150);
    let together = model.encoded(&all);
    let written = model.decode(&together, 6).unwrap();
    for (place, text) in all.iter().enumerate() {
        let alone = model.encoded(std::slice::from_ref(text));
        assert_eq!(alone[0], together[place]);
        assert_eq!(model.decode(&alone, 6).unwrap()[0], written[place]);
    }
}

#[test]
fn what_follows_the_maximum_of_tokens_is_not_read() {
    let model = model(tiny(Norm::L2, 1.0));
    let long: Text = [4, 5, 6, 7, 8, 9, 10, 11, END].to_vec();
    let cut: Text = [4, 5, 6, 7, 8, 9, END].to_vec();
    let vectors = model.encoded(&[long, cut.clone(), vec![END], vec![], vec![UNKNOWN, END], vec![999]]);
    assert!(vectors[0] == vectors[1] && vectors[2] == vectors[3] && vectors[4] == vectors[5]);
    let words = "wax wbx wcx wdx wex wfx wgx whx";
    assert_eq!(model.text(&Document::read(words)), cut);
    assert_eq!(model.text(&Document::read("")), [END]);
}

#[test]
fn decoded_texts_are_words_and_end() {
    let model = trained(tiny(Norm::L2, 1.0), 100);
    let mut rng = PrivacyRng::reproducible(3);
    let vectors: Vec<Vec<f32>> =
        (0..100).map(|_| (0..6).map(|_| (rng.below(200) as f32 - 100.0) / 10.0).collect()).collect();
    for most in [0, 1, 5] {
        let written = model.decode(&vectors, most).unwrap();
        assert!(written.len() == 100 && written.iter().all(|text| text.len() <= most));
        assert!(written.iter().flatten().all(|token| *token as usize >= SPECIAL.len()));
    }
    assert!(model.decode(&[], 5).unwrap().is_empty());
    let strange = model.decode(&[vec![f32::NAN; 6], vec![f32::INFINITY; 6]], 5).unwrap();
    assert!(strange.iter().flatten().all(|token| *token as usize >= SPECIAL.len()));
    assert!(model.decode(&[vec![0.0; 5]], 5).unwrap_err().to_string().contains("length of a latent vector is 5"));
}

#[test]
fn the_loss_of_a_release_is_that_of_the_mechanism_whatever_the_length() {
    let model = trained(tiny(Norm::L2, 1.0), 50);
    let mechanism = model.mechanism(2.0, Noise::LaplaceRadial).unwrap();
    assert!(mechanism.loss().unwrap().0 <= 2.0);
    let (mut rng, examples) = (PrivacyRng::reproducible(1), texts(40));
    let draw = |vector: &Private<Vec<f32>>| mechanism.draw(vector.as_ref().map(Vec::as_slice), &mut rng).into_value();
    let latents = model.latents(examples.into_iter().map(Private::new).collect());
    let noised: Vec<Vec<f32>> = latents.iter().map(draw).collect();
    assert_eq!(model.decode(&noised, 6).unwrap().len(), 40);
}

#[test]
fn noise_for_another_norm_is_refused() {
    for (norm, fits, other) in
        [(Norm::L1, Noise::LaplaceL1, Noise::LaplaceRadial), (Norm::L2, Noise::LaplaceL2, Noise::LaplaceL1)]
    {
        let model = model(tiny(norm, 1.0));
        assert!(model.mechanism(1.0, fits).is_ok());
        assert!(model.mechanism(1.0, other).unwrap_err().to_string().contains("the model clips by the"));
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let usual = AdeptSettings::default;
    let clip = |bound| Clip { norm: Norm::L1, bound };
    for (settings, name) in [
        (AdeptSettings { latent: 0, ..usual() }, "latent"),
        (AdeptSettings { max_tokens: 1001, ..usual() }, "max-tokens"),
        (AdeptSettings { clip: clip(0.0), ..usual() }, "clip"),
        (AdeptSettings { clip: clip(f64::NAN), ..usual() }, "clip"),
        (AdeptSettings { word_dropout: 1.0, ..usual() }, "word-dropout"),
        (AdeptSettings { noise: -1.0, ..usual() }, "noise"),
    ] {
        assert!(settings.check().unwrap_err().to_string().starts_with(&format!("`{name}`")));
    }
    assert!(PRESETS.iter().all(|preset| preset.settings(50).check().is_ok()));
}

#[test]
fn a_saved_model_writes_the_same_and_a_broken_one_is_refused_by_name() {
    let vectors = Matrix::of(30, 4, (0..120).map(|i| ((i * 31) % 17) as f32 / 8.0 - 1.0).collect());
    let given =
        Adept::new(tiny(Norm::L1, 2.0), vocabulary(), Some(Arc::new(vectors)), &mut PrivacyRng::reproducible(5));
    let examples = texts(20);
    for model in [given.unwrap(), trained(tiny(Norm::L2, 1.0), 20)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model");
        model.save(&path, &card()).unwrap();
        let (again, read) = Adept::open(&path).unwrap();
        assert_eq!((read.kind.as_str(), again.shape()), ("adept", model.shape()));
        assert_eq!(again.encoded(&examples), model.encoded(&examples));
        assert_eq!(again.rewritten(&examples).unwrap(), model.rewritten(&examples).unwrap());

        let error = || Adept::open(&path).map(|_| ()).unwrap_err().to_string();
        let words = std::fs::read(path.join("vocabulary.txt")).unwrap();
        std::fs::write(path.join("vocabulary.txt"), &words[..words.len() - 4]).unwrap();
        assert!(error().contains("vocabulary.txt` is not the file that the model was trained with"), "{}", error());
        std::fs::write(path.join("vocabulary.txt"), &words).unwrap();
        let numbers = std::fs::read(path.join("model.safetensors")).unwrap();
        std::fs::write(path.join("model.safetensors"), &numbers[..1000]).unwrap();
        assert!(error().contains("model.safetensors` is"), "{}", error());
        assert!(crate::er_ae::ErAe::open(&path).map(|_| ()).unwrap_err().to_string().contains("of kind `adept`"));
    }
}

#[test]
fn what_a_text_adds_to_a_private_step_is_its_own_clipped_gradient() {
    crate::testing::an_example_adds_its_own_clipped_gradient(
        &model(AdeptSettings { noise: 0.0, ..tiny(Norm::L2, 3.0) }),
        &texts(7),
    );
}
