//! The settings beside a release, what they promise, and what of them may be shown.

use super::load::printable;
use crate::failure::Failure;
use crate::pipeline::Pipeline;
use crate::settings::Settings;
use std::path::{Path, PathBuf};

/// How a release was made, as the file beside it says.
pub(super) struct RunFile {
    pub(super) settings: Settings,
    /// The promise, line by line.
    pub(super) guarantee: Vec<String>,
}

impl RunFile {
    /// Reads the file beside a release, if there is one; a remark, if it is of another kind.
    pub(super) fn beside(release: &Path) -> Result<Result<Option<Self>, String>, Failure> {
        let mut name = release.as_os_str().to_owned();
        name.push(".run.toml");
        let path = PathBuf::from(name);
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(Ok(None)) };
        let Ok(settings) = toml::from_str::<Settings>(&text) else {
            let name = printable(&path.file_name().unwrap_or_default().to_string_lossy());
            return Ok(Err(format!("{name} is no run file of this version, and was not used.")));
        };
        if settings.model.as_ref().is_some_and(|model| !model.exists()) {
            return Ok(Err(
                "The model of a release is no longer where its run file says: its promise is not shown.".to_owned()
            ));
        }
        let checked = settings.again().check()?;
        let mut guarantee = Pipeline::new(&checked)?.guarantee()?;
        guarantee.push_not_protected("what leaves beside the text: other columns, and the order of the records");
        guarantee.push_assumption("the run file beside the release belongs to it: nothing proves that");
        let lines = guarantee.to_string().lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
        Ok(Ok(Some(Self { settings, guarantee: lines })))
    }
}

/// What of the settings may be shown to anybody: no path, and no seed, which would undo the release.
pub(super) fn shown(settings: &Settings) -> serde_json::Value {
    serde_json::json!({
        "mechanism": settings.mechanism,
        "epsilon": settings.epsilon,
        "epsilon-per-token": settings.epsilon_per_token,
        "total": settings.total,
        "delta": settings.delta,
        "candidates": settings.candidates,
        "good": settings.good,
        "clip": settings.clip,
        "uniform": settings.uniform,
        "room": settings.room,
        "length": settings.length,
        "length-buckets": settings.length_buckets,
        "length-epsilon": settings.length_epsilon,
        "max-tokens": settings.max_tokens,
        "model": settings.model.is_some(),
        "vocabulary": if settings.vocabulary.is_some() { "a file" } else { "the program's" },
        "vocabulary-size": settings.vocabulary_size,
        "shuffle": settings.shuffle,
        "seeded": settings.seed.is_some(),
    })
}
