//! The settings beside a release, what they promise, and what of them may be shown.

use super::load::printable;
use crate::failure::Failure;
use crate::method::{Form, registry};
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
        if settings.method.paths().iter().any(|path| !path.exists()) {
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

impl RunFile {
    /// Whether the release holds counts of words, and whether it holds vectors of numbers, instead of texts.
    pub(super) fn is_not_text(&self) -> (bool, bool) {
        let method = &self.settings.method;
        let vector = method.parameters.get("form").and_then(toml::Value::as_str) == Some(Form::Vector.name());
        let no_words = registry::find(&method.name).is_ok_and(|entry| !entry.has_bound);
        (vector && !no_words, vector && no_words)
    }
}

/// What of the settings may be shown to anybody: no path, and no seed, which would undo the release.
pub(super) fn shown(settings: &Settings) -> serde_json::Value {
    let method = &settings.method;
    let mut shown = serde_json::Map::new();
    shown.insert("method".to_owned(), method.name.clone().into());
    for (setting, value) in &method.parameters {
        // A text may be a path; numbers and switches are not.
        let value = match value {
            toml::Value::String(text) if ["length", "form"].contains(&&**setting) => text.clone().into(),
            toml::Value::Float(number) => (*number).into(),
            toml::Value::Integer(number) => (*number).into(),
            toml::Value::Boolean(flag) => (*flag).into(),
            _ => "a file".into(),
        };
        shown.insert(setting.clone(), value);
    }
    shown.insert("shuffle".to_owned(), settings.shuffle.into());
    shown.insert("seeded".to_owned(), settings.seed.is_some().into());
    shown.into()
}
