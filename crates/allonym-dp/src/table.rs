//! Public tables of integer weights, and exact draws from them.
//!
//! Scores are floats, but no float decides a draw: a score is quantised to a level, a level has an integer weight in a
//! table that depends on public settings alone, and the outcome is an exact uniform integer's place among the weights.
//! The loss is computed from the table, so rounding while the table was made cannot make a guarantee false.

use crate::loss::{Class, Loss};
use crate::rng::PrivacyRng;

/// Steps between the lowest and the highest score.
pub(crate) const LEVELS: usize = 1 << 16;

/// Weights for the levels `0..=LEVELS`, never falling.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    weights: Vec<u64>,
}

impl Table {
    /// A table of `shape` (never falling on [0, 1], with `shape(1) == 1`), as large as draws among `outcomes` allow.
    pub(crate) fn new(outcomes: u32, shape: impl Fn(f64) -> f64) -> Self {
        let top = largest_weight(outcomes) as f64;
        let mut weights: Vec<u64> =
            (0..=LEVELS).map(|level| ((top * shape(level as f64 / LEVELS as f64)).round() as u64).max(1)).collect();
        for level in 1..weights.len() {
            weights[level] = weights[level].max(weights[level - 1]);
        }
        Self { weights }
    }

    /// A table whose steps never fall either, for a convex `shape`. The proofs for probabilities need convexity, and
    /// rounding alone would not keep it.
    pub(crate) fn convex(outcomes: u32, shape: impl Fn(f64) -> f64) -> Self {
        let mut table = Self::new(outcomes, shape);
        // From the top down: a step may not be larger than the one above it.
        let mut step = u64::MAX;
        for level in (1..table.weights.len()).rev() {
            step = step.min(table.weights[level] - table.weights[level - 1]);
            table.weights[level - 1] = table.weights[level] - step;
        }
        table
    }

    pub(crate) fn weight(&self, level: usize) -> u64 {
        self.weights[level]
    }

    pub(crate) fn lowest(&self) -> u64 {
        self.weights[0]
    }

    pub(crate) fn highest(&self) -> u64 {
        self.weights[LEVELS]
    }
}

/// Weights that are a convex function of probabilities: what `exponential` and `floored` are made of. The proof stands with
/// the first of them.
#[derive(Clone, Debug)]
pub(crate) struct ConvexScores {
    pub(crate) outcomes: u32,
    table: Table,
}

impl ConvexScores {
    /// Weights of a convex `shape` (never falling on [0, 1], with `shape(1) == 1`).
    pub(crate) fn new(outcomes: u32, shape: impl Fn(f64) -> f64) -> Self {
        Self { outcomes, table: Table::convex(outcomes, shape) }
    }

    fn more(&self, scores: &[f32]) -> Vec<(u32, u64)> {
        let floor = self.table.lowest();
        let levels = probability_levels(scores, self.outcomes).into_iter();
        levels.map(|(outcome, level)| (outcome, self.table.weight(level) - floor)).collect()
    }

    pub(crate) fn distribution(&self, scores: &[f32]) -> Vec<f64> {
        probabilities_above_floor(self.outcomes, self.table.lowest(), &self.more(scores))
    }

    pub(crate) fn draw(&self, scores: &[f32], rng: &mut PrivacyRng) -> u32 {
        draw_above_floor(self.outcomes, self.table.lowest(), &self.more(scores), rng)
    }

    /// All weight on one token against none of it: the band of k-RR.
    pub(crate) fn loss(&self) -> Loss {
        let (high, low) = (self.table.highest(), self.table.lowest());
        let hit = high as f64 / (high as f64 + low as f64 * f64::from(self.outcomes - 1));
        Loss { epsilon: ln_ratio_up(high, low), class: Class::Band { hit } }
    }
}

/// The largest weight for which a sum over all outcomes stays below 2^63.
pub(crate) fn largest_weight(outcomes: u32) -> u64 {
    1 << (62 - (32 - outcomes.leading_zeros()))
}

