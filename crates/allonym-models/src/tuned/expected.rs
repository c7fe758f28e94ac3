//! Which tokens are to be expected in texts that a model writes, in the terms in which private texts are counted ([`allonym_dp::presence`]).

use crate::sampled::Written;
use allonym_dp::presence;
use allonym_text::Vocabulary;
use allonym_text::vocabulary::{END, START};
use serde::{Deserialize, Serialize};

/// How much less a word counts that everybody uses: half as much at rank 1/3 of this.
const COMMON: f64 = 200.0;
/// How much the first word of a text counts: it says what kind of text follows, and there is only one.
const FIRST: f64 = 3.0;

/// The weight of every outcome: the end, every word, and every word as the first. Common words are known from public text, and would take most of a record's norm; the vocabulary
/// is in the order of public frequency, so that the share of the word at a rank is about a tenth of 1 over the rank.
pub fn usual_weights(vocabulary: &Vocabulary) -> Vec<f64> {
    let of_word = |rank: usize| 1.0 / (1.0 + COMMON / (rank + 1) as f64).sqrt();
    let words = (0..vocabulary.words()).map(of_word);
    [1.0].into_iter().chain(words).chain((0..vocabulary.words()).map(|_| FIRST)).collect()
}

/// The outcomes that a text has: its words, its end if it has one, and its first word as such. Words that are not in the vocabulary are none.
pub fn outcomes(text: &[u32], vocabulary: &Vocabulary) -> Vec<u32> {
    let words = text.iter().filter(|id| **id >= END).map(|id| id - END);
    let first = text.iter().find(|id| **id != START).filter(|id| **id > END);
    words.chain(first.map(|id| id - END + vocabulary.words() as u32)).collect()
}

/// What is added to the logit of every id: everywhere, and where it would be the first word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tilt {
    /// Everywhere.
    pub everywhere: Vec<f32>,
    /// In the first place.
    pub first: Vec<f32>,
    /// How much a word speaks for a whole text: of several drafts the one is kept whose words have the largest sum. Empty: the first draft is.
    pub likeness: Vec<f32>,
}

