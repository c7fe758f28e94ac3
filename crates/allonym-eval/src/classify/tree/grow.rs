//! Growing the tree: at every node the threshold with the best gain ratio, among those whose gain is at least average.

use super::columns::Columns;
use super::{Node, Test};
use crate::features::Sparse;
use rayon::prelude::*;
use std::ops::Range;

/// Gains that differ by less are equal.
const CLOSE: f64 = 1e-9;
/// Columns that one thread looks at before another may take over.
const TOGETHER: usize = 64;

/// A tree and where its rows are.
pub(super) struct Grown {
    pub(super) nodes: Vec<Node>,
    /// The rows, those of every node side by side.
    pub(super) order: Vec<u32>,
    /// Which of them came to each node.
    pub(super) rows: Vec<Range<usize>>,
}

/// The best threshold of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    column: u32,
    threshold: f32,
    gain: f64,
    ratio: f64,
}

pub(super) fn grow(fewest: usize, rows: &Sparse, labels: &[u32], classes: usize) -> Grown {
    let entropy = Entropy::new(rows.rows());
    let mut order: Vec<u32> = (0..rows.rows() as u32).collect();
    let mut nodes = vec![Node { counts: counts(&order, labels, classes), test: None }];
    let mut of_nodes: Vec<Range<usize>> = std::iter::once(0..rows.rows()).collect();
    let mut is_above = vec![false; rows.rows()];
    // Not by recursion: a tree on words may be thousands of nodes deep.
    let mut waiting = vec![(0, Columns::of(rows))];
    while let Some((at, columns)) = waiting.pop() {
        let range = of_nodes[at].clone();
        let Some(split) = best(&columns, &nodes[at].counts, labels, fewest, &entropy) else { continue };
        order[range.clone()].iter().for_each(|row| is_above[*row as usize] = 0.0 > split.threshold);
        columns.named(split.column).iter().for_each(|(row, value)| is_above[*row as usize] = *value > split.threshold);
        let (below, above): (Vec<u32>, Vec<u32>) =
            order[range.clone()].iter().partition(|row| !is_above[**row as usize]);
        let middle = range.start + below.len();
        order[range.start..middle].copy_from_slice(&below);
        order[middle..range.end].copy_from_slice(&above);
        let (columns_below, columns_above) =
            rayon::join(|| columns.part(|row| !is_above[row as usize]), || columns.part(|row| is_above[row as usize]));
        let next = nodes.len();
        nodes[at].test = Some(Test { column: split.column, threshold: split.threshold, below: next, above: next + 1 });
        for part in [below, above] {
            nodes.push(Node { counts: counts(&part, labels, classes), test: None });
        }
        of_nodes.extend([range.start..middle, middle..range.end]);
        waiting.extend([(next + 1, columns_above), (next, columns_below)]);
    }
    Grown { nodes, order, rows: of_nodes }
}

fn counts(rows: &[u32], labels: &[u32], classes: usize) -> Vec<u32> {
    let mut counts = vec![0; classes];
    rows.iter().for_each(|row| counts[labels[*row as usize] as usize] += 1);
    counts
}

/// The threshold that a node asks for; nothing for a node that is a leaf.
fn best(columns: &Columns, counts: &[u32], labels: &[u32], fewest: usize, entropy: &Entropy) -> Option<Split> {
    let all = counts.iter().sum::<u32>() as usize;
    if all < 2 * fewest || counts.iter().filter(|count| **count > 0).count() < 2 {
        return None;
    }
    let least = (all / (10 * counts.len())).min(25).max(fewest);
    let splits: Vec<Split> = (0..columns.len())
        .into_par_iter()
        .with_min_len(TOGETHER)
        .map_init(|| Scan::new(counts, entropy), |scan, place| scan.column(columns.column(place), labels, least))
        .flatten_iter()
        .collect();
    let average = splits.iter().map(|split| split.gain).sum::<f64>() / splits.len() as f64;
    let mut best: Option<Split> = None;
    for split in splits.into_iter().filter(|split| split.gain >= average - CLOSE) {
        if best.is_none_or(|best| split.ratio > best.ratio + CLOSE) {
            best = Some(split);
        }
    }
    best
}

/// n times the logarithm of n, for every n that may occur.
struct Entropy(Vec<f64>);

impl Entropy {
    fn new(most: usize) -> Self {
        Self((0..=most).map(|n| if n == 0 { 0.0 } else { n as f64 * (n as f64).log2() }).collect())
    }

    fn of(&self, count: u32) -> f64 {
        self.0[count as usize]
    }
}

/// Rows that move from one side of a threshold to the other, one by one.
struct Scan<'a> {
    counts: &'a [u32],
    entropy: &'a Entropy,
    all: u32,
    /// The sum over classes of n log n, with all rows on one side.
    whole: f64,
    /// How many of each class have moved.
    moved: Vec<u32>,
}

