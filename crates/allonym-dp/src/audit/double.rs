//! What test doubles of mechanisms are made of. Floats draw here: the bugs are larger than their errors.

use crate::context::PublicContext;
use crate::loss::{Class, Loss};
use crate::mechanism::{Mechanism, Reads};
use crate::outcome::Outcome;
use crate::rng::PrivacyRng;
use std::fmt;

pub(super) type Draw = Box<dyn Fn(&[f32], &mut PrivacyRng) -> u32 + Send + Sync>;
pub(super) type Law = Box<dyn Fn(&[f32]) -> Vec<f64> + Send + Sync>;

/// A mechanism made of a draw, what it claims, and the distribution that it says it has, if any.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) claim: f64,
    pub(super) draw: Draw,
    pub(super) law: Option<Law>,
}

/// Outcomes of every test double.
pub(super) const S: usize = 4;

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Mechanism for Mutant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn claimed_by(&self) -> &'static str {
        "a test double"
    }

    fn outcomes(&self) -> u32 {
        S as u32
    }

    fn reads(&self) -> Reads {
        Reads::Probabilities
    }

    fn distribution(&self, scores: &[f32], _: &PublicContext<'_>) -> Option<Vec<f64>> {
        self.law.as_ref().map(|law| law(scores))
    }

    fn choose(&self, scores: &[f32], _: &PublicContext<'_>, rng: &mut PrivacyRng) -> Outcome {
        Outcome::new((self.draw)(scores, rng))
    }

    fn loss(&self) -> Loss {
        Loss { epsilon: self.claim, class: Class::BoundedRange { range: 2.0 * self.claim } }
    }
}

pub(super) fn clean(scores: &[f32]) -> Vec<f64> {
    (0..S)
        .map(|i| scores.get(i).copied().filter(|s| s.is_finite()).map_or(0.0, |s| f64::from(s.clamp(0.0, 1.0))))
        .collect()
}

pub(super) fn unit(rng: &mut PrivacyRng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws by float weights: good enough for mechanisms that are wrong in a larger way.
pub(super) fn pick(weights: &[f64], rng: &mut PrivacyRng) -> u32 {
    let mut place = unit(rng) * weights.iter().sum::<f64>();
    for (i, weight) in weights.iter().enumerate() {
        if place < *weight {
            return i as u32;
        }
        place -= weight;
    }
    weights.iter().rposition(|w| *w > 0.0).unwrap_or(0) as u32
}

pub(super) fn best(scores: &[f64]) -> usize {
    (0..S).max_by(|a, b| scores[*a].total_cmp(&scores[*b]).then(b.cmp(a))).unwrap_or(0)
}

pub(super) fn response(epsilon: f64, kept: usize) -> Vec<f64> {
    (0..S).map(|i| if i == kept { epsilon.exp() } else { 1.0 }).collect()
}

pub(super) fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

/// A set of candidates drawn from the scores, without repeats.
pub(super) fn candidates(p: &[f64], k: usize, rng: &mut PrivacyRng) -> Vec<usize> {
    let p = if p.iter().sum::<f64>() > 0.0 { p.to_vec() } else { vec![1.0; S] };
    let mut chosen: Vec<usize> = (0..k).map(|_| pick(&p, rng) as usize).collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

pub(super) fn mutant(
    name: &'static str,
    claim: f64,
    draw: impl Fn(&[f32], &mut PrivacyRng) -> u32 + Send + Sync + 'static,
) -> Mutant {
    Mutant { name, claim, draw: Box::new(draw), law: None }
}

pub(super) fn two_set_token(set: &[usize], choose: f64, rng: &mut PrivacyRng) -> u32 {
    let inside = unit(rng) < choose;
    let pool: Vec<usize> = (0..S).filter(|i| set.contains(i) == inside).collect();
    if pool.is_empty() { rng.below(S as u64) as u32 } else { pool[rng.below(pool.len() as u64) as usize] as u32 }
}
