use super::*;
use crate::ete_anon::{AgentSettings, Learner, PolicySettings, QSettings, World};
use crate::testing::{
    an_example_adds_its_own_clipped_gradient, card, gradients_are_those_of_the_loss, train_for, vocabulary,
};
use allonym_dp::PrivacyRng;
use allonym_nn::Matrix;
use allonym_nn::training::Model;
use allonym_text::vocabulary::END;

fn settings() -> RltaSettings {
    RltaSettings { cells: 6, words: 5, max_tokens: 6, classes: 2 }
}

fn encoder() -> Encoder {
    Encoder::new(settings(), vocabulary(), None, &mut PrivacyRng::reproducible(3)).unwrap()
}

/// The class is told by one word, wherever it stands.
fn examples() -> Vec<Labelled> {
    let example = |i: u32| {
        let label = i % 2;
        let mut text: Vec<u32> = (0..1 + i % 4).map(|place| 12 + (i + place) % 6).collect();
        text.insert((i % (text.len() as u32 + 1)) as usize, 4 + label);
        Labelled { text: text.into_iter().chain([END]).collect(), label }
    };
    (0..40).map(example).collect()
}

fn texts() -> Vec<Vec<u32>> {
    examples().into_iter().map(|example| example.text).collect()
}

fn right(encoder: &Encoder) -> usize {
    let (judge, vectors) = (encoder.judge(), encoder.encoded(&texts()).unwrap());
    examples().iter().zip(vectors).filter(|(example, vector)| judge.lead(vector, example.label) > 0.0).count()
}

#[test]
fn its_gradients_are_those_of_the_loss() {
    let mut model = encoder();
    let last = model.store().values().len() - 1;
    let places: Vec<usize> = (0..=12).map(|part| last * part / 12).collect();
    for threads in [1, 3] {
        gradients_are_those_of_the_loss(&mut model, &examples()[..7], &places, (threads, 2e-2));
    }
}

#[test]
fn in_a_private_step_a_text_adds_its_own_clipped_gradient() {
    an_example_adds_its_own_clipped_gradient(&encoder(), &examples()[3..7]);
}

#[test]
fn it_learns_its_task() {
    let mut model = encoder();
    let before = right(&model);
    train_for(&mut model, &examples(), 150, 1e-2);
    assert!(before < 35 && right(&model) == 40, "{before} {}", right(&model));
}

#[test]
fn a_vector_does_not_depend_on_other_texts() {
    let model = encoder();
    let together = model.encoded(&texts()).unwrap();
    for (text, vector) in texts().iter().zip(&together) {
        assert_eq!(&model.encoded(std::slice::from_ref(text)).unwrap()[0], vector);
        assert!(vector.len() == 12 && vector.iter().all(|value| value.abs() < 1.0));
    }
    // What follows the maximum is not read, and an id of nowhere is an unknown word.
    let long: Vec<u32> = (0..50).map(|place| 4 + place % 20).collect();
    assert_eq!(model.encoded(std::slice::from_ref(&long)).unwrap(), model.encoded(&[long[..6].to_vec()]).unwrap());
    assert!(model.encoded(&[vec![9_999_999]]).is_ok());
}

/// A task, and an attribute that shows in one number of a vector.
fn world(model: &Encoder, alpha: f64) -> VectorWorld {
    let labels: Vec<u32> = examples().iter().map(|example| example.label).collect();
    let vectors = model.encoded(&texts()).unwrap();
    let mut numbers: Vec<f32> = vectors.iter().map(|vector| vector[0]).collect();
    numbers.sort_by(f32::total_cmp);
    let middle = numbers[20];
    let attribute: Vec<u32> = vectors.iter().map(|vector| u32::from(vector[0] > middle)).collect();
    let mut weights = Matrix::zeros(2, 12);
    weights.row_mut(1)[0] = 30.0;
    let judge = VectorJudge::new(weights, vec![0.0, -30.0 * middle]);
    VectorWorld::new(alpha, vectors, (model.judge(), labels), vec![(judge, attribute)]).unwrap()
}

#[test]
fn agents_learn_to_keep_the_task_and_to_hide_the_attribute() {
    let mut model = encoder();
    train_for(&mut model, &examples(), 150, 1e-2);
    let world = world(&model, 0.5);
    let agents = [
        AgentSettings::Paper(QSettings {
            episodes: 600,
            steps: 4,
            hidden: 64,
            rate: 3e-2,
            replay: 2000,
            side_by_side: 12,
            ..QSettings::default()
        }),
        AgentSettings::Converged(PolicySettings {
            episodes: 3200,
            hidden: 32,
            rate: 3e-3,
            side_by_side: 32,
            ..PolicySettings::default()
        }),
    ];
    for settings in agents {
        let mut learner = Learner::new(&settings, Rlta::sizes(&model), 1).unwrap();
        let random = learner.at_random(&world, 200, 1).unwrap().0.reward;
        let mut rewards = Vec::new();
        while !learner.is_done() {
            rewards.push(learner.group(&world, 1).unwrap().last);
        }
        let late = &rewards[rewards.len() - 5..];
        let late = late.iter().sum::<f64>() / 5.0;
        assert!(late > random + 0.1, "{}: {random} {late}", settings.name());

        let whole = Rlta { encoder: encoder(), agent: learner.agent(), settings, measured: None };
        let directory = tempfile::tempdir().unwrap();
        whole.save(&directory.path().join("model"), &card()).unwrap();
        let (read, card) = Rlta::open(&directory.path().join("model")).unwrap();
        assert_eq!(card.kind, "rlta");
        let rngs = || (0..40).map(PrivacyRng::reproducible).collect::<Vec<_>>();
        let changed = whole.changed(&texts(), &mut rngs()).unwrap();
        assert_eq!(read.changed(&texts(), &mut rngs()).unwrap(), changed);
        assert_eq!(read.changed(&texts()[3..4], &mut rngs()[3..4]).unwrap()[0], changed[3], "neighbours do not show");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let model = encoder();
    let judge = || VectorJudge::new(Matrix::zeros(2, 12), vec![0.0; 2]);
    let vectors = || model.encoded(&texts()[..2]).unwrap();
    let world = |alpha, task: Vec<u32>, attribute: Vec<u32>| {
        VectorWorld::new(alpha, vectors(), (judge(), task), vec![(judge(), attribute)])
    };
    assert!(world(0.5, vec![0, 1], vec![1, 0]).is_ok_and(|world| world.texts() == 2));
    assert!(world(-0.1, vec![0, 1], vec![1, 0]).is_err());
    assert!(world(0.5, vec![0, 2], vec![1, 0]).is_err());
    assert!(world(0.5, vec![0, 1], vec![1]).is_err());
    assert!(VectorWorld::new(0.5, vectors(), (judge(), vec![0, 1]), Vec::new()).is_err());
    for bad in [RltaSettings { cells: 0, ..settings() }, RltaSettings { classes: 1, ..settings() }] {
        assert!(Encoder::new(bad, vocabulary(), None, &mut PrivacyRng::reproducible(3)).is_err());
    }
}
