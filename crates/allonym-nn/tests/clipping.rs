//! Examples that try to escape the clip, or to spoil a step.

use allonym_dp::PrivacyRng;
use allonym_nn::layer::Linear;
use allonym_nn::loss::{Tokens, softmax};
use allonym_nn::{Clipped, Gradients, Matrix, Rows, Sequences, Store};
use std::sync::Arc;

/// The clipped sum of one weight without a bias, from what flowed back to rows and their inputs.
fn clipped(lengths: Option<&[usize]>, back: Matrix<f32>, inputs: Matrix<f32>, clip: f64) -> Clipped<f32> {
    let mut store = Store::new();
    let name = "weight";
    let slot = store.add(name, back.columns(), inputs.columns(), 0.1, &mut PrivacyRng::reproducible(1)).unwrap();
    let rows = match lengths {
        None => Rows::Examples(back.rows()),
        Some(lengths) => Rows::Tokens(Arc::new(Sequences::new(lengths, 1).unwrap())),
    };
    let mut gradients = Gradients::private(&store, rows.examples(), 1);
    gradients.weight(slot, None, Arc::new(back), &Arc::new(inputs), &rows);
    gradients.clipped(&store, clip)
}

fn norm(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn numbers_whose_products_overflow_are_clipped_all_the_same() {
    // Two rows of one example: products of pairs are beyond f32, and of both signs.
    let back = Matrix::of(2, 4, vec![1e20, 0.0, 0.0, 0.0, -1e20, 0.0, 0.0, 0.0]);
    let inputs = Matrix::of(2, 4, vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]);
    let found = clipped(Some(&[2]), back, inputs, 1.0);
    assert!((found.norms[0] / 5e19 - 1.0).abs() < 1e-6, "{:?}", found.norms);
    assert!(norm(&found.sum) <= 1.0 && norm(&found.sum) > 0.999, "{}", norm(&found.sum));
}

#[test]
fn numbers_whose_squares_vanish_are_clipped_all_the_same() {
    let found = clipped(None, Matrix::of(1, 1, vec![1e-23]), Matrix::of(1, 1, vec![1e19]), 1e-5);
    assert!((found.norms[0] / 1e-4 - 1.0).abs() < 1e-5, "{:?}", found.norms);
    assert!(norm(&found.sum) <= 1e-5);
}

#[test]
fn rows_that_nearly_cancel_do_not_hide_what_is_left() {
    let mut rng = PrivacyRng::reproducible(3);
    let mut uniform = || (rng.bits() >> 40) as f32 / (1 << 24) as f32 - 0.5;
    for size in [1e3_f32, 1e5, 1e6] {
        let b: Vec<f32> = (0..64).map(|_| size * uniform()).collect();
        let a: Vec<f32> = (0..64).map(|_| uniform()).collect();
        let near: Vec<f32> = a.iter().map(|value| value + 1e-4 * uniform()).collect();
        let back = Matrix::of(2, 64, b.iter().copied().chain(b.iter().map(|value| -value)).collect());
        let inputs = Matrix::of(2, 64, a.iter().chain(&near).copied().collect());
        // b (a - near)': its norm is the product of two lengths.
        let rest: Vec<f32> = a.iter().zip(&near).map(|(a, near)| a - near).collect();
        let expected = norm(&b) * norm(&rest);
        let found = clipped(Some(&[2]), back, inputs, 1.0);
        assert!((found.norms[0] / expected - 1.0).abs() < 1e-3, "{} for {expected}", found.norms[0]);
    }
}

#[test]
fn an_example_that_is_no_number_counts_nothing_and_spoils_nothing() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let of_back = clipped(None, Matrix::of(2, 1, vec![bad, 0.5]), Matrix::of(2, 1, vec![1.0, 1.0]), 9.0);
        let of_inputs = clipped(None, Matrix::of(2, 1, vec![1.0, 0.5]), Matrix::of(2, 1, vec![bad, 1.0]), 9.0);
        for found in [of_back, of_inputs] {
            assert_eq!(*found.sum, [0.5], "only the other example counts");
            assert!(!found.norms[0].is_finite());
        }
        let tokens =
            clipped(Some(&[2, 1]), Matrix::of(3, 1, vec![1.0, 0.5, 1.0]), Matrix::of(3, 1, vec![bad, 1.0, 1.0]), 9.0);
        assert_eq!(*tokens.sum, [0.5]);
    }
}

#[test]
fn a_softmax_of_vectors_that_are_no_numbers_spoils_nothing() {
    let (mut store, rng) = (Store::<f32>::new(), &mut PrivacyRng::reproducible(2));
    let layer = Linear::new("output", 2, 3, true, &mut store, rng).unwrap();
    let sequences = Arc::new(Sequences::new(&[1, 1], 1).unwrap());
    let run = |vectors: Vec<f32>| {
        let vectors = Arc::new(Matrix::of(2, 2, vectors));
        let targets = Arc::new(Tokens::new(vec![0, 1], 3).unwrap());
        let mut gradients = Gradients::private(&store, 2, 1);
        softmax(&layer, &store, &vectors, &sequences, targets, vec![1.0; 2], &mut gradients).unwrap();
        gradients.clipped(&store, 0.5)
    };
    let alone = run(vec![0.0, 0.0, 0.3, -0.2]);
    for bad in [f32::NAN, f32::INFINITY, 3e38] {
        let found = run(vec![bad, 1.0, 0.3, -0.2]);
        assert!(found.sum.iter().all(|value| value.is_finite()), "{bad}");
        assert!((found.norms[1] - alone.norms[1]).abs() < 1e-9);
        assert!(norm(&found.sum) <= 1.0 + 1e-6, "two examples at most");
    }
}

#[test]
#[should_panic(expected = "a clip is above 0")]
fn a_clip_that_is_none_is_refused() {
    clipped(None, Matrix::of(1, 1, vec![1.0]), Matrix::of(1, 1, vec![1.0]), f64::NAN);
}
