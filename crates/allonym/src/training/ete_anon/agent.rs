//! The stage in which an agent learns: it goes on where it was stopped, and leaves its curve.

use super::super::basis::Basis;
use super::attackers::Attackers;
use super::data::Known;
use super::judges::Classifiers;
use super::settings::EteAnonTraining;
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_models::ete_anon::{
    Agent, AgentSettings, AutoEncoder, Learner, Moves, Progressed, Sizes, TextWorld, World,
};
use allonym_text::{Activity, CancelToken, Event, Observer, Progress, Stage, Unit};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Texts by which a random policy, and doing nothing, are judged.
const COMPARED: usize = 300;
/// How often the state is kept, and people hear something: parts of all episodes.
const KEPT: usize = 50;

/// What an agent learned.
#[derive(Clone, Debug, Serialize)]
pub struct Learned {
    /// Episodes that were run.
    pub episodes: usize,
    /// The mean reward of a step when everything is done at random.
    pub random: Progressed,
    /// What single random moves do, where an episode has several.
    pub moves: Option<Moves>,
    /// The mean reward when nothing is done.
    pub unchanged: f64,
    /// The mean reward in each tenth of the episodes.
    pub curve: Vec<f64>,
    /// Texts that were decoded in a second, of this run alone.
    pub decoded_per_second: f64,
}

/// Where the state and the curve are.
struct Files {
    state: PathBuf,
    curve: PathBuf,
}

impl Files {
    fn of(out: &Path) -> Result<Self, Failure> {
        let directory = out.join("training").join("agent");
        std::fs::create_dir_all(&directory).map_err(|error| Failure::writing(&directory, &error))?;
        Ok(Self { state: directory.join("state.safetensors"), curve: directory.join("curve.jsonl") })
    }

    /// Keeps a state under its name only when it is whole, and the curve as far as the state knows it.
    fn keep(&self, learner: &Learner, curve: &[Progressed]) -> Result<(), Failure> {
        let mut lines = String::new();
        for point in curve {
            let _ = writeln!(lines, "{}", serde_json::to_string(point).unwrap_or_default());
        }
        for (path, bytes) in [(&self.curve, lines.into_bytes()), (&self.state, learner.save()?)] {
            let unfinished = path.with_extension("unfinished");
            std::fs::write(&unfinished, bytes)
                .and_then(|()| std::fs::rename(&unfinished, path))
                .map_err(|error| Failure::writing(path, &error))?;
        }
        Ok(())
    }

    /// Goes on from what was kept, if anything was.
    fn restore(&self, learner: &mut Learner) -> Result<Vec<Progressed>, Failure> {
        let Ok(bytes) = std::fs::read(&self.state) else { return Ok(Vec::new()) };
        learner.restore(&self.state, &bytes)?;
        let lines = std::fs::read_to_string(&self.curve)
            .map_err(|error| Failure::reading("the curve of the agent", &self.curve, &error))?;
        let points = lines.lines().filter_map(|line| serde_json::from_str::<Progressed>(line).ok());
        Ok(points.filter(|point| point.episodes <= learner.episodes()).collect())
    }
}

