//! What some episodes brought.

use super::reward::Reward;
use serde::{Deserialize, Serialize};

/// What some episodes brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progressed {
    /// Episodes so far.
    pub episodes: usize,
    /// The mean reward of a step.
    pub reward: f64,
    /// The mean reward of the last step of an episode.
    pub last: f64,
    /// The mean lead of the right sentiment, and of the right author, after the last step.
    pub leads: [f64; 2],
    /// The part of the originals that is still said after the last step, where that counts.
    #[serde(default)]
    pub content: f64,
    /// The mean loss of learning.
    pub loss: f64,
    /// The share of actions that were drawn at random.
    pub explored: f64,
}

impl Progressed {
    /// Adds what a step of so many episodes, of so many steps each, was worth.
    pub(super) fn tally(&mut self, rewards: &[Reward], (count, steps): (usize, usize), last: bool) {
        let mean = |of: fn(&Reward) -> f64| rewards.iter().map(of).sum::<f64>() / count as f64;
        self.reward += mean(|reward| reward.total) / steps as f64;
        if last {
            self.last = mean(|reward| reward.total);
            self.leads = [mean(|reward| reward.sentiment), mean(|reward| reward.author)];
            self.content = mean(|reward| reward.content);
        }
    }
}
