//! Attackers that learn from what an agent writes while it learns.
//!
//! An agent that hides from one attacker alone moves every text to where that attacker is wrong, and whoever learns from releases finds the author again. So attackers of that kind are
//! what it must hide from, too: each learns from what the agent wrote at one time, and stays.

use super::data::{Known, Sequence};
use super::judges::Classifiers;
use super::measure::in_words;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::ete_anon::{Agent, AutoEncoder, Judge, TextWorld, World};

/// Sequences that an attacker learns from.
const LEARNED_FROM: usize = 8000;

/// What attackers have.
pub(super) struct Attackers<'a> {
    pub(super) auto_encoder: &'a AutoEncoder,
    pub(super) known: &'a Known,
    pub(super) seed: u64,
}

impl Attackers<'_> {
    /// One that knows what an agent makes of sequences, which are others in every round.
    pub(super) fn learn_from(&self, agent: &Agent, world: &TextWorld<'_>, round: usize) -> Result<Judge, Failure> {
        let own = |number: u64| self.seed ^ ((round as u64 + 1) << 40 | number);
        let mut places: Vec<usize> = (0..self.known.training.len()).collect();
        PrivacyRng::reproducible(own(0)).shuffle(&mut places);
        places.truncate(LEARNED_FROM);
        let contexts: Vec<Vec<f32>> = places.iter().map(|place| world.context(*place).to_vec()).collect();
        let mut rngs: Vec<PrivacyRng> =
            (0..places.len() as u64).map(|text| PrivacyRng::reproducible(own(text + 1))).collect();
        let written = self.auto_encoder.decode(&agent.change(&contexts, &mut rngs)?)?;
        let vocabulary = self.auto_encoder.vocabulary();
        let written: Vec<String> = written.iter().map(|text| in_words(text, vocabulary)).collect();
        let sequences: Vec<&Sequence> = places.iter().map(|place| &self.known.training[*place]).collect();
        Classifiers::authors_of(&sequences, &written, self.seed)?.judge(vocabulary)
    }
}
