//! What the person at the command line is told when a run does not happen.

use allonym_dp::DpError;
use allonym_io::IoError;
use allonym_ledger::LedgerError;
use allonym_models::ModelError;
use allonym_nn::NnError;
use allonym_text::Cancelled;
use allonym_text::vocabulary::VocabularyError;
use std::fmt;

/// A message, what to do about it, and whether the program refused or failed.
#[derive(Debug)]
pub struct Failure {
    /// What happened. Names files, records, columns and settings; never a text.
    pub message: String,
    /// What the person can do.
    pub hint: String,
    /// Whether the program declined to do harm, rather than failed.
    pub refused: bool,
    /// Whether only the reader of the output went away, which is nobody's fault.
    pub broken_pipe: bool,
    /// Whether a person stopped the program.
    pub interrupted: bool,
}

impl Failure {
    /// A failure with a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), refused: false, broken_pipe: false, interrupted: false }
    }

    /// A file of settings or words that cannot be read.
    pub fn reading(what: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let why = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            std::io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
            kind => kind.to_string(),
        };
        Self::new(format!("cannot read {what} {}: {why}", path.display()), "check the path")
    }

    /// A file that cannot be written.
    pub fn writing(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::new(format!("cannot write {}: {}", path.display(), error.kind()), "check the path")
    }

    /// Work that was cancelled.
    pub fn interrupted(hint: impl Into<String>) -> Self {
        Self { interrupted: true, ..Self::new("interrupted", hint) }
    }

    /// A refusal with a hint.
    pub fn refusal(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { refused: true, ..Self::new(message, hint) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n\nhint: {}", self.message, self.hint)
    }
}

impl std::error::Error for Failure {}

impl From<IoError> for Failure {
    fn from(error: IoError) -> Self {
        let broken_pipe = matches!(error, IoError::BrokenPipe);
        Self { refused: error.is_refusal(), broken_pipe, ..Self::new(error.to_string(), error.hint()) }
    }
}

impl From<Cancelled> for Failure {
    fn from(_: Cancelled) -> Self {
        Self::interrupted("no half-written file was left behind; the input is as it was")
    }
}

impl From<allonym_eval::EvalError> for Failure {
    fn from(error: allonym_eval::EvalError) -> Self {
        if let allonym_eval::EvalError::Cancelled(cancelled) = error {
            return cancelled.into();
        }
        Self::new(error.to_string(), error.hint())
    }
}

impl From<NnError> for Failure {
    fn from(error: NnError) -> Self {
        if let NnError::Cancelled(cancelled) = error {
            return cancelled.into();
        }
        let hint = match &error {
            NnError::Refused { hint, .. } => hint,
            NnError::Setting { .. } => "change it, or leave it out for the default",
            NnError::LaterVersion { .. } => "use the program that wrote it, or a later one",
            NnError::Diverged { .. } => "take a smaller learning rate",
            NnError::File { .. } => "check the path, and whether the disk is full",
            _ => "check the file that is named",
        };
        Self { refused: matches!(error, NnError::Refused { .. }), ..Self::new(error.to_string(), hint) }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Network(error) => error.into(),
            ModelError::Setting { .. } => Self::new(error.to_string(), "change it, or leave it out for the default"),
            _ => Self::new(error.to_string(), "check the model's directory, or the file that was named"),
        }
    }
}

impl From<DpError> for Failure {
    fn from(error: DpError) -> Self {
        let hint = match &error {
            DpError::NoEntropy => "releases need randomness from the operating system; there is no fallback",
            DpError::UnknownMechanism { .. } => "see `allonym anonymize --help`",
            DpError::MissingEpsilon => {
                "for example `--epsilon-per-token 9`, or `--total 450` for the whole text; what it costs is told by `allonym budget`"
            }
            DpError::TwoEpsilons => "leave out one of them",
            DpError::NotRead { .. } => "leave it out; `allonym anonymize --help` says what each mechanism reads",
            DpError::NothingFits { .. } => "raise the total, draw fewer tokens, or take another mechanism",
            DpError::Unbounded => "no release can be made with these numbers",
            DpError::Setting { .. } => "change it, or leave it out for the default",
        };
        Self::new(error.to_string(), hint)
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self { refused: error.is_refusal(), ..Self::new(error.to_string(), error.hint()) }
    }
}

impl From<VocabularyError> for Failure {
    fn from(error: VocabularyError) -> Self {
        Self::new(
            format!("the vocabulary cannot be used: {error}"),
            "a vocabulary file has one token a line; `allonym vocabulary --size 5000` prints an example",
        )
    }
}
