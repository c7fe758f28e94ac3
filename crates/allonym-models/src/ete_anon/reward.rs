//! What a text is worth to the agent, as the paper prints it:
//!
//! `alpha * C_S - (1 - alpha) * (C_A - E_A)`
//!
//! where `C_S` is how much more likely the right sentiment is than the wrong one, `C_A` how much more likely the right author is than the likeliest other
//! one, and `E_A` the entropy of all authors, divided by `log2(P) * P`. (The paper says that this makes the largest entropy 1; with both factors it is 1/P.)
//! Whoever wants to can let what the text still says count too (see `content.rs`); the paper does not.

use super::judge::Judge;
use serde::{Deserialize, Serialize};

/// Whose text it is, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The number of its author.
    pub author: u32,
    /// Whether its sentiment is positive.
    pub positive: bool,
}

/// What a text is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Reward {
    /// All of it.
    pub total: f64,
    /// `C_S`: the sentiment's lead.
    pub sentiment: f64,
    /// `C_A`: the author's lead.
    pub author: f64,
    /// `E_A`: the scaled entropy.
    pub entropy: f64,
    /// The part of the original that is still said, where that counts.
    pub content: f64,
}

impl Reward {
    /// The worth of a text under what two judges say of it.
    pub fn of(alpha: f64, sentiment: &[f64], authors: &[f64], subject: Subject) -> Self {
        let right = usize::from(subject.positive);
        let of_sentiment = sentiment[right] - sentiment[1 - right];
        let own = subject.author as usize;
        let others = authors.iter().enumerate().filter(|(author, _)| *author != own);
        let of_author = authors[own] - others.fold(0.0_f64, |most, (_, chance)| most.max(*chance));
        let count = authors.len() as f64;
        let bits: f64 = authors.iter().filter(|chance| **chance > 0.0).map(|chance| -chance * chance.log2()).sum();
        let entropy = bits / (count.log2() * count);
        let total = alpha * of_sentiment - (1.0 - alpha) * (of_author - entropy);
        Self { total, sentiment: of_sentiment, author: of_author, entropy, content: 0.0 }
    }

    /// The same where what is still said counts too.
    #[must_use]
    pub fn with_content(self, weight: f64, content: f64) -> Self {
        Self { total: self.total + weight * content, content, ..self }
    }
}

/// Who judges texts, and what counts how much.
#[derive(Clone, Debug)]
pub struct Judges {
    /// Of sentiment: negative, positive.
    pub sentiment: Judge,
    /// Of authors, by originals: the one whose judgement is the reward.
    pub authors: Judge,
    /// Of authors, by what an agent wrote before: slopes lead away from what these find, too.
    pub others: Vec<Judge>,
    /// How much sentiment counts, from 0 to 1; the author counts for the rest.
    pub alpha: f64,
}

impl Judges {
    /// What a text is worth.
    pub fn reward(&self, text: &[u32], subject: Subject) -> Reward {
        let (sentiment, authors) = (self.sentiment.probabilities(text), self.authors.probabilities(text));
        Reward::of(self.alpha, &sentiment, &authors, subject)
    }

    /// What a text is worth of which it is only known how often each id is expected in it.
    pub(super) fn expected(&self, counts: &[f32], subject: Subject) -> Reward {
        Reward::of(self.alpha, &self.sentiment.expected(counts), &self.authors.expected(counts), subject)
    }
}

impl Judges {
    /// What one more of each word would add to the worth of a text, to first order.
    pub(super) fn worth(&self, text: &[u32], subject: Subject, ids: usize) -> Vec<f32> {
        let mut worth = vec![0.0; ids];
        let panel = std::iter::once(&self.authors).chain(&self.others);
        let each = (1.0 - self.alpha) / (1 + self.others.len()) as f64;
        panel.for_each(|judge| add_worth_of_hiding(judge, each, text, subject, &mut worth));
        let mut slopes = [-self.alpha; 2];
        slopes[usize::from(subject.positive)] = self.alpha;
        self.sentiment.add_worth(text, &slopes, &mut worth);
        worth
    }
}

/// Adds what one more of each word would do to hide the author from a judge, times a weight.
fn add_worth_of_hiding(judge: &Judge, weight: f64, text: &[u32], subject: Subject, worth: &mut [f32]) {
    let authors = judge.probabilities(text);
    let (own, count) = (subject.author as usize, authors.len() as f64);
    let other = (0..authors.len()).filter(|author| *author != own).max_by(|a, b| authors[*a].total_cmp(&authors[*b]));
    let of_entropy = |chance: f64| -(chance.max(1e-9).log2() + std::f64::consts::LOG2_E) / (count.log2() * count);
    let mut slopes: Vec<f64> = authors.iter().map(|chance| weight * of_entropy(*chance)).collect();
    slopes[own] -= weight;
    other.into_iter().for_each(|other| slopes[other] += weight);
    judge.add_worth(text, &slopes, worth);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reward_by_hand() {
        let subject = Subject { author: 1, positive: false };
        let found = Reward::of(0.25, &[0.7, 0.3], &[0.5, 0.25, 0.125, 0.125], subject);
        // Entropy: 0.5 + 0.5 + 0.375 + 0.375 = 1.75 bits, over 2 * 4.
        assert!((found.sentiment - 0.4).abs() < 1e-12 && (found.author + 0.25).abs() < 1e-12);
        assert!((found.entropy - 1.75 / 8.0).abs() < 1e-12);
        assert!((found.total - (0.25 * 0.4 - 0.75 * (-0.25 - 0.21875))).abs() < 1e-12);
    }

    #[test]
    fn slopes_lead_away_from_the_mean_of_all_who_judge_authors() {
        use crate::ete_anon::judge::tests::class;
        let judge =
            |a: f32| Judge::new(vec![1.0; 3], &[class(&[a, 0.0, 1.0], 0.0), class(&[0.0, a, -1.0], 0.0)]).unwrap();
        let judges =
            |authors: Judge, others: Vec<Judge>| Judges { sentiment: judge(2.0), authors, others, alpha: 0.25 };
        let worth = |judges: Judges| judges.worth(&[0, 2], Subject { author: 0, positive: true }, 3);
        let (first, second) = (worth(judges(judge(1.0), vec![])), worth(judges(judge(-3.0), vec![])));
        let both = worth(judges(judge(1.0), vec![judge(-3.0)]));
        assert!(
            (0..3).all(|id| (both[id] - (first[id] + second[id]) / 2.0).abs() < 1e-6),
            "{first:?} {second:?} {both:?}"
        );
        let subject = Subject { author: 0, positive: true };
        let reward = |others| judges(judge(1.0), others).reward(&[0, 2], subject);
        assert_eq!(reward(vec![judge(-3.0)]), reward(vec![]), "the reward is the paper's");
    }

    #[test]
    fn at_the_ends_only_one_of_the_two_counts() {
        let subject = Subject { author: 0, positive: true };
        let of = |alpha| Reward::of(alpha, &[0.2, 0.8], &[1.0, 0.0], subject).total;
        assert!((of(1.0) - 0.6).abs() < 1e-12);
        assert!((of(0.0) + 1.0).abs() < 1e-12, "the author is known, and entropy is zero");
    }
}
