//! The band mechanism: the model's distribution, bent as little as needed into a band around a public one.
//!
//! For a public base distribution mu (uniform, or a language model that has seen released tokens only), every
//! text's distribution is clip(lambda p, m mu, e^epsilon m mu), with lambda such that it sums to one. With a uniform
//! base and one good token this is the minimax-optimal local sampler of Park, Asoodeh and Lee (2024).
#![doc = include_str!("band.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::band_lambda::{Lifted, best_of, lambda, last_needed};
use crate::mechanism::parameters::{Parameters, check_count, check_epsilon};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::{ln_ratio_up, probability};

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
    /// One by the least of each token.
    per_least: Vec<f64>,
    /// The most by which any token's most exceeds its least.
    odds: f64,
}

/// Tokens of which the best is found at once.
const BLOCK: usize = 64;

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
        let per_least = least.iter().map(|units| 1.0 / *units as f64).collect();
        let odds = most.iter().zip(&least).map(|(most, least)| *most as f64 / *least as f64).fold(1.0, f64::max);
        Ok(Self { least, most, before, total, per_least, odds })
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
    ///
    /// Floats decide how it is spread, integers that it stays within the band and sums to what it must.
    fn more(&self, scores: &[f32]) -> Vec<(u32, u64)> {
        let to_give = self.total - self.before.last().unwrap_or(&0) - self.least.last().unwrap_or(&0);
        let lifted: Vec<Lifted> = self
            .liftable(&scores[..scores.len().min(self.least.len())], to_give as f64)
            .into_iter()
            .map(|(lift, token)| {
                let (least, most) = (self.least[token as usize], self.most[token as usize]);
                Lifted { token, proposal: lift * least as f64, least: least as f64, room: (most - least) as f64 }
            })
            .collect();
        // Rounding down loses up to a unit a token anyway.
        let lambda = lambda(&lifted, to_give as f64, lifted.len() as f64);
        let mut left = to_give;
        let mut more: Vec<(u32, u64)> = Vec::with_capacity(lifted.len());
        for token in &lifted {
            let units = (token.given(lambda) as u64).min(left);
            left -= units;
            more.push((token.token, units));
        }
        self.give_rest(&mut more, left);
        more.retain(|(_, units)| *units > 0);
        more
    }

    /// The lift of a token that the proposal does not have.
    fn smoothing(&self) -> f64 {
        SMOOTHING / self.total as f64
    }

    /// The lift of a token, what is proposed for each unit of its least: a growing lambda lifts tokens off their least in
    /// this order.
    fn lift(&self, scores: &[f32], token: usize) -> f64 {
        scores.get(token).map_or(0.0, |score| probability(*score) * self.per_least[token]) + self.smoothing()
    }

    /// All tokens with at least this lift, given the highest of each block.
    fn lifted_by(&self, scores: &[f32], highest: &[f64], lift: f64) -> Vec<(f64, u32)> {
        let mut found = Vec::new();
        for (block, _) in highest.iter().enumerate().filter(|(_, highest)| **highest >= lift) {
            for token in block * BLOCK..((block + 1) * BLOCK).min(self.least.len()) {
                let own = self.lift(scores, token);
                if own >= lift {
                    found.push((own, token as u32));
                }
            }
        }
        found
    }

    /// The tokens that the lambda sought can lift: the first that could take everything, and all that are lifted before
    /// those are full. With their lifts, in the order of tokens.
    fn liftable(&self, scores: &[f32], to_give: f64) -> Vec<(f64, u32)> {
        let mut highest = vec![self.smoothing(); self.least.len().div_ceil(BLOCK)];
        for ((highest, scores), least) in highest.iter_mut().zip(scores.chunks(BLOCK)).zip(self.per_least.chunks(BLOCK))
        {
            *highest += best_of(scores, least);
        }
        let best = highest.iter().copied().fold(0.0, f64::max);
        // Few tokens take everything: those near the best, mostly. Further ones are taken in until there is room enough.
        let mut reach = self.odds.max(2.0);
        let room = |(_, token): &(f64, u32)| (self.most[*token as usize] - self.least[*token as usize]) as f64;
        let mut near = self.lifted_by(scores, &highest, best / reach);
        while near.len() < self.least.len() && near.iter().map(room).sum::<f64>() < to_give {
            reach *= reach;
            near = self.lifted_by(scores, &highest, best / reach);
        }
        // The last that is needed is full at lambda = e^epsilon / lift; a token is lifted where lambda > 1 / its own lift.
        let needed = last_needed(&mut near.clone(), to_give, room) / self.odds;
        if needed < best / reach {
            self.lifted_by(scores, &highest, needed)
        } else {
            near.retain(|(lift, _)| *lift >= needed);
            near
        }
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
    fn choose(&self, scores: &[f32], rng: &mut PrivacyRng) -> Outcome {
        let mut place = rng.below(self.total);
        for (token, extra) in self.more(scores) {
            if place < extra {
                return Outcome::new(token);
            }
            place -= extra;
        }
        // Not above anybody's least: the base decides.
        Outcome::new((self.before.partition_point(|before| *before <= place) - 1) as u32)
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

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.base.least.len() as u32
    }

    fn reads(&self) -> Reads {
        Reads::Probabilities
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.base.distribution(scores))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        self.base.choose(scores, rng)
    }

    fn loss(&self) -> Loss {
        self.base.loss()
    }
}
