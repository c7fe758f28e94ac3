//! The parts of a claim: its bound, its unit and its adjacency.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The bound of a release, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bound {
    /// Differential privacy.
    Differential {
        /// The privacy loss of one draw, where each token is one draw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epsilon_per_token: Option<f64>,
        /// The privacy loss of the unit, for the first adjacency.
        epsilon_total: f64,
        /// The probability with which the loss may be larger; 0 for a pure guarantee.
        delta: f64,
        /// How the total was computed.
        accounting: String,
    },
    /// Metric privacy: the loss grows with the distance between two words. The totals hold for any two words, so for
    /// the largest distance.
    Metric {
        /// The privacy loss per unit of distance.
        epsilon_per_distance: f64,
        /// The largest distance between two words of the vocabulary.
        largest_distance: f64,
        /// The privacy loss of one draw, for two words at the largest distance.
        epsilon_per_token: f64,
        /// The privacy loss of the whole text, for words at the largest distance.
        epsilon_total: f64,
        /// The probability with which the loss may be larger.
        delta: f64,
        /// How the total was computed.
        accounting: String,
    },
    /// No formal bound: only measured attacks show what is hidden.
    None,
}

/// Whose privacy is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Unit {
    /// The whole text of a record.
    #[serde(rename = "one record's text")]
    Text,
    /// The part of a record that was learned from.
    #[serde(rename = "one record, as far as it was learned from")]
    LearnedRecord,
    /// The same, after a preprocessing step that reads all records: the bound does not cover that step.
    #[serde(rename = "one record after its names were generalized, as far as it was learned from")]
    GeneralizedRecord,
    /// A record's influence on which forms may replace names. The rest of the text, and the forms in the record itself,
    /// are not covered.
    #[serde(rename = "one record's influence on which names count as shared")]
    SharedNames,
    /// One example of private training.
    #[serde(rename = "one training example")]
    Example,
}

/// Between which inputs a bound holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Adjacency {
    /// Any two texts.
    #[serde(rename = "any two texts")]
    AnyTexts,
    /// Any two texts with equally many tokens.
    #[serde(rename = "any two texts of the same number of tokens")]
    SameTokenCount,
    /// Data sets of which one has a record more.
    #[serde(rename = "one record is added or removed")]
    AddRemove,
    /// Data sets that differ in one record, with the same label.
    #[serde(rename = "one record is replaced by another")]
    ReplaceOne,
    /// Data sets that differ in one record, with another label.
    #[serde(rename = "one record is replaced by one of another label")]
    OtherLabel,
    /// None: nothing is bounded.
    #[serde(rename = "no two texts: nothing is bounded")]
    Unbounded,
}

/// A bound for one adjacency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Between which inputs it holds.
    pub adjacency: Adjacency,
    /// The privacy loss.
    pub epsilon: f64,
    /// The probability with which the loss may be larger.
    pub delta: f64,
}

impl Unit {
    /// The unit in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "one record's text",
            Self::LearnedRecord => "one record, as far as it was learned from",
            Self::GeneralizedRecord => "one record after its names were generalized, as far as it was learned from",
            Self::SharedNames => "one record's influence on which names count as shared",
            Self::Example => "one training example",
        }
    }
}

impl Adjacency {
    /// The adjacency in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::AnyTexts => "any two texts",
            Self::SameTokenCount => "any two texts of the same number of tokens",
            Self::AddRemove => "one record is added or removed",
            Self::ReplaceOne => "one record is replaced by another",
            Self::OtherLabel => "one record is replaced by one of another label",
            Self::Unbounded => "no two texts: nothing is bounded",
        }
    }

    /// Above this epsilon the worst-case bound is vacuous: odds may change by a factor of e^20, half a billion. A
    /// replaced record is one removed and one added, so that half of it is the limit for one that is added or removed.
    pub(super) fn vacuous_above(self) -> f64 {
        if self == Self::AddRemove { 10.0 } else { 20.0 }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Adjacency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_are_the_printed_names() {
        use Adjacency::{AddRemove, AnyTexts, OtherLabel, ReplaceOne, SameTokenCount, Unbounded};
        for adjacency in [AnyTexts, SameTokenCount, AddRemove, ReplaceOne, OtherLabel, Unbounded] {
            assert_eq!(serde_json::to_value(adjacency).unwrap(), adjacency.to_string());
        }
        use Unit::{Example, GeneralizedRecord, LearnedRecord, SharedNames, Text};
        for unit in [Text, LearnedRecord, GeneralizedRecord, SharedNames, Example] {
            assert_eq!(serde_json::to_value(unit).unwrap(), unit.to_string());
        }
    }
}
