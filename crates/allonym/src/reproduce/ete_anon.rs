//! The table and the figure of ETE-Anon, with what they lack: the auto-encoder without an agent, a random policy, attackers that learn from what is released, and learning curves.

use crate::evaluation::load::hash;
use crate::failure::Failure;
use crate::training::ete_anon::agent::{self, Learned};
use crate::training::ete_anon::auto_encoder::trained_in;
use crate::training::ete_anon::data::{Known, Sequence};
use crate::training::ete_anon::judges::Classifiers;
use crate::training::ete_anon::measure::{FoundIn, Right, found_in, in_words, right};
use crate::training::{EteAnonTraining, train_ete_anon};
use crate::training::{begin, owners_alone};
use allonym_dp::PrivacyRng;
use allonym_models::ete_anon::{Agent, AgentSettings, AutoEncoder, Learner, Reconstruction, Text};
use allonym_text::{Activity, CancelToken, Observer, Prefixed};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What is to be reproduced.
#[derive(Clone, Debug)]
pub struct EteAnonReproduction {
    /// The data, the auto-encoder and what all agents have in common; `basis.out` is where figures go.
    pub training: EteAnonTraining,
    /// Agents, each for every alpha.
    pub agents: Vec<AgentSettings>,
    /// How much sentiment counts.
    pub alphas: Vec<f64>,
    /// At most so many training sequences are released for attackers that learn from releases; none are attacked so with 0.
    pub adaptive: usize,
    /// How many sample texts are shown.
    pub samples: usize,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
pub struct EteAnonRow {
    /// The system.
    pub system: String,
    /// How much sentiment counted.
    pub alpha: Option<f64>,
    /// How much it counted that a text still says what it said.
    pub content: Option<f64>,
    /// What classifiers that learned from originals find.
    pub found: FoundIn,
    /// What classifiers find that learned from what the system writes: author, sentiment.
    pub adaptive: Option<[Right; 2]>,
    /// How the agent learned.
    pub learned: Option<Learned>,
    /// Its samples.
    pub samples: Vec<String>,
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct EteAnonFigures {
    /// Authors, sequences learned from, sequences tested with.
    pub sizes: [usize; 3],
    /// The share of test sequences that always naming the commonest finds: author, sentiment.
    pub commonest: [f64; 2],
    /// How the auto-encoder writes sequences again.
    pub reconstruction: Reconstruction,
    /// The table.
    pub rows: Vec<EteAnonRow>,
}

/// What all systems are measured with.
struct Bench<'a> {
    plan: &'a EteAnonReproduction,
    auto_encoder: &'a AutoEncoder,
    known: &'a Known,
    classifiers: &'a Classifiers,
    /// The hashes of the texts and of the auto-encoder.
    sources: String,
    /// Contexts of test sequences, and of those that adaptive attackers learn from.
    contexts: [Vec<Vec<f32>>; 2],
    adaptive: Vec<Sequence>,
}

/// How contexts are changed before they are decoded.
enum Change<'a> {
    Nothing,
    Random(&'a Agent),
    By(&'a Agent),
}

/// Measures all systems; what was trained before is used again. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, or it was stopped.
pub fn reproduce_ete_anon(
    plan: &EteAnonReproduction,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<EteAnonFigures, Failure> {
    if plan.agents.is_empty() || plan.alphas.iter().any(|alpha| !(0.0..=1.0).contains(alpha)) {
        return Err(Failure::new("there is no agent, or an alpha outside of 0 to 1", "leave both out for the paper's"));
    }
    let converged = plan.agents.iter().any(|agent| matches!(agent, AgentSettings::Converged(_)));
    if plan.training.rounds.is_some() && !converged {
        return Err(Failure::new("`--rounds` means nothing for these agents", "leave it out"));
    }
    let private = plan.training.basis.out.join("private");
    owners_alone(&private).map_err(|error| Failure::writing(&private, &error))?;
    let directory = auto_encoder_of(plan, &private, observer, cancel)?;
    let (auto_encoder, _) = AutoEncoder::open(&directory)?;
    observer.begin(Activity::Reading, "reading texts");
    let known = Known::read(&plan.training, &auto_encoder)?;
    observer.begin(Activity::Training, "teaching the two classifiers");
    let seed = plan.training.basis.seed;
    let classifiers = Classifiers::learn(&known.training, seed)?;
    let mut adaptive = known.training.clone();
    PrivacyRng::reproducible(seed).shuffle(&mut adaptive);
    adaptive.truncate(plan.adaptive);
    let of = |sequences: &[Sequence]| {
        let texts: Vec<Text> = sequences.iter().map(|sequence| sequence.ids.clone()).collect();
        auto_encoder.contexts(&texts)
    };
    let contexts = [of(&known.test)?, of(&adaptive)?];
    let hashes = [&plan.training.basis.data, &directory.join("card.toml")].map(|path| hash(path).unwrap_or_default());
    let bench = Bench {
        plan,
        auto_encoder: &auto_encoder,
        known: &known,
        classifiers: &classifiers,
        sources: hashes.join(" "),
        contexts,
        adaptive,
    };
    let rows = bench.rows(&private, observer, cancel)?;
    let tests: Vec<Text> = known.test.iter().map(|sequence| sequence.ids.clone()).collect();
    Ok(EteAnonFigures {
        sizes: [known.authors.len(), known.training.len(), known.test.len()],
        commonest: known.commonest(),
        reconstruction: auto_encoder.reconstruction(&tests)?,
        rows,
    })
}

/// The auto-encoder that was given, or one that is trained first.
fn auto_encoder_of(
    plan: &EteAnonReproduction,
    private: &Path,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<PathBuf, Failure> {
    if let Some(directory) = &plan.training.auto_encoder {
        return trained_in(directory);
    }
    let out = private.join("model");
    if !out.join("auto-encoder").join("card.toml").is_file() {
        let mut settings = EteAnonTraining { agent: None, ..plan.training.clone() };
        settings.basis.resume = out.join("settings.toml").is_file();
        settings.basis.out = out.clone();
        if train_ete_anon(&settings, observer, cancel)?.stopped {
            return Err(stopped());
        }
    }
    trained_in(&out)
}

fn stopped() -> Failure {
    Failure::interrupted("go on with the same command: what was trained is kept")
}

impl Bench<'_> {
    fn rows(&self, private: &Path, observer: &dyn Observer, cancel: &CancelToken) -> Result<Vec<EteAnonRow>, Failure> {
        let originals: Vec<String> = self.known.test.iter().map(|sequence| sequence.words.clone()).collect();
        let mut rows = vec![EteAnonRow {
            system: "original".into(),
            alpha: None,
            content: None,
            found: found_in(&originals, self.known, self.classifiers)?,
            adaptive: None,
            learned: None,
            samples: self.samples(&originals),
        }];
        observer.begin(Activity::Measuring, "auto-encoder alone");
        rows.push(self.row("auto-encoder alone", None, &Change::Nothing, None)?);
        for settings in &self.plan.agents {
            for (place, alpha) in self.plan.alphas.iter().enumerate() {
                let name = settings.name();
                let out = private.join(format!("{name}-{alpha}"));
                let mut training = self.plan.training.clone();
                training.alpha = *alpha;
                if matches!(settings, AgentSettings::Paper(_)) {
                    // Its reward knows one attacker.
                    training.rounds = None;
                }
                training.agent = Some(settings.clone());
                training.basis.resume = out.join("settings.toml").is_file();
                training.basis.out = out.clone();
                // What was trained with other settings, from other texts or on another auto-encoder is not taken for this.
                let _lock = begin(&out, &training, Some(&self.sources), training.basis.resume)?;
                training.basis.resume = true;
                observer.begin(Activity::Measuring, &format!("{name}, alpha {alpha}"));
                let told = &Prefixed::before(observer, format!("{name}, alpha {alpha}: "));
                let (learner, learned, was_stopped): (Learner, Learned, bool) =
                    agent::learn(&training, settings, self.auto_encoder, self.known, self.classifiers, told, cancel)?;
                if was_stopped {
                    return Err(stopped());
                }
                let agent = learner.agent();
                if place == 0 {
                    rows.push(self.row(&format!("{name}, at random"), None, &Change::Random(&agent), None)?);
                }
                let row = self.row(name, Some(*alpha), &Change::By(&agent), Some(learned))?;
                rows.push(EteAnonRow { content: Some(training.content()), ..row });
            }
        }
        Ok(rows)
    }

    fn row(
        &self,
        system: &str,
        alpha: Option<f64>,
        change: &Change<'_>,
        learned: Option<Learned>,
    ) -> Result<EteAnonRow, Failure> {
        let tests = self.written(&self.contexts[0], change, 0)?;
        let adaptive = match self.adaptive.is_empty() {
            true => None,
            false => Some(self.adaptive(&tests, &self.written(&self.contexts[1], change, 1)?)?),
        };
        let found = found_in(&tests, self.known, self.classifiers)?;
        Ok(EteAnonRow {
            system: system.into(),
            alpha,
            content: None,
            found,
            adaptive,
            learned,
            samples: self.samples(&tests),
        })
    }

    /// What becomes of contexts, in words.
    fn written(&self, contexts: &[Vec<f32>], change: &Change<'_>, part: u64) -> Result<Vec<String>, Failure> {
        let seed = self.plan.training.basis.seed;
        let rng = |text: usize| PrivacyRng::reproducible(seed ^ (2 * text as u64 + part) << 8);
        let mut rngs: Vec<PrivacyRng> = (0..contexts.len()).map(rng).collect();
        let decoded = match change {
            Change::Nothing => self.auto_encoder.decode(contexts)?,
            Change::Random(agent) => self.auto_encoder.decode(&agent.change_at_random(contexts, &mut rngs))?,
            Change::By(agent) => self.auto_encoder.decode(&agent.change(contexts, &mut rngs)?)?,
        };
        Ok(decoded.iter().map(|text| in_words(text, self.auto_encoder.vocabulary())).collect())
    }

    /// What classifiers find that learned from what the system writes.
    fn adaptive(&self, tests: &[String], learned: &[String]) -> Result<[Right; 2], Failure> {
        let released: Vec<Sequence> = self
            .adaptive
            .iter()
            .zip(learned)
            .map(|(sequence, words)| Sequence { words: words.clone(), ..sequence.clone() })
            .collect();
        let classifiers = Classifiers::learn(&released, self.plan.training.basis.seed)?;
        let texts: Vec<&str> = tests.iter().map(String::as_str).collect();
        let truths = |of: fn(&Sequence) -> u32| -> Vec<u32> { self.known.test.iter().map(of).collect() };
        Ok([
            right(&classifiers.authors, &texts, &truths(|sequence| sequence.subject.author))?,
            right(&classifiers.sentiment, &texts, &truths(|sequence| u32::from(sequence.subject.positive)))?,
        ])
    }

    /// Some texts, the same for every system.
    fn samples(&self, texts: &[String]) -> Vec<String> {
        let step = (texts.len() / self.plan.samples.max(1)).max(1);
        texts.iter().step_by(step).take(self.plan.samples).cloned().collect()
    }
}
