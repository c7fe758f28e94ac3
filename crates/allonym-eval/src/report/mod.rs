//! The datasheet of a release: what was measured, as data (JSON) and as a page that opens offline (HTML).
//!
//! It holds figures, names of files and columns, and settings. It holds no text of a record unless the owner asked for samples.

mod chart;
mod html;

pub use html::render;

use crate::attack::{Finding, Side};
use crate::features::StyleChange;
use crate::measure::Interval;
use crate::utility::{Fluency, Words};
use serde::Serialize;

/// Everything that is known about one or several releases of the same originals.
#[derive(Clone, Debug, Serialize)]
pub struct Datasheet {
    /// The program's version.
    pub allonym: String,
    /// The originals.
    pub original: Source,
    /// How records were divided.
    pub protocol: Protocol,
    /// The releases; none, when only originals were attacked.
    pub releases: Vec<Release>,
    /// What attackers find in the originals.
    pub before: Vec<Finding>,
    /// What the owner should know.
    pub remarks: Vec<String>,
    /// What no figure here covers.
    pub not_protected: Vec<String>,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    /// Its name, without the way to it.
    pub name: String,
    /// The SHA-256 of its bytes; none for a directory.
    pub sha256: Option<String>,
    /// Records that it has.
    pub records: usize,
}

/// How the measuring was done.
#[derive(Clone, Debug, Serialize)]
pub struct Protocol {
    /// Records that were used.
    pub records: usize,
    /// Authors, where there is a column for them.
    pub authors: Option<usize>,
    /// Authors with a single text, who are learned and cannot be tested.
    pub authors_with_one_text: usize,
    /// Records that the attackers learned from.
    pub learned: usize,
    /// Records that they were tested on.
    pub tested: usize,
    /// The share of each author's records that is tested.
    pub test_share: f64,
    /// The seed that divided them.
    pub seed: u64,
    /// The column of the authors.
    pub author_column: Option<String>,
    /// The column of the labels.
    pub label_column: Option<String>,
    /// What the release and its originals were lined up by.
    pub lined_up_by: String,
}

/// One release.
#[derive(Clone, Debug, Serialize)]
pub struct Release {
    /// The file.
    pub source: Source,
    /// What it is called in tables and charts.
    pub name: String,
    /// The promise, sentence by sentence, where a run file tells how it was made.
    pub guarantee: Option<Vec<String>>,
    /// The settings of the run, as its file has them.
    pub settings: Option<serde_json::Value>,
    /// What attackers find.
    pub findings: Vec<Finding>,
    /// What the best guess of the original tokens recovers, where a run file tells how the release was made.
    pub reconstruction: Option<Reconstruction>,
    /// What the text still says.
    pub utility: Utility,
    /// How much the style changed.
    pub style: Option<StyleChange>,
    /// Texts side by side; only if the owner asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Vec<Sample>>,
}

impl Release {
    /// The highest accuracy that any attacker reached against the authors of single texts.
    pub fn worst(&self) -> Option<&Finding> {
        worst(&self.findings)
    }
}

/// The attribution of single texts with the highest accuracy.
pub(crate) fn worst(findings: &[Finding]) -> Option<&Finding> {
    let single = findings.iter().filter(|finding| finding.attack == "attribution");
    single.max_by(|a, b| a.measures.accuracy.value.total_cmp(&b.measures.accuracy.value))
}

/// The best guess of the original tokens by somebody who knows the mechanism and how often each word occurs.
#[derive(Clone, Debug, Serialize)]
pub struct Reconstruction {
    /// Original tokens.
    pub tokens: usize,
    /// The share of them that is guessed.
    pub recovered: Interval,
    /// The share that is guessed by always naming the most frequent token.
    pub chance: f64,
}

/// What a release still says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Utility {
    /// The mean similarity of meaning, and which encoder found it.
    pub similarity: Option<Similarity>,
    /// BLEU with the originals as references.
    pub bleu: Option<f64>,
    /// What became of the words.
    pub words: Words,
    /// The share of content words that were kept.
    pub content_words_kept: Option<f64>,
    /// Released tokens for each original one.
    pub length_ratio: Option<f64>,
    /// How well the label is told by a classifier that learned from one side, on the other.
    pub label: Vec<Finding>,
    /// Perplexity and grammaticality of the originals, where a public text was given.
    pub fluency_original: Option<Fluency>,
    /// The same of the release.
    pub fluency_released: Option<Fluency>,
}

/// A mean similarity.
#[derive(Clone, Debug, Serialize)]
pub struct Similarity {
    /// Which encoder.
    pub encoder: String,
    /// The mean cosine.
    pub mean: Interval,
    /// The mean of originals that have nothing to do with each other: what no similarity at all looks like.
    pub unrelated: f64,
    /// Pairs whose original is empty; they have no similarity.
    pub empty: usize,
}

/// An original and its release.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// The record.
    pub id: String,
    /// As it was written.
    pub original: String,
    /// As it was released.
    pub released: String,
}

/// What a side is called on the page.
fn side(side: Side) -> &'static str {
    match side {
        Side::Original => "originals",
        Side::Released => "release",
    }
}
