//! The band mechanism: the model's distribution, bent as little as needed into a band around a public one.
//!
//! For a public base distribution mu (uniform, or a language model that has seen released tokens only), every
//! text's distribution is clip(lambda p, m mu, e^epsilon m mu), with lambda such that it sums to one. With a uniform
//! base and one good token this is the minimax-optimal local sampler of Park, Asoodeh and Lee (2024).
#![doc = include_str!("band.md")]

use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::{Parameters, check_count, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::released::{DrawFrom, Released};
use crate::rng::PrivacyRng;
use crate::table::ln_ratio_up;
use allonym_text::Private;

/// About how many units of probability there are: 2^52 sums of integers convert to floats without loss.
const UNITS: f64 = (1u64 << 52) as f64;
/// How much of the base is mixed into a proposal, so that mass which the proposal cannot use goes where the base goes.
const SMOOTHING: f64 = 1.0 / (1u64 << 30) as f64;

/// A public base distribution with the least and the most units that each token may have.
#[derive(Clone, Debug)]
pub struct Base {
    least: Vec<u64>,
    most: Vec<u64>,
    /// Sums of `least` before each token.
    before: Vec<u64>,
    /// What every text's units sum to.
    total: u64,
}

impl Base {
    /// The band around a public distribution. `share` is the part of the base (tau) that may be at the top at once.
    ///
    /// # Errors
    /// When the base has fewer than two tokens or a weight that is not a positive number, or epsilon or share is out of range.
    pub fn new(mu: &[f64], epsilon: f64, share: f64) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon)?;
        let sum: f64 = mu.iter().sum();
        let fair = mu.len() >= 2 && mu.iter().all(|weight| *weight > 0.0) && sum.is_finite();
        if !fair {
            let allowed = "positive weights for at least two tokens";
            return Err(DpError::Setting { setting: "base", value: "another thing".into(), allowed });
        }
        if !(share > 0.0 && share < 1.0) {
            return Err(DpError::Setting { setting: "good", value: share.to_string(), allowed: "less than the whole" });
        }
        let odds = epsilon.exp();
        let m = 1.0 / (share * (odds - 1.0) + 1.0);
        let least: Vec<u64> = mu.iter().map(|weight| ((m * weight / sum * UNITS) as u64).max(1)).collect();
        let most: Vec<u64> = least.iter().map(|units| ((*units as f64 * odds) as u64).max(*units)).collect();
        let mut before = Vec::with_capacity(least.len());
        let mut at = 0;
        for units in &least {
            before.push(at);
            at += units;
        }
        let top: u64 = most.iter().fold(0, |sum: u64, units| sum.saturating_add(*units));
        let total = ((at as f64 / m) as u64).clamp(at, top);
        Ok(Self { least, most, before, total })
    }

    /// The uniform base.
    fn uniform(outcomes: u32, epsilon: f64, good: usize) -> Result<Self, DpError> {
        Self::new(&vec![1.0; outcomes as usize], epsilon, good as f64 / f64::from(outcomes))
    }

    /// The loss of one draw within this band.
    pub fn loss(&self) -> Loss {
        let ratios = self.least.iter().zip(&self.most).map(|(least, most)| ln_ratio_up(*most, *least));
        let epsilon = ratios.fold(0.0, f64::max);
        let least: u64 = self.least.iter().sum();
        let m = least as f64 / self.total as f64;
        let share = (1.0 / m - 1.0) / epsilon.exp_m1();
        Loss { epsilon, class: Class::Band { hit: (share * epsilon.exp() * m).min(1.0) } }
    }

    /// What a proposal gives each token beyond its least, summing to the same for every proposal.
    fn more(&self, scores: &[f32]) -> Vec<(u32, u64)> {
        let to_give = self.total - self.before.last().unwrap_or(&0) - self.least.last().unwrap_or(&0);
        let scale = self.total as f64;
        let proposal = |token: usize| {
            let score = scores.get(token).copied().filter(|score| score.is_finite() && *score > 0.0).unwrap_or(0.0);
            f64::from(score.min(1.0)) + SMOOTHING * self.least[token] as f64 / scale
        };
        let room = |token: usize| (self.most[token] - self.least[token]) as f64;
        // Tokens in the order in which a growing lambda lifts them off their least.
        let lift = |token: usize| proposal(token) / self.least[token] as f64;
        let mut order: Vec<(f64, u32)> = (0..self.least.len()).map(|token| (lift(token), token as u32)).collect();
        let lifted = self.liftable(&mut order, to_give as f64);
        let given =
            |lambda: f64, token: usize| (lambda * proposal(token) - self.least[token] as f64).clamp(0.0, room(token));
        let sum = |lambda: f64| lifted.iter().map(|token| given(lambda, *token as usize)).sum::<f64>();
        let (mut low, mut high) =
            (0.0, lifted.iter().map(|t| self.most[*t as usize] as f64 / proposal(*t as usize)).fold(0.0, f64::max));
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if sum(middle) <= to_give as f64 { low = middle } else { high = middle }
        }
        let mut left = to_give;
        let mut more: Vec<(u32, u64)> = Vec::with_capacity(lifted.len());
        for token in &lifted {
            let units = (given(low, *token as usize) as u64).min(left);
            left -= units;
            more.push((*token, units));
        }
        self.give_rest(&mut more, left);
        more.retain(|(_, units)| *units > 0);
        more
    }

    /// The tokens that the lambda sought can lift: the first that could take everything, and all that are lifted before
    /// those are full.
    fn liftable(&self, order: &mut [(f64, u32)], to_give: f64) -> Vec<u32> {
        let first = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let mut sorted = 0;
        let mut taken = 0.0;
        let mut lowest = f64::INFINITY;
        // Few tokens take everything: find them a block at a time instead of sorting all.
        while sorted < order.len() && taken < to_give {
            let block = (order.len() - sorted).min(64.max(sorted));
            if block < order.len() - sorted {
                order[sorted..].select_nth_unstable_by(block - 1, first);
            }
            order[sorted..sorted + block].sort_unstable_by(first);
            for (lift, token) in &order[sorted..sorted + block] {
                taken += (self.most[*token as usize] - self.least[*token as usize]) as f64;
                lowest = *lift;
                sorted += 1;
                if taken >= to_give {
                    break;
                }
            }
        }
        // The last of them is full at lambda = e^epsilon / lift; a token is lifted where lambda > 1 / its own lift.
        let odds = self.most.iter().zip(&self.least).map(|(m, l)| *m as f64 / *l as f64).fold(1.0, f64::max);
        order.iter().filter(|(lift, _)| *lift * odds >= lowest).map(|(_, token)| *token).collect()
    }

    /// Units lost to rounding go to whoever has room, in a fixed order.
    fn give_rest(&self, more: &mut Vec<(u32, u64)>, mut left: u64) {
        for (token, units) in more.iter_mut() {
            let room = self.most[*token as usize] - self.least[*token as usize] - *units;
            let extra = room.min(left);
            *units += extra;
            left -= extra;
        }
        let mut token = 0;
        while left > 0 && token < self.least.len() {
            if !more.iter().any(|(known, _)| *known as usize == token) {
                let extra = (self.most[token] - self.least[token]).min(left);
                more.push((token as u32, extra));
                left -= extra;
            }
            token += 1;
        }
    }

    /// The exact distribution for a proposal.
    pub fn distribution(&self, scores: &[f32]) -> Vec<f64> {
        let mut units = self.least.clone();
        for (token, extra) in self.more(scores) {
            units[token as usize] += extra;
        }
        units.into_iter().map(|units| units as f64 / self.total as f64).collect()
    }

    /// Draws a token for a proposal.
    pub fn draw(&self, scores: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32> {
        scores.draw(|scores| {
            let mut place = rng.below(self.total);
            let more = self.more(scores);
            for (token, extra) in &more {
                if place < *extra {
                    return *token;
                }
                place -= extra;
            }
            // Not above anybody's least: the base decides.
            (self.before.partition_point(|before| *before <= place) - 1) as u32
        })
    }
}