/// The level of a score in [0, 1], rounded down; what is not a number is 0.
pub(crate) fn level(score: f32) -> usize {
    // `as` saturates, and takes NaN to 0.
    ((score * LEVELS as f32) as usize).min(LEVELS)
}

/// A probability from a score: what is not a number, negative or infinite counts as nothing.
pub(crate) fn probability(score: f32) -> f64 {
    // Written as the comparisons that a processor makes for many at once; with what is not a number they fail.
    let positive = if score > 0.0 { score } else { 0.0 };
    let at_most_one = if positive < 1.0 { positive } else { 1.0 };
    f64::from(if score < f32::INFINITY { at_most_one } else { 0.0 })
}

/// ln(numerator / denominator), rounded up beyond the error of the logarithm.
pub(crate) fn ln_ratio_up(numerator: u64, denominator: u64) -> f64 {
    if numerator == denominator {
        return 0.0;
    }
    // Both conversions, the quotient and the logarithm err by less than 2^-52 of about 2^6 each: 1e-14 covers them.
    (numerator as f64 / denominator as f64).ln() + 1e-14
}

/// Draws an outcome when each has the weight `floor` and some have more: `(outcome, how much more)`.
///
/// Exact: one uniform integer below the sum of all weights.
pub(crate) fn draw_above_floor(outcomes: u32, floor: u64, more: &[(u32, u64)], rng: &mut PrivacyRng) -> u32 {
    let base = floor * u64::from(outcomes);
    let total = base + more.iter().map(|(_, extra)| extra).sum::<u64>();
    let mut place = rng.below(total);
    if place < base {
        return (place / floor) as u32;
    }
    place -= base;
    // The place lies below the sum of all weights, so the loop ends inside.
    let mut last = 0;
    for (outcome, extra) in more {
        last = *outcome;
        if place < *extra {
            break;
        }
        place -= extra;
    }
    last
}

/// The probabilities of the same draw.
pub(crate) fn probabilities_above_floor(outcomes: u32, floor: u64, more: &[(u32, u64)]) -> Vec<f64> {
    let total = floor * u64::from(outcomes) + more.iter().map(|(_, extra)| extra).sum::<u64>();
    let mut weights = vec![floor; outcomes as usize];
    for (outcome, extra) in more {
        weights[*outcome as usize] += extra;
    }
    weights.into_iter().map(|weight| weight as f64 / total as f64).collect()
}

/// The levels of probabilities that are not zero, with a sum of at most [`LEVELS`], whatever the scores are.
///
/// The proofs hold for levels that sum to at most one whole; a model's probabilities do, but a broken model's may not,
/// so levels beyond the whole are cut, in the order of the outcomes.
pub(crate) fn probability_levels(scores: &[f32], outcomes: u32) -> Vec<(u32, usize)> {
    let mut left = LEVELS;
    let mut levels = Vec::new();
    const SMALLEST: f32 = 1.0 / LEVELS as f32;
    let scores = &scores[..scores.len().min(outcomes as usize)];
    for (block, chunk) in scores.chunks(16).enumerate() {
        // Most scores of a large vocabulary are far below a level: sixteen are passed over with one test.
        if !chunk.iter().fold(false, |any, score| any | (*score >= SMALLEST)) {
            continue;
        }
        for (offset, score) in chunk.iter().enumerate() {
            let level = level(*score).min(left);
            if level > 0 {
                left -= level;
                levels.push(((block * 16 + offset) as u32, level));
            }
        }
    }
    levels
}

