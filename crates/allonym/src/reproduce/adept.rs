//! ADePT measured as in its paper (Krishna, Gupta and Dupuy, EACL 2021): intents told by a classifier that learned from transformed texts, and
//! membership told by its losses.
//!
//! Two auto-encoders are trained, one clipped by each norm, since Laplace noise in every coordinate belongs to the L1 norm and all other kinds to the L2
//! norm. Then the training texts are transformed by each kind of noise at each epsilon. As in the paper, the auto-encoder learns from the texts that it
//! transforms: no epsilon covers that, and the notes say so.

use super::adept_report::{AdeptFigures, AutoEncoder, DataSet, Row};
use super::classifier::{IntentClassifier, as_str, membership_of};
use super::intents::{Intents, Part};
use crate::failure::Failure;
use allonym_dp::PrivacyRng;
use allonym_dp::latent::{Latent, Noise};
use allonym_eval::utility::bleu;
use allonym_io::{begin_unfinished, end_unfinished};
use allonym_models::adept::{Adept, AdeptSettings, Clip, Norm, Text};
use allonym_nn::checkpoint::{self, Pointer};
use allonym_nn::training::{Data, Decay, Ended, Examples, Model, Run, Schedule, TrainingSettings, train};
use allonym_text::vocabulary::WordsMayLeak;
use allonym_text::{Activity, CancelToken, Document, Observer, Private, Stage, Vocabulary, detokenise};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is measured, and how the auto-encoders are trained.
#[derive(Clone, Debug)]
pub struct AdeptReproduction {
    /// The directory of the data sets.
    pub data: PathBuf,
    /// Only the data set of this name. Default: all.
    pub only: Option<String>,
    /// Where figures and checkpoints are kept. Default: figures are not written, and checkpoints removed.
    pub out: Option<PathBuf>,
    /// The total losses of a text to measure at.
    pub epsilons: Vec<f64>,
    /// The delta of Gaussian noise. Default 1e-5.
    pub delta: f64,
    /// The network; its clipping is set for each of the two.
    pub network: AdeptSettings,
    /// The most words of the vocabulary, which is counted from the training part. Default 5000.
    pub vocabulary: usize,
    /// Passes over the training part. Default 20.
    pub epochs: u64,
    /// Texts in a step. Default 16.
    pub batch: usize,
    /// The learning rate. Default 0.003.
    pub rate: f64,
    /// Threads of training. Default 1.
    pub threads: usize,
    /// The seed of everything: this is a measurement, and no release. Default 1.
    pub seed: u64,
}

impl Default for AdeptReproduction {
    fn default() -> Self {
        Self {
            data: PathBuf::new(),
            only: None,
            out: None,
            epsilons: vec![10.0, 100.0, 500.0],
            delta: 1e-5,
            network: AdeptSettings { max_tokens: 30, noise: 0.05, ..AdeptSettings::default() },
            vocabulary: 5000,
            epochs: 20,
            batch: 16,
            rate: 3e-3,
            threads: 1,
            seed: 1,
        }
    }
}

/// A directory that is gone at the end, unless it was named.
struct Workplace {
    path: PathBuf,
    ours: bool,
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if self.ours {
            let _ = std::fs::remove_dir_all(&self.path);
            end_unfinished(&self.path);
        }
    }
}

