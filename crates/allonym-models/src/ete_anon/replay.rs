//! What the agent remembers: the last transitions, each with the value of where it led while that is still valid.

use super::state::State;
use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use allonym_nn::Matrix;

/// Numbers of a transition beside its states: action, reward, whether it goes on, whether its value is known, and that value.
const OTHERS: usize = 5;

/// A step of an episode.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Transition {
    pub(super) state: Vec<f32>,
    pub(super) action: u32,
    pub(super) reward: f32,
    /// Where it led; nothing at the end of an episode.
    pub(super) next: Option<Vec<f32>>,
}

/// The last transitions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replay {
    most: usize,
    pub(super) held: Vec<Transition>,
    /// Where the next one goes.
    pub(super) place: usize,
    /// The value of the next state by the target network, once it was asked for.
    values: Vec<Option<f32>>,
}

impl Replay {
    pub(super) fn new(most: usize) -> Self {
        Self { most, held: Vec::new(), place: 0, values: Vec::new() }
    }

    /// Puts everything into a state.
    pub(super) fn save(&self, state: &mut State) {
        let width = self.held.first().map_or(1, |transition| transition.state.len());
        let rows = |of: fn(&Transition) -> Option<&Vec<f32>>| -> Vec<f32> {
            let nothing = vec![0.0; width];
            self.held.iter().flat_map(|held| of(held).unwrap_or(&nothing).clone()).collect()
        };
        state.put("replay.states", width, rows(|held| Some(&held.state)));
        state.put("replay.next", width, rows(|held| held.next.as_ref()));
        let others = self.held.iter().zip(&self.values).flat_map(|(held, value)| {
            let (open, known) = (u8::from(held.next.is_some()), u8::from(value.is_some()));
            [held.action as f32, held.reward, f32::from(open), f32::from(known), value.unwrap_or(0.0)]
        });
        state.put("replay.others", OTHERS, others.collect());
        state.put_counts("replay.place", &[self.place as u64]);
    }

    /// Takes everything out of a state; contexts have so many numbers.
    pub(super) fn restore(&mut self, state: &mut State, width: usize) -> Result<(), ModelError> {
        let (states, next) = (state.take_rows("replay.states", width)?, state.take_rows("replay.next", width)?);
        let others = state.take_rows("replay.others", OTHERS)?;
        self.place = state.take_counts("replay.place", 1)?[0] as usize % self.most;
        self.values = others.iter().map(|others| (others[3] > 0.0).then_some(others[4])).collect();
        let transition = |((state, next), others): ((Vec<f32>, Vec<f32>), Vec<f32>)| Transition {
            state,
            action: others[0] as u32,
            reward: others[1],
            next: (others[2] > 0.0).then_some(next),
        };
        self.held = states.into_iter().zip(next).zip(others).map(transition).collect();
        Ok(())
    }

    /// Keeps a transition; the oldest one makes room.
    pub(super) fn push(&mut self, transition: Transition) {
        if self.held.len() < self.most {
            self.held.push(transition);
            self.values.push(None);
        } else {
            self.held[self.place] = transition;
            self.values[self.place] = None;
        }
        self.place = (self.place + 1) % self.most;
    }

    /// Places of some transitions, drawn with repetition.
    pub(super) fn draw(&self, count: usize, rng: &mut PrivacyRng) -> Vec<usize> {
        (0..count).map(|_| rng.below(self.held.len() as u64) as usize).collect()
    }

    /// Values are no longer valid: the target network is another one.
    pub(super) fn forget_values(&mut self) {
        self.values.fill(None);
    }

    /// The value of where each of some transitions led: 0 at the end of an episode. `value` is asked for those that are not known, all at once.
    pub(super) fn values(&mut self, places: &[usize], value: impl FnOnce(&Matrix<f32>) -> Vec<f32>) -> Vec<f32> {
        let mut asked: Vec<usize> = places.iter().copied().filter(|place| self.values[*place].is_none()).collect();
        asked.sort_unstable();
        asked.dedup();
        let open: Vec<usize> = asked.iter().copied().filter(|place| self.held[*place].next.is_some()).collect();
        asked.iter().for_each(|place| self.values[*place] = Some(0.0));
        if !open.is_empty() {
            let states: Vec<f32> =
                open.iter().flat_map(|place| self.held[*place].next.iter().flatten()).copied().collect();
            let found = value(&Matrix::of(open.len(), states.len() / open.len(), states));
            open.iter().zip(found).for_each(|(place, value)| self.values[*place] = Some(value));
        }
        places.iter().map(|place| self.values[*place].unwrap_or(0.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(number: u32, end: bool) -> Transition {
        Transition { state: vec![0.0], action: number, reward: 0.0, next: (!end).then(|| vec![number as f32]) }
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut replay = Replay::new(3);
        (0..5).for_each(|number| replay.push(transition(number, false)));
        let mut held: Vec<u32> = replay.held.iter().map(|transition| transition.action).collect();
        held.sort_unstable();
        assert_eq!(held, [2, 3, 4]);
        let rng = &mut PrivacyRng::reproducible(1);
        let drawn = replay.draw(300, rng);
        assert!((0..3).all(|place| drawn.iter().filter(|other| **other == place).count() > 60));
    }

    #[test]
    fn values_are_asked_for_once_until_they_are_forgotten() {
        let mut replay = Replay::new(10);
        (0..4).for_each(|number| replay.push(transition(number, number == 2)));
        let double = |asked: &Matrix<f32>| asked.values().iter().map(|value| 2.0 * value).collect();
        assert_eq!(replay.values(&[3, 1, 2, 3], double), [6.0, 2.0, 0.0, 6.0]);
        assert_eq!(replay.values(&[1, 2, 3], |_| panic!("known")), [2.0, 0.0, 6.0]);
        let (mut state, mut restored) = (State::default(), Replay::new(10));
        replay.save(&mut state);
        restored.restore(&mut state, 1).unwrap();
        assert_eq!(restored, replay, "with the values that are known");
        replay.forget_values();
        assert_eq!(replay.values(&[1], |_| vec![7.0]), [7.0]);
        (0..10).for_each(|number| replay.push(transition(number, false)));
        assert_eq!(replay.values(&[0], double), [12.0], "another transition stands there now");
    }
}
