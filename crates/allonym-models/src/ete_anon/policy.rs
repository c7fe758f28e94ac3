//! An agent that converges: a network says how far every number of the context is to be moved, all at once, and is drawn to where the worth rises.
//!
//! The paper's agent changes one number of three hundred at a time and must find out what each of nine hundred actions is worth twenty-five steps later. This one acts once, and
//! nothing must be found out by trying: the world says in which direction each number must move for the text to be worth more (see `slopes.rs`), and that flows back into the network.
//! These are deterministic policy gradients (Silver et al. 2014) whose critic is the decoder with the two classifiers, and so need not be learned.

use super::progressed::Progressed;
use super::reward::Reward;
use super::state::State;
use super::world::World;
use crate::adept::{Clip, Norm};
use crate::error::{ModelError, check_sizes};
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_nn::layer::Linear;
use allonym_nn::optimiser::{Adam, AdamSettings, clip_by_global_norm};
use allonym_nn::{Gradients, Matrix, Rows, Store, unit};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Settings of the agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicySettings {
    /// Texts that are changed in all. Default 20,000.
    pub episodes: usize,
    /// Cells of the hidden layer. Default 512.
    pub hidden: usize,
    /// How far a number may be moved, in the root of the mean square: so no number is at its end while others could still move. Default 0.3.
    pub reach: f64,
    /// The standard deviation of the noise on a move while it is learned, as a part of the reach, so that no text is fitted alone. Default 0.1.
    pub spread: f64,
    /// The learning rate of Adam. Default 1e-3.
    pub rate: f64,
    /// Texts of a step of learning. Default 32.
    pub side_by_side: usize,
}

impl Default for PolicySettings {
    fn default() -> Self {
        Self { episodes: 20_000, hidden: 512, reach: 0.3, spread: 0.1, rate: 1e-3, side_by_side: 32 }
    }
}

impl PolicySettings {
    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("episodes", self.episodes, 100_000_000, "between 1 and 100 million"),
            ("hidden", self.hidden, 65_536, "between 1 and 65,536"),
            ("side-by-side", self.side_by_side, 65_536, "between 1 and 65,536"),
        ])?;
        let within = |value: f64, most: f64| value > 0.0 && value <= most;
        let numbers = [
            ("reach", self.reach, within(self.reach, 2.0), "above 0, at most 2"),
            ("spread", self.spread, (0.0..=2.0).contains(&self.spread), "from 0 to 2"),
            ("rate", self.rate, within(self.rate, 1.0), "above 0, at most 1"),
        ];
        match numbers.into_iter().find(|(_, _, fits, _)| !fits) {
            None => Ok(()),
            Some((setting, value, _, allowed)) => {
                Err(ModelError::Setting { setting, value: value.to_string(), allowed })
            }
        }
    }
}

/// The network that proposes a move.
#[derive(Clone, Debug)]
pub(super) struct PolicyNetwork {
    pub(super) store: Store<f32>,
    hidden: Linear,
    moves: Linear,
    reach: f32,
    /// Moves are no longer than this, in units of the reach.
    longest: Clip,
}

impl PolicyNetwork {
    pub(super) fn new(
        settings: &PolicySettings,
        context: usize,
        mut store: Store<f32>,
        rng: &mut PrivacyRng,
    ) -> Result<Self, ModelError> {
        let hidden = Linear::new("hidden", context, settings.hidden, true, &mut store, rng)?;
        let moves = Linear::new("moves", settings.hidden, context, true, &mut store, rng)?;
        // It begins by leaving everything where it is.
        for slot in [Some(moves.weight()), moves.bias()].into_iter().flatten() {
            store.begin(slot.range(), |values| values.fill(0.0));
        }
        let longest = Clip { norm: Norm::L2, bound: (context as f64).sqrt() };
        Ok(Self { store, hidden, moves, reach: settings.reach as f32, longest })
    }

    /// What the hidden layer says, and the moves that are wished for in units of the reach, before their length is limited.
    fn forward(&self, contexts: &Matrix<f32>, threads: usize) -> Result<(Matrix<f32>, Matrix<f32>), ModelError> {
        let mut hidden = self.hidden.forward(&self.store, contexts, threads)?;
        hidden.values_mut().iter_mut().for_each(|value| *value = value.max(0.0));
        let wished = self.moves.forward(&self.store, &hidden, threads)?;
        Ok((hidden, wished))
    }

