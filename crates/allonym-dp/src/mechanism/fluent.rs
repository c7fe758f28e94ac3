//! The fluent mechanism: a band around what a public model expects after the tokens that were released.
//!
//! A token that is expected costs little to keep, and a token that is not kept is replaced by one that fits what has been written so far.
#![doc = include_str!("fluent.md")]

use crate::context::PublicContext;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::parameters::{Parameters, check_epsilon, check_part};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;

/// About how many units of probability there are.
const UNITS: f64 = (1u64 << 52) as f64;
/// The part of the base that is the same for every token, if nothing else is asked for.
const UNIFORM: f64 = 0.05;
/// The least loss for which what nobody took fits into units (see the lemma).
const LEAST_EPSILON: f64 = 1e-6;
/// The largest part of the base that may be at the top at once.
const MOST_SHARE: f64 = 0.5;

/// The mechanism for a vocabulary.
#[derive(Clone, Debug)]
pub struct Fluent {
    outcomes: u32,
    epsilon: f64,
    /// e^epsilon, never more than it is.
    odds: f64,
    uniform: f64,
    share: f64,
}

/// What is expected as the next token of one text, as units of probability.
#[derive(Clone, Debug)]
pub struct Expected {
    odds: f64,
    least: Vec<u64>,
    sum: u64,
    whole: u64,
}

/// What preferred tokens get above their least, and what nobody took.
struct Given {
    more: Vec<(u32, u64)>,
    rest: u64,
}

/// How many times e^-epsilon of the base may be at the top at once, if nothing else is asked for: what kept most on reviews, for epsilons from 4 to 12.
fn usual_room(epsilon: f64) -> f64 {
    (epsilon / 4.0).exp()
}

impl Fluent {
    pub(super) const NAME: &'static str = "fluent";
    pub(super) const SUMMARY: &'static str = "a band around what a public language model expects after the released tokens: the default, and the readable one";
    pub(super) const READS: &'static [&'static str] = &["epsilon", "uniform", "room"];

    pub(super) fn build(parameters: &Parameters, outcomes: u32) -> Result<Self, DpError> {
        let epsilon = parameters.either()?;
        let (uniform, room) =
            (parameters.uniform.unwrap_or(UNIFORM), parameters.room.unwrap_or_else(|| usual_room(epsilon)));
        Self::new(epsilon, uniform, room, outcomes)
    }

    /// The mechanism with this loss a token, with this part of the base the same for every token, and with room for so many times e^-epsilon of the base at
    /// its top.
    ///
    /// # Errors
    /// When epsilon is not a positive number up to 40, `uniform` is not above 0 and at most 1, or `room` not a positive number.
    pub fn new(epsilon: f64, uniform: f64, room: f64, outcomes: u32) -> Result<Self, DpError> {
        check_epsilon("epsilon", epsilon)?;
        if epsilon < LEAST_EPSILON {
            let allowed = "at least 0.000001 for `fluent`: below it, rounding to units would weigh more than the text";
            return Err(DpError::Setting { setting: "epsilon", value: epsilon.to_string(), allowed });
        }
        check_part("uniform", uniform)?;
        if !(room > 0.0 && room.is_finite()) {
            let allowed = "a positive number";
            return Err(DpError::Setting { setting: "room", value: room.to_string(), allowed });
        }
        // Room for one token of a uniform base at least, and never for more than half of everything.
        let share = (room * (-epsilon).exp()).max(1.0 / f64::from(outcomes)).min(MOST_SHARE);
        let odds = epsilon.exp() * (1.0 - 4.0 * f64::EPSILON);
        Ok(Self { outcomes, epsilon, odds, uniform, share })
    }

    /// The part of its expectation that every token has whatever the text prefers (m).
    fn least_part(&self) -> f64 {
        1.0 / (self.share * (self.odds - 1.0) + 1.0)
    }

    /// The band for a step, from a public model's logits of all outcomes. Invalid logits (NaN, infinite or of the wrong length) fall back to the
    /// uniform distribution.
    pub fn expected(&self, logits: &[f32]) -> Expected {
        let count = self.outcomes as usize;
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut weights: Vec<f32> = logits.iter().take(count).map(|logit| (logit - highest).exp()).collect();
        let mut total: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        if weights.len() != count || !total.is_finite() || total <= 0.0 {
            weights = vec![1.0; count];
            total = count as f64;
        }
        let m = self.least_part();
        let (of_weight, flat) =
            (m * UNITS * (1.0 - self.uniform) / total, m * UNITS * self.uniform / f64::from(self.outcomes));
        let least: Vec<u64> =
            weights.iter().map(|weight| ((f64::from(*weight) * of_weight + flat) as u64).max(1)).collect();
        let sum: u64 = least.iter().sum();
        // Rounded down: the share that is used is at most the one that is charged.
        let whole = ((sum as f64 / m) as u64).max(sum);
        Expected { odds: self.odds, least, sum, whole }
    }
}

