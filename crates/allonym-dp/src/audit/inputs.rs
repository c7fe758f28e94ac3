//! Inputs at the edges of what a model can produce.

/// Scores for this many outcomes: all mass on one, none on one, ties, uniform, and what no model should give.
pub fn extremal(outcomes: usize) -> Vec<Vec<f32>> {
    let point = |at: usize, high: f32, low: f32| (0..outcomes).map(|i| if i == at { high } else { low }).collect();
    let mut scores: Vec<Vec<f32>> = vec![
        vec![0.0; outcomes],
        vec![1.0 / outcomes as f32; outcomes],
        vec![1.0; outcomes],
        point(0, 1e4, -1e4),
        point(outcomes - 1, 1e4, -1e4),
        point(0, -1e4, 1e4),
        point(1, f32::INFINITY, 0.0),
        point(1, f32::NEG_INFINITY, 0.0),
        point(0, f32::NAN, 0.0),
        vec![f32::NAN; outcomes],
        vec![f32::INFINITY; outcomes],
        (0..outcomes).map(|i| i as f32).collect(),
        Vec::new(),
    ];
    for at in 0..outcomes {
        scores.push(point(at, 1.0, 0.0));
        scores.push(point(at, 0.0, 1.0 / (outcomes - 1) as f32));
    }
    scores
}

/// The inputs that statistical layers draw from: fewer, since each costs many draws.
pub(super) fn for_draws(outcomes: usize) -> Vec<Vec<f32>> {
    let point = |at: usize, high: f32, low: f32| (0..outcomes).map(|i| if i == at { high } else { low }).collect();
    let rest = 1.0 / (outcomes - 1) as f32;
    vec![
        vec![1.0 / outcomes as f32; outcomes],
        point(0, 1.0, 0.0),
        point(1, 1.0, 0.0),
        point(0, 0.0, rest),
        point(0, 1e4, -1e4),
        point(0, -1e4, 1e4),
        point(0, 0.0, 1.0),
        point(0, f32::NAN, 0.0),
        (0..outcomes).map(|i| if i < 2 { 0.5 } else { 0.0 }).collect(),
    ]
}
