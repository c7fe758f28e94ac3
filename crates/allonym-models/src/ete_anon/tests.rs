use super::*;
use crate::testing::{
    an_example_adds_its_own_clipped_gradient, card, gradients_are_those_of_the_loss, train_for, vocabulary,
};
use allonym_dp::PrivacyRng;
use allonym_nn::training::Model;
use allonym_text::vocabulary::END;

fn settings() -> AutoEncoderSettings {
    AutoEncoderSettings { layers: 2, cells: 12, words: 6, max_tokens: 6, ..AutoEncoderSettings::default() }
}

fn auto_encoder(settings: AutoEncoderSettings) -> AutoEncoder {
    AutoEncoder::new(settings, vocabulary(), None, &mut PrivacyRng::reproducible(3)).unwrap()
}

fn texts() -> Vec<Text> {
    (0..20_u32).map(|i| (0..1 + i % 5).map(|place| 4 + (i * 3 + place * (i % 4)) % 8).chain([END]).collect()).collect()
}

#[test]
fn gradients_are_those_of_the_loss_whoever_feeds_the_decoder() {
    for (own_output, backwards) in [(0.0, false), (1.0, true)] {
        let mut model = auto_encoder(AutoEncoderSettings { own_output, backwards, ..settings() });
        // Small steps must not change what the decoder writes: far from a tie, as it is once it has learned something.
        train_for(&mut model, &texts()[..6], 200, 1e-2);
        let last = model.store().values().len() - 1;
        gradients_are_those_of_the_loss(&mut model, &texts()[..6], &[3, last / 3, last / 2, last], (2, 2e-2));
    }
}

#[test]
fn in_a_private_step_a_text_adds_its_own_clipped_gradient() {
    let model = auto_encoder(AutoEncoderSettings { own_output: 0.0, ..settings() });
    an_example_adds_its_own_clipped_gradient(&model, &texts()[5..9]);
}

#[test]
fn it_learns_to_write_what_it_read() {
    for (own_output, negatives) in [(0.0, 0), (1.0, 0), (0.5, 15)] {
        let mut model =
            auto_encoder(AutoEncoderSettings { own_output, negatives, cells: 32, backwards: true, ..settings() });
        let texts = texts();
        let before = model.reconstruction(&texts).unwrap();
        train_for(&mut model, &texts, 250, 1e-2);
        let after = model.reconstruction(&texts).unwrap();
        assert!(after.exact >= 16 && before.exact < 4, "{own_output}: {before:?} {after:?}");
        assert!(after.anywhere >= after.right && after.tokens == before.tokens);
    }
}

#[test]
fn a_context_and_what_is_written_from_it_do_not_depend_on_the_others() {
    let model = auto_encoder(settings());
    let texts = texts();
    let together = model.contexts(&texts).unwrap();
    let written = model.decode(&together).unwrap();
    for (place, text) in texts.iter().enumerate() {
        let alone = model.contexts(std::slice::from_ref(text)).unwrap();
        assert_eq!(alone[0], together[place]);
        assert_eq!(model.decode(&alone).unwrap()[0], written[place]);
    }
    assert!(written.iter().all(|text| text.len() <= 6 && text.iter().all(|token| *token > END)));
    assert_eq!(together[0].len(), model.shape().context());
}

#[test]
fn a_model_that_was_written_is_the_same_when_it_is_read() {
    let model = auto_encoder(settings());
    let directory = tempfile::tempdir().unwrap();
    model.save(&directory.path().join("model"), &card()).unwrap();
    let (read, card) = AutoEncoder::open(&directory.path().join("model")).unwrap();
    assert_eq!((read.shape(), card.kind.as_str()), (model.shape(), "ete-anon-auto-encoder"));
    assert_eq!(read.contexts(&texts()).unwrap(), model.contexts(&texts()).unwrap());
}

#[test]
fn settings_out_of_range_are_refused() {
    for bad in [
        AutoEncoderSettings { own_output: 1.5, ..settings() },
        AutoEncoderSettings { own_output: f64::NAN, ..settings() },
        AutoEncoderSettings { layers: 0, ..settings() },
        AutoEncoderSettings { max_tokens: 0, ..settings() },
    ] {
        assert!(AutoEncoder::new(bad, vocabulary(), None, &mut PrivacyRng::reproducible(3)).is_err());
    }
}
