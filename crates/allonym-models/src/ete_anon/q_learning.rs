//! The paper's agent: deep Q-learning (Mnih et al. 2015) over single numbers of the first layer's context.
//!
//! Episodes run side by side, so that their texts are decoded together; every step of every episode is followed by one step of learning, as in the paper. What the
//! target network says of a transition is computed once until that network changes.

use super::moves::Moves;
use super::progressed::Progressed;
use super::q_network::{QNetwork, QOptimiser};
use super::q_settings::QSettings;
use super::q_steps::Batch;
use super::replay::{Replay, Transition};
use super::reward::Reward;
use super::shaping::told;
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
    /// What each is worth now, as the agent is told of it.
    worth: Vec<f64>,
}

impl Episodes {
    /// Texts as they were, of which it is not asked what they are worth.
    fn drawn(world: &dyn World, count: usize, rng: &mut PrivacyRng) -> Self {
        let texts: Vec<usize> = (0..count).map(|_| world.draw(rng)).collect();
        let contexts = texts.iter().map(|text| world.context(*text).to_vec()).collect();
        Self { texts, contexts, worth: vec![0.0; count] }
    }
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
        let mut network = QNetwork::new(sizes, Store::new(), rng)?;
        if settings.shaped {
            // What moves change is around zero, and far smaller than what a network says that was drawn at random.
            network = network.of_no_opinion();
        }
        let optimiser = QOptimiser::new(&network, settings.rate, settings.damping)?;
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
        let mut running = self.begin(world, count, rng)?;
        let mut found = Progressed { explored, ..Progressed::default() };
        let mut losses = (0.0, 0_u32);
        for step in 0..settings.steps {
            let states: Vec<Vec<f32>> = running.contexts.iter().map(|context| context[..self.cells].to_vec()).collect();
            let actions = self.actions(&states, explored, threads, rng);
            for (context, action) in running.contexts.iter_mut().zip(&actions) {
                settings.ranges.apply(context, *action, rng);
            }
            let (rewards, worth) = self.judged(world, &running.texts, &running.contexts)?;
            let last = step + 1 == settings.steps;
            self.remember(states, &actions, worth, &mut running, settings.steps - step);
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
        let (settings, mut running) = (&self.settings, Episodes::drawn(world, count, rng));
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
        let (settings, mut running) = (self.settings.clone(), self.begin(world, count, rng)?);
        let actions = settings.ranges.actions(self.cells) as u64;
        for step in 0..settings.steps {
            let before: Vec<Vec<f32>> = running.contexts.iter().map(|context| context[..self.cells].to_vec()).collect();
            let taken: Vec<u32> = before.iter().map(|_| rng.below(actions) as u32).collect();
            for (context, action) in running.contexts.iter_mut().zip(&taken) {
                settings.ranges.apply(context, *action, rng);
            }
            let worth = self.judged(world, &running.texts, &running.contexts)?.1;
            self.remember(before, &taken, worth, &mut running, settings.steps - step);
        }
        Ok(())
    }

    /// Rewards, and what texts are worth as the agent is told of it.
    fn judged(
        &self,
        world: &dyn World,
        texts: &[usize],
        contexts: &[Vec<f32>],
    ) -> Result<(Vec<Reward>, Vec<f64>), ModelError> {
        match self.settings.shaped {
            true => world.outlook(texts, contexts),
            false => world.as_judged(texts, contexts),
        }
    }

    /// Keeps a step of all episodes, after which they are worth this, and before which so many were left.
    fn remember(
        &mut self,
        states: Vec<Vec<f32>>,
        actions: &[u32],
        worth: Vec<f64>,
        running: &mut Episodes,
        left: usize,
    ) {
        let before = std::mem::replace(&mut running.worth, worth);
        for (place, state) in states.into_iter().enumerate() {
            let next = (left > 1).then(|| running.contexts[place][..self.cells].to_vec());
            let (action, after) = (actions[place], running.worth[place]);
            let reward =
                if self.settings.shaped { told(self.settings.discount, left, before[place], after) } else { after };
            self.replay.push(Transition { state, action, reward: reward as f32, next });
        }
    }

