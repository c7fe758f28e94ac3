//! What noise on word vectors is audited on: a word and its nearest neighbor, a word and the farthest one, and texts of
//! two words.

use super::VectorNoise;
use crate::audit::{Adjacency, Auditable, Case, Stated};
use allonym_text::Private;

/// About how many words of the vocabulary an audit searches for the nearest: any function of the noised vector is bounded by
/// the same claim.
const WORDS: usize = 16;

impl Auditable for VectorNoise {
    fn cases(&self) -> Vec<Case<'_>> {
        let first = self.in_norm(0);
        let far: Vec<f64> = (0..self.vectors.rows().len()).map(|row| distance(&first, &self.in_norm(row))).collect();
        let by_distance = |a: &usize, b: &usize| far[*a].total_cmp(&far[*b]);
        let others = || (1..far.len()).filter(|row| far[*row] > 0.0);
        let (Some(nearest), Some(farthest)) = (others().min_by(by_distance), others().max_by(by_distance)) else {
            // All words have the same vector: a release depends on nothing.
            return Vec::new();
        };
        vec![self.case(nearest, 1), self.case(farthest, 1).without_sampler(), self.case(nearest, 2)]
    }
}

impl VectorNoise {
    /// The vector of a word in coordinates in which the distance of the norm is the straight one.
    fn in_norm(&self, row: usize) -> Vec<f64> {
        let row = self.vectors.row(row);
        self.root.as_ref().map_or_else(|| row.iter().map(|x| f64::from(*x)).collect(), |root| root.straightened(row))
    }

    /// The case of a text that repeats the first word of the vocabulary so many times, and of one that repeats another.
    pub(super) fn case(&self, other: usize, words: usize) -> Case<'_> {
        let count = self.vectors.rows().len();
        let mut rows: Vec<usize> = (0..count).step_by(count.div_ceil(WORDS)).chain([other]).collect();
        rows.sort_unstable();
        rows.dedup();
        let few = Self { vectors: self.vectors.subset(&rows), epsilon: self.epsilon, root: self.root.clone() };
        let positions: Vec<Vec<f64>> = rows.iter().map(|row| self.in_norm(*row)).collect();
        let pair = [0, other].map(|row| self.in_norm(row));
        let stated = if words == 1 { few.stated_on_a_line(&positions) } else { None };
        Case {
            mechanism: if self.root.is_some() { "metric-mahalanobis" } else { "metric-noise" },
            layer: if words == 1 { "black box" } else { "joint" },
            adjacency: Adjacency::Metric,
            claim: (self.epsilon * distance(&pair[0], &pair[1]) * words as f64, 0.0),
            centers: pair.map(|position| position.repeat(words)),
            run: Box::new(move |side, rng| {
                let word = self.vectors.row([0, other][side as usize]);
                let drawn = few.draw_all(Private::new(&vec![word; words]), rng).into_value();
                drawn.into_iter().flat_map(|word| positions[word as usize].clone()).collect()
            }),
            stated,
        }
    }

    /// The probabilities of all words from the first one, where vectors have one coordinate and no two are the same: noise is
    /// Laplace, and a word has what falls between the middles to its neighbors.
    fn stated_on_a_line(&self, positions: &[Vec<f64>]) -> Option<Stated<'static>> {
        let mut line: Vec<f64> = positions.iter().filter(|position| position.len() == 1).map(|p| p[0]).collect();
        let original = *line.first()?;
        line.sort_by(f64::total_cmp);
        if line.windows(2).any(|pair| pair[0] >= pair[1]) {
            return None;
        }
        let beyond = |t: f64| {
            let tail = (-self.epsilon * (t - original).abs()).exp() / 2.0;
            if t > original { tail } else { 1.0 - tail }
        };
        let middles = line.windows(2).map(|pair| beyond(f64::midpoint(pair[0], pair[1])));
        let tails: Vec<f64> = [1.0].into_iter().chain(middles).chain([0.0]).collect();
        let probabilities = tails.windows(2).map(|pair| pair[0] - pair[1]).collect();
        Some(Stated::new(probabilities, move |release| line.partition_point(|position| *position < release[0])))
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}
