//! The registry: every method that comes with the program, one line each.
//!
//! From it come `--help`, the check of `--method`, the settings that each method has, the conformance suite and
//! `audit --all`.

use super::settings::{DEFAULT, MethodSettings};
use super::source::Form;
use super::{Method, agent, latent, model, token_settings, vocabulary, word_noise};
use crate::failure::Failure;
use allonym_dp::Terms;
use allonym_dp::mechanism::{self, CATALOGUE};
use std::sync::{Arc, LazyLock};

/// Builds a method from its settings.
type Build = Box<dyn Fn(&MethodSettings) -> Result<Arc<dyn Method>, Failure> + Send + Sync>;

/// Checks settings without opening a file.
type Check = Box<dyn Fn(&MethodSettings) -> Result<(), Failure> + Send + Sync>;

/// A line of the registry.
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The settings that it has, in several lists.
    pub settings: Vec<&'static [&'static str]>,
    /// Whether it claims a bound.
    pub has_bound: bool,
    /// Whether it needs a model or word vectors that do not come with the program.
    pub needs_files: bool,
    check: Check,
    build: Build,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Entry {
    /// Builds the method.
    ///
    /// # Errors
    /// When a setting is unknown, out of range or missing, or a file cannot be read.
    pub fn build(&self, settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
        (self.build)(settings)
    }

    /// Checks that the method has these settings and that their values are of the right type, without opening a file.
    ///
    /// # Errors
    /// When one is unknown or cannot be read.
    pub fn check(&self, settings: &MethodSettings) -> Result<(), Failure> {
        (self.check)(settings)
    }

    /// A method with files of its own.
    fn with_files(
        name: &'static str,
        summary: &'static str,
        settings: &'static [&'static str],
        has_bound: bool,
        check: impl Fn(&MethodSettings) -> Result<(), Failure> + Send + Sync + 'static,
        build: impl Fn(&MethodSettings) -> Result<Arc<dyn Method>, Failure> + Send + Sync + 'static,
    ) -> Self {
        let settings = vec![settings, model::SETTINGS, vocabulary::SETTINGS];
        Self { name, summary, settings, has_bound, needs_files: true, check: Box::new(check), build: Box::new(build) }
    }

    /// The method of a mechanism in the core's catalogue.
    fn of_mechanism(entry: &'static mechanism::Entry) -> Self {
        Self {
            name: entry.name,
            summary: entry.summary,
            settings: vec![entry.parameters, token_settings::SETTINGS, model::SETTINGS, vocabulary::SETTINGS],
            has_bound: true,
            needs_files: false,
            check: Box::new(move |settings| token_settings::read(entry, settings).map(drop)),
            build: Box::new(move |settings| token_settings::build(entry, settings)),
        }
    }
}

/// What `--help` says of methods that are not mechanisms of the core's catalogue.
mod summary {
    pub(super) const METRIC_NOISE: &str = "metric privacy by noise on word vectors, then the nearest word (Feyisetan et al. 2020); needs `--embeddings` or `--model`, `--length public`";
    pub(super) const MAHALANOBIS: &str =
        "the same in a norm that follows the spread of the vocabulary (Xu et al. 2020)";
    pub(super) const LATENT_LAPLACE: &str = "Laplace noise on the vector of the whole text (ADePT, with the noise that it needs, or before ETE-Anon's agent); epsilon is that of the text; needs `--model`";
    pub(super) const LATENT_GAUSSIAN: &str = "the same with Gaussian noise; needs `--delta` too";
    pub(super) const AGENT: &str = "an agent changes what a model holds of a text (ETE-Anon, RLTA); NO formal guarantee, only measured; needs `--model`";
}

/// Every method.
pub static METHODS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let noise = |name: &'static str, summary| {
        let check = |settings: &MethodSettings| word_noise::read(settings).map(drop);
        Entry::with_files(name, summary, word_noise::SETTINGS, true, check, move |s| word_noise::build(name, s))
    };
    let latent = |name: &'static str, summary| {
        let check = |settings: &MethodSettings| latent::read(settings).map(drop);
        Entry::with_files(name, summary, latent::SETTINGS, true, check, move |s| latent::build(name, s))
    };
    let agent_check = |settings: &MethodSettings| agent::read(settings).map(drop);
    let mut methods: Vec<Entry> = CATALOGUE.iter().map(Entry::of_mechanism).collect();
    methods.extend([
        noise("metric-noise", summary::METRIC_NOISE),
        noise("metric-mahalanobis", summary::MAHALANOBIS),
        latent("latent-laplace", summary::LATENT_LAPLACE),
        latent("latent-gaussian", summary::LATENT_GAUSSIAN),
        Entry::with_files(agent::NAME, summary::AGENT, agent::SETTINGS, false, agent_check, agent::build),
    ]);
    methods
});

/// The entry of a name.
///
/// # Errors
/// When there is no such method.
pub fn find(name: &str) -> Result<&'static Entry, Failure> {
    METHODS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known = METHODS.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        Failure::new(format!("unknown method `{name}`"), format!("the methods are {known}"))
    })
}

/// The first setting that no method has.
pub fn unknown_setting(settings: &MethodSettings) -> Option<&str> {
    let known = |key: &&String| METHODS.iter().any(|entry| entry.settings.iter().any(|list| list.contains(&&***key)));
    settings.parameters.keys().find(|key| !known(key)).map(String::as_str)
}

/// The settings with the defaults that decide what is drawn and what it costs: a run file that has them can be repeated by a later
/// version with other defaults.
///
/// # Errors
/// When there is no such method.
pub fn complete(mut settings: MethodSettings) -> Result<MethodSettings, Failure> {
    let entry = find(&settings.name)?;
    let has = |setting: &str| entry.settings.iter().any(|list| list.contains(&setting));
    if settings.name == DEFAULT && !["epsilon", "epsilon-per-token", "total"].iter().any(|budget| settings.has(budget))
    {
        settings = settings.with("epsilon-per-token", token_settings::DEFAULT_LOSS);
    }
    let Terms { max_tokens, length, delta, .. } = Terms::default();
    let defaults: [(&str, toml::Value); 4] = [
        ("max-tokens", (max_tokens as i64).into()),
        ("length", length.name().into()),
        ("delta", delta.into()),
        ("form", Form::default().name().into()),
    ];
    for (setting, value) in defaults.into_iter().filter(|(setting, _)| has(setting)) {
        settings.parameters.entry(setting).or_insert(value);
    }
    Ok(settings)
}

/// Builds a method from its settings; those that are missing have their defaults.
///
/// # Errors
/// When there is no such method, or its settings do not fit.
pub fn build(settings: &MethodSettings) -> Result<Arc<dyn Method>, Failure> {
    find(&settings.name)?.build(&complete(settings.clone())?)
}