impl<'a> Scan<'a> {
    fn new(counts: &'a [u32], entropy: &'a Entropy) -> Self {
        let whole = counts.iter().map(|count| entropy.of(*count)).sum();
        Self { counts, entropy, all: counts.iter().sum(), whole, moved: vec![0; counts.len()] }
    }

    /// The threshold of a column with the largest gain. Zeros are not listed: they stay where they are while the numbers above them
    /// move from the top down, and then those below them from the bottom up.
    fn column(&mut self, (column, entries): (u32, &[(u32, f32)]), labels: &[u32], least: usize) -> Option<Split> {
        let below_zero = entries.partition_point(|(_, value)| *value < 0.0);
        let has_zeros = entries.len() < self.all as usize;
        let (negative, positive) = entries.split_at(below_zero);
        let mut best: Option<Split> = None;
        // What the last of the numbers borders on, when it has moved.
        let under = if has_zeros { Some(0.0) } else { negative.last().map(|(_, value)| *value) };
        self.scan(column, positive.iter().rev(), under, labels, least, &mut best);
        let over = has_zeros.then_some(0.0);
        self.scan(column, negative.iter(), over, labels, least, &mut best);
        best
    }

    fn scan<'e>(
        &mut self,
        column: u32,
        entries: impl Iterator<Item = &'e (u32, f32)> + Clone,
        border: Option<f32>,
        labels: &[u32],
        least: usize,
        best: &mut Option<Split>,
    ) {
        let (mut here, mut there, mut moved) = (self.whole, 0.0, 0_u32);
        let followers = entries.clone().skip(1).map(|(_, value)| Some(*value)).chain([border]);
        for ((row, value), next) in entries.clone().zip(followers) {
            let class = labels[*row as usize] as usize;
            let (count, rest) = (self.moved[class], self.counts[class] - self.moved[class]);
            there += self.entropy.of(count + 1) - self.entropy.of(count);
            here += self.entropy.of(rest - 1) - self.entropy.of(rest);
            self.moved[class] += 1;
            moved += 1;
            let rest = self.all - moved;
            let Some(next) = next.filter(|next| next != value) else { continue };
            if (moved.min(rest) as usize) < least {
                continue;
            }
            // Bits: what is not known of the class before and after, and what the answer itself costs.
            let (all, sizes) = (f64::from(self.all), self.entropy.of(moved) + self.entropy.of(rest));
            let before = self.entropy.of(self.all) - self.whole;
            let gain = (before - (sizes - here - there)) / all;
            if gain > best.map_or(CLOSE, |best| best.gain + CLOSE) {
                let ratio = gain * all / (self.entropy.of(self.all) - sizes);
                *best = Some(Split { column, threshold: between(*value, next), gain, ratio });
            }
        }
        entries.for_each(|(row, _)| self.moved[labels[*row as usize] as usize] = 0);
    }
}

/// Half-way, but never so that the larger of the two is not above it.
fn between(a: f32, b: f32) -> f32 {
    let (low, high) = (a.min(b), a.max(b));
    let middle = f32::midpoint(low, high);
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_of(values: &[f32], labels: &[u32]) -> Option<Split> {
        let mut rows = Sparse::new(1);
        values.iter().for_each(|value| rows.push([(0, *value)]));
        let order: Vec<u32> = (0..values.len() as u32).collect();
        let counts = counts(&order, labels, 2);
        best(&Columns::of(&rows), &counts, labels, 1, &Entropy::new(values.len()))
    }

    #[test]
    fn gain_and_ratio_by_hand() {
        // Four of each class; above 2.5 there are two of one and none of the other. Before: 1 bit. After: 6/8 of
        // the entropy of 2 and 4, 0.918296 bits: gain 0.311278. The answer costs the entropy of 2 and 6, 0.811278 bits.
        let split = split_of(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 3.0, 3.0], &[0, 0, 0, 0, 1, 1, 1, 1]).unwrap();
        // 1 and 2 have both classes alike, two and one: no better threshold.
        assert_eq!(split.threshold, 2.5);
        assert!((split.gain - 0.311_278).abs() < 1e-6 && (split.ratio - 0.311_278 / 0.811_278).abs() < 1e-5);
    }

    #[test]
    fn numbers_that_say_nothing_are_not_asked_for() {
        assert_eq!(split_of(&[1.0, 1.0, 2.0, 2.0], &[0, 1, 0, 1]), None);
        assert_eq!(split_of(&[0.0, 0.0, 0.0], &[0, 1, 1]), None);
        assert_eq!(split_of(&[1.0, 2.0], &[1, 1]), None, "one class");
    }

    #[test]
    fn two_numbers_side_by_side_are_still_told_apart() {
        let next = 1.0_f32.next_up();
        assert!(between(next, 1.0) < next && between(1.0, next) >= 1.0);
    }
}
