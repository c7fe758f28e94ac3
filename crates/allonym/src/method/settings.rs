//! The settings of one method: its name, and a table that the method itself reads.
//!
//! Every method has a settings type of its own, so a setting that does not apply is refused by name before anything runs.

use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A method by name, with its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodSettings {
    /// The name in the registry. Default `fluent`.
    #[serde(rename = "method", alias = "mechanism", default = "default_method")]
    pub name: String,
    /// Its settings.
    #[serde(flatten)]
    pub parameters: toml::Table,
}

/// The method that is used where none is named.
pub const DEFAULT: &str = "fluent";

fn default_method() -> String {
    DEFAULT.to_owned()
}

impl Default for MethodSettings {
    fn default() -> Self {
        Self::named(DEFAULT)
    }
}

impl MethodSettings {
    /// A method with its default settings.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), parameters: toml::Table::new() }
    }

    /// The same with a setting.
    #[must_use]
    pub fn with(mut self, setting: &str, value: impl Into<toml::Value>) -> Self {
        self.parameters.insert(setting.to_owned(), value.into());
        self
    }

    /// Whether a setting is given.
    pub fn has(&self, setting: &str) -> bool {
        self.parameters.contains_key(setting)
    }

    /// A setting that is a number.
    pub(crate) fn number(&self, setting: &str) -> Option<f64> {
        let value = self.parameters.get(setting)?;
        value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
    }

    /// The files that the settings name.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let path = |setting: &&str| self.parameters.get(*setting)?.as_str().map(PathBuf::from);
        ["model", "embeddings", "vocabulary"].iter().filter_map(path).collect()
    }

    /// Refuses settings that the method does not have.
    pub(super) fn check_known(&self, known: &[&[&str]]) -> Result<(), Failure> {
        let is_known = |key: &str| known.iter().any(|list| list.contains(&key));
        let Some(unknown) = self.parameters.keys().find(|key| !is_known(key)) else { return Ok(()) };
        let anywhere =
            super::registry::METHODS.iter().any(|entry| entry.settings.iter().any(|list| list.contains(&&**unknown)));
        let message = match anywhere {
            true => format!("`{unknown}` does not apply to the method `{}`", self.name),
            false => format!("unknown setting `{unknown}`"),
        };
        let list = known.iter().copied().flatten().copied().collect::<Vec<_>>().join(", ");
        Err(Failure::new(message, format!("leave it out; `{}` has the settings {list}", self.name)))
    }

    /// Reads the table as a method's own type.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        self.parameters.clone().try_into().map_err(|error: toml::de::Error| {
            let message = format!("the settings of `{}` cannot be read: {}", self.name, error.message());
            Failure::new(message, "change it, or leave it out for the default")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_of_another_method_is_refused_by_name() {
        let settings = MethodSettings::named("subset").with("candidates", 3);
        let failure = settings.check_known(&[&["epsilon", "good"]]).unwrap_err();
        assert_eq!(failure.message, "`candidates` does not apply to the method `subset`");
        let failure = MethodSettings::named("subset").with("godo", 3).check_known(&[&["good"]]).unwrap_err();
        assert_eq!(failure.message, "unknown setting `godo`");
    }

    #[test]
    fn a_run_file_of_0_1_names_its_mechanism() {
        let settings: MethodSettings = toml::from_str("mechanism = \"subset\"\ngood = 2\n").unwrap();
        assert_eq!(settings, MethodSettings::named("subset").with("good", 2));
    }
}