/// Measures all data sets of a directory. `observer` receives the stages.
///
/// # Errors
/// When a file cannot be read or written, a setting is refused, a run diverges, or it was stopped.
pub fn reproduce_adept(
    settings: &AdeptReproduction,
    observer: &dyn Observer,
    cancel: &CancelToken,
) -> Result<AdeptFigures, Failure> {
    let mut sets = Intents::read_all(&settings.data)?;
    if let Some(only) = &settings.only {
        sets.retain(|set| set.name == *only);
        if sets.is_empty() {
            let message = format!("{} has no data set `{only}`", settings.data.display());
            return Err(Failure::new(message, "the name is what stands before `_train.csv`"));
        }
    }
    let place = match &settings.out {
        Some(out) => Workplace { path: out.clone(), ours: false },
        None => {
            let name = format!("allonym-reproduce-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            begin_unfinished(&path);
            Workplace { path, ours: true }
        }
    };
    let mut figures = AdeptFigures { notes: notes(settings), data: Vec::new() };
    for set in &sets {
        figures.data.push(Measured { settings, set, place: &place.path, cancel }.data_set(observer)?);
    }
    if settings.out.is_some() {
        figures.write(&place.path)?;
    }
    Ok(figures)
}

fn notes(settings: &AdeptReproduction) -> Vec<String> {
    let AdeptSettings { latent, cells, noise, .. } = settings.network;
    vec![
        format!("{latent} latent numbers, {cells} cells, noise {noise} of the bound in training; the sizes of the paper's network are not at hand."),
        "The auto-encoder and its vocabulary learned from the texts that are transformed, as in the paper. No epsilon covers what it learned.".to_owned(),
        "Epsilon is the loss of a whole text, between any two texts. `paper`: what the paper's formula prints for the same noise.".to_owned(),
        format!("Gaussian noise has delta {:e}.", settings.delta),
        "Accuracy: logistic regression on words and pairs of words, learned from the transformed training part, on the original test part.".to_owned(),
        "Membership: the same with a hundredth of the penalty, learned from a random half of the transformed texts; the attacker knows the originals of both halves.".to_owned(),
        "Noise came from a seed: a measurement, no release.".to_owned(),
    ]
}

/// One data set at work.
struct Measured<'a> {
    settings: &'a AdeptReproduction,
    set: &'a Intents,
    place: &'a Path,
    cancel: &'a CancelToken,
}

