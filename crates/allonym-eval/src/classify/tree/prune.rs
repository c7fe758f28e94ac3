//! Error-based pruning (Quinlan 1993, chapter 4): a leaf with so many errors among its rows must be expected to make more on others, up to
//! the bound that holds with some confidence. A node becomes a leaf, or its larger branch takes its place, when no more errors are to be
//! expected then.

use super::grow::Grown;
use super::{Node, Test, leaf_of};
use crate::features::Sparse;
use allonym_dp::clopper_pearson::bounds;
use std::collections::HashMap;

/// C4.5 takes the smaller tree even when it costs this much of an error more.
const SLACK: f64 = 0.1;

pub(super) fn prune(grown: &mut Grown, confidence: f64, rows: &Sparse, labels: &[u32]) {
    let mut pruning = Pruning { bound: Bound::new(confidence), expected: vec![0.0; grown.nodes.len()] };
    // Branches have larger numbers than their node: they come first.
    for at in (0..grown.nodes.len()).rev() {
        pruning.settle(&mut grown.nodes, at);
        let Some(test) = grown.nodes[at].test else { continue };
        let size = |node: usize| grown.rows[node].len();
        let (larger, smaller) =
            if size(test.below) >= size(test.above) { (test.below, test.above) } else { (test.above, test.below) };
        if grown.nodes[larger].test.is_some() {
            let moving = &grown.order[grown.rows[smaller].clone()];
            pruning.raise(&mut grown.nodes, at, larger, moving, rows, labels);
        }
    }
}

struct Pruning {
    bound: Bound,
    /// Errors that are expected of the tree below each node.
    expected: Vec<f64>,
}

impl Pruning {
    /// Makes a node a leaf when its branches are no better.
    fn settle(&mut self, nodes: &mut [Node], at: usize) {
        let as_leaf = self.bound.expected(&nodes[at].counts);
        let as_tree = nodes[at].test.map(|test| self.expected[test.below] + self.expected[test.above]);
        self.expected[at] = match as_tree.filter(|as_tree| as_leaf > as_tree + SLACK) {
            Some(as_tree) => as_tree,
            None => {
                nodes[at].test = None;
                as_leaf
            }
        };
    }

    /// Puts the larger branch in a node's place when that is no worse, and the rows of the smaller one with its own.
    fn raise(&mut self, nodes: &mut [Node], at: usize, branch: usize, moving: &[u32], rows: &Sparse, labels: &[u32]) {
        let mut arriving: HashMap<usize, Vec<u32>> = HashMap::new();
        for row in moving {
            let leaf = leaf_of(nodes, branch, rows.row(*row as usize));
            let counts = arriving.entry(leaf).or_insert_with(|| nodes[leaf].counts.clone());
            counts[labels[*row as usize] as usize] += 1;
        }
        let mut change: Vec<(usize, f64)> =
            arriving.iter().map(|(leaf, counts)| (*leaf, self.bound.expected(counts) - self.expected[*leaf])).collect();
        // Sums in one order, so that they are the same in every run.
        change.sort_by_key(|(leaf, _)| *leaf);
        let raised = self.expected[branch] + change.iter().map(|(_, change)| change).sum::<f64>();
        if raised > self.expected[at] + SLACK {
            return;
        }
        for row in moving {
            let mut node = branch;
            loop {
                nodes[node].counts[labels[*row as usize] as usize] += 1;
                let Some(test) = &nodes[node].test else { break };
                node = test.next(rows.row(*row as usize));
            }
        }
        nodes[at].test = nodes[branch].test;
        // What was better below may not be so any more.
        let mut below = vec![at];
        let mut place = 0;
        while place < below.len() {
            below.extend(nodes[below[place]].test.iter().flat_map(|Test { below, above, .. }| [*below, *above]));
            place += 1;
        }
        below.sort_unstable();
        below.iter().rev().for_each(|node| self.settle(nodes, *node));
    }
}

/// Bounds on errors, each computed once.
struct Bound {
    confidence: f64,
    known: HashMap<(u32, u32), f64>,
}

