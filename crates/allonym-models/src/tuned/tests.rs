use super::*;
use crate::language_model::LanguageModelSettings;
use crate::sampled::Sampling;
use allonym_text::vocabulary::{END, START};
use allonym_text::{CancelToken, Vocabulary};

fn language() -> Arc<LanguageModel> {
    let words: String = (0..20).map(|i| format!("w{i}\n")).collect();
    let vocabulary = Vocabulary::parse(&format!("allonym-vocabulary 1 public\n{words}")).unwrap();
    let settings =
        LanguageModelSettings { layers: 1, cells: 12, words: 6, dropout: 0.0, ..LanguageModelSettings::default() };
    Arc::new(LanguageModel::new(settings, Arc::new(vocabulary), &mut PrivacyRng::reproducible(2)).unwrap())
}

fn tuned() -> Tuned {
    Tuned::new(TunedSettings { rank: 3, seed: 5 }, language()).unwrap()
}

fn text(words: &[u32]) -> Text {
    [START].into_iter().chain(words.iter().map(|word| word + 4)).chain([END]).collect()
}

#[test]
fn before_it_learns_it_expects_what_the_language_model_does() {
    let (model, texts) = (tuned(), [text(&[1, 2, 3]), text(&[7])]);
    let (own, public) = (model.surprisal(&texts, 1).unwrap(), model.language().surprisal(&texts, 1).unwrap());
    assert!((own - public).abs() < 1e-4, "{own} {public}");
    // 12 x 3 down, 3 x 12 up, 12 of a bias.
    assert_eq!(model.trained(), 84);
}

#[test]
fn what_is_minimised_is_what_is_measured() {
    let (model, texts) = (tuned(), [text(&[1, 2, 3]), text(&[7])]);
    let batch: Vec<&Text> = texts.iter().collect();
    let mut unused = Gradients::plain(&model.store, 1);
    let losses = model.losses(&batch, &mut unused, &mut PrivacyRng::reproducible(1)).unwrap();
    let measured = model.surprisal(&texts, 1).unwrap();
    assert!((losses.iter().sum::<f64>() - measured).abs() < 1e-4, "{losses:?} {measured}");
}

#[test]
fn gradients_are_those_of_the_loss() {
    let mut model = tuned();
    let range = model.up.weight().range();
    model.store.values_mut()[range].iter_mut().enumerate().for_each(|(i, value)| *value = (i % 5) as f32 * 0.1 - 0.2);
    let texts = [text(&[1, 2, 3, 3]), text(&[7, 0])];
    let places = [0, 10, 35, 36, 50, 71, 72, 83];
    crate::testing::gradients_are_those_of_the_loss(&mut model, &texts, &places, (1, 2e-2));
}

#[test]
fn an_example_is_clipped_by_its_own_gradient() {
    let texts = [text(&[1, 2, 3, 3]), text(&[7, 0]), text(&[5])];
    crate::testing::an_example_is_clipped_by_its_own_gradient(&tuned(), &texts, 1);
}

#[test]
fn what_is_written_does_not_depend_on_how_much_is() {
    let model = tuned();
    let sampling = Sampling { temperature: 1.0, max_tokens: 9 };
    let stream = |text: u64| PrivacyRng::reproducible(100 + text);
    let cancel = &CancelToken::new();
    let (few, many) =
        (model.write(3, sampling, stream, cancel).unwrap(), model.write(70, sampling, stream, cancel).unwrap());
    assert_eq!(few[..], many[..3]);
    assert_eq!(many.len(), 70);
    assert!(many.iter().all(|text| text.len() <= 9 && text.iter().all(|id| *id > END)));
    assert!(many.iter().any(|text| text.len() < 9), "some end by themselves");
}

#[test]
fn of_several_drafts_the_one_is_kept_whose_words_speak_most_for_it() {
    let (language, ids) = (language(), 24);
    let mut likeness = vec![0.0; ids];
    likeness[END as usize + 3] = 1.0;
    let tilt = |likeness: Vec<f32>| Tilt { everywhere: vec![0.0; ids], first: vec![0.0; ids], likeness };
    let sampling = Sampling { temperature: 1.0, max_tokens: 5 };
    let often = |likeness: Vec<f32>| {
        let model = Tuned::tilted(TunedSettings { rank: 3, seed: 5 }, &language, tilt(likeness)).unwrap();
        let texts = model.write(400, sampling, PrivacyRng::reproducible, &CancelToken::new()).unwrap();
        assert_eq!(texts.len(), 400);
        texts.iter().filter(|text| text.contains(&(END + 3))).count() as f64 / 400.0
    };
    let (one, of_four) = (often(vec![]), often(likeness));
    // A text has the word if one of four drafts has: 1 - (1 - p)^4, within six standard deviations.
    let expected = 1.0 - (1.0 - one).powi(4);
    assert!((of_four - expected).abs() < 6.0 * (0.25_f64 / 400.0).sqrt() + 0.1, "{one} {of_four} {expected}");
    assert!(of_four > one + 0.2, "{one} {of_four}");
}

#[test]
fn what_a_text_adds_to_a_private_step_is_its_own_clipped_gradient() {
    let mut model = tuned();
    // As it begins, what is narrow counts nothing.
    let range = model.up.weight().range();
    model.store.values_mut()[range].iter_mut().enumerate().for_each(|(i, value)| *value = (i % 5) as f32 * 0.1 - 0.2);
    let texts = [text(&[3, 4, 3]), text(&[7, 1]), text(&[1, 2]), text(&[12, 11]), text(&[9])];
    crate::testing::an_example_adds_its_own_clipped_gradient(&model, &texts);
}
