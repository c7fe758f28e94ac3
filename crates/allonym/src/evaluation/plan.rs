//! What is to be measured.

use super::load::Reading;
use allonym_io::{Format, Table};
use std::path::PathBuf;

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Who wrote it, among known authors, of single texts and of several together.
    Attribution,
    /// Whether two texts are of the same author, of whom nothing was learned.
    Verification,
    /// Whether a text is an original or a release.
    Detection,
    /// What an attacker who knows the mechanism guesses of the original tokens.
    Reconstruction,
}

impl Attack {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Attribution, Self::Verification, Self::Detection, Self::Reconstruction];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attribution => "attribution",
            Self::Verification => "verification",
            Self::Detection => "detection",
            Self::Reconstruction => "reconstruction",
        }
    }

    /// The attack of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|attack| attack.name() == name)
    }
}

/// Files, columns and settings of an evaluation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The originals.
    pub original: PathBuf,
    /// Releases of them.
    pub released: Vec<PathBuf>,
    /// The format, where names do not tell.
    pub format: Option<Format>,
    /// How tables are written.
    pub table: Table,
    /// The text's column.
    pub text_column: String,
    /// The id's column, and whether the user named it.
    pub id_column: (String, bool),
    /// The author's column, and whether the user named it.
    pub author_column: (String, bool),
    /// The label's column, and whether the user named it.
    pub label_column: (String, bool),
    /// Other columns whose values are inferred.
    pub targets: Vec<String>,
    /// Which attacks.
    pub attacks: Vec<Attack>,
    /// Which attackers, by their names.
    pub attackers: Vec<String>,
    /// How many texts of an author are attributed together.
    pub together: Vec<usize>,
    /// The share of each author's texts that is tested.
    pub test_share: f64,
    /// The seed of the split.
    pub seed: u64,
    /// Only the authors with most texts.
    pub authors: Option<usize>,
    /// Whether records that only one file has are left out.
    pub allow_missing: bool,
    /// Whether utility is measured.
    pub utility: bool,
    /// A directory with the weights of a sentence encoder.
    pub encoder: Option<PathBuf>,
    /// A file of word vectors, instead.
    pub embeddings: Option<PathBuf>,
    /// A public text, a sentence a line, for perplexity.
    pub public_text: Option<PathBuf>,
    /// How many pairs of texts are shown.
    pub samples: usize,
}

impl Plan {
    /// A plan for a file with the usual columns: nothing is measured yet.
    pub fn new(original: PathBuf) -> Self {
        let usual = |name: &str| (name.to_owned(), false);
        Self {
            original,
            released: Vec::new(),
            format: None,
            table: Table::default(),
            text_column: "text".to_owned(),
            id_column: usual("id"),
            author_column: usual("author"),
            label_column: usual("label"),
            targets: Vec::new(),
            attacks: Vec::new(),
            attackers: Vec::new(),
            together: vec![1],
            test_share: 0.2,
            seed: 1,
            authors: None,
            allow_missing: false,
            utility: false,
            encoder: None,
            embeddings: None,
            public_text: None,
            samples: 0,
        }
    }

    pub(super) fn reading(&self) -> Reading {
        Reading {
            format: self.format,
            table: self.table,
            text_column: self.text_column.clone(),
            id_column: self.id_column.0.clone(),
            author_column: self.author_column.0.clone(),
            label_column: self.label_column.0.clone(),
        }
    }
}
