//! Private training: norms of examples, equality with plain training where there is no noise, and the noise of the loop itself.

mod common;

use allonym_dp::statistics::{FALSE_ALARM, chi_squared_tail};
use allonym_dp::{Entropy, PrivacyRng};
use allonym_nn::Gradients;
use allonym_nn::optimiser::{Adam, AdamSettings, OptimiserSettings, PrivateSettings, PrivateStep};
use allonym_nn::training::{Model, TrainingSettings};
use common::{Everything, Given, run, sequences};

const NO_PROTECTION: PrivateSettings =
    PrivateSettings { noise: 0.0, clip: f64::INFINITY, delta: 1e-5, owner_only: false, beside: None };

fn nothing() -> PrivacyRng {
    PrivacyRng::reproducible(0)
}

#[test]
fn the_norm_of_each_example_is_that_of_a_batch_with_it_alone() {
    for threads in [1, 2] {
        let model = Everything::new(1, 0.0);
        let examples = sequences(40, 2);
        let batch: Vec<_> = examples.iter().collect();
        let mut gradients = Gradients::private(model.store(), batch.len(), threads);
        model.losses(&batch, &mut gradients, &mut nothing()).unwrap();
        let norms = gradients.clipped(model.store(), 1.0).norms;
        for (example, norm) in batch.iter().zip(norms) {
            let mut alone = Gradients::plain(model.store(), threads);
            model.losses(&[*example], &mut alone, &mut nothing()).unwrap();
            let square: f64 = alone.into_values().iter().map(|v| f64::from(*v).powi(2)).sum();
            assert!((norm / square.sqrt() - 1.0).abs() < 1e-5, "{norm} {}", square.sqrt());
        }
    }
}

#[test]
fn the_clipped_sum_is_the_sum_of_clipped_gradients() {
    let (model, clip) = (Everything::new(1, 0.0), 0.7);
    let examples = sequences(20, 3);
    let batch: Vec<_> = examples.iter().collect();
    let mut gradients = Gradients::private(model.store(), batch.len(), 1);
    model.losses(&batch, &mut gradients, &mut nothing()).unwrap();
    let sum = gradients.clipped(model.store(), clip).sum;
    let mut expected = vec![0.0; sum.len()];
    for example in &batch {
        let mut alone = Gradients::plain(model.store(), 1);
        model.losses(&[*example], &mut alone, &mut nothing()).unwrap();
        let values = alone.into_values();
        let norm = values.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
        expected.iter_mut().zip(&values).for_each(|(sum, v)| *sum += f64::from(*v) * (clip / norm).min(1.0));
    }
    // The clip leaves one part in ten thousand of room.
    let far = sum.iter().zip(&expected).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
    assert!(far < 2e-4, "{far}");
}

#[test]
fn adam_on_private_steps_without_noise_and_clip_is_adam() {
    let [mut plain, mut private] = [(); 2].map(|()| Everything::new(4, 0.0));
    let examples = sequences(24, 5);
    let parameters = plain.store().values().len();
    let [mut adam, mut dp_adam] = [(); 2].map(|()| Adam::new(parameters, AdamSettings::default()).unwrap());
    let mut step = PrivateStep::new(NO_PROTECTION, 8.0, Entropy::reproducible(1), 0).unwrap();
    for batch in examples.chunks(8) {
        let batch: Vec<_> = batch.iter().collect();
        let mut gradients = Gradients::plain(plain.store(), 1);
        plain.losses(&batch, &mut gradients, &mut nothing()).unwrap();
        let mean: Vec<f32> = gradients.into_values().iter().map(|v| v * 0.125).collect();
        adam.step(plain.store_mut().values_mut(), &mean, 0.01, 1);
        let mut gradients = Gradients::private(private.store(), 8, 1);
        private.losses(&batch, &mut gradients, &mut nothing()).unwrap();
        let noised = step.noised(gradients.clipped(private.store(), f64::INFINITY), 1);
        dp_adam.step(private.store_mut().values_mut(), &noised, 0.01, 1);
    }
    assert_eq!(plain.store(), private.store());
}

#[test]
fn the_loop_gives_the_same_plain_and_private_where_nothing_is_protected() {
    // A batch of everything is one batch in both.
    let examples = sequences(12, 6);
    let trained = |private| {
        let directory = tempfile::tempdir().unwrap();
        let mut model = Everything::new(4, 0.0);
        let settings =
            TrainingSettings { steps: Some(5), batch: 12, private, seed: Some(1), ..TrainingSettings::default() };
        run(&mut model, &settings, &examples, directory.path()).unwrap();
        model.store().values().to_vec()
    };
    // The examples come in another order, so sums are rounded differently.
    let far = trained(None).iter().zip(trained(Some(NO_PROTECTION))).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
}

/// The variance of a step of the loop is that of the noise: once for all parts of a batch, also when the batch is empty.
#[test]
fn the_loop_adds_noise_once_a_step() {
    let parameters = 50_000;
    // Four examples of one token, each a part of its own.
    let examples = vec![vec![0.0_f32; parameters]; 4];
    for (batch, seed) in [(4, 1), (1, 2), (1, 3), (1, 4)] {
        let directory = tempfile::tempdir().unwrap();
        let mut model = Given::new(parameters);
        let private = PrivateSettings { noise: 1.5, clip: 3.0, delta: 1e-5, owner_only: false, beside: None };
        let settings = TrainingSettings {
            rate: 1.0,
            steps: Some(1),
            batch,
            tokens_at_once: 1,
            seed: Some(seed),
            optimiser: OptimiserSettings::Sgd { momentum: 0.0 },
            private: Some(private),
            ..TrainingSettings::default()
        };
        run(&mut model, &settings, &examples, directory.path()).unwrap();
        let deviation = 1.5 * 3.0 / batch as f64;
        let squares: f64 = model.store().values().iter().map(|v| (f64::from(*v) / deviation).powi(2)).sum();
        let above = chi_squared_tail(squares, parameters);
        assert!(2.0 * above.min(1.0 - above) >= FALSE_ALARM, "batch {batch}: {squares}");
    }
}
