//! Either agent: while it learns, and when it has learned.

use super::moves::Moves;
use super::policy::{PolicyAgent, PolicyNetwork, PolicySettings};
use super::progressed::Progressed;
use super::q_learning::QAgent;
use super::q_network::QNetwork;
use super::q_settings::QSettings;
use super::settings::Sizes;
use super::state::State;
use super::world::World;
use crate::error::ModelError;
use crate::groups::GROUP;
use allonym_dp::PrivacyRng;
use allonym_nn::{Store, checkpoint};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Which agent, and how it learns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AgentSettings {
    /// The paper's: deep Q-learning over single numbers.
    Paper(QSettings),
    /// One that converges: policy gradients over all numbers at once.
    Converged(PolicySettings),
}

impl AgentSettings {
    /// Names and one line for people; the first is the default.
    pub const PRESETS: [(&'static str, &'static str); 3] = [
        ("converged", "moves all numbers of the context at once; taught by the slope of the expected reward"),
        ("paper", "redraws one number of the first layer's context at a time, 25 times; taught by deep Q-learning"),
        (
            "literal",
            "the same, told the reward as it is printed instead of what a move changed in what is expected; it hardly learns",
        ),
    ];

    /// The one that is taken where none is named.
    pub fn usual() -> Self {
        Self::Converged(PolicySettings::default())
    }

    /// The agent of a name, with its usual settings.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "paper" => Some(Self::Paper(QSettings::default())),
            "literal" => Some(Self::Paper(QSettings::literal())),
            "converged" => Some(Self::Converged(PolicySettings::default())),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Paper(settings) if settings.shaped => "paper",
            Self::Paper(_) => "literal",
            Self::Converged(_) => "converged",
        }
    }

    /// Whether what becomes of a text is drawn. Otherwise the same text always becomes the same.
    pub fn draws(&self) -> bool {
        matches!(self, Self::Paper(_))
    }

    /// Episodes in all.
    pub fn episodes(&self) -> usize {
        match self {
            Self::Paper(settings) => settings.episodes,
            Self::Converged(settings) => settings.episodes,
        }
    }

    /// Texts that are decoded in all.
    pub fn decoded(&self) -> usize {
        match self {
            Self::Paper(settings) => settings.episodes * settings.steps,
            Self::Converged(settings) => settings.episodes,
        }
    }

    /// The same with another number of episodes.
    #[must_use]
    pub fn with_episodes(mut self, episodes: usize) -> Self {
        match &mut self {
            Self::Paper(settings) => settings.episodes = episodes,
            Self::Converged(settings) => settings.episodes = episodes,
        }
        self
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// When one is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Paper(settings) => settings.check(),
            Self::Converged(settings) => settings.check(),
        }
    }
}

/// An agent that learns.
#[derive(Clone, Debug)]
pub enum Learner {
    /// The paper's.
    Paper(Box<QAgent>),
    /// One that converges.
    Converged(Box<PolicyAgent>),
}