impl Expected {
    /// Outcomes with a positive score, best first; of equal ones the lower.
    fn preferred(&self, scores: &[f32]) -> Vec<u32> {
        let mut found: Vec<(f32, u32)> = Vec::new();
        let scores = &scores[..scores.len().min(self.least.len())];
        for (block, chunk) in scores.chunks(16).enumerate() {
            // Nearly all scores are nothing: sixteen are passed over with one test.
            if !chunk.iter().fold(false, |any, score| any | (*score > 0.0)) {
                continue;
            }
            let own = chunk.iter().enumerate().filter(|(_, score)| **score > 0.0);
            found.extend(own.map(|(offset, score)| (*score, (block * 16 + offset) as u32)));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, outcome)| outcome).collect()
    }

    fn given(&self, scores: &[f32]) -> Given {
        let mut rest = self.whole - self.sum;
        let mut more = Vec::new();
        for outcome in self.preferred(scores) {
            let least = self.least[outcome as usize];
            // `as` stays at the largest number there is.
            let most = ((least as f64 * self.odds) as u64).max(least);
            let units = (most - least).min(rest);
            rest -= units;
            more.push((outcome, units));
        }
        Given { more, rest }
    }

    /// The `least` of all that are not preferred; what nobody took must fit above it.
    fn others(&self, given: &Given) -> u64 {
        let others = self.sum - given.more.iter().map(|(outcome, _)| self.least[*outcome as usize]).sum::<u64>();
        let room = others as f64 * (self.odds - 1.0);
        assert!(given.rest as f64 <= room, "what nobody took must stay within the band");
        others
    }

    /// The exact distribution for the scores of a text.
    pub fn distribution(&self, scores: &[f32]) -> Vec<f64> {
        let given = self.given(scores);
        let each = if given.rest > 0 { given.rest as f64 / self.others(&given) as f64 } else { 0.0 };
        let mut units: Vec<f64> = self.least.iter().map(|least| *least as f64 * (1.0 + each)).collect();
        for (outcome, more) in given.more {
            units[outcome as usize] = (self.least[outcome as usize] + more) as f64;
        }
        units.into_iter().map(|units| units / self.whole as f64).collect()
    }

    /// Draws a token for the scores of a text.
    fn choose(&self, scores: &[f32], rng: &mut PrivacyRng) -> Outcome {
        let given = self.given(scores);
        let mut place = rng.below(self.whole);
        if place < self.sum {
            return at(place, self.least.iter().copied());
        }
        place -= self.sum;
        for (outcome, more) in &given.more {
            if place < *more {
                return Outcome::new(*outcome);
            }
            place -= more;
        }
        let mut least = self.least.clone();
        given.more.iter().for_each(|(outcome, _)| least[*outcome as usize] = 0);
        at(rng.below(self.others(&given)), least.into_iter())
    }
}

/// The outcome that holds the unit at a position, which lies below the sum of all units.
fn at(mut position: u64, units: impl Iterator<Item = u64>) -> Outcome {
    let mut last = 0;
    for (outcome, units) in (0..).zip(units) {
        if position < units {
            return Outcome::new(outcome);
        }
        position -= units;
        last = outcome;
    }
    Outcome::new(last)
}

