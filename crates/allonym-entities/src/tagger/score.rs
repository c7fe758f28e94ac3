//! How well names are found: exactly the same tokens and the same kind, or not at all.

use super::labels::Span;

/// What was found, right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Found that are there.
    pub right: usize,
    /// Found.
    pub found: usize,
    /// There.
    pub there: usize,
}

impl Counts {
    /// Of those found, the part that is there.
    pub fn precision(self) -> f64 {
        part(self.right, self.found)
    }

    /// Of those there, the part that was found.
    pub fn recall(self) -> f64 {
        part(self.right, self.there)
    }

    /// Their harmonic mean.
    pub fn f1(self) -> f64 {
        part(2 * self.right, self.found + self.there)
    }
}

fn part(of: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { of as f64 / all as f64 }
}

/// Counts of each kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    /// By kind.
    pub kinds: Vec<Counts>,
    /// Tokens that belong to a name, and those of them that were found as any kind: what a release would still show is the rest.
    pub covered: (usize, usize),
}

impl Scores {
    /// None yet.
    pub fn new(kinds: usize) -> Self {
        Self { kinds: vec![Counts::default(); kinds], covered: (0, 0) }
    }

    /// Adds a sentence.
    pub fn add(&mut self, there: &[Span], found: &[Span]) {
        for span in there {
            self.kinds[span.kind].there += 1;
            let covers = |token: &usize| found.iter().any(|found| found.tokens.contains(token));
            self.covered.0 += span.tokens.clone().filter(covers).count();
            self.covered.1 += span.tokens.len();
        }
        for span in found {
            self.kinds[span.kind].found += 1;
            self.kinds[span.kind].right += usize::from(there.contains(span));
        }
    }

    /// All kinds together.
    pub fn all(&self) -> Counts {
        self.kinds.iter().fold(Counts::default(), |sum, counts| Counts {
            right: sum.right + counts.right,
            found: sum.found + counts.found,
            there: sum.there + counts.there,
        })
    }

    /// The part of the tokens of names that were found as a name of any kind.
    pub fn coverage(&self) -> f64 {
        part(self.covered.0, self.covered.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_only_if_all_of_it_is_right() {
        let span = |tokens, kind| Span { tokens, kind };
        let mut scores = Scores::new(2);
        scores.add(&[span(0..2, 0), span(3..4, 1)], &[span(0..2, 0), span(3..5, 1), span(6..7, 1)]);
        assert_eq!(scores.all(), Counts { right: 1, found: 3, there: 2 });
        assert_eq!((scores.all().precision(), scores.all().recall(), scores.all().f1()), (1.0 / 3.0, 0.5, 0.4));
        assert_eq!(scores.coverage(), 1.0);
        assert_eq!(Scores::new(1).all().f1(), 0.0);
    }
}