/// The band mechanism with a uniform base.
#[derive(Clone, Debug)]
pub struct Band {
    base: Base,
}

impl Band {
    pub(super) const NAME: &'static str = "band";
    pub(super) const SUMMARY: &'static str =
        "the model's distribution clipped into a band of width e^epsilon, with room for `good` tokens at its top";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "good"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        Self::new(parameters.either()?, parameters.good.unwrap_or(1), outcomes)
    }

    /// The mechanism with this loss a token and room for this many good tokens.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 40, or not 1 <= good < outcomes.
    pub fn new(epsilon: f64, good: usize, outcomes: u32) -> Result<Self, DpError> {
        check_count("good", good, outcomes as usize - 1, "at least 1 and fewer than the vocabulary")?;
        Ok(Self { base: Base::uniform(outcomes, epsilon, good)? })
    }

    /// The distribution without rounding, for a uniform base: clip(lambda p, m, e^epsilon m) that sums to one.
    pub fn ideal(probabilities: &[f64], epsilon: f64, good: usize) -> Vec<f64> {
        let (high, low) = crate::mechanism::Subset::ideal(epsilon, good, probabilities.len() as u32);
        let clipped = |lambda: f64| probabilities.iter().map(move |p| (lambda * p).clamp(low, high));
        let smallest = probabilities.iter().copied().filter(|p| *p > 0.0).fold(1.0, f64::min);
        let (mut below, mut above) = (0.0, high / smallest);
        for _ in 0..200 {
            let middle = 0.5 * (below + above);
            if clipped(middle).sum::<f64>() <= 1.0 { below = middle } else { above = middle }
        }
        clipped(below).collect()
    }
}

impl Mechanism for Band {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn outcomes(&self) -> u32 {
        self.base.least.len() as u32
    }

    fn reads(&self) -> Reads {
        Reads::Probabilities
    }

    fn distribution(&self, scores: &[f32]) -> Option<Vec<f64>> {
        Some(self.base.distribution(scores))
    }

    fn draw(&self, scores: Private<&[f32]>, rng: &mut PrivacyRng) -> Released<u32> {
        self.base.draw(scores, rng)
    }

    fn loss(&self) -> Loss {
        self.base.loss()
    }
}
