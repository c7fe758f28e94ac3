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

mod agents {
    use super::*;
    use crate::ete_anon::judge::tests::class;
    use allonym_dp::latent::Noise;
    use allonym_text::{Document, Private};
    use std::path::Path;

    /// Two authors, who are known by half of the words, and a sentiment that is known by the others.
    fn judges(alpha: f64) -> Judges {
        let ids = vocabulary().ids() as usize;
        let weights = |of: fn(usize) -> f32| -> Vec<f32> { (0..ids).map(of).collect() };
        let author = |id: usize| if id.is_multiple_of(2) { 4.0 } else { -4.0 };
        let sentiment = |id: usize| if id.is_multiple_of(3) { 4.0 } else { -4.0 };
        let (rarity, opposite) = (vec![1.0; ids], |of: &[f32]| of.iter().map(|weight| -weight).collect::<Vec<f32>>());
        let both = |of: Vec<f32>| [class(&opposite(&of), 0.0), class(&of, 0.0)];
        Judges {
            sentiment: Judge::new(rarity.clone(), &both(weights(sentiment))).unwrap(),
            authors: Judge::new(rarity, &both(weights(author))).unwrap(),
            others: Vec::new(),
            alpha,
        }
    }

    #[test]
    fn both_sentiments_are_drawn_equally_often_where_that_is_asked_for() {
        let auto_encoder = trained();
        let texts: Vec<Text> = (0..10).map(|i| vec![4 + i, END]).collect();
        // One text in ten is positive.
        let subjects = |positive: usize| -> Vec<Subject> {
            (0..10).map(|text| Subject { author: 0, positive: text < positive }).collect()
        };
        let of = |positive| TextWorld::new(&auto_encoder, judges(0.5), &texts, subjects(positive)).unwrap();
        let drawn = |world: &TextWorld<'_>| {
            let rng = &mut PrivacyRng::reproducible(8);
            (0..2000).filter(|_| world.draw(rng) == 0).count()
        };
        // Six standard deviations of 2,000 draws are 80 and 134.
        assert!(drawn(&of(1)).abs_diff(200) < 80);
        let even = of(1).evenly();
        assert!(drawn(&even).abs_diff(1000) < 134);
        assert!(drawn(&of(0).evenly()).abs_diff(200) < 80, "there is but one sentiment");
    }

    fn trained() -> AutoEncoder {
        let shape = AutoEncoderSettings { layers: 1, cells: 24, own_output: 0.0, backwards: true, ..settings() };
        let mut model = auto_encoder(shape);
        train_for(&mut model, &texts(), 150, 1e-2);
        model
    }

    fn world(model: &AutoEncoder, alpha: f64) -> TextWorld<'_> {
        let judges = judges(alpha);
        // The author and the sentiment that the judges see in each text.
        let of = |text: &Text| Subject {
            author: u32::from(judges.authors.probabilities(text)[1] > 0.5),
            positive: judges.sentiment.probabilities(text)[1] > 0.5,
        };
        let subjects = texts().iter().map(of).collect();
        TextWorld::new(model, judges, &texts(), subjects).unwrap()
    }

    fn settings_of_agents() -> [AgentSettings; 3] {
        let small = |settings, rate| QSettings {
            episodes: 1200,
            steps: 4,
            hidden: 64,
            rate,
            replay: 2000,
            side_by_side: 12,
            ..settings
        };
        let (paper, literal) = (small(QSettings::default(), 3e-2), small(QSettings::literal(), 1e-3));
        let converged =
            PolicySettings { episodes: 3200, hidden: 32, rate: 3e-3, side_by_side: 32, ..Default::default() };
        [AgentSettings::Paper(paper), AgentSettings::Paper(literal), AgentSettings::Converged(converged)]
    }

    fn learn(learner: &mut Learner, world: &dyn World, groups: usize) -> Vec<Progressed> {
        (0..groups).map_while(|_| (!learner.is_done()).then(|| learner.group(world, 1).unwrap())).collect()
    }

    #[test]
    fn all_agents_learn_to_do_better_than_chance_and_than_nothing() {
        let model = trained();
        for alpha in [0.0, 0.5] {
            let world = world(&model, alpha);
            let all: Vec<usize> = (0..world.texts()).collect();
            let contexts: Vec<Vec<f32>> = all.iter().map(|text| world.context(*text).to_vec()).collect();
            let worth = |contexts: &[Vec<f32>]| {
                world.rewards(&all, contexts).unwrap().iter().map(|reward| reward.total).sum::<f64>() / 20.0
            };
            for settings in settings_of_agents() {
                let name = settings.name();
                // Few episodes teach an agent little that is told rewards as they are, and how little is a matter of luck: over eight seeds the mean gain at alpha 0.5 was 0.09, its deviation 0.06.
                let (seeds, more) = match name {
                    "literal" => (4, 0.03),
                    "paper" => (4, 0.05),
                    _ => (1, 0.1),
                };
                let (mut after, mut random) = (0.0, 0.0);
                for seed in 1..=seeds {
                    let mut learner = Learner::new(&settings, model.shape().sizes(), seed).unwrap();
                    random += learner.at_random(&world, 200, 9).unwrap().0.last / seeds as f64;
                    let curve = learn(&mut learner, &world, usize::MAX);
                    let mut rngs: Vec<PrivacyRng> = (0..20).map(PrivacyRng::reproducible).collect();
                    after += worth(&learner.agent().change(&contexts, &mut rngs).unwrap()) / seeds as f64;
                    assert!(learner.is_done() && curve.last().unwrap().episodes == settings.episodes());
                }
                assert!(after > worth(&contexts) + more, "{name} {alpha}: {after} {}", worth(&contexts));
                assert!(after > random + more, "{name} {alpha}: {after} {random}");
            }
        }
    }

    #[test]
    fn what_is_expected_comes_with_the_reward_of_what_is_written() {
        let model = trained();
        let world = world(&model, 0.5).keeping(0.5).unwrap();
        let all: Vec<usize> = (0..world.texts()).collect();
        let contexts: Vec<Vec<f32>> = all.iter().map(|text| world.context(*text).to_vec()).collect();
        let (rewards, expected) = world.outlook(&all, &contexts).unwrap();
        assert_eq!(rewards, world.rewards(&all, &contexts).unwrap());
        // The decoder is fairly sure of its words here, so what is expected is near what comes.
        let apart: f64 = rewards.iter().zip(&expected).map(|(reward, expected)| (reward.total - expected).abs()).sum();
        assert!(apart / 20.0 < 0.2, "{apart}");
        let wild: Vec<Vec<f32>> = contexts.iter().map(|context| context.iter().map(|x| -x).collect()).collect();
        assert_ne!(world.outlook(&all, &wild).unwrap().1, expected, "another context, another expectation");
    }

    #[test]
    fn a_seed_gives_one_curve_and_an_interruption_does_not_change_it() {
        let model = trained();
        let world = world(&model, 0.5);
        for settings in settings_of_agents() {
            let new = || Learner::new(&settings, model.shape().sizes(), 7).unwrap();
            let (mut whole, mut first, mut second) = (new(), new(), new());
            let curve = learn(&mut whole, &world, 8);
            let mut parts = learn(&mut first, &world, 3);
            let saved = first.save().unwrap();
            second.restore(Path::new("state"), &saved).unwrap();
            parts.extend(learn(&mut second, &world, 5));
            assert_eq!(parts, curve, "{}", settings.name());
            assert_eq!(second.save().unwrap(), whole.save().unwrap());
            assert!(second.restore(Path::new("state"), &saved[..saved.len() / 2]).is_err());
            let mut other = Learner::new(&settings, model.shape().sizes(), 8).unwrap();
            assert_ne!(learn(&mut other, &world, 3)[2], curve[2], "another seed");
        }
    }

    #[test]
    fn a_whole_model_that_was_written_does_the_same_when_it_is_read() {
        for settings in settings_of_agents() {
            let auto_encoder = trained();
            let measured = Measured {
                aim: Some(Aim { alpha: 0.5, content: 0.25, rounds: 2 }),
                commonest: Some([0.5, 0.75]),
                authors: 2,
                sequences: 20,
                originals: [1.0, 0.9],
                unchanged: [0.8, 0.7],
                changed: [0.5, 0.75],
            };
            let mut learner = Learner::new(&settings, auto_encoder.shape().sizes(), 7).unwrap();
            learn(&mut learner, &world(&auto_encoder, 0.5), 3);
            let (agent, measured_then) = (learner.agent(), Some(measured));
            let model = EteAnon { auto_encoder, agent, settings, usual_length: 2.5, measured: measured_then };
            let directory = tempfile::tempdir().unwrap();
            model.save(&directory.path().join("model"), &card()).unwrap();
            let (read, card) = EteAnon::open(&directory.path().join("model")).unwrap();
            assert_eq!((card.kind.as_str(), &read.settings), ("ete-anon", &model.settings));
            assert_eq!((read.measured, read.usual_length), (Some(measured), 2.5));
            let rngs = || (0..20).map(PrivacyRng::reproducible).collect::<Vec<_>>();
            let written = model.rewritten(&texts(), &mut rngs()).unwrap();
            assert_eq!(read.rewritten(&texts(), &mut rngs()).unwrap(), written);
            let alone = read.rewritten(&texts()[3..4], &mut rngs()[3..4]).unwrap();
            assert_eq!(alone[0], written[3], "neighbours do not show");
        }
    }

    #[test]
    fn with_noise_all_texts_have_as_many_pieces_and_only_the_noised_vector_is_read() {
        let auto_encoder = trained();
        let [settings, ..] = settings_of_agents();
        let agent = Learner::new(&settings, auto_encoder.shape().sizes(), 7).unwrap().agent();
        let model = EteAnon { auto_encoder, agent, settings, usual_length: 2.5, measured: None };
        assert_eq!([1, 6, 7, 12].map(|tokens| model.pieces_for(tokens)), [1, 1, 2, 2]);
        let pieces = |text: &str| model.padded_pieces(&Document::read(text), 3);
        assert_eq!(pieces("").len(), 3);
        assert_eq!(pieces(&"a ".repeat(100)).len(), 3);
        assert_eq!(pieces(""), vec![vec![END]; 3]);

        let texts = ["", "a b a", &"b ".repeat(40)].map(|text| Private::new(pieces(text)));
        let vectors = model.latents(texts.into());
        let (mechanism, mut rng) =
            (model.mechanism(3, 1e3, Noise::LaplaceRadial).unwrap(), PrivacyRng::reproducible(1));
        let draw =
            |vector: &Private<Vec<f32>>| mechanism.draw(vector.as_ref().map(Vec::as_slice), &mut rng).into_value();
        let vectors: Vec<Vec<f32>> = vectors.iter().map(draw).collect();
        assert!(vectors.iter().all(|vector| vector.len() == 3 * model.auto_encoder.shape().context()));
        let rngs = || (0..3).map(PrivacyRng::reproducible).collect::<Vec<_>>();
        let written = model.written_from(&vectors, &mut rngs()).unwrap();
        let alone = model.written_from(&vectors[1..2], &mut rngs()[1..2]).unwrap();
        assert_eq!(alone[0], written[1], "neighbours do not show");
        let wild: Vec<f32> = vectors[0].iter().enumerate().map(|(i, _)| if i % 2 == 0 { 1e9 } else { -1e9 }).collect();
        assert!(model.written_from(&[wild], &mut rngs()).unwrap()[0].len() <= 18);

        // Any two texts differ by at most twice the clip: that of three pieces is the root of three times that of one.
        let of = |pieces| model.mechanism(pieces, 4.0, Noise::LaplaceRadial).unwrap();
        assert!((of(3).scale() / of(1).scale() - 3_f64.sqrt()).abs() < 1e-3);
        assert!(of(3).loss().unwrap().0 <= 4.0);
    }

    #[test]
    fn agents_have_the_names_by_which_they_are_found() {
        for (name, _) in AgentSettings::PRESETS {
            assert_eq!(AgentSettings::find(name).unwrap().name(), name);
        }
    }

    #[test]
    fn worlds_and_agents_refuse_what_makes_no_sense() {
        let model = trained();
        let subject = |author| vec![Subject { author, positive: true }];
        let refused = |alpha, texts: &[Text], subjects| TextWorld::new(&model, judges(alpha), texts, subjects).err();
        for (alpha, texts, subjects) in [
            (1.5, &texts()[..1], subject(0)),
            (f64::NAN, &texts()[..1], subject(0)),
            (0.5, &texts()[..0], Vec::new()),
            (0.5, &texts()[..1], subject(2)),
        ] {
            assert!(refused(alpha, texts, subjects).is_some(), "{alpha}");
        }
        for bad in [
            AgentSettings::Paper(QSettings { discount: 1.5, ..QSettings::default() }),
            AgentSettings::Paper(QSettings { batch: 0, ..QSettings::default() }),
            AgentSettings::Paper(QSettings { damping: 0.0, ..QSettings::default() }),
            AgentSettings::Converged(PolicySettings { episodes: 0, ..PolicySettings::default() }),
            AgentSettings::Converged(PolicySettings { reach: f64::NAN, ..PolicySettings::default() }),
        ] {
            assert!(Learner::new(&bad, model.shape().sizes(), 1).is_err(), "{bad:?}");
        }
    }
}