    /// Draws texts and begins their episodes.
    fn begin(&self, world: &dyn World, count: usize, rng: &mut PrivacyRng) -> Result<Episodes, ModelError> {
        let drawn = Episodes::drawn(world, count, rng);
        // What a text is worth as it was matters only to who is told what moves change.
        match self.settings.shaped {
            true => Ok(Episodes { worth: world.outlook(&drawn.texts, &drawn.contexts)?.1, ..drawn }),
            false => Ok(drawn),
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
                let action = settings.best(values.row(row), &context[..cells]).0;
                settings.ranges.apply(context, action, rng);
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
            if lot < explored { other } else { self.settings.best(values.row(row), &states[row]).0 }
        };
        (0..states.len()).map(choose).collect()
    }

    /// Learns some steps; returns the sum of their losses.
    fn learn(&mut self, steps: usize, threads: usize, rng: &mut PrivacyRng) -> f64 {
        let (batch, discount) = (self.settings.batch, self.settings.discount as f32);
        let places = self.replay.draw(steps * batch, rng);
        let (target, settings) = (&self.target, &self.settings);
        let later = self.replay.values(&places, |states| {
            let values = target.values(states, threads);
            (0..states.rows()).map(|row| settings.best(values.row(row), states.row(row)).1).collect()
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

fn matrix(states: &[Vec<f32>]) -> Matrix<f32> {
    Matrix::of(states.len(), states.first().map_or(0, Vec::len), states.iter().flatten().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One text of two numbers, worth their sum, and expected to be worth twice that.
    struct Sums(Vec<f32>);

    impl World for Sums {
        fn texts(&self) -> usize {
            1
        }

        fn context(&self, _: usize) -> &[f32] {
            &self.0
        }

        fn rewards(&self, _: &[usize], contexts: &[Vec<f32>]) -> Result<Vec<Reward>, ModelError> {
            let sum = |context: &Vec<f32>| f64::from(context[0] + context[1]);
            Ok(contexts.iter().map(|context| Reward { total: sum(context), ..Reward::default() }).collect())
        }

        fn outlook(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<f64>), ModelError> {
            let rewards = self.rewards(texts, contexts)?;
            let twice = rewards.iter().map(|reward| 2.0 * reward.total).collect();
            Ok((rewards, twice))
        }

        fn slopes(&self, _: &[usize], _: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<Vec<f32>>), ModelError> {
            unreachable!("Q-learning knows no slopes")
        }
    }

    #[test]
    fn an_agent_is_told_rewards_or_what_moves_change_in_what_is_expected() {
        let few = |settings| QSettings { episodes: 2, steps: 3, hidden: 4, side_by_side: 2, ..settings };
        for settings in [few(QSettings::literal()), few(QSettings { discount: 0.5, ..QSettings::default() })] {
            let mut agent = QAgent::new(settings.clone(), 2, 1).unwrap();
            let progressed = agent.group(&Sums(vec![0.25, 0.5]), 1).unwrap();
            assert_eq!(agent.replay.held.len(), 6);
            let sum = |state: &[f32]| f64::from(state[0] + state[1]);
            // Two texts side by side: the first two steps lead on, with three and two steps left of weights 1.75 and 1.5.
            for (held, weight) in agent.replay.held[..4].iter().zip([1.75, 1.75, 1.5, 1.5]) {
                let (before, after) = (sum(&held.state), sum(held.next.as_ref().unwrap()));
                let told = if settings.shaped { weight * 2.0 * (after - before) } else { after };
                assert!((f64::from(held.reward) - told).abs() < 1e-6, "{} {told}", held.reward);
            }
            let last = &agent.replay.held[4..];
            assert!(last.iter().all(|held| held.next.is_none()));
            let told = |held: &Transition| match settings.shaped {
                true => f64::from(held.reward) / 2.0 + sum(&held.state),
                false => f64::from(held.reward),
            };
            let mean = (told(&last[0]) + told(&last[1])) / 2.0;
            assert!((progressed.last - mean).abs() < 1e-6, "the curve is that of the reward: {progressed:?} {mean}");
        }
    }
}