    /// Moves a context at random, as far as it may be.
    pub(super) fn moved_at_random(&self, context: &mut [f32], rng: &mut PrivacyRng) {
        let by: Vec<f32> = context.iter().map(|_| normal(rng)).collect();
        let length = Norm::L2.of(&by).max(f64::MIN_POSITIVE);
        let scale = (f64::from(self.reach) * self.longest.bound / length) as f32;
        context.iter_mut().zip(by).for_each(|(value, by)| *value = within(*value + scale * by));
    }

    /// Contexts as they are proposed to be; no context's numbers depend on which others there are.
    pub(super) fn moved(&self, contexts: &[Vec<f32>]) -> Result<Vec<Vec<f32>>, ModelError> {
        let rows = matrix(contexts);
        let mut hidden = self.hidden.forward_steadily(&self.store, &rows)?;
        hidden.values_mut().iter_mut().for_each(|value| *value = value.max(0.0));
        let moves = self.longest.forward(&self.moves.forward_steadily(&self.store, &hidden)?);
        let of = |(row, context): (usize, &Vec<f32>)| {
            context.iter().zip(moves.row(row)).map(|(value, by)| within(value + self.reach * by)).collect()
        };
        Ok(contexts.iter().enumerate().map(of).collect())
    }
}

fn tally(rewards: &[Reward], episodes: usize) -> Progressed {
    let mut found = Progressed { episodes, explored: 1.0, ..Progressed::default() };
    found.tally(rewards, (rewards.len().max(1), 1), true);
    found
}

/// States of a gated unit lie between -1 and 1.
fn within(value: f32) -> f32 {
    value.clamp(-1.0, 1.0)
}

fn matrix(contexts: &[Vec<f32>]) -> Matrix<f32> {
    Matrix::of(contexts.len(), contexts.first().map_or(0, Vec::len), contexts.iter().flatten().copied().collect())
}

/// Twelve uniform numbers make a normal one, near enough for trying.
fn normal(rng: &mut PrivacyRng) -> f32 {
    ((0..12).map(|_| unit(rng.bits())).sum::<f64>() - 6.0) as f32
}

/// An agent that learns.
#[derive(Clone, Debug)]
pub struct PolicyAgent {
    settings: PolicySettings,
    network: PolicyNetwork,
    optimiser: Adam<f32>,
    seed: u64,
    episodes: usize,
}