/// The `count` outcomes with the highest scores; ties go to the lower outcome, what is not a number comes last.
pub(crate) fn highest(scores: &[f32], outcomes: u32, count: usize) -> Vec<u32> {
    let score =
        |outcome: u32| scores.get(outcome as usize).copied().filter(|s| !s.is_nan()).unwrap_or(f32::NEG_INFINITY);
    let mut best: Vec<u32> = (0..count as u32).collect();
    let higher_first = |a: &u32, b: &u32| score(*b).total_cmp(&(score(*a) + 0.0)).then(a.cmp(b));
    best.sort_by(higher_first);
    let mut threshold = best.last().map_or(f32::INFINITY, |last| score(*last));
    let rest = scores.get(count..(outcomes as usize).min(scores.len())).unwrap_or(&[]);
    for (block, chunk) in rest.chunks(16).enumerate() {
        if !chunk.iter().fold(false, |any, score| any | (*score > threshold)) {
            continue;
        }
        for (offset, score_here) in chunk.iter().enumerate() {
            if *score_here > threshold {
                best.pop();
                let outcome = (count + block * 16 + offset) as u32;
                let place = best.partition_point(|kept| score(*kept) >= *score_here);
                best.insert(place, outcome);
                threshold = best.last().map_or(f32::INFINITY, |last| score(*last));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::assert_distribution;

    #[test]
    fn a_convex_table_has_steps_that_never_fall() {
        for half_epsilon in [0.01_f64, 1.5, 15.0, 21.25] {
            let table = Table::convex(20_000, |p| (half_epsilon * (p - 1.0)).exp());
            let steps: Vec<u64> = table.weights.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(steps.is_sorted());
            let loss = ln_ratio_up(table.highest(), table.lowest());
            assert!((loss - half_epsilon).abs() < 1e-3 * half_epsilon, "{loss}");
        }
    }

    #[test]
    fn sums_over_all_outcomes_fit() {
        for outcomes in [2, 3, 4, 20_000, 65_536, u32::MAX] {
            assert!(u128::from(largest_weight(outcomes)) * u128::from(outcomes) < 1 << 63, "{outcomes}");
        }
    }

    #[test]
    fn levels_round_down_and_survive_anything() {
        assert_eq!(level(0.5), LEVELS / 2);
        assert_eq!((level(1.0), level(2.0), level(f32::INFINITY)), (LEVELS, LEVELS, LEVELS));
        assert_eq!((level(-1.0), level(f32::NAN), level(f32::NEG_INFINITY), level(0.9 / LEVELS as f32)), (0, 0, 0, 0));
    }

    #[test]
    fn probabilities_never_sum_to_more_than_one_whole() {
        let levels = probability_levels(&[0.75, f32::NAN, 0.75, f32::INFINITY, -3.0], 5);
        assert_eq!(levels, [(0, LEVELS * 3 / 4), (2, LEVELS / 4)]);
    }

    #[test]
    fn the_highest_are_found_with_ties_to_the_lower_outcome() {
        let scores = [0.1, 0.5, f32::NAN, 0.5, 0.9, f32::NEG_INFINITY, 0.5];
        assert_eq!(highest(&scores, 7, 3), [4, 1, 3]);
        assert_eq!(highest(&[f32::NAN; 4], 4, 2), [0, 1]);
        let many: Vec<f32> = (0..1000).map(|i| ((i * 7919) % 1000) as f32).collect();
        let mut sorted: Vec<u32> = (0..1000).collect();
        sorted.sort_by(|a, b| many[*b as usize].total_cmp(&many[*a as usize]));
        assert_eq!(highest(&many, 1000, 10), sorted[..10]);
    }

    #[test]
    fn draws_follow_the_weights() {
        let more = [(1, 5), (3, 11)];
        let mut rng = PrivacyRng::reproducible(1);
        let mut counts = [0; 4];
        for _ in 0..50_000 {
            counts[draw_above_floor(4, 2, &more, &mut rng) as usize] += 1;
        }
        // Weights 2, 7, 2, 13 of 24.
        assert_distribution(&counts, &[2.0 / 24.0, 7.0 / 24.0, 2.0 / 24.0, 13.0 / 24.0]);
        let stated = probabilities_above_floor(4, 2, &more);
        assert!((stated[1] - 7.0 / 24.0).abs() < 1e-15 && (stated[3] - 13.0 / 24.0).abs() < 1e-15);
    }
}
