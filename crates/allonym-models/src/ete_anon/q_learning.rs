//! The paper's agent: deep Q-learning (Mnih et al. 2015) over single numbers of the first layer's context.
//!
//! Episodes run side by side, so that their texts are decoded together; every step of every episode is followed by one step of learning, as in the paper. What the
//! target network says of a transition is computed once until that network changes.

use super::moves::Moves;
use super::progressed::Progressed;
use super::q_network::{QNetwork, QOptimiser, best};
use super::q_settings::QSettings;
use super::q_steps::Batch;
use super::replay::{Replay, Transition};
use super::reward::Reward;
use super::state::State;
use super::world::World;
use crate::error::ModelError;
use allonym_dp::{Entropy, PrivacyRng, Purpose};
use allonym_nn::{Matrix, Store, unit};
use rayon::prelude::*;

/// An agent that learns.
#[derive(Clone, Debug)]
pub struct QAgent {
    settings: QSettings,
    cells: usize,
    network: QNetwork,
    target: QNetwork,
    optimiser: QOptimiser,
    replay: Replay,
    entropy: u64,
    episodes: usize,
}

/// Texts that are changed side by side.
struct Episodes {
    texts: Vec<usize>,
    contexts: Vec<Vec<f32>>,
}

impl QAgent {
    /// An agent that has learned nothing, for contexts whose first layer has so many numbers.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: QSettings, cells: usize, seed: u64) -> Result<Self, ModelError> {
        settings.check()?;
        let rng = &mut Entropy::reproducible(seed).stream(Purpose::Training, 0);
        let sizes = (cells, settings.hidden, settings.ranges.actions(cells));
        let network = QNetwork::new(sizes, Store::new(), rng)?;
        let optimiser = QOptimiser::new(&network, settings.rate)?;
        let (target, replay) = (network.clone(), Replay::new(settings.replay));
        Ok(Self { settings, cells, network, target, optimiser, replay, entropy: seed, episodes: 0 })
    }

    /// Episodes so far.
    pub fn episodes(&self) -> usize {
        self.episodes
    }

    /// Whether all episodes have been.
    pub fn is_done(&self) -> bool {
        self.episodes >= self.settings.episodes
    }

    /// Runs some episodes side by side, learning from every step.
    ///
    /// # Errors
    /// When the world's contexts do not fit the agent.
    pub fn group(&mut self, world: &dyn World, threads: usize) -> Result<Progressed, ModelError> {
        let settings = self.settings.clone();
        let number = self.episodes as u64 + 1;
        let rng = &mut Entropy::reproducible(self.entropy).stream(Purpose::Training, number);
        let count = settings.side_by_side.min(settings.episodes - self.episodes).max(1);
        let explored = settings.explores(self.episodes);
        let mut running = begin(world, count, rng);
        let mut found = Progressed { explored, ..Progressed::default() };
        let mut losses = (0.0, 0_u32);
        for step in 0..settings.steps {
            let states: Vec<Vec<f32>> = running.contexts.iter().map(|context| context[..self.cells].to_vec()).collect();
            let actions = self.actions(&states, explored, threads, rng);
            for (context, action) in running.contexts.iter_mut().zip(&actions) {
                settings.ranges.apply(context, *action, rng);
            }
            let rewards = world.rewards(&running.texts, &running.contexts)?;
            let last = step + 1 == settings.steps;
            self.remember(states, &actions, &rewards, &running, last);
            found.tally(&rewards, (count, settings.steps), last);
            if self.replay.held.len() >= settings.batch {
                losses.0 += self.learn(count, threads, rng);
                losses.1 += count as u32;
            }
        }
        self.advance(count);
        (found.episodes, found.loss) = (self.episodes, losses.0 / f64::from(losses.1.max(1)));
        Ok(found)
    }

    /// What some episodes bring when every action is drawn at random, and what single actions do.
    ///
    /// # Errors
    /// When the world's contexts do not fit the agent.
    pub(super) fn at_random(
        &self,
        world: &dyn World,
        count: usize,
        rng: &mut PrivacyRng,
    ) -> Result<(Progressed, Option<Moves>), ModelError> {
        let (settings, mut running) = (&self.settings, begin(world, count, rng));
        let mut found = Progressed { explored: 1.0, episodes: count, ..Progressed::default() };
        let actions = settings.ranges.actions(self.cells) as u64;
        let mut worth = Vec::with_capacity(settings.steps);
        for step in 0..settings.steps {
            for context in &mut running.contexts {
                let action = rng.below(actions) as u32;
                settings.ranges.apply(context, action, rng);
            }
            let rewards = world.rewards(&running.texts, &running.contexts)?;
            found.tally(&rewards, (count, settings.steps), step + 1 == settings.steps);
            worth.push(rewards.iter().map(|reward| reward.total).collect());
        }
        Ok((found, Moves::of(&worth)))
    }

    /// Runs some episodes at random and remembers them, without learning: for measuring how fast an agent learns whose memory is full.
    ///
    /// # Errors
    /// When the world's contexts do not fit the agent.
    pub fn remember_at_random(
        &mut self,
        world: &dyn World,
        count: usize,
        rng: &mut PrivacyRng,
    ) -> Result<(), ModelError> {
        let (settings, mut running) = (self.settings.clone(), begin(world, count, rng));
        let actions = settings.ranges.actions(self.cells) as u64;
        for step in 0..settings.steps {
            let before: Vec<Vec<f32>> = running.contexts.iter().map(|context| context[..self.cells].to_vec()).collect();
            let taken: Vec<u32> = before.iter().map(|_| rng.below(actions) as u32).collect();
            for (context, action) in running.contexts.iter_mut().zip(&taken) {
                settings.ranges.apply(context, *action, rng);
            }
            let rewards = world.rewards(&running.texts, &running.contexts)?;
            self.remember(before, &taken, &rewards, &running, step + 1 == settings.steps);
        }
        Ok(())
    }

    /// Keeps a step of all episodes.
    fn remember(&mut self, states: Vec<Vec<f32>>, actions: &[u32], rewards: &[Reward], running: &Episodes, last: bool) {
        for (place, state) in states.into_iter().enumerate() {
            let next = (!last).then(|| running.contexts[place][..self.cells].to_vec());
            let (action, reward) = (actions[place], rewards[place].total as f32);
            self.replay.push(Transition { state, action, reward, next });
        }
    }

    /// What it has learned.
    pub(super) fn learned(&self) -> (&QSettings, &QNetwork, usize) {
        (&self.settings, &self.network, self.cells)
    }

    /// Everything that it knows.
    pub(super) fn save(&self) -> State {
        let mut state = State::default();
        state.put("network", 1, self.network.store.values().to_vec());
        state.put("target", 1, self.target.store.values().to_vec());
        for (name, optimiser) in self.optimiser.parts() {
            let (steps, squares, touched) = optimiser.state();
            state.put(&format!("{name}.squares"), 1, squares.to_vec());
            state.put_counts(&format!("{name}.touched"), touched);
            state.put_counts(&format!("{name}.steps"), &[steps]);
        }
        self.replay.save(&mut state);
        state.put_counts("episodes", &[self.episodes as u64]);
        state
    }

    /// Goes on from what it knew.
    pub(super) fn restore(&mut self, state: &mut State) -> Result<(), ModelError> {
        for (name, network) in [("network", &mut self.network), ("target", &mut self.target)] {
            let values = network.store.values_mut();
            values.copy_from_slice(&state.take(name, values.len())?);
        }
        for (name, optimiser) in self.optimiser.parts_mut() {
            let (squares, touched) = (optimiser.state().1.len(), optimiser.state().2.len());
            let squares = state.take(&format!("{name}.squares"), squares)?;
            let touched = state.take_counts(&format!("{name}.touched"), touched)?;
            let steps = state.take_counts(&format!("{name}.steps"), 1)?[0];
            optimiser.restore(steps, &squares, &touched);
        }
        self.replay.restore(state, self.cells)?;
        self.episodes = state.take_counts("episodes", 1)?[0] as usize;
        Ok(())
    }

    /// Changes contexts as it has learned to, step by step; what is done to one does not depend on the others.
    pub(super) fn change(
        settings: &QSettings,
        network: &QNetwork,
        cells: usize,
        contexts: &mut [Vec<f32>],
        rngs: &mut [PrivacyRng],
    ) {
        for _ in 0..settings.steps {
            let states: Vec<f32> = contexts.iter().flat_map(|context| &context[..cells]).copied().collect();
            let values = network.values_steadily(&Matrix::of(contexts.len(), cells, states));
            for (row, (context, rng)) in contexts.iter_mut().zip(rngs.iter_mut()).enumerate() {
                settings.ranges.apply(context, best(values.row(row)).0, rng);
            }
        }
    }

    /// Changes a context at random, as often as an episode has steps.
    pub(super) fn change_at_random(settings: &QSettings, cells: usize, context: &mut [f32], rng: &mut PrivacyRng) {
        let actions = settings.ranges.actions(cells) as u64;
        for _ in 0..settings.steps {
            let action = rng.below(actions) as u32;
            settings.ranges.apply(context, action, rng);
        }
    }

    /// Counts episodes; the target network follows when it is time.
    fn advance(&mut self, count: usize) {
        let every = self.settings.target_every;
        let before = self.episodes / every;
        self.episodes += count;
        if self.episodes / every > before {
            self.target.store.values_mut().copy_from_slice(self.network.store.values());
            self.replay.forget_values();
        }
    }

    /// What is done in each state: at random, or what is valued most.
    fn actions(&self, states: &[Vec<f32>], explored: f64, threads: usize, rng: &mut PrivacyRng) -> Vec<u32> {
        let actions = self.settings.ranges.actions(self.cells) as u64;
        let values = self.network.values(&matrix(states), threads);
        let choose = |row: usize| {
            let (lot, other) = (unit(rng.bits()), rng.below(actions) as u32);
            if lot < explored { other } else { best(values.row(row)).0 }
        };
        (0..states.len()).map(choose).collect()
    }

    /// Learns some steps; returns the sum of their losses.
    fn learn(&mut self, steps: usize, threads: usize, rng: &mut PrivacyRng) -> f64 {
        let (batch, discount) = (self.settings.batch, self.settings.discount as f32);
        let places = self.replay.draw(steps * batch, rng);
        let target = &self.target;
        let later = self.replay.values(&places, |states| {
            let values = target.values(states, threads);
            (0..states.rows()).map(|row| best(values.row(row)).1).collect()
        });
        let held = |place: &usize| &self.replay.held[*place];
        let of = |(places, later): (&[usize], &[f32])| {
            let states: Vec<&[f32]> = places.iter().map(|place| held(place).state.as_slice()).collect();
            let actions = places.iter().map(|place| held(place).action).collect();
            let targets = places.iter().zip(later).map(|(place, later)| held(place).reward + discount * later);
            Batch::new(states.into_iter(), self.cells, actions, targets.collect())
        };
        let batches: Vec<Batch> = places.par_chunks_exact(batch).zip(later.par_chunks_exact(batch)).map(of).collect();
        self.network.learn(&batches, &mut self.optimiser)
    }
}

fn begin(world: &dyn World, count: usize, rng: &mut PrivacyRng) -> Episodes {
    let texts: Vec<usize> = (0..count).map(|_| world.draw(rng)).collect();
    let contexts = texts.iter().map(|text| world.context(*text).to_vec()).collect();
    Episodes { texts, contexts }
}

fn matrix(states: &[Vec<f32>]) -> Matrix<f32> {
    Matrix::of(states.len(), states.first().map_or(0, Vec::len), states.iter().flatten().copied().collect())
}
