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
pub(crate) fn check_out(out: &Path, resume: bool) -> Result<(), Failure> {
    let used = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    let ours = out.join("settings.toml").is_file() && out.join("training").is_dir();
    match (used, ours, resume) {
        (false, _, true) => Err(Failure::new(
            format!("there is nothing to go on with in {}", out.display()),
            "check the path of `--out`, or begin without `--resume`",
        )),
        (true, true, true) | (false, _, false) => Ok(()),
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
///
/// The file that is returned is locked, so that two runs do not write into one directory.
pub(crate) fn begin(
    out: &Path,
    settings: &impl Serialize,
    hash: Option<&String>,
    resume: bool,
) -> Result<std::fs::File, Failure> {
    let writing = |error: std::io::Error| {
        Failure::new(format!("cannot write into {}: {}", out.display(), error.kind()), "check the path")
    };
    std::fs::create_dir_all(out).map_err(writing)?;
    owners_alone(&out.join("training")).map_err(writing)?;
    let lock = std::fs::File::create(out.join("training").join("lock")).map_err(writing)?;
    if let Err(std::fs::TryLockError::WouldBlock) = lock.try_lock() {
        let message = format!("another run is training in {}", out.display());
        return Err(Failure::refusal(message, "wait for it, or choose another directory"));
    }
    if resume {
        same_settings(out, settings)?;
    }
    write_data(out, settings, hash, resume)?;
    Ok(lock)
}

/// Makes a directory that nobody else may look into: it has the hash of the texts, by which a guess could be checked, and what was learned without noise.
pub(crate) fn owners_alone(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)?;
    // One that was there already keeps its mode unless it is told.
    #[cfg(unix)]
    std::fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Which settings of a run may change while it goes on: where files are, how many threads there are, and what is written once it is trained.
const MAY_CHANGE: [&str; 10] =
    ["resume", "threads", "data", "out", "work", "embeddings", "vocabulary", "count", "temperature", "ledger"];

/// Says which setting is another one than when the run began.
fn same_settings(out: &Path, settings: &impl Serialize) -> Result<(), Failure> {
    let path = out.join("settings.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::reading("the settings", &path, &error))?;
    let before = toml::from_str::<toml::Table>(&text).unwrap_or_default();
    let now = toml::Table::try_from(settings).unwrap_or_default();
    let (before, now) = (flat(before), flat(now));
    let shown = |value: Option<&toml::Value>| value.map_or("not given".to_owned(), ToString::to_string);
    let names = before.keys().chain(now.keys()).filter(|name| !MAY_CHANGE.contains(&name.as_str()));
    let changed = names.into_iter().find(|name| before.get(*name) != now.get(*name));
    match changed {
        None => Ok(()),
        Some(name) => Err(Failure::refusal(
            format!("`{name}` was {} when the run began, and is {} now", shown(before.get(name)), shown(now.get(name))),
            format!("repeat the flags of the first command; {} has them", path.display()),
        )),
    }
}

/// Settings by their names, without the tables that they stand in.
fn flat(table: toml::Table) -> toml::Table {
    table
        .into_iter()
        .flat_map(|(name, value)| match value {
            toml::Value::Table(inner) => flat(inner),
            value => toml::Table::from_iter([(name, value)]),
        })
        .collect()
}

fn write_data(out: &Path, settings: &impl Serialize, hash: Option<&String>, resume: bool) -> Result<(), Failure> {
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
            whole(&path, &(hash + "\n")).map_err(|error| Failure::writing(&path, &error))
        }
    }
}

/// Writes the whole file or nothing: a run that is ended at any time stays resumable.
fn whole(path: &Path, text: &str) -> std::io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, text)?;
    std::fs::rename(&unfinished, path)
}

fn write_settings(out: &Path, settings: &impl Serialize) -> Result<(), Failure> {
    let writing = |error: std::io::Error| {
        Failure::new(format!("cannot write into {}: {}", out.display(), error.kind()), "check the path")
    };
    std::fs::create_dir_all(out.join("training")).map_err(writing)?;
    let text = toml::to_string(settings)
        .map_err(|_| Failure::new("the settings cannot stand in a file", "paths must be UTF-8"))?;
    whole(&out.join("settings.toml"), &text).map_err(writing)
}

pub(super) fn write_report(out: &Path, report: &impl Serialize) -> Result<(), Failure> {
    let path = out.join("report.json");
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    let writing = |error: std::io::Error| Failure::writing(&path, &error);
    std::fs::write(&path, text + "\n").map_err(writing)?;
    // Its figures are exact: they are for the owner.
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(writing)?;
    Ok(())
}
