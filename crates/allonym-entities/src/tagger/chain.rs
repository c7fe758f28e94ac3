//! A linear chain: scores of labels and of one after the other; the best sequence, and how likely each label is.

use super::labels::Labels;

/// Scores of one label after another, and which may follow which.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    labels: Labels,
    /// From label to label, row by row; those that may not follow have none.
    scores: Vec<f32>,
    /// For each label, those that may stand before it.
    before: Vec<Vec<usize>>,
}

impl Chain {
    /// A chain of labels with the scores of one after the other.
    pub fn new(labels: Labels, scores: Vec<f32>) -> Self {
        let count = labels.count();
        assert_eq!(scores.len(), count * count, "a score for each pair");
        let before = |label| (0..count).filter(|before| labels.follows(*before, label)).collect();
        Self { labels, scores, before: (0..count).map(before).collect() }
    }

    /// The scores of pairs.
    pub fn scores(&self) -> &[f32] {
        &self.scores
    }

    pub(super) fn scores_mut(&mut self) -> &mut [f32] {
        &mut self.scores
    }

    fn score(&self, before: usize, label: usize) -> f32 {
        self.scores[before * self.labels.count() + label]
    }

    /// The best labels for rows of scores, one row a token.
    pub fn best(&self, rows: &[f32]) -> Vec<usize> {
        let count = self.labels.count();
        let Some(first) = rows.get(..count) else { return Vec::new() };
        let begin = |label: usize| if self.labels.begins(label) { first[label] } else { f32::NEG_INFINITY };
        let mut sums: Vec<f32> = (0..count).map(begin).collect();
        let mut ways: Vec<Vec<u8>> = Vec::with_capacity(rows.len() / count);
        for row in rows[count..].chunks_exact(count) {
            let step = |label: usize| {
                let reach = |before: usize| (sums[before] + self.score(before, label), before);
                let best = self.before[label].iter().map(|before| reach(*before));
                best.fold((f32::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best })
            };
            let steps: Vec<(f32, usize)> = (0..count).map(step).collect();
            ways.push(steps.iter().map(|(_, before)| *before as u8).collect());
            sums = steps.iter().zip(row).map(|((sum, _), score)| sum + score).collect();
        }
        let ends = (0..count).filter(|label| self.labels.ends(*label));
        let last = ends.max_by(|a, b| sums[*a].total_cmp(&sums[*b])).unwrap_or(0);
        let mut labels = vec![last];
        for way in ways.iter().rev() {
            labels.push(usize::from(way[labels[labels.len() - 1]]));
        }
        labels.reverse();
        labels
    }

    /// The logarithm of the sum over all sequences of e to their score, and how likely each label of each token is. Pairs of
    /// labels are handed over with how likely they are, token by token.
    pub fn marginals(&self, rows: &[f32], mut pair: impl FnMut(usize, usize, f64)) -> (f64, Vec<f64>) {
        let (count, tokens) = (self.labels.count(), rows.len() / self.labels.count());
        let mut forward = vec![f64::NEG_INFINITY; rows.len()];
        for label in (0..count).filter(|label| self.labels.begins(*label)) {
            forward[label] = f64::from(rows[label]);
        }
        for token in 1..tokens {
            let (earlier, later) = forward.split_at_mut(token * count);
            let earlier = &earlier[(token - 1) * count..];
            for label in 0..count {
                let reached = self.before[label].iter().map(|b| earlier[*b] + f64::from(self.score(*b, label)));
                later[label] = log_sum(reached) + f64::from(rows[token * count + label]);
            }
        }
        // From the last token back: what follows each label.
        let mut after = vec![f64::NEG_INFINITY; count];
        (0..count).filter(|label| self.labels.ends(*label)).for_each(|label| after[label] = 0.0);
        let Some(last) = tokens.checked_sub(1).map(|last| &forward[last * count..]) else { return (0.0, Vec::new()) };
        let whole = log_sum(last.iter().zip(&after).map(|(f, a)| f + a));
        let mut likely = vec![0.0; rows.len()];
        for token in (0..tokens).rev() {
            for label in 0..count {
                likely[token * count + label] = (forward[token * count + label] + after[label] - whole).exp();
            }
            if token == 0 {
                break;
            }
            let mut earlier: Vec<Vec<f64>> = vec![Vec::with_capacity(8); count];
            for label in 0..count {
                let here = after[label] + f64::from(rows[token * count + label]);
                for before in &self.before[label] {
                    let way = f64::from(self.score(*before, label)) + here;
                    earlier[*before].push(way);
                    pair(*before, label, (forward[(token - 1) * count + before] + way - whole).exp());
                }
            }
            after = earlier.into_iter().map(|ways| log_sum(ways.into_iter())).collect();
        }
        (whole, likely)
    }

    /// The score of given labels.
    pub fn score_of(&self, rows: &[f32], labels: &[usize]) -> f64 {
        let count = self.labels.count();
        let tokens: f64 = labels.iter().enumerate().map(|(t, label)| f64::from(rows[t * count + label])).sum();
        tokens + labels.windows(2).map(|pair| f64::from(self.score(pair[0], pair[1]))).sum::<f64>()
    }
}

fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + values.map(|value| (value - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> (Chain, Vec<f32>) {
        let labels = Labels::of(1);
        let number = |i: usize| ((i * 37 + 11) % 17) as f32 / 8.0 - 1.0;
        (Chain::new(labels, (0..25).map(number).collect()), (0..20).map(|i| number(i + 50)).collect())
    }

    /// Every sequence of four labels that may be.
    fn all() -> Vec<Vec<usize>> {
        let labels = Labels::of(1);
        let sequences = (0..625).map(|i| vec![i / 125, i / 25 % 5, i / 5 % 5, i % 5]);
        let fits = |s: &Vec<usize>| {
            labels.begins(s[0]) && labels.ends(s[3]) && s.windows(2).all(|pair| labels.follows(pair[0], pair[1]))
        };
        sequences.filter(fits).collect()
    }

    #[test]
    fn the_best_is_the_best_of_all() {
        let (chain, rows) = chain();
        let score = |s: &Vec<usize>| chain.score_of(&rows, s);
        let best = all().into_iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
        assert_eq!(chain.best(&rows), best);
        assert!(chain.best(&[]).is_empty());
    }

    #[test]
    fn labels_are_as_likely_as_the_sequences_that_have_them() {
        let (chain, rows) = chain();
        let mut pairs = [0.0; 25];
        let (whole, likely) = chain.marginals(&rows, |before, label, p| pairs[before * 5 + label] += p);
        let parts: Vec<(f64, Vec<usize>)> = all().into_iter().map(|s| (chain.score_of(&rows, &s).exp(), s)).collect();
        let sum: f64 = parts.iter().map(|(part, _)| part).sum();
        assert!((whole - sum.ln()).abs() < 1e-6);
        for token in 0..4 {
            for label in 0..5 {
                let with = parts.iter().filter(|(_, s)| s[token] == label).map(|(part, _)| part);
                assert!((likely[token * 5 + label] - with.sum::<f64>() / sum).abs() < 1e-6);
            }
        }
        for (pair, found) in pairs.iter().enumerate() {
            let often = |s: &[usize]| s.windows(2).filter(|w| w[0] * 5 + w[1] == pair).count() as f64;
            let expected: f64 = parts.iter().map(|(part, s)| part * often(s)).sum::<f64>() / sum;
            assert!((found - expected).abs() < 1e-6, "{pair}");
        }
    }
}
