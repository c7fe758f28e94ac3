//! The two-set exponential mechanism (Bo et al. 2021, ER-AE second version, Definition 4).
//!
//! A candidate set is drawn from the model, the mechanism chooses between it and its complement, and a token is taken
//! uniformly from the chosen set. Candidates are counted once. Where the complement is empty, which the paper leaves
//! open, the token is uniform over the vocabulary: an error there would tell texts apart with certainty.
#![doc = include_str!("two_set.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::{Parameters, check_count, check_epsilon};
use crate::mechanism::two_set_law::law;
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use crate::table::{LEVELS, ln_ratio_up, probability};

/// The sum of the two chances of a choice: it is drawn from 2^40 numbers.
const WHOLE: u64 = 1 << 40;
/// The most outcomes for which the exact distribution is enumerated.
const SMALL: u32 = 12;

/// The two-set mechanism over a fixed number of outcomes.
#[derive(Clone, Debug)]
pub struct TwoSet {
    epsilon: f64,
    candidates: usize,
    outcomes: u32,
    /// Of [`WHOLE`], the chance to choose the candidates, by the level of their mass.
    choose: Vec<u64>,
}

impl TwoSet {
    pub(super) const NAME: &'static str = "two-set";
    pub(super) const SUMMARY: &'static str = "two-set exponential mechanism (ER-AE, NAACL 2021); the true loss of a token is epsilon / 2 + ln(vocabulary - 1)";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "candidates"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let epsilon = match parameters.epsilon_per_token {
            None => parameters.epsilon()?,
            Some(loss) => {
                let least = f64::from(outcomes - 1).ln();
                if loss.is_nan() || loss <= least {
                    let allowed = "more than ln(vocabulary - 1): the two-set mechanism costs that at epsilon 0";
                    return Err(DpError::Setting { setting: "epsilon-per-token", value: loss.to_string(), allowed });
                }
                2.0 * (loss - least)
            }
        };
        Self::new(epsilon, parameters.candidates.unwrap_or(5), outcomes)
    }

    /// The mechanism with the paper's parameter and number of candidates.
    ///
    /// # Errors
    /// When epsilon is not a positive number of at most 50, or there is no candidate, or more than the vocabulary has.
    pub fn new(epsilon: f64, candidates: usize, outcomes: u32) -> Result<Self, DpError> {
        // Above 50 the smaller chance of a choice would round to nothing of 2^40.
        if epsilon.is_nan() || epsilon > 50.0 {
            let allowed = "a positive number of at most 50";
            return Err(DpError::Setting { setting: "epsilon", value: epsilon.to_string(), allowed });
        }
        check_epsilon("epsilon", epsilon / 2.0)?;
        check_count("candidates", candidates, outcomes as usize, "at least 1 and at most the vocabulary")?;
        let least = ((WHOLE as f64 * sigmoid(-epsilon / 2.0)) as u64).max(1);
        let choose = (0..=LEVELS).map(|level| {
            let mass = level as f64 / LEVELS as f64;
            ((WHOLE as f64 * sigmoid(epsilon * (mass - 0.5))).round() as u64).clamp(least, WHOLE - least)
        });
        Ok(Self { epsilon, candidates, outcomes, choose: choose.collect() })
    }

    /// The distribution that the paper defines, for tokens that come in classes of equal probability:
    /// `(probability of each, how many)`. Gives the probability to draw one token of each class.
    pub fn ideal(classes: &[(f64, u32)], candidates: usize, epsilon: f64) -> Vec<f64> {
        law(classes, candidates, |mass| sigmoid(epsilon * (mass - 0.5)))
    }

    fn choice(&self, mass: f64) -> u64 {
        self.choose[((mass * LEVELS as f64) as usize).min(LEVELS)]
    }

    /// The candidates of a text: distinct tokens, drawn from the model's probabilities. Floats may serve here, since
    /// the proof holds for any set, and the loss of a token is paid by what follows.
    fn draw_candidates(&self, scores: &[f32], rng: &mut PrivacyRng) -> Vec<u32> {
        let scores = &scores[..scores.len().min(self.outcomes as usize)];
        let blocks: Vec<f64> = scores.chunks(BLOCK).map(sum).collect();
        let total: f64 = blocks.iter().sum();
        let mut places: Vec<f64> =
            (0..self.candidates).map(|_| (rng.bits() >> 11) as f64 / (1u64 << 53) as f64).collect();
        if total <= 0.0 {
            let mut chosen: Vec<u32> =
                places.iter().map(|u| ((u * f64::from(self.outcomes)) as u32).min(self.outcomes - 1)).collect();
            chosen.sort_unstable();
            chosen.dedup();
            return chosen;
        }
        places.sort_by(f64::total_cmp);
        let mut chosen = Vec::with_capacity(self.candidates);
        // Whole blocks are passed over until the one with the place, which is then gone through token by token.
        let (mut passed, mut block) = (0.0, 0);
        for place in places {
            let place = place * total;
            while block + 1 < blocks.len() && passed + blocks[block] <= place {
                passed += blocks[block];
                block += 1;
            }
            let outcome = (block * BLOCK + within(&scores[block * BLOCK..], place - passed)) as u32;
            if chosen.last() != Some(&outcome) {
                chosen.push(outcome);
            }
        }
        chosen
    }

    /// Chooses between the candidates and the rest, and a token of the chosen set, by exact draws.
    fn draw_token(&self, candidates: &[u32], mass: f64, rng: &mut PrivacyRng) -> u32 {
        let rest = self.outcomes - candidates.len() as u32;
        if rest == 0 {
            return rng.below(u64::from(self.outcomes)) as u32;
        }
        if rng.below(WHOLE) < self.choice(mass) {
            return candidates[rng.below(candidates.len() as u64) as usize];
        }
        // The n-th token that is not a candidate; the candidates are in order.
        let mut token = rng.below(u64::from(rest)) as u32;
        for candidate in candidates {
            if *candidate <= token {
                token += 1;
            }
        }
        token
    }
}

