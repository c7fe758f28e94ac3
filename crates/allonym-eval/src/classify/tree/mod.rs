//! The decision tree C4.5 (Quinlan 1993) on rows of numbers: thresholds chosen by gain ratio, and pruned by how many errors a leaf must
//! be expected to make.
//!
//! Numbers are never missing, so nothing is split among branches; and a threshold lies half-way between two numbers that occur.

mod columns;
mod grow;
mod prune;

use super::{check, largest};
use crate::error::EvalError;
use crate::features::{Row, Sparse};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TreeSettings {
    /// The fewest rows on each side of a threshold. C4.5 asks for more when there are many rows: a tenth of the mean class, up to 25.
    /// Default 2.
    pub fewest_rows: usize,
    /// The confidence of the bound on a leaf's errors: the smaller, the more is pruned. None: nothing is. Default 0.25.
    pub pruning: Option<f64>,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self { fewest_rows: 2, pruning: Some(0.25) }
    }
}

/// A question to a row: is the number in a column above a threshold?
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test {
    column: u32,
    threshold: f32,
    /// The node for rows that are not above.
    below: usize,
    /// The node for rows that are.
    above: usize,
}

impl Test {
    fn next(&self, row: Row<'_>) -> usize {
        let place = row.columns.binary_search(&self.column);
        let value = place.map_or(0.0, |place| row.values[place]);
        if value > self.threshold { self.above } else { self.below }
    }
}

/// A leaf, or a question; the nodes that follow have larger numbers.
#[derive(Clone, Debug)]
struct Node {
    /// How many rows of each class came by.
    counts: Vec<u32>,
    test: Option<Test>,
}

/// A decision tree that has learned.
#[derive(Clone, Debug)]
pub struct Tree {
    width: usize,
    nodes: Vec<Node>,
}

impl Tree {
    /// Learns to tell classes apart; `labels` are numbers from 0, `what` names them for messages.
    ///
    /// # Errors
    /// When there is only one class, rows and labels do not line up, or a setting is out of range.
    pub fn fit(settings: TreeSettings, rows: &Sparse, labels: &[u32], what: &'static str) -> Result<Self, EvalError> {
        let classes = check(rows, labels, what)?;
        if settings.fewest_rows == 0 {
            return Err(EvalError::Setting { setting: "fewest rows", value: "0".to_owned(), allowed: "1 or more" });
        }
        let mut grown = grow::grow(settings.fewest_rows, rows, labels, classes);
        if let Some(confidence) = settings.pruning {
            if !(confidence > 0.0 && confidence < 1.0) {
                let value = confidence.to_string();
                return Err(EvalError::Setting { setting: "pruning", value, allowed: "between 0 and 1" });
            }
            prune::prune(&mut grown, confidence, rows, labels);
        }
        Ok(Self { width: rows.width(), nodes: reachable(&grown.nodes) })
    }

    /// How many leaves it has.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.test.is_none()).count()
    }

    fn leaf(&self, row: Row<'_>) -> &Node {
        &self.nodes[leaf_of(&self.nodes, 0, row)]
    }

    /// The probabilities of all classes for all rows: the share of each class in the row's leaf, as if it had one more row of each
    /// (Laplace).
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn probabilities(&self, rows: &Sparse) -> Result<Vec<Vec<f32>>, EvalError> {
        if rows.width() != self.width {
            return Err(EvalError::Width { found: rows.width(), expected: self.width });
        }
        let of_row = |row: usize| {
            let counts = &self.leaf(rows.row(row)).counts;
            let all = counts.iter().sum::<u32>() as f32 + counts.len() as f32;
            counts.iter().map(|count| (*count as f32 + 1.0) / all).collect()
        };
        Ok((0..rows.rows()).into_par_iter().map(of_row).collect())
    }

    /// The class of every row.
    ///
    /// # Errors
    /// When the rows have another width than what was learned from.
    pub fn predict(&self, rows: &Sparse) -> Result<Vec<u32>, EvalError> {
        Ok(self.probabilities(rows)?.iter().map(|chances| largest(chances)).collect())
    }
}

