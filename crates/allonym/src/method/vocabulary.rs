//! Vocabularies that settings name.

use crate::failure::Failure;
use allonym_io::is_stream;
use allonym_text::Vocabulary;
use allonym_text::vocabulary::Origin;
use serde::Deserialize;
use std::path::PathBuf;

/// Settings that choose the words of a release.
pub(super) const SETTINGS: &[&str] = &["vocabulary", "vocabulary-size", "allow-private-vocabulary"];

/// Which words a release is made of.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Words {
    /// A vocabulary file. Default: the model's, or the English list that comes with the program.
    pub(super) vocabulary: Option<PathBuf>,
    /// How many of the most frequent words are used. Default: all of the list.
    pub(super) vocabulary_size: Option<usize>,
    /// Whether a vocabulary that was counted from private texts may be used. Its contents leak.
    pub(super) allow_private_vocabulary: bool,
}

impl Words {
    /// The vocabulary of a method without a model.
    pub(super) fn load(&self) -> Result<Vocabulary, Failure> {
        let Some(path) = &self.vocabulary else {
            return Ok(Vocabulary::english(self.vocabulary_size.unwrap_or_else(Vocabulary::english_size))?);
        };
        if is_stream(path) {
            return Err(Failure::new("a vocabulary cannot be read from standard input", "give a file"));
        }
        let file = std::fs::read_to_string(path).map_err(|error| Failure::reading("the vocabulary", path, &error))?;
        let vocabulary = Vocabulary::parse(&file)?;
        self.check_origin(&vocabulary, || format!("the vocabulary {}", path.display()), "use a public one")?;
        match self.vocabulary_size {
            Some(size) => Ok(vocabulary.truncated(size)?),
            None => Ok(vocabulary),
        }
    }

    /// Refuses a vocabulary that was counted from private texts, unless the leak is accepted.
    pub(super) fn check_origin(
        &self,
        vocabulary: &Vocabulary,
        what: impl Fn() -> String,
        instead: &str,
    ) -> Result<(), Failure> {
        if vocabulary.origin() == Origin::Public || self.allow_private_vocabulary {
            return Ok(());
        }
        Err(Failure::refusal(
            format!("{} was counted from private texts, and its words leak", what()),
            format!("{instead}, or accept the leak with `--allow-private-vocabulary`"),
        ))
    }

    /// Why the words are public, for the statement.
    pub(super) fn assumption(&self, has_model: bool) -> &'static str {
        match (&self.vocabulary, has_model) {
            (None, true) => "the vocabulary is public (it is the model's, and says so)",
            (None, false) => "the vocabulary is public (it comes with the program)",
            (Some(_), _) => "the vocabulary is public (its file says so)",
        }
    }
}
