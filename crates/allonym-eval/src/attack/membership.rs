//! Was this text among those that a model was trained on, or that synthetic text was made from?
//!
//! For a model, the score of a text is how well the model knows it (its loss, turned around). For synthetic text alone it is how near
//! the nearest synthetic text comes. Members and others must come from the same source, or the attack measures their difference.

use super::{Finding, Side, measured};
use crate::error::EvalError;
use crate::features::{Sparse, TfIdf, TfIdfSettings};
use crate::measure::{Judged, area_under_curve, found_at};
use rayon::prelude::*;

/// Tells members from others by a score. Which side of which threshold members are on is learned from every second text of both kinds and
/// tested on the rest.
///
/// # Errors
/// When one of the kinds has fewer than two texts.
pub fn membership_by_score(attacker: &str, members: &[f64], others: &[f64]) -> Result<Finding, EvalError> {
    if members.len() < 2 || others.len() < 2 {
        return Err(EvalError::NothingToTest);
    }
    // Only the order counts, so scores become their ranks: 32 bits would make equals of what is near.
    let mut sorted: Vec<f64> = members.iter().chain(others).copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let rank = |score: &f64| sorted.partition_point(|other| other < score) as f32;
    let [members, others]: [Vec<f32>; 2] = [members, others].map(|scores| scores.iter().map(rank).collect());
    let all = || members.iter().map(|s| (*s, true)).chain(others.iter().map(|s| (*s, false))).enumerate();
    let of = |odd: bool| -> Vec<(f32, bool)> { all().filter(|(i, _)| (i % 2 == 1) == odd).map(|(_, x)| x).collect() };
    let turned = |scores: Vec<(f32, bool)>| scores.into_iter().map(|(score, member)| (-score, member)).collect();
    let (mut learned, mut tested) = (of(true), of(false));
    let (scores, positive): (Vec<f32>, Vec<bool>) = learned.iter().copied().unzip();
    if area_under_curve(&scores, &positive).is_some_and(|area| area < 0.5) {
        (learned, tested) = (turned(learned), turned(tested));
    }
    // On the threshold counts as a member: when in doubt the attack has found one.
    let threshold = best_threshold(&learned).next_down();
    let judged = Judged {
        truth: tested.iter().map(|(_, member)| u32::from(*member)).collect(),
        scores: tested.iter().map(|(score, _)| vec![threshold - score, score - threshold]).collect(),
        sure_from: f32::NEG_INFINITY,
        learned: vec![others.len(), members.len()],
    };
    let (scores, positive): (Vec<f32>, Vec<bool>) = tested.into_iter().unzip();
    Ok(Finding {
        attack: "membership",
        target: "member or not".to_owned(),
        attacker: attacker.to_owned(),
        learned_from: Side::Released,
        tested_on: Side::Original,
        together: 1,
        measures: measured(&judged)?,
        found_at_one_percent: found_at(&scores, &positive, 0.01),
    })
}

/// The threshold that decides most of some scores rightly, when what lies above is positive.
pub(super) fn best_threshold(scores: &[(f32, bool)]) -> f32 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    // With the threshold below all, every positive is right. Each score that it passes is then called negative.
    let mut right = sorted.iter().filter(|(_, positive)| *positive).count() as i64;
    let (mut best, mut threshold) = (right, sorted.first().map_or(0.0, |(score, _)| score - 1.0));
    for (place, (score, positive)) in sorted.iter().enumerate() {
        right += if *positive { -1 } else { 1 };
        let next = sorted.get(place + 1).map_or(score + 1.0, |(next, _)| *next);
        if right > best && next > *score {
            (best, threshold) = (right, f32::midpoint(*score, next));
        }
    }
    threshold
}

/// The similarity of each text to the nearest of some others: the largest cosine of their character n-grams.
///
/// # Errors
/// When there are no others, or none with a character.
pub fn nearest(texts: &[&str], others: &[&str]) -> Result<Vec<f64>, EvalError> {
    let features = TfIdf::fit(TfIdfSettings { most: Some(200_000), ..TfIdfSettings::default() }, others)?;
    let (rows, columns) = (features.transform(texts), by_column(&features.transform(others)));
    let nearest = |row: usize| {
        let mut sums = vec![0.0_f32; others.len()];
        for (column, value) in rows.row(row).iter() {
            columns[column].iter().for_each(|(other, of_other)| sums[*other as usize] += value * of_other);
        }
        f64::from(sums.into_iter().fold(0.0, f32::max))
    };
    Ok((0..rows.rows()).into_par_iter().map(nearest).collect())
}

/// For each column the rows that have it.
fn by_column(rows: &Sparse) -> Vec<Vec<(u32, f32)>> {
    let mut columns = vec![Vec::new(); rows.width()];
    for row in 0..rows.rows() {
        rows.row(row).iter().for_each(|(column, value)| columns[column].push((row as u32, value)));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_by_hand() {
        // Between 2 and 3 all are right.
        assert_eq!(best_threshold(&[(1.0, false), (2.0, false), (3.0, true), (4.0, true)]), 2.5);
        // All positive: below all.
        assert!(best_threshold(&[(1.0, true), (2.0, true)]) < 1.0);
    }

    #[test]
    fn a_text_that_was_copied_is_nearest() {
        let found = nearest(&["the cat sat", "quite another"], &["the cat sat", "a dog ran"]).unwrap();
        assert!((found[0] - 1.0).abs() < 1e-5 && found[1] < 0.5, "{found:?}");
    }

    #[test]
    fn members_with_higher_scores_are_found_and_equal_ones_are_not() {
        let (high, low): (Vec<f64>, Vec<f64>) = (vec![0.999_999_99; 40], vec![0.999_999_98; 40]);
        let found = membership_by_score("test", &high, &low).unwrap();
        assert_eq!((found.measures.accuracy.value, found.found_at_one_percent), (1.0, Some(1.0)));
        let same = membership_by_score("test", &low, &low).unwrap();
        assert_eq!((same.measures.auc.unwrap().value, same.found_at_one_percent), (0.5, Some(0.0)));
        let losses = membership_by_score("test", &low, &high).unwrap();
        assert_eq!(losses.measures.accuracy.value, 1.0, "a score that is lower for members tells them too");
        assert!(membership_by_score("test", &[1.0], &low).is_err());
    }
}