impl Mechanism for Fluent {
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
        Reads::Order
    }

    fn survival(&self) -> f64 {
        let m = self.least_part();
        let flat = 1.0 / f64::from(self.outcomes);
        (self.odds * m * flat).min(1.0 - m * (1.0 - flat))
    }

    fn reads_context(&self) -> bool {
        true
    }

    fn distribution(&self, scores: &[f32], context: &PublicContext<'_>) -> Option<Vec<f64>> {
        Some(self.expected(context.logits()).distribution(scores))
    }

    fn choose(&self, scores: &[f32], context: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        self.expected(context.logits()).choose(scores, rng)
    }

    fn loss(&self) -> Loss {
        let m = self.least_part();
        // Rounded up, as everything that is charged; but no draw of this loss has a larger one than randomised response between two.
        // At the largest losses the two differ from 1 by less than a float can: a bit below it stands for them.
        let most = (1.0 / (1.0 + (-self.epsilon).exp())).min(1.0 - f64::EPSILON / 2.0);
        // The whole is a rounded quotient: it may exceed what it should be by some 1e-15 of itself, which weighs the more the less there is to give.
        let to_give = self.share * self.epsilon.exp_m1();
        let hit = (self.share * self.epsilon.exp() * m * (1.0 + 1e-12 + 1e-15 / to_give)).min(most);
        Loss { epsilon: self.epsilon, class: Class::Band { hit } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Effort, audit_in};

    fn expecting(epsilon: f64, logits: &[f32]) -> Expected {
        Fluent::new(epsilon, 0.2, 4.0, logits.len() as u32).unwrap().expected(logits)
    }

    #[test]
    fn it_keeps_its_claim_whatever_is_expected() {
        for logits in [[0.0_f32; 6], [3.0, 1.0, 0.0, -1.0, -2.0, 0.5], [9.0, 0.0, 0.0, 0.0, -9.0, 0.0]] {
            let fluent = Fluent::new(1.5, 0.2, 4.0, 6).unwrap();
            for finding in audit_in(&fluent, &PublicContext::expecting(&logits), &Effort::default()) {
                assert!(finding.passed, "{logits:?}: {finding:?}");
            }
        }
    }

    #[test]
    fn a_token_that_is_expected_is_kept_and_another_is_replaced_by_what_is_expected() {
        // By hand: 4 e^-4 is less than a third, and there are three tokens, so tau = 1/3; m = 1 / ((e^4 - 1) / 3 + 1) = 0.053005.
        let expected = expecting(4.0, &[0.9_f32.ln(), 0.099_f32.ln(), 0.001_f32.ln()]);
        let kept = |outcome: usize| {
            let scores: Vec<f32> = (0..3).map(|i| if i == outcome { 1.0 } else { 0.0 }).collect();
            expected.distribution(&scores)
        };
        // A fifth is the same for all: mu = 0.8 (0.9, 0.099, 0.001) + 0.2 / 3 = 0.786667, 0.145867, 0.067467. The first takes all that is to give:
        // 0.786667 m + 1 - m = 0.988692.
        assert!((kept(0)[0] - 0.988_692).abs() < 1e-5, "{:?}", kept(0));
        // The third is full at 0.067467 m e^4 = 0.195245, and the rest goes where the model says, 0.786667 to 0.145867.
        let third = kept(2);
        assert!((third[2] - 0.195_245).abs() < 1e-5, "{third:?}");
        assert!((third[0] / third[1] - 0.786_667 / 0.145_867).abs() < 1e-3, "{third:?}");
    }

    #[test]
    fn an_unexpected_token_is_kept_as_often_as_is_said() {
        for epsilon in [1.0, 6.0, 12.0] {
            let fluent = Fluent::build(&Parameters::of_loss(epsilon), 1000).unwrap();
            let stated = fluent.expected(&[]).distribution(&[0.0, 1.0])[1];
            assert!((stated - fluent.survival()).abs() < 1e-9, "{epsilon}: {stated}");
        }
    }

    #[test]
    fn every_loss_composes() {
        for epsilon in [1e-6, 0.001, 0.1, 1.0, 2.0, 8.0, 12.0, 40.0] {
            let fluent = Fluent::build(&Parameters::of_loss(epsilon), 10_000).unwrap();
            let (total, _) = crate::compose::total(&fluent.loss(), 50, 1e-6).unwrap();
            assert!(total > 0.0 && total <= 50.0 * epsilon * 1.000_001, "{epsilon}: {total}");
        }
    }

    #[test]
    fn a_text_that_prefers_nothing_is_written_by_the_model() {
        let logits = [2.0_f32, 0.0, -1.0, 1.0];
        let expected = expecting(2.0, &logits);
        let sum: f64 = logits.iter().map(|logit| f64::from(*logit).exp()).sum();
        for (p, logit) in expected.distribution(&[]).iter().zip(logits) {
            assert!((p - (0.8 * f64::from(logit).exp() / sum + 0.05)).abs() < 1e-6);
        }
    }

    #[test]
    fn invalid_logits_fall_back_to_the_uniform_distribution() {
        let fluent = Fluent::new(2.0, 0.2, 4.0, 4).unwrap();
        for logits in [vec![f32::NAN; 4], vec![f32::INFINITY; 4], vec![1.0; 3], vec![f32::NEG_INFINITY; 4]] {
            let found = fluent.expected(&logits).distribution(&[]);
            assert!(found.iter().all(|p| (p - 0.25).abs() < 1e-12), "{logits:?}: {found:?}");
        }
    }

    #[test]
    fn every_epsilon_and_every_expectation_stays_within_the_band() {
        let mut rng = PrivacyRng::reproducible(3);
        for epsilon in [0.01, 0.5, 3.0, 8.0, 12.0, 20.0, 40.0] {
            for outcomes in [2_usize, 3, 50, 2000] {
                let fluent = Fluent::new(epsilon, 0.1, 4.0, outcomes as u32).unwrap();
                let logits: Vec<f32> = (0..outcomes).map(|_| rng.below(40) as f32 - 30.0).collect();
                let expected = fluent.expected(&logits);
                let scores =
                    |rng: &mut PrivacyRng| -> Vec<f32> { (0..outcomes).map(|_| rng.below(5) as f32 - 3.0).collect() };
                let [first, second] = [scores(&mut rng), scores(&mut rng)].map(|s| expected.distribution(&s));
                assert!((first.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                let largest = first.iter().zip(&second).map(|(p, q)| (p / q).ln()).fold(0.0, f64::max);
                assert!(largest <= epsilon + 1e-9, "{epsilon} {outcomes}: {largest}");
            }
        }
    }
}