/// Tokens that are summed together.
const BLOCK: usize = 128;

fn weight(scores: &[f32], outcome: u32) -> f64 {
    scores.get(outcome as usize).map_or(0.0, |score| probability(*score))
}

/// The sum of probabilities, in eight sums that do not wait for each other.
fn sum(scores: &[f32]) -> f64 {
    let mut lanes = [0.0; 8];
    let (eights, rest) = scores.as_chunks::<8>();
    for eight in eights {
        let eight = eight.map(probability);
        lanes.iter_mut().zip(eight).for_each(|(lane, probability)| *lane += probability);
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|score| probability(*score)).sum::<f64>()
}

/// The token of the first block of these scores at which their sum passes a place: the last possible one, if rounding has
/// put the place beyond all.
fn within(scores: &[f32], place: f64) -> usize {
    let (mut reached, mut last) = (0.0, 0);
    for (token, score) in scores.iter().take(BLOCK).enumerate() {
        let probability = probability(*score);
        reached += probability;
        if probability > 0.0 {
            last = token;
        }
        if reached > place {
            break;
        }
    }
    last
}

fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

impl Mechanism for TwoSet {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn claimed_by(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn outcomes(&self) -> u32 {
        self.outcomes
    }

    fn reads(&self) -> Reads {
        Reads::Probabilities
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        if self.outcomes > SMALL {
            return None;
        }
        let weights: Vec<f64> = (0..self.outcomes).map(|outcome| weight(scores, outcome)).collect();
        let total: f64 = weights.iter().sum();
        let each = |w: &f64| if total > 0.0 { w / total } else { 1.0 / f64::from(self.outcomes) };
        let classes: Vec<(f64, u32)> = weights.iter().map(|w| (each(w), 1)).collect();
        // The mass of a set is that of the scores as given, as in `draw`.
        let scale = if total > 0.0 { total } else { 0.0 };
        Some(law(&classes, self.candidates, |mass| self.choice(mass * scale) as f64 / WHOLE as f64))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        let candidates = self.draw_candidates(scores, rng);
        let mass = candidates.iter().map(|outcome| weight(scores, *outcome)).sum();
        Outcome::new(self.draw_token(&candidates, mass, rng))
    }

    fn loss(&self) -> Loss {
        let (low, high) = (self.choose[0], WHOLE - self.choose[0]);
        // Two ratios, each rounded up: of the choices, and of a set of one against its complement.
        let epsilon = ln_ratio_up(high, low) + ln_ratio_up(u64::from(self.outcomes - 1), 1);
        Loss { epsilon, class: Class::Band { hit: high as f64 / WHOLE as f64 } }
    }

    fn paper_epsilon(&self) -> Option<f64> {
        Some(self.epsilon + f64::from(self.outcomes).ln())
    }
}