/// Lets an agent learn in texts; also says whether it was stopped.
///
/// In between, attackers learn from what it writes so far, and it goes on hiding from them too.
pub(crate) fn learn(
    settings: &EteAnonTraining,
    agent: &AgentSettings,
    auto_encoder: &AutoEncoder,
    known: &Known,
    classifiers: &Classifiers,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<(Learner, Learned, bool), Failure> {
    let judges = classifiers.judges(auto_encoder.vocabulary(), settings.alpha)?;
    let texts: Vec<Vec<u32>> = known.training.iter().map(|sequence| sequence.ids.clone()).collect();
    let subjects = known.training.iter().map(|sequence| sequence.subject).collect();
    let mut world = TextWorld::new(auto_encoder, judges, &texts, subjects)?.keeping(settings.content())?;
    if settings.evenly {
        world = world.evenly();
    }
    let mut course = Course::begin(&world, auto_encoder.shape().sizes(), &settings.basis, agent, observer)?;
    let rounds = settings.rounds();
    for round in 0..=rounds {
        let until = agent.episodes() * (round + 1) / (rounds + 1);
        if course.go_on(&world, until, observer, cancel)? || round == rounds {
            break;
        }
        observer.begin(
            Activity::Training,
            &format!("attacker {} of {rounds} learns from what the agent writes", round + 1),
        );
        let acting = course.as_of(round, auto_encoder.shape().sizes())?;
        let attackers = Attackers { auto_encoder, known, seed: settings.basis.seed };
        world.also_judged_by(attackers.learn_from(&acting, &world, round)?)?;
    }
    course.end()
}

/// Lets an agent learn in a world of contexts of these sizes; also says whether it was stopped.
pub(crate) fn learn_in(
    world: &dyn World,
    sizes: Sizes,
    basis: &Basis,
    agent: &AgentSettings,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<(Learner, Learned, bool), Failure> {
    let mut course = Course::begin(world, sizes, basis, agent, observer)?;
    course.go_on(world, agent.episodes(), observer, cancel)?;
    course.end()
}

/// An agent on its way.
struct Course<'a> {
    agent: &'a AgentSettings,
    threads: usize,
    learner: Learner,
    files: Files,
    curve: Vec<Progressed>,
    random: Progressed,
    moves: Option<Moves>,
    unchanged: f64,
    begun: Instant,
    /// Episodes before this run.
    before: usize,
    stopped: bool,
}

impl<'a> Course<'a> {
    fn begin(
        world: &dyn World,
        sizes: Sizes,
        basis: &Basis,
        agent: &'a AgentSettings,
        observer: &dyn Observer,
    ) -> Result<Self, Failure> {
        let threads = super::super::threads_or_cores(basis.threads);
        let mut learner = Learner::new(agent, sizes, basis.seed)?;
        let files = Files::of(&basis.out)?;
        let curve = if basis.resume { files.restore(&mut learner)? } else { Vec::new() };
        let (random, moves) = learner.at_random(world, COMPARED.min(world.texts()), basis.seed)?;
        let unchanged = unchanged(world, basis.seed)?;
        observer.begin(
            Activity::Measuring,
            &format!("agent: reward {unchanged:.4} when nothing is done, {:.4} at random", random.reward),
        );
        let (begun, before) = (Instant::now(), learner.episodes());
        Ok(Self { agent, threads, learner, files, curve, random, moves, unchanged, begun, before, stopped: false })
    }

    /// Learns until so many episodes have been; says whether it was stopped.
    fn go_on(
        &mut self,
        world: &dyn World,
        until: usize,
        observer: &dyn Observer,
        cancel: &CancelToken,
    ) -> Result<bool, Failure> {
        let all = self.agent.episodes();
        let mut told = self.learner.episodes() * KEPT / all;
        while self.learner.episodes() < until && !self.learner.is_done() {
            self.stopped = cancel.is_cancelled();
            if self.stopped {
                break;
            }
            self.curve.push(self.learner.group(world, self.threads)?);
            if self.learner.episodes() * KEPT / all > told {
                told = self.learner.episodes() * KEPT / all;
                self.files.keep(&self.learner, &self.curve)?;
                observer.event(&Event::Progress(Progress {
                    stage: Stage {
                        activity: Activity::Training,
                        label: &said(self.agent, &self.curve, &self.begun, self.before),
                    },
                    done: self.learner.episodes() as u64,
                    total: Some(all as u64),
                    unit: Unit::Episodes,
                    records: None,
                    training: None,
                }));
            }
        }
        self.files.keep(&self.learner, &self.curve)?;
        Ok(self.stopped)
    }

    /// The agent as it was after a round: as it is now, or, where the run went on later, as it was kept then.
    fn as_of(&self, round: usize, sizes: Sizes) -> Result<Agent, Failure> {
        let path = self.files.state.with_file_name(format!("round-{round}.safetensors"));
        if let Ok(bytes) = std::fs::read(&path) {
            return Ok(Agent::of_bytes(self.agent, sizes, &path, &bytes)?);
        }
        let agent = self.learner.agent();
        let unfinished = path.with_extension("unfinished");
        std::fs::write(&unfinished, agent.to_bytes()?)
            .and_then(|()| std::fs::rename(&unfinished, &path))
            .map_err(|error| Failure::writing(&path, &error))?;
        Ok(agent)
    }

    fn end(self) -> Result<(Learner, Learned, bool), Failure> {
        let learned = Learned {
            episodes: self.learner.episodes(),
            random: self.random,
            moves: self.moves,
            unchanged: self.unchanged,
            curve: tenths(&self.curve, self.agent.episodes()),
            decoded_per_second: speed(self.agent, self.learner.episodes() - self.before, &self.begun),
        };
        Ok((self.learner, learned, self.stopped))
    }
}

/// What texts are worth as they are, drawn as the agent's are.
fn unchanged(world: &dyn World, seed: u64) -> Result<f64, Failure> {
    let rng = &mut PrivacyRng::reproducible(seed);
    let texts: Vec<usize> = (0..COMPARED.min(world.texts())).map(|_| world.draw(rng)).collect();
    let contexts: Vec<Vec<f32>> = texts.iter().map(|text| world.context(*text).to_vec()).collect();
    let rewards = world.rewards(&texts, &contexts)?;
    Ok(rewards.iter().map(|reward| reward.total).sum::<f64>() / rewards.len().max(1) as f64)
}

fn speed(agent: &AgentSettings, episodes: usize, begun: &Instant) -> f64 {
    let each = agent.decoded() as f64 / agent.episodes() as f64;
    episodes as f64 * each / begun.elapsed().as_secs_f64().max(1e-9)
}

fn said(agent: &AgentSettings, curve: &[Progressed], begun: &Instant, before: usize) -> String {
    let Some(last) = curve.last() else { return String::new() };
    let recent = &curve[curve.len().saturating_sub(curve.len().div_ceil(20))..];
    let mean = |of: fn(&Progressed) -> f64| recent.iter().map(of).sum::<f64>() / recent.len() as f64;
    let (made, all) = (last.episodes, agent.episodes());
    let content = match mean(|point| point.content) {
        0.0 => String::new(),
        content => format!(", {:.0} % of the content stays", 100.0 * content),
    };
    let left = begun.elapsed().as_secs_f64() / (made - before).max(1) as f64 * (all - made) as f64;
    format!(
        "agent: episode {made} of {all}, reward {:.4} (what is kept leads by {:.3}, what is hidden by {:.3}{}), {:.0} texts a second, {:.0} minutes left",
        mean(|point| point.reward),
        mean(|point| point.leads[0]),
        mean(|point| point.leads[1]),
        content,
        speed(agent, made - before, begun),
        left / 60.0
    )
}

/// The mean reward in each tenth of all episodes.
fn tenths(curve: &[Progressed], all: usize) -> Vec<f64> {
    let mut sums = [(0.0, 0_usize); 10];
    for point in curve {
        let place = (point.episodes.saturating_sub(1) * 10 / all).min(9);
        sums[place] = (sums[place].0 + point.reward, sums[place].1 + 1);
    }
    sums.iter().filter(|(_, count)| *count > 0).map(|(sum, count)| sum / *count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_summed_up_by_tenths() {
        let curve: Vec<Progressed> = (1..=20)
            .map(|i| Progressed { episodes: 5 * i, reward: if i <= 10 { 0.0 } else { 1.0 }, ..Progressed::default() })
            .collect();
        assert_eq!(tenths(&curve, 100), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(tenths(&curve[..2], 100), [0.0], "what is not there yet is left out");
    }
}
