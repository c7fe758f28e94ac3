//! The area under the curve of hits against false alarms (AUC).

/// The chance that a positive has a higher score than a negative; of equals half counts. Nothing when one of the kinds is missing.
pub fn area_under_curve(scores: &[f32], positive: &[bool]) -> Option<f64> {
    let order = ascending(scores);
    weighted_area(&order, scores, positive, &vec![1; scores.len()])
}

/// Places of scores, the smallest first; what is no number comes before all.
pub(super) fn ascending(scores: &[f32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..scores.len() as u32).collect();
    let key = |place: &u32| Some(scores[*place as usize]).filter(|score| !score.is_nan()).unwrap_or(f32::NEG_INFINITY);
    order.sort_by(|a, b| key(a).total_cmp(&key(b)));
    order
}

/// The same when each item counts several times, or not at all.
pub(super) fn weighted_area(order: &[u32], scores: &[f32], positive: &[bool], counts: &[u32]) -> Option<f64> {
    let (mut below, mut wins, mut positives) = (0.0, 0.0, 0.0);
    for equal in order.chunk_by(|a, b| scores[*a as usize] == scores[*b as usize]) {
        let (mut here_positive, mut here_negative) = (0.0, 0.0);
        for place in equal {
            let place = *place as usize;
            *(if positive[place] { &mut here_positive } else { &mut here_negative }) += f64::from(counts[place]);
        }
        wins += here_positive * (below + here_negative / 2.0);
        below += here_negative;
        positives += here_positive;
    }
    (positives > 0.0 && below > 0.0).then(|| wins / (positives * below))
}

/// The share of positives that are found when at most this share of negatives is taken for one: what counts when a false
/// accusation is dear. Nothing when one of the kinds is missing.
pub fn found_at(scores: &[f32], positive: &[bool], false_alarms: f64) -> Option<f64> {
    let positives = positive.iter().filter(|positive| **positive).count();
    let negatives = positive.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let allowed = (false_alarms * negatives as f64).floor() as usize;
    let (mut found, mut alarms, mut best) = (0, 0, 0);
    for equal in ascending(scores).rchunk_by_score(scores) {
        found += equal.iter().filter(|place| positive[**place as usize]).count();
        alarms += equal.iter().filter(|place| !positive[**place as usize]).count();
        if alarms > allowed {
            break;
        }
        best = found;
    }
    Some(best as f64 / positives as f64)
}

/// Runs of equal scores, the highest first.
trait Runs {
    fn rchunk_by_score<'a>(&'a self, scores: &'a [f32]) -> impl Iterator<Item = &'a [u32]>;
}

impl Runs for Vec<u32> {
    fn rchunk_by_score<'a>(&'a self, scores: &'a [f32]) -> impl Iterator<Item = &'a [u32]> {
        self.chunk_by(|a, b| scores[*a as usize] == scores[*b as usize]).rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_by_hand() {
        // Positives 3 and 1, negatives 2 and 0: of four pairs three are right.
        assert_eq!(area_under_curve(&[3.0, 2.0, 1.0, 0.0], &[true, false, true, false]), Some(0.75));
        assert_eq!(area_under_curve(&[1.0, 1.0], &[true, false]), Some(0.5), "equals count half");
        assert_eq!(area_under_curve(&[1.0, 2.0], &[true, true]), None);
        // An item that counts three times is three items.
        let (scores, positive) = ([3.0, 2.0, 1.0, 0.0], [true, false, true, false]);
        let weighted = weighted_area(&ascending(&scores), &scores, &positive, &[3, 1, 1, 0]);
        assert_eq!(weighted, area_under_curve(&[3.0, 3.0, 3.0, 2.0, 1.0], &[true, true, true, false, true]));
    }

    #[test]
    fn positives_that_are_found_without_false_alarms() {
        let (scores, positive) = ([9.0, 8.0, 7.0, 6.0, 5.0], [true, true, false, true, false]);
        assert_eq!(found_at(&scores, &positive, 0.0), Some(2.0 / 3.0));
        assert_eq!(found_at(&scores, &positive, 0.5), Some(1.0));
        assert_eq!(found_at(&[1.0, 1.0], &[true, false], 0.0), Some(0.0), "a tie with a negative is a false alarm");
    }
}