impl Measured<'_> {
    fn data_set(&self, observer: &dyn Observer) -> Result<DataSet, Failure> {
        let (settings, set) = (self.settings, self.set);
        let vocabulary = Arc::new(self.vocabulary()?);
        let (mut rows, mut models) = (vec![self.row("original", &set.train.texts, None)?], Vec::new());
        for norm in [Norm::L2, Norm::L1] {
            let network = AdeptSettings { clip: Clip { norm, ..settings.network.clip }, ..settings.network.clone() };
            let (model, steps) = self.trained(network, vocabulary.clone(), observer)?;
            let (train, test) = (texts(&model, &set.train), texts(&model, &set.test));
            models.push(AutoEncoder { norm, steps, reconstruction: model.reconstruction(&test)? });
            self.cancel.check()?;
            observer.begin(Activity::Measuring, &format!("{}: transforming and classifying", set.name));
            let name = if norm == Norm::L2 { "no noise, L2 clip" } else { "no noise, L1 clip" };
            rows.push(self.row(name, &words(&model, &model.rewritten(&train)?), None)?);
            for (name, latent) in self.mechanisms(&model)? {
                self.cancel.check()?;
                let mut rng = PrivacyRng::reproducible(settings.seed);
                let mut draw =
                    |vector: Private<Vec<f32>>| latent.draw(vector.as_ref().map(Vec::as_slice), &mut rng).into_value();
                let noised: Vec<Vec<f32>> = model
                    .latents(train.iter().cloned().map(Private::new).collect())
                    .into_iter()
                    .map(&mut draw)
                    .collect();
                let transformed = words(&model, &model.decode(&noised, settings.network.max_tokens)?);
                rows.push(self.row(name, &transformed, Some(&latent))?);
            }
        }
        // Without noise first, then by kind, each from the least epsilon up.
        rows.sort_by_key(|row| row.epsilon.is_some());
        let mut counts = vec![0_usize; set.intents.len()];
        set.train.classes.iter().for_each(|class| counts[*class as usize] += 1);
        let commonest = (0..counts.len()).max_by_key(|class| counts[*class]).unwrap_or_default() as u32;
        let right = set.test.classes.iter().filter(|class| **class == commonest).count();
        Ok(DataSet {
            name: set.name.clone(),
            intents: set.intents.len(),
            texts: [set.train.texts.len(), set.valid.texts.len(), set.test.texts.len()],
            vocabulary: vocabulary.words(),
            chance: right as f64 / set.test.classes.len().max(1) as f64,
            models,
            rows,
        })
    }

    /// The kinds of noise that belong to the model's norm, at all epsilons.
    fn mechanisms(&self, model: &Adept) -> Result<Vec<(&'static str, Latent)>, Failure> {
        let delta = self.settings.delta;
        let kinds = match model.shape().clip.norm {
            Norm::L1 => vec![("laplace, L1 clip", Noise::LaplaceL1)],
            Norm::L2 => vec![
                ("laplace as printed", Noise::LaplaceL2),
                ("laplace, sqrt(n)", Noise::LaplaceL2),
                ("laplace, radial", Noise::LaplaceRadial),
                ("gaussian", Noise::Gaussian { delta }),
            ],
        };
        let mut all = Vec::new();
        for (name, noise) in kinds {
            for epsilon in &self.settings.epsilons {
                // The paper's noise at the epsilon that it prints, whatever that truly costs.
                let printed = name == "laplace as printed";
                let dimension = model.shape().latent;
                let epsilon = if printed { Latent::true_epsilon_of_paper(*epsilon, dimension) } else { *epsilon };
                all.push((name, model.mechanism(epsilon, noise)?));
            }
        }
        Ok(all)
    }

    /// The figures of texts that stand for those of the training part.
    fn row(&self, name: &'static str, seen: &[String], latent: Option<&Latent>) -> Result<Row, Failure> {
        let Part { texts, classes } = &self.set.train;
        let (original, seen) = (as_str(texts), as_str(seen));
        let classifier = IntentClassifier::learn(&seen, classes)?;
        let loss = latent.map(Latent::loss).transpose()?;
        // With the L1 norm the paper's formula is right.
        let paper = |latent: &Latent| {
            latent.paper_epsilon().or_else(|| if name == "laplace, L1 clip" { loss.map(|loss| loss.0) } else { None })
        };
        Ok(Row {
            texts: name,
            epsilon: loss.map(|loss| loss.0),
            delta: loss.map_or(0.0, |loss| loss.1),
            paper_epsilon: latent.and_then(paper),
            noise: latent.map(|latent| latent.noise_length() / self.settings.network.clip.bound),
            accuracy: classifier.accuracy(&as_str(&self.set.test.texts), &self.set.test.classes)?,
            membership: membership_of(&original, &seen, classes, self.settings.seed)?,
            bleu: bleu(&original, &seen),
        })
    }

    fn vocabulary(&self) -> Result<Vocabulary, Failure> {
        let documents = self.set.train.texts.iter().map(|text| Private::new(Document::read(text)));
        Ok(Vocabulary::counted_from_private_texts(documents, self.settings.vocabulary, WordsMayLeak)?)
    }

    /// An auto-encoder in the state that the validation part chose.
    fn trained(
        &self,
        network: AdeptSettings,
        vocabulary: Arc<Vocabulary>,
        observer: &dyn Observer,
    ) -> Result<(Adept, u64), Failure> {
        let AdeptReproduction { epochs, batch, rate, threads, seed, .. } = *self.settings;
        let norm = if network.clip.norm == Norm::L1 { "l1" } else { "l2" };
        let stage = format!("{} {norm}", self.set.name);
        let mut model = Adept::new(network, vocabulary, None, &mut PrivacyRng::reproducible(seed))?;
        let (training, validation) = (texts(&model, &self.set.train), texts(&model, &self.set.valid));
        let per_epoch = training.len().div_ceil(batch.max(1)).max(1) as u64;
        let plan = TrainingSettings {
            rate,
            epochs: Some(epochs),
            batch,
            clip: Some(1.0),
            threads,
            seed: Some(seed),
            checkpoint_every: per_epoch.saturating_mul(epochs).max(1),
            evaluate_every: per_epoch,
            schedule: Schedule { decay: Decay::Cosine, ..Schedule::default() },
            ..TrainingSettings::default()
        };
        let directory = self.place.join(format!("{}-{norm}", self.set.name));
        let data = |examples| Data { examples: Examples::Private(Private::new(examples)), fingerprint: "withheld" };
        let run = Run {
            directory: &directory,
            resume: checkpoint::find(&directory, Pointer::Latest)?.is_some(),
            earlier_steps: 0,
            stage: Stage { activity: Activity::Training, label: &stage },
            observer,
            cancel: self.cancel,
        };
        let outcome = train(&mut model, &plan, data(&training[..]), Some(data(&validation[..])), run)?;
        if outcome.ended == Ended::Stopped {
            let hint = "with `--out`, the same command goes on from here; without it, it begins again";
            return Err(Failure::interrupted(hint));
        }
        let mut steps = outcome.card.steps;
        if let Some(best) = checkpoint::find(&directory, Pointer::Best)? {
            checkpoint::load(&best, model.store_mut())?;
            steps = checkpoint::load_card(&best)?.steps;
        }
        Ok((model, steps))
    }
}

