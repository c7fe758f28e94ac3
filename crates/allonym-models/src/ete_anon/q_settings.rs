//! How the paper's agent learns.

use super::actions::Ranges;
use super::q_network::best;
use crate::error::{ModelError, check_sizes};
use serde::{Deserialize, Serialize};

/// Settings of the paper's agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QSettings {
    /// Episodes. Default 5000.
    pub episodes: usize,
    /// Steps of an episode. Default 25.
    pub steps: usize,
    /// Cells of the hidden layer. Default 4200.
    pub hidden: usize,
    /// From which ranges numbers are drawn.
    pub ranges: Ranges,
    /// How much a later reward counts. The paper does not say; default 0.5.
    pub discount: f64,
    /// Transitions that are remembered. Default 10,000.
    pub replay: usize,
    /// Transitions of a step of learning. Default 32.
    pub batch: usize,
    /// After how many episodes the target network is replaced. Default 15.
    pub target_every: usize,
    /// The learning rate of RMSprop. The paper does not say; default 4e-4.
    pub rate: f64,
    /// What RMSprop adds to the root of the mean square before it divides by it; with 1, and gradients far below 1, it is nearly plain gradient descent. The paper does not say; default 1.
    /// Cards of before do not name it, nor the next two: their agents were literal.
    #[serde(default = "hardly_damped")]
    pub damping: f64,
    /// Whether the agent is told what a move changed in the reward that is expected, instead of the reward (see `shaping.rs`). Default true.
    #[serde(default)]
    pub shaped: bool,
    /// Whether a move may be chosen that draws a number from the narrow range where it stands already. Default false.
    #[serde(default = "idle_at_will")]
    pub idle: bool,
    /// The share of actions that are drawn at random: at the beginning, at the end, and after which share of the episodes the end is reached. Default 1, 0.05, 0.3.
    pub explore: [f64; 3],
    /// Episodes that run side by side. Default 15.
    pub side_by_side: usize,
}

/// The damping that is usual for RMSprop.
const HARDLY: f64 = 1e-8;

fn hardly_damped() -> f64 {
    HARDLY
}

fn idle_at_will() -> bool {
    true
}

impl Default for QSettings {
    fn default() -> Self {
        Self {
            episodes: 5000,
            steps: 25,
            hidden: 4200,
            ranges: Ranges::default(),
            discount: 0.5,
            replay: 10_000,
            batch: 32,
            target_every: 15,
            rate: 4e-4,
            damping: 1.0,
            shaped: true,
            idle: false,
            explore: [1.0, 0.05, 0.3],
            side_by_side: 15,
        }
    }
}

impl QSettings {
    /// Q-learning with rewards as they are printed, every move at any time, and the optimiser of the tutorial that the paper names; discount, rate and exploration are ours. It hardly learns here.
    pub fn literal() -> Self {
        let (discount, explore) = (0.9, [1.0, 0.05, 0.6]);
        Self { discount, explore, rate: 1e-4, damping: HARDLY, shaped: false, idle: true, ..Self::default() }
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("episodes", self.episodes, 100_000_000, "between 1 and 100 million"),
            ("steps", self.steps, 10_000, "between 1 and 10,000"),
            ("hidden", self.hidden, 65_536, "between 1 and 65,536"),
            ("replay", self.replay, 10_000_000, "between 1 and 10 million"),
            ("batch", self.batch, 65_536, "between 1 and 65,536"),
            ("target-every", self.target_every, 100_000_000, "between 1 and 100 million"),
            ("side-by-side", self.side_by_side, 65_536, "between 1 and 65,536"),
        ])?;
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let numbers = [
            ("discount", self.discount, share(self.discount), "between 0 and 1"),
            ("rate", self.rate, self.rate > 0.0 && self.rate <= 1.0, "above 0, at most 1"),
            ("damping", self.damping, self.damping > 0.0 && self.damping <= 1e6, "above 0, at most a million"),
            ("explore", self.explore[0], self.explore.into_iter().all(share), "three numbers between 0 and 1"),
        ];
        match numbers.into_iter().find(|(_, _, fits, _)| !fits) {
            None => Ok(()),
            Some((setting, value, _, allowed)) => {
                Err(ModelError::Setting { setting, value: value.to_string(), allowed })
            }
        }
    }

    /// The best action in a state, and its value.
    pub(super) fn best(&self, values: &[f32], state: &[f32]) -> (u32, f32) {
        best(values, |action| self.idle || !self.ranges.is_idle(state, action))
    }

    /// The share of random actions after some episodes.
    pub(super) fn explores(&self, episode: usize) -> f64 {
        let [from, to, over] = self.explore;
        let done = episode as f64 / (over * self.episodes as f64).max(1.0);
        from + (to - from) * done.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_of_before_is_of_a_literal_agent() {
        let read: QSettings = toml::from_str("episodes = 7\ndiscount = 0.9").unwrap();
        let literal = QSettings::literal();
        let what = |settings: &QSettings| (settings.damping, settings.shaped, settings.idle);
        assert_eq!((read.episodes, read.discount, what(&read)), (7, 0.9, what(&literal)));
        let written = toml::to_string(&QSettings::default()).unwrap();
        assert_eq!(toml::from_str::<QSettings>(&written).unwrap(), QSettings::default());
    }

    #[test]
    fn what_stands_where_it_would_be_drawn_is_chosen_by_literal_agents_alone() {
        let (values, state) = ([0.0; 6], [-0.95, 0.5]);
        assert_eq!(QSettings::default().best(&values, &state).0, 1);
        assert_eq!(QSettings::literal().best(&values, &state).0, 0);
    }
}