impl Bound {
    fn new(confidence: f64) -> Self {
        Self { confidence, known: HashMap::new() }
    }

    /// The errors that a leaf of these rows is expected to make on as many others: the rate of errors of which so few would come by
    /// chance no more often than the confidence says.
    fn expected(&mut self, counts: &[u32]) -> f64 {
        let all: u32 = counts.iter().sum();
        let errors = all - counts.iter().max().copied().unwrap_or(0);
        let confidence = self.confidence;
        let upper = || bounds(u64::from(errors), u64::from(all), 1.0 - confidence).map_or(0.0, |(_, upper)| upper);
        f64::from(all) * *self.known.entry((errors, all)).or_insert_with(upper)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tree, TreeSettings};
    use super::*;

    #[test]
    fn expected_errors_by_hand() {
        let mut bound = Bound::new(0.25);
        // No error in 6 rows: (1 - p)^6 = 1/4, so p = 1 - 4^(-1/6) = 0.206299. In 9: 0.142756. One in one row: 1.
        assert!((bound.expected(&[6, 0]) - 6.0 * 0.206_299).abs() < 1e-4);
        assert!((bound.expected(&[0, 9, 0]) - 9.0 * 0.142_756).abs() < 1e-4);
        // One error in 2 rows: at most one comes with 1 - p^2 = 1/4, so p = sqrt(3/4).
        assert!((bound.expected(&[1, 1]) - 2.0 * 0.75_f64.sqrt()).abs() < 1e-4);
        assert_eq!(bound.expected(&[0, 0]), 0.0);
    }

    fn tree(values: &[[f32; 2]], labels: &[u32], pruning: Option<f64>) -> Tree {
        let mut rows = Sparse::new(2);
        values.iter().for_each(|row| rows.push([(0, row[0]), (1, row[1])]));
        Tree::fit(TreeSettings { fewest_rows: 1, pruning }, &rows, labels, "classes").unwrap()
    }

    #[test]
    fn noise_is_pruned_and_a_real_difference_is_not() {
        // Thirty rows of each class, apart in the first column, but one of each on the wrong side; the second column is noise.
        let values: Vec<[f32; 2]> =
            (0..60).map(|i| [(i / 30) as f32 * 5.0 + 1.0, ((i * 37) % 60) as f32 + 1.0]).collect();
        let labels: Vec<u32> = (0..60).map(|i| u32::from((i >= 30) != (i == 7 || i == 40))).collect();
        assert!(tree(&values, &labels, None).leaves() > 2);
        assert_eq!(tree(&values, &labels, Some(0.25)).leaves(), 2);
    }

    #[test]
    fn a_larger_branch_takes_the_place_of_a_question_that_is_of_no_use() {
        // The root asks for the second column, which parts off two rows of which the first column knows as much.
        let node = |counts: [u32; 2], test| Node { counts: counts.to_vec(), test };
        let test = |column, threshold, below, above| Some(Test { column, threshold, below, above });
        let nodes = vec![
            node([11, 11], test(1, 0.5, 1, 2)),
            node([10, 10], test(0, 0.5, 3, 4)),
            node([1, 1], test(0, 0.5, 5, 6)),
            node([10, 0], None),
            node([0, 10], None),
            node([1, 0], None),
            node([0, 1], None),
        ];
        let mut rows = Sparse::new(2);
        let mut labels = vec![0; 11];
        labels.extend([1; 11]);
        for (row, label) in labels.iter().enumerate() {
            rows.push([(0, *label as f32), (1, f32::from(u8::from(row % 11 == 10)))]);
        }
        let order: Vec<u32> = (0..22).filter(|row| row % 11 != 10).chain([10, 21]).collect();
        let ranges = vec![0..22, 0..20, 20..22, 0..10, 10..20, 20..21, 21..22];
        let mut grown = Grown { nodes, order, rows: ranges };
        prune(&mut grown, 0.25, &rows, &labels);
        assert_eq!(grown.nodes[0].test, test(0, 0.5, 3, 4));
        assert_eq!((grown.nodes[3].counts.clone(), grown.nodes[4].counts.clone()), (vec![11, 0], vec![0, 11]));
    }
}