impl Tilt {
    /// A number that another tilt hardly has (FNV-1a).
    pub(super) fn known_by(&self) -> u64 {
        let all = self.everywhere.iter().chain(&self.first).chain(&self.likeness);
        all.flat_map(|number| number.to_bits().to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// From the number of each outcome.
    pub fn of_outcomes(numbers: &[f64], likeness: Option<&[f64]>, vocabulary: &Vocabulary) -> Self {
        let (everywhere, first) = numbers.split_at(vocabulary.words() + 1);
        let none = |count: u32| (0..count).map(|_| 0.0);
        let of = |numbers: &[f64]| numbers.iter().map(|number| *number as f32).collect::<Vec<f32>>();
        Self {
            everywhere: none(END).chain(of(everywhere)).collect(),
            first: none(END + 1).chain(of(first)).collect(),
            likeness: likeness
                .map_or(Vec::new(), |numbers| none(END).chain(of(&numbers[..=vocabulary.words()])).collect()),
        }
    }
}

/// What texts give to each outcome, on average.
///
/// Instead of counting which tokens were drawn, their chances are summed up: a word that comes once in a thousand texts is estimated from each of a hundred. The chance that a
/// text has a token is 1 less the product of the chances that each place has another.
#[derive(Clone, Debug)]
pub struct Expected {
    weights: Vec<f64>,
    /// For every text, minus the logarithm of the chance that it does not have each outcome.
    missing: Vec<Vec<f32>>,
    /// What all drafts give, by their chances.
    sums: Vec<f64>,
    /// How many drafts have each outcome, and how many of those that were kept.
    had: [Vec<f64>; 2],
    drafts: usize,
    texts: usize,
}

/// As many texts without news are taken to have been seen beside those that were: where few had a word, the choice among drafts is taken not to matter for it.
const UNMOVED: f64 = 5.0;

impl Expected {
    pub(super) fn new(drafts: usize, weights: &[f64]) -> Self {
        let (none, missing) = (vec![0.0; weights.len()], vec![vec![0.0; weights.len()]; drafts]);
        Self { weights: weights.to_vec(), missing, sums: none.clone(), had: [none.clone(), none], drafts: 0, texts: 0 }
    }

    /// A place of a text, and the weights by which the end or a word comes there.
    pub(super) fn saw(&mut self, text: usize, is_first: bool, weights: &[f64], sum: f64) {
        // Nearly all chances are tiny, where two terms of the series are enough.
        let loss = |weight: &f64| match weight / sum {
            chance if chance < 1e-3 => (chance * (1.0 + 0.5 * chance)) as f32,
            chance => -(-chance.min(0.999_999)).ln_1p() as f32,
        };
        let (anywhere, first) = self.missing[text].split_at_mut(weights.len());
        anywhere.iter_mut().zip(weights).for_each(|(missing, weight)| *missing += loss(weight));
        if is_first {
            first.iter_mut().zip(&weights[1..]).for_each(|(missing, weight)| *missing += loss(weight));
        }
    }

    /// The drafts are written, and some of them are kept; one that is shorter than the longest has an end.
    pub(super) fn ended(&mut self, drafts: &[Written], kept: &[bool], longest: usize, vocabulary: &Vocabulary) {
        for ((missing, text), kept) in std::mem::take(&mut self.missing).into_iter().zip(drafts).zip(kept) {
            let end = (text.len() < longest).then_some(END);
            let whole: Vec<u32> = text.iter().copied().chain(end).collect();
            let mut outcomes = outcomes(&whole, vocabulary);
            let norm = presence::norm(&outcomes, &self.weights);
            let given = |missing: f32, weight: f64| -f64::from(-missing).exp_m1() * weight / norm;
            self.drafts += 1;
            self.texts += usize::from(*kept);
            outcomes.sort_unstable();
            outcomes.dedup();
            for outcome in outcomes {
                self.had[0][outcome as usize] += 1.0;
                self.had[1][outcome as usize] += f64::from(u8::from(*kept));
            }
            if norm > 0.0 {
                let each = self.sums.iter_mut().zip(missing).zip(&self.weights);
                each.for_each(|((sum, missing), weight)| *sum += given(missing, *weight));
            }
        }
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        let add = |sums: &mut Vec<f64>, more: Vec<f64>| sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        add(&mut self.sums, other.sums);
        self.had.iter_mut().zip(other.had).for_each(|(had, more)| add(had, more));
        self.drafts += other.drafts;
        self.texts += other.texts;
        self
    }

    /// What so many records like the kept texts would give to each outcome: what drafts give, times how much more often kept ones were seen to have it.
    pub fn of_records(&self, records: usize) -> Vec<f64> {
        let (drafts, texts) = (self.drafts.max(1) as f64, self.texts.max(1) as f64);
        let [all, kept] = &self.had;
        let moved = |outcome: usize| (kept[outcome] + UNMOVED) / (all[outcome] * texts / drafts + UNMOVED);
        self.sums.iter().enumerate().map(|(outcome, sum)| sum * moved(outcome) * records as f64 / drafts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        Vocabulary::parse("allonym-vocabulary 1 public\na\nb\nc\n").unwrap()
    }

    #[test]
    fn a_text_has_its_words_its_end_and_its_first_word() {
        let (a, b) = (END + 1, END + 2);
        // The end is 0, words are 1 to 3, and 4 to 6 as the first.
        assert_eq!(outcomes(&[START, b, a, b, END], &vocabulary()), [2, 1, 2, 0, 5]);
        // Cut off, beginning with an unknown word.
        assert_eq!(outcomes(&[START, END - 2, a], &vocabulary()), [1]);
        assert_eq!(usual_weights(&vocabulary()).len(), 7);
        let tilt = Tilt::of_outcomes(&[9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], None, &vocabulary());
        let end = END as usize;
        assert_eq!(
            (tilt.everywhere[end], tilt.everywhere[end + 1], tilt.first[end + 1], tilt.first[end]),
            (9.0, 1.0, 4.0, 0.0)
        );
        assert_eq!((tilt.everywhere.len(), tilt.first.len()), (end + 4, end + 4));
    }

    /// Two places: the first is `a` or `b` with a half each, the second `a` with a quarter, else the end.
    #[test]
    fn chances_are_those_that_a_text_has_a_word() {
        let weights = usual_weights(&vocabulary());
        let mut expected = Expected::new(1, &weights);
        expected.saw(0, true, &[0.0, 1.0, 1.0, 0.0], 2.0);
        expected.saw(0, false, &[3.0, 1.0, 0.0, 0.0], 4.0);
        let (a, b) = (END + 1, END + 2);
        expected.ended(&[vec![b, a]], &[true], 2, &vocabulary());
        let norm = presence::norm(&[1, 2, 5], &weights);
        let found = expected.of_records(10);
        // 1 - 1/2 * 3/4 for `a` anywhere, 1/2 for `b`, 3/4 for the end, 1/2 each as the first.
        for (outcome, chance) in [(0, 0.75), (1, 0.625), (2, 0.5), (3, 0.0), (4, 0.5), (5, 0.5), (6, 0.0)] {
            let by_hand = 10.0 * chance * weights[outcome] / norm;
            assert!((found[outcome] - by_hand).abs() < 1e-5, "{outcome}: {} {by_hand}", found[outcome]);
        }
    }

    /// Two drafts with and two without a word, and the two with it are kept: (2 + 5) / (2 * 2/4 + 5) times what drafts give.
    #[test]
    fn what_is_kept_has_more_of_what_it_is_kept_for() {
        let weights = usual_weights(&vocabulary());
        let mut expected = Expected::new(4, &weights);
        (0..4).for_each(|draft| expected.saw(draft, true, &[0.0, 1.0, 1.0, 0.0], 2.0));
        let mut all = expected.clone();
        let (a, b) = (END + 1, END + 2);
        let drafts = [vec![a], vec![b], vec![a], vec![b]];
        expected.ended(&drafts, &[true, false, true, false], 1, &vocabulary());
        all.ended(&drafts, &[true; 4], 1, &vocabulary());
        let (kept, all) = (expected.of_records(10), all.of_records(10));
        assert!((kept[1] / all[1] - 7.0 / 6.0).abs() < 1e-9 && (kept[2] / all[2] - 5.0 / 6.0).abs() < 1e-9);
    }
}
