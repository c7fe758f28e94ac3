//! Was this text released by a machine, or written? What gives a release away may give away the method too.

use super::{Classed, Finding, Side, Split, learn_and_judge, measured};
use crate::attacker::Attacker;
use crate::error::EvalError;
use crate::measure::found_at;

/// Tells released texts from originals. Both versions of a record are on the same side of the split.
///
/// # Errors
/// When there is nothing to learn or to test.
pub fn detection(
    attacker: &dyn Attacker,
    original: &[&str],
    released: &[&str],
    test_share: f64,
    seed: u64,
) -> Result<Finding, EvalError> {
    let records = original.len() as u32;
    let texts: Vec<&str> = original.iter().chain(released).copied().collect();
    let classes: Vec<u32> = (0..texts.len()).map(|place| u32::from(place >= original.len())).collect();
    let pair_of: Vec<u32> = (0..texts.len() as u32).map(|place| place % records.max(1)).collect();
    let split = Split::by_group(&pair_of, test_share, seed)?;
    let all = Classed { texts: &texts, classes: &classes, count: 2 };
    let judged = learn_and_judge(attacker, all, &split, &[all])?.remove(0);
    let scores: Vec<f32> = judged.scores.iter().map(|scores| scores[1] - scores[0]).collect();
    let positive: Vec<bool> = judged.truth.iter().map(|truth| *truth == 1).collect();
    Ok(Finding {
        attack: "detection",
        target: "released or original".to_owned(),
        attacker: attacker.name().to_owned(),
        learned_from: Side::Released,
        tested_on: Side::Released,
        together: 1,
        measures: measured(&judged)?,
        found_at_one_percent: found_at(&scores, &positive, 0.01),
    })
}
