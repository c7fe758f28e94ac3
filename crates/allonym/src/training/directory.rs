//! What the training of every model does with its directory.

use crate::failure::Failure;
use allonym_nn::Card;
use allonym_nn::checkpoint::{self, Pointer};
use allonym_nn::training::Model;
use serde::Serialize;
use std::path::Path;

/// The state that validation chose, or the last one.
pub(super) fn chosen<M: Model>(directory: &Path, model: &mut M, last: Card) -> Result<Card, Failure> {
    let Some(best) = checkpoint::find(directory, Pointer::Best)? else { return Ok(last) };
    checkpoint::load(&best, model.store_mut())?;
    Ok(checkpoint::load_card(&best)?)
}

/// A directory that holds something else is not written into.
pub(super) fn check_out(out: &Path, resume: bool) -> Result<(), Failure> {
    let used = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    let ours = out.join("settings.toml").is_file() && out.join("training").is_dir();
    match (used, ours, resume) {
        (true, true, true) | (false, ..) => Ok(()),
        (true, true, false) => Err(Failure::new(
            format!("{} has a model already", out.display()),
            "go on with it by `--resume`, or choose another directory",
        )),
        (true, false, _) => Err(Failure::new(
            format!("{} is a directory with other files", out.display()),
            "give the model a directory of its own",
        )),
    }
}

/// Keeps the settings and the hash of the texts beside the checkpoints, which are the owner's; a run that is gone on with must have the same texts.
pub(super) fn begin(out: &Path, settings: &impl Serialize, hash: Option<&String>, resume: bool) -> Result<(), Failure> {
    let path = out.join("training").join("data.sha256");
    let hash = hash.cloned().unwrap_or_default();
    match std::fs::read_to_string(&path) {
        Ok(known) if resume && known.trim() != hash => Err(Failure::refusal(
            "the texts are not those that the run began with",
            "give the same file, or begin in another directory",
        )),
        Ok(_) if resume => Ok(()),
        _ => {
            write_settings(out, settings)?;
            std::fs::write(&path, hash + "\n").map_err(|error| {
                Failure::new(format!("cannot write {}: {}", path.display(), error.kind()), "check the path")
            })
        }
    }
}

fn write_settings(out: &Path, settings: &impl Serialize) -> Result<(), Failure> {
    let writing = |error: std::io::Error| {
        Failure::new(format!("cannot write into {}: {}", out.display(), error.kind()), "check the path")
    };
    std::fs::create_dir_all(out.join("training")).map_err(writing)?;
    let text = toml::to_string(settings)
        .map_err(|_| Failure::new("the settings cannot stand in a file", "paths must be UTF-8"))?;
    std::fs::write(out.join("settings.toml"), text).map_err(writing)
}

pub(super) fn write_report(out: &Path, report: &impl Serialize) -> Result<(), Failure> {
    let path = out.join("report.json");
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    std::fs::write(&path, text + "\n")
        .map_err(|error| Failure::new(format!("cannot write {}: {}", path.display(), error.kind()), "check the path"))
}
