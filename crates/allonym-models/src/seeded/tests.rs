use super::*;
use crate::sampled::Sampling;
use allonym_text::CancelToken;

fn model(dropout: f64) -> Seeded {
    let words: String = (0..20).map(|i| format!("w{i}\n")).collect();
    let vocabulary = Vocabulary::parse(&format!("allonym-vocabulary 1 public\n{words}")).unwrap();
    Seeded::new(SeededSettings { cells: 7, words: 5, dropout, seed: 3 }, Arc::new(vocabulary)).unwrap()
}

fn text(words: &[u32]) -> Text {
    [START].into_iter().chain(words.iter().map(|word| word + END + 1)).chain([END]).collect()
}

#[test]
fn all_numbers_are_trained() {
    // Two tables of 24 x 5, two LSTMs of 4 x 7 x (5 + 7 + 2), an output of 24 x (7 + 1).
    assert_eq!(model(0.2).trained(), 2 * 120 + 2 * 392 + 192);
}

/// One-word texts have one seed, so that the loss is a function of the numbers alone. Threads share the texts out among them, in another order.
#[test]
fn gradients_are_those_of_the_loss() {
    (1..=4).for_each(gradients_are_right);
}

fn gradients_are_right(threads: usize) {
    let mut model = model(0.0);
    let texts = [text(&[3, 3, 3]), text(&[7, 7]), text(&[1, 1]), text(&[12, 12]), text(&[9])];
    let slots: Vec<(String, usize)> =
        model.store.parameters().map(|(name, slot)| (name.to_owned(), slot.range().start)).collect();
    // The seed 3 has the id 7, and so on: their vectors are those of the table that matter.
    let table = slots.iter().find(|(name, _)| name.starts_with("read")).map(|(_, start)| *start).unwrap();
    let seeds = [3, 7, 1, 12, 9].map(|word| table + (word + END as usize + 1) * 5);
    let places: Vec<usize> = slots.iter().map(|(_, start)| start + 1).chain(seeds).collect();
    crate::testing::gradients_are_those_of_the_loss(&mut model, &texts, &places, (threads, 1e-3));
    let mut gradients = Gradients::plain(&model.store, threads);
    model.losses(&texts.iter().collect::<Vec<_>>(), &mut gradients, &mut PrivacyRng::reproducible(1)).unwrap();
    let gradients = gradients.into_values();
    assert!(seeds.iter().all(|seed| gradients[*seed] != 0.0), "seeds matter");
}

#[test]
fn an_example_is_clipped_by_its_own_gradient() {
    let texts = [text(&[1, 1, 1, 1]), text(&[7, 7]), text(&[5])];
    (1..=4).for_each(|threads| crate::testing::an_example_is_clipped_by_its_own_gradient(&model(0.0), &texts, threads));
}

#[test]
fn what_a_text_adds_to_a_private_step_is_its_own_clipped_gradient() {
    let texts = [text(&[3, 3, 3]), text(&[7, 7]), text(&[1, 1]), text(&[12, 12]), text(&[9])];
    crate::testing::an_example_adds_its_own_clipped_gradient(&model(0.0), &texts);
}

#[test]
fn what_is_written_depends_on_the_seed_word_and_not_on_how_much_is_written() {
    let model = model(0.2);
    let sampling = Sampling { temperature: 1.0, max_tokens: 9 };
    let written = |count: usize, seed: u32| {
        model.write(count, sampling, |text| (seed, PrivacyRng::reproducible(100 + text)), &CancelToken::new()).unwrap()
    };
    let (few, many) = (written(3, 5), written(70, 5));
    assert_eq!(few[..], many[..3]);
    assert!(many.len() == 70 && many.iter().all(|text| text.len() <= 9 && text.iter().all(|id| *id > END)));
    assert_ne!(many, written(70, 9));
    assert!(
        model.write(1, sampling, |_| (99, PrivacyRng::reproducible(1)), &CancelToken::new()).is_err(),
        "no such word"
    );
}

#[test]
fn first_words_have_the_chances_by_which_texts_begin() {
    let model = model(0.2);
    let chances: Vec<f64> = model.first_words(&[9]).unwrap()[0].iter().map(|ln| ln.exp()).collect();
    // The end and 20 words.
    assert!(chances.len() == 21 && (chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let sampling = Sampling { temperature: 1.0, max_tokens: 1 };
    let texts = model.write(20_000, sampling, |text| (9, PrivacyRng::reproducible(text)), &CancelToken::new()).unwrap();
    for word in 1..21_u32 {
        let found = texts.iter().filter(|text| text.first() == Some(&(word + END))).count() as f64 / 20_000.0;
        // Five standard deviations.
        let five = 5.0 * (chances[word as usize] / 20_000.0).sqrt();
        assert!((found - chances[word as usize]).abs() < five, "{word}: {found} {}", chances[word as usize]);
    }
}