/// The leaf that a row reaches from a node.
fn leaf_of(nodes: &[Node], from: usize, row: Row<'_>) -> usize {
    let mut at = from;
    while let Some(test) = &nodes[at].test {
        at = test.next(row);
    }
    at
}

/// The nodes that can still be reached, numbered anew.
fn reachable(nodes: &[Node]) -> Vec<Node> {
    let mut kept = vec![nodes[0].clone()];
    let mut at = 0;
    while at < kept.len() {
        if let Some(test) = kept[at].test {
            let below = kept.len();
            kept.push(nodes[test.below].clone());
            kept.push(nodes[test.above].clone());
            kept[at].test = Some(Test { below, above: below + 1, ..test });
        }
        at += 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(of: &[[f32; 2]]) -> Sparse {
        let mut rows = Sparse::new(2);
        for row in of {
            rows.push((0_u32..).zip(row.iter().copied()).filter(|(_, value)| *value != 0.0));
        }
        rows
    }

    const FULL: TreeSettings = TreeSettings { fewest_rows: 1, pruning: None };

    #[test]
    fn thresholds_lie_half_way_below_at_and_above_zero() {
        let rows = rows(&[[-3.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [4.0, 0.0]]);
        for (labels, threshold) in [
            ([0, 1, 1, 1, 1, 1], -2.0),
            ([0, 0, 1, 1, 1, 1], -0.5),
            ([0, 0, 0, 1, 0, 1], 1.0),
            ([0, 0, 0, 0, 0, 1], 3.0),
        ] {
            let tree = Tree::fit(FULL, &rows, &labels, "classes").unwrap();
            assert_eq!(tree.nodes[0].test.unwrap().threshold, threshold);
            assert_eq!((tree.predict(&rows).unwrap(), tree.leaves()), (labels.to_vec(), 2));
        }
    }

    #[test]
    fn probabilities_are_shares_of_the_leaf_with_one_more_of_each() {
        let rows = rows(&[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [5.0, 0.0], [5.0, 0.0]]);
        let tree = Tree::fit(FULL, &rows, &[0, 0, 1, 2, 2], "classes").unwrap();
        let found = tree.probabilities(&rows).unwrap();
        assert_eq!(found[0], [3.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0]);
        assert_eq!(found[4], [1.0 / 5.0, 1.0 / 5.0, 3.0 / 5.0]);
    }

    #[test]
    fn a_question_that_only_two_columns_answer_takes_three_thresholds() {
        // The corners of a square, each twice and a little apart; opposite corners belong together. No first threshold separates
        // anything, but the noise in the corners lets one be chosen.
        let corners = [[1.0, 1.0], [1.1, 5.0], [5.0, 1.0], [5.1, 5.2], [1.2, 1.2], [1.0, 5.1], [5.2, 1.1], [5.0, 5.0]];
        let (rows, labels) = (rows(&corners), [0, 1, 1, 0, 0, 1, 1, 0]);
        let tree = Tree::fit(FULL, &rows, &labels, "classes").unwrap();
        assert_eq!(tree.predict(&rows).unwrap(), labels);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let rows = rows(&[[1.0, 0.0], [2.0, 0.0]]);
        let fit = |settings| Tree::fit(settings, &rows, &[0, 1], "classes");
        assert!(matches!(fit(TreeSettings { fewest_rows: 0, ..FULL }), Err(EvalError::Setting { .. })));
        let all = fit(TreeSettings { pruning: Some(1.0), ..FULL });
        assert!(matches!(all, Err(EvalError::Setting { setting: "pruning", .. })));
        let tree = fit(FULL).unwrap();
        assert!(matches!(tree.predict(&Sparse::new(7)), Err(EvalError::Width { found: 7, expected: 2 })));
    }
}