impl Learner {
    /// One that has learned nothing, for contexts of these sizes.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(settings: &AgentSettings, sizes: Sizes, seed: u64) -> Result<Self, ModelError> {
        Ok(match settings {
            AgentSettings::Paper(settings) => Self::Paper(Box::new(QAgent::new(settings.clone(), sizes.first, seed)?)),
            AgentSettings::Converged(settings) => {
                Self::Converged(Box::new(PolicyAgent::new(settings.clone(), sizes.all, seed)?))
            }
        })
    }

    /// Runs some episodes side by side, and learns from them.
    ///
    /// # Errors
    /// When the world does not fit the agent.
    pub fn group(&mut self, world: &dyn World, threads: usize) -> Result<Progressed, ModelError> {
        match self {
            Self::Paper(agent) => agent.group(world, threads),
            Self::Converged(agent) => agent.group(world, threads),
        }
    }

    /// What some episodes bring when everything is done at random, and what single moves do, where an episode has several.
    ///
    /// # Errors
    /// When the world does not fit the agent.
    pub fn at_random(
        &self,
        world: &dyn World,
        count: usize,
        seed: u64,
    ) -> Result<(Progressed, Option<Moves>), ModelError> {
        let rng = &mut PrivacyRng::reproducible(seed);
        match self {
            Self::Paper(agent) => agent.at_random(world, count, rng),
            Self::Converged(agent) => Ok((agent.at_random(world, count, rng)?, None)),
        }
    }

    /// Episodes so far.
    pub fn episodes(&self) -> usize {
        match self {
            Self::Paper(agent) => agent.episodes(),
            Self::Converged(agent) => agent.episodes(),
        }
    }

    /// Whether all episodes have been.
    pub fn is_done(&self) -> bool {
        match self {
            Self::Paper(agent) => agent.is_done(),
            Self::Converged(agent) => agent.is_done(),
        }
    }

    /// Everything that it knows, as a file.
    ///
    /// # Errors
    /// When there is nothing, which there is not.
    pub fn save(&self) -> Result<Vec<u8>, ModelError> {
        match self {
            Self::Paper(agent) => agent.save().to_bytes(),
            Self::Converged(agent) => agent.save().to_bytes(),
        }
    }

    /// Goes on from such a file; `path` is for messages.
    ///
    /// # Errors
    /// When it is not one, or of an agent of another size.
    pub fn restore(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
        let mut state = State::of_bytes(path, bytes)?;
        let restored = match self {
            Self::Paper(agent) => agent.restore(&mut state),
            Self::Converged(agent) => agent.restore(&mut state),
        };
        restored.map_err(|error| ModelError::broken(path, error.to_string()))
    }

    /// The agent as it is now.
    pub fn agent(&self) -> Agent {
        match self {
            Self::Paper(agent) => {
                let (settings, network, cells) = agent.learned();
                Agent(Acting::Paper { settings: settings.clone(), network: network.clone(), cells })
            }
            Self::Converged(agent) => Agent(Acting::Converged(agent.learned().clone())),
        }
    }
}

/// An agent that has learned.
#[derive(Clone, Debug)]
pub struct Agent(Acting);

#[derive(Clone, Debug)]
enum Acting {
    Paper { settings: QSettings, network: QNetwork, cells: usize },
    Converged(PolicyNetwork),
}

impl Agent {
    /// Changes contexts. What becomes of one depends on it, on its own random numbers and on the agent alone.
    ///
    /// # Errors
    /// When a context has another length than the agent's.
    pub fn change(&self, contexts: &[Vec<f32>], rngs: &mut [PrivacyRng]) -> Result<Vec<Vec<f32>>, ModelError> {
        match &self.0 {
            Acting::Converged(network) => network.moved(contexts),
            Acting::Paper { settings, network, cells } => {
                let mut changed = contexts.to_vec();
                let groups = changed.par_chunks_mut(GROUP).zip(rngs.par_chunks_mut(GROUP));
                groups.for_each(|(contexts, rngs)| QAgent::change(settings, network, *cells, contexts, rngs));
                Ok(changed)
            }
        }
    }

    /// Changes contexts at random, with what the agent may do.
    pub fn change_at_random(&self, contexts: &[Vec<f32>], rngs: &mut [PrivacyRng]) -> Vec<Vec<f32>> {
        let mut changed = contexts.to_vec();
        changed.par_iter_mut().zip(rngs.par_iter_mut()).for_each(|(context, rng)| match &self.0 {
            Acting::Converged(network) => network.moved_at_random(context, rng),
            Acting::Paper { settings, cells, .. } => QAgent::change_at_random(settings, *cells, context, rng),
        });
        changed
    }

    /// Its numbers as a file.
    ///
    /// # Errors
    /// When there are none, which there are.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let store = match &self.0 {
            Acting::Paper { network, .. } => &network.store,
            Acting::Converged(network) => &network.store,
        };
        Ok(checkpoint::model_file(store)?)
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// When it is not one, or of an agent of another size.
    pub fn of_bytes(settings: &AgentSettings, sizes: Sizes, path: &Path, bytes: &[u8]) -> Result<Self, ModelError> {
        settings.check()?;
        let rng = &mut PrivacyRng::reproducible(0);
        let acting = match settings {
            AgentSettings::Paper(settings) => {
                let cells = sizes.first;
                let layers = (cells, settings.hidden, settings.ranges.actions(cells));
                let mut network = QNetwork::new(layers, Store::awaiting_file(), rng)?;
                checkpoint::load_bytes(path, bytes, &mut network.store)?;
                Acting::Paper { settings: settings.clone(), network, cells }
            }
            AgentSettings::Converged(settings) => {
                let mut network = PolicyNetwork::new(settings, sizes.all, Store::awaiting_file(), rng)?;
                checkpoint::load_bytes(path, bytes, &mut network.store)?;
                Acting::Converged(network)
            }
        };
        Ok(Self(acting))
    }
}