impl PolicyAgent {
    /// An agent that leaves everything where it is, for contexts of so many numbers.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: PolicySettings, context: usize, seed: u64) -> Result<Self, ModelError> {
        settings.check()?;
        let rng = &mut Entropy::reproducible(seed).stream(Purpose::Training, 0);
        let network = PolicyNetwork::new(&settings, context, Store::new(), rng)?;
        let optimiser = Adam::new(network.store.values().len(), AdamSettings::default())?;
        Ok(Self { settings, network, optimiser, seed, episodes: 0 })
    }

    /// Episodes so far.
    pub fn episodes(&self) -> usize {
        self.episodes
    }

    /// Whether all episodes have been.
    pub fn is_done(&self) -> bool {
        self.episodes >= self.settings.episodes
    }

    /// Moves the contexts of some texts, and learns from what that is worth.
    ///
    /// # Errors
    /// When the world's contexts do not fit the agent.
    pub fn group(&mut self, world: &dyn World, threads: usize) -> Result<Progressed, ModelError> {
        let PolicySettings { side_by_side, episodes, spread, .. } = self.settings;
        let rng = &mut Entropy::reproducible(self.seed).stream(Purpose::Training, self.episodes as u64 + 1);
        let count = side_by_side.min(episodes - self.episodes).max(1);
        let texts: Vec<usize> = (0..count).map(|_| world.draw(rng)).collect();
        let contexts: Vec<Vec<f32>> = texts.iter().map(|text| world.context(*text).to_vec()).collect();
        let inputs = Arc::new(matrix(&contexts));
        let (hidden, wished) = self.network.forward(&inputs, threads)?;
        let (moves, reach) = (self.network.longest.forward(&wished), self.network.reach);
        let moved = |(text, context): (usize, &Vec<f32>)| -> Vec<f32> {
            let each = context.iter().zip(moves.row(text));
            each.map(|(value, by)| value + reach * (by + spread as f32 * normal(rng))).collect()
        };
        let mut moved: Vec<Vec<f32>> = contexts.iter().enumerate().map(moved).collect();
        // Where a number would leave its range, it moves no further, and nothing flows back.
        let mut back = Matrix::zeros(count, moves.columns());
        for (row, context) in moved.iter_mut().enumerate() {
            for (value, back) in context.iter_mut().zip(back.row_mut(row)) {
                *back = if *value == within(*value) { -reach / count as f32 } else { 0.0 };
                *value = within(*value);
            }
        }
        let (rewards, slopes) = world.slopes(&texts, &moved)?;
        for (row, slope) in slopes.iter().enumerate() {
            back.row_mut(row).iter_mut().zip(slope).for_each(|(back, slope)| *back *= slope);
        }
        self.descend(&inputs, hidden, &wished, back, threads);
        self.episodes += count;
        Ok(tally(&rewards, self.episodes))
    }

    /// What some texts are worth when every number is moved at random, as far as it may be.
    ///
    /// # Errors
    /// When the world's contexts do not fit the agent.
    pub(super) fn at_random(
        &self,
        world: &dyn World,
        count: usize,
        rng: &mut PrivacyRng,
    ) -> Result<Progressed, ModelError> {
        let texts: Vec<usize> = (0..count).map(|_| world.draw(rng)).collect();
        let mut moved: Vec<Vec<f32>> = texts.iter().map(|text| world.context(*text).to_vec()).collect();
        moved.iter_mut().for_each(|context| self.network.moved_at_random(context, rng));
        Ok(tally(&world.rewards(&texts, &moved)?, count))
    }

    /// What it has learned.
    pub(super) fn learned(&self) -> &PolicyNetwork {
        &self.network
    }

    /// Everything that it knows.
    pub(super) fn save(&self) -> State {
        let mut state = State::default();
        let (steps, first, second) = self.optimiser.state();
        state.put("network", 1, self.network.store.values().to_vec());
        state.put("first", 1, first.to_vec());
        state.put("second", 1, second.to_vec());
        state.put_counts("steps", &[steps, self.episodes as u64]);
        state
    }

    /// Goes on from what it knew.
    pub(super) fn restore(&mut self, state: &mut State) -> Result<(), ModelError> {
        let values = self.network.store.values_mut();
        let size = values.len();
        values.copy_from_slice(&state.take("network", size)?);
        let (first, second) = (state.take("first", size)?, state.take("second", size)?);
        let counts = state.take_counts("steps", 2)?;
        self.optimiser.restore(counts[0], &first, &second);
        self.episodes = counts[1] as usize;
        Ok(())
    }

    /// One step of the optimiser, from what flows back to the moves.
    fn descend(
        &mut self,
        inputs: &Arc<Matrix<f32>>,
        hidden: Matrix<f32>,
        wished: &Matrix<f32>,
        back: Matrix<f32>,
        threads: usize,
    ) {
        let network = &self.network;
        let back = network.longest.backward(wished, back);
        let mut gradients = Gradients::plain(&network.store, threads);
        let (rows, hidden) = (Rows::Examples(inputs.rows()), Arc::new(hidden));
        let mut to_hidden = network.moves.backward(&network.store, &hidden, back, &rows, &mut gradients);
        to_hidden.values_mut().iter_mut().zip(hidden.values()).for_each(|(back, value)| {
            if *value <= 0.0 {
                *back = 0.0;
            }
        });
        network.hidden.backward(&network.store, inputs, to_hidden, &rows, &mut gradients);
        let mut gradients = gradients.into_values();
        clip_by_global_norm(&mut gradients, 1.0);
        self.optimiser.step(self.network.store.values_mut(), &gradients, self.settings.rate, threads);
    }
}
