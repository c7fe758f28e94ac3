//! What can go wrong when a release is judged. Messages name records, columns and settings, never a text.

use thiserror::Error;

/// An error of the evaluation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] allonym_text::Cancelled),
    /// Nothing to learn from.
    #[error("there are no texts to learn from")]
    NoTexts,
    /// A classifier needs two classes.
    #[error("there is only one {what} to tell apart")]
    OneClass {
        /// What the classes are: authors, labels.
        what: &'static str,
    },
    /// Texts and their classes do not line up.
    #[error("there are {rows} texts and {labels} classes for them")]
    Labels {
        /// Rows.
        rows: usize,
        /// Labels.
        labels: usize,
    },
    /// Rows of another width than was learned from.
    #[error("a row has {found} features; {expected} were learned")]
    Width {
        /// What it has.
        found: usize,
        /// What it must have.
        expected: usize,
    },
    /// A count below zero, or none at all.
    #[error("row {row} has a value below 0; only counts can be learned from")]
    BelowZero {
        /// Which row, from 0.
        row: usize,
    },
    /// A setting outside its range.
    #[error("`{setting}` is {value}; it must be {allowed}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// Every feature was left out.
    #[error("no feature is left: every one occurs in too few or too many texts")]
    NoFeatures,
    /// No attacker of this name.
    #[error("there is no attacker `{name}`")]
    Attacker {
        /// What was asked for.
        name: String,
    },
    /// Every class has a single text, or there is a single group.
    #[error("nothing is left to test: a class needs two texts, one to learn from and one to test")]
    NothingToTest,
    /// The neural core failed.
    #[error(transparent)]
    Nn(#[from] allonym_nn::NnError),
    /// The page could not be made.
    #[error("the page of the datasheet cannot be made: {why}")]
    Page {
        /// What kind of mistake it was.
        why: String,
    },
}

impl EvalError {
    /// What the person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Cancelled(_) => "run it again".to_owned(),
            Self::NoTexts | Self::NoFeatures => "give texts with words in them".to_owned(),
            Self::OneClass { .. } => "give texts of two authors or more".to_owned(),
            Self::NothingToTest => "give two texts or more of each author".to_owned(),
            Self::Attacker { .. } => {
                let names: Vec<&str> = crate::attacker::CATALOGUE.iter().map(|attacker| attacker.name()).collect();
                format!("there are {}", names.join(", "))
            }
            Self::BelowZero { .. } => "please report this".to_owned(),
            Self::Setting { .. } => "see `--help` for what is allowed".to_owned(),
            Self::Nn(_) => "check the files of the encoder".to_owned(),
            Self::Labels { .. } | Self::Width { .. } | Self::Page { .. } => "please report this".to_owned(),
        }
    }
}