fn texts(model: &Adept, part: &Part) -> Vec<Text> {
    part.texts.iter().map(|text| model.text(&Document::read_up_to(text, model.shape().max_tokens))).collect()
}

fn words(model: &Adept, texts: &[Text]) -> Vec<String> {
    let vocabulary = model.vocabulary();
    texts.iter().map(|text| detokenise(text.iter().filter_map(|token| vocabulary.word(*token)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use allonym_text::Silent;

    fn tiny(directory: &Path) -> AdeptReproduction {
        let row = |i: usize| match i % 2 {
            0 => format!("play,play song {}\n", i % 7),
            _ => format!("book,book a table for {}\n", i % 5),
        };
        for (part, count) in [("train", 60), ("valid", 8), ("test", 10)] {
            let rows: String = (0..count).map(row).collect();
            std::fs::write(directory.join(format!("toy_{part}.csv")), rows).unwrap();
        }
        AdeptReproduction {
            data: directory.to_owned(),
            epsilons: vec![10.0],
            network: AdeptSettings { cells: 8, words: 4, latent: 4, max_tokens: 5, ..AdeptSettings::default() },
            epochs: 2,
            ..AdeptReproduction::default()
        }
    }

    #[test]
    fn every_kind_of_noise_has_its_true_loss_and_what_the_paper_prints() {
        let directory = tempfile::tempdir().unwrap();
        let settings = tiny(directory.path());
        let figures = reproduce_adept(&settings, &Silent, &CancelToken::new()).unwrap();
        let data = &figures.data[0];
        assert_eq!((data.name.as_str(), data.intents, data.texts, data.chance), ("toy", 2, [60, 8, 10], 0.5));
        let near = |value: Option<f64>, expected: Option<f64>| match (value, expected) {
            (Some(value), Some(expected)) => (value - expected).abs() < 1e-3 * expected,
            (value, expected) => value == expected,
        };
        // Four latent numbers: the root is 2.
        let expected = [
            ("original", None, None),
            ("no noise, L2 clip", None, None),
            ("no noise, L1 clip", None, None),
            ("laplace as printed", Some(20.0), Some(10.0)),
            ("laplace, sqrt(n)", Some(10.0), Some(5.0)),
            ("laplace, radial", Some(10.0), None),
            ("gaussian", Some(10.0), None),
            ("laplace, L1 clip", Some(10.0), Some(10.0)),
        ];
        assert_eq!(data.rows.len(), expected.len());
        for (row, (name, epsilon, paper)) in data.rows.iter().zip(expected) {
            assert_eq!(row.texts, name);
            assert!(near(row.epsilon, epsilon) && near(row.paper_epsilon, paper), "{row:?}");
            assert_eq!(row.delta, if name == "gaussian" { 1e-5 } else { 0.0 });
        }
        assert_eq!(data.rows[0].accuracy.value, 1.0, "the originals tell the two intents apart");
    }

    #[test]
    fn figures_are_written_where_they_are_asked_for_and_unknown_names_refused() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("out");
        let settings = AdeptReproduction { out: Some(out.clone()), epochs: 1, ..tiny(directory.path()) };
        reproduce_adept(&settings, &Silent, &CancelToken::new()).unwrap();
        assert!(out.join("adept.json").is_file() && out.join("adept.csv").is_file());
        let other = AdeptReproduction { only: Some("other".into()), ..settings };
        let failure = reproduce_adept(&other, &Silent, &CancelToken::new()).unwrap_err();
        assert!(failure.message.contains("no data set `other`"));
    }
}
