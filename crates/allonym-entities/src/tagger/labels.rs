//! Spans as one label a token: outside, or the begin, inside, last or only token of a kind.

use std::ops::Range;

/// Outside of every span.
pub(super) const OUTSIDE: usize = 0;

/// Parts of a span, in the order of their labels.
const BEGIN: usize = 0;
const INSIDE: usize = 1;
const LAST: usize = 2;
const ONLY: usize = 3;
const PARTS: usize = 4;

/// A span of tokens and which kind it is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// Its kind, as a place in the list of kinds.
    pub kind: usize,
}

/// The labels of a number of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    kinds: usize,
}

impl Labels {
    /// Labels for so many kinds.
    pub fn of(kinds: usize) -> Self {
        Self { kinds }
    }

    /// How many labels there are.
    pub fn count(self) -> usize {
        1 + PARTS * self.kinds
    }

    /// Whether a text may begin with a label.
    pub fn begins(self, label: usize) -> bool {
        label == OUTSIDE || matches!((label - 1) % PARTS, BEGIN | ONLY)
    }

    /// Whether a text may end with a label.
    pub fn ends(self, label: usize) -> bool {
        label == OUTSIDE || matches!((label - 1) % PARTS, LAST | ONLY)
    }

    /// Whether a label may follow another.
    pub fn follows(self, before: usize, label: usize) -> bool {
        if self.ends(before) {
            return self.begins(label);
        }
        label != OUTSIDE && (label - 1) / PARTS == (before - 1) / PARTS && matches!((label - 1) % PARTS, INSIDE | LAST)
    }

    /// The labels of a text with these spans, which must not overlap. What overlaps an earlier one is left out.
    pub fn of_spans(self, tokens: usize, spans: &[Span]) -> Vec<usize> {
        let mut labels = vec![OUTSIDE; tokens];
        for Span { tokens, kind } in spans {
            if tokens.is_empty() || tokens.end > labels.len() || labels[tokens.clone()].iter().any(|l| *l != OUTSIDE) {
                continue;
            }
            let label = |part| 1 + PARTS * kind + part;
            if tokens.len() == 1 {
                labels[tokens.start] = label(ONLY);
                continue;
            }
            labels[tokens.clone()].fill(label(INSIDE));
            labels[tokens.start] = label(BEGIN);
            labels[tokens.end - 1] = label(LAST);
        }
        labels
    }

    /// The spans of labels that follow each other as they may.
    pub fn spans(self, labels: &[usize]) -> Vec<Span> {
        let (mut spans, mut start) = (Vec::new(), 0);
        for (place, label) in labels.iter().enumerate() {
            if *label == OUTSIDE {
                continue;
            }
            let (kind, part) = ((label - 1) / PARTS, (label - 1) % PARTS);
            if matches!(part, BEGIN | ONLY) {
                start = place;
            }
            if matches!(part, LAST | ONLY) {
                spans.push(Span { tokens: start..place + 1, kind });
            }
        }
        spans
    }

    /// The labels that say that a token belongs to a kind.
    pub fn of_kind(self, kind: usize) -> Range<usize> {
        1 + PARTS * kind..1 + PARTS * (kind + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_become_labels_and_back() {
        let labels = Labels::of(2);
        let spans = [Span { tokens: 0..1, kind: 1 }, Span { tokens: 2..5, kind: 0 }, Span { tokens: 5..7, kind: 0 }];
        let found = labels.of_spans(8, &spans);
        assert_eq!(found, [8, 0, 1, 2, 3, 1, 3, 0]);
        assert_eq!(labels.spans(&found), spans);
        assert!(labels.begins(8) && !labels.begins(2) && labels.ends(3) && !labels.ends(1));
    }

    #[test]
    fn labels_follow_only_where_spans_would() {
        let labels = Labels::of(2);
        assert_eq!(labels.count(), 9);
        let after = |before| (0..9).filter(|label| labels.follows(before, *label)).collect::<Vec<_>>();
        assert_eq!(after(0), [0, 1, 4, 5, 8], "outside, a begin or an only one");
        assert_eq!(after(1), [2, 3], "inside or last, of the same kind");
        assert_eq!(after(7), [0, 1, 4, 5, 8]);
        assert_eq!(after(6), [6, 7]);
    }

    #[test]
    fn what_overlaps_an_earlier_span_is_left_out() {
        let spans = [Span { tokens: 0..2, kind: 0 }, Span { tokens: 1..3, kind: 0 }, Span { tokens: 2..9, kind: 0 }];
        assert_eq!(Labels::of(1).of_spans(3, &spans), [1, 3, 0]);
    }
}
