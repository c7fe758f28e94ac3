//! Where the proposals for a text come from: its own words, words that are near them, or a trained model. One file each.

mod er_ae;
mod fluent;
mod near;
mod verbatim;

pub(super) use er_ae::ErAeSource;
pub(super) use fluent::FluentSource;
pub(super) use near::NearSource;
pub(crate) use verbatim::{VerbatimSource, extremes};

use super::RecordError;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Expectation, NoExpectation, Proposer, Terms};
use allonym_nn::Card;
use allonym_text::{Document, Private};
use serde::{Deserialize, Serialize};

/// In which form texts are released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// As text.
    #[default]
    Text,
    /// As a list of words with how often each was drawn, as JSON: SynTF's own output.
    Vector,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Text, Self::Vector];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

/// The proposer of one text.
pub(super) type BoxedProposer<'a> = Box<dyn Proposer + Send + 'a>;

/// Proposes tokens for texts.
pub(crate) trait Source: Send + Sync {
    /// A name for `Debug`.
    fn name(&self) -> &'static str;

    /// A proposer per document. Which documents are beside it does not change a proposal.
    fn proposers<'a>(
        &'a self,
        documents: Vec<Private<Document>>,
        terms: &Terms,
        reads: Reads,
    ) -> Result<Vec<Private<BoxedProposer<'a>>>, RecordError>;

    /// What a public model expects of so many texts, of which nothing is written yet.
    fn expectation(&self, _texts: usize) -> Result<Box<dyn Expectation + '_>, RecordError> {
        Ok(Box::new(NoExpectation))
    }

    /// How many texts are best drawn side by side by a mechanism that reads the expectation.
    fn group(&self) -> usize {
        1
    }

    /// The card of the model, if there is one.
    fn card(&self) -> Option<&Card> {
        None
    }

    /// What must be public besides, for the statement.
    fn assumption(&self) -> Option<&'static str> {
        None
    }

    /// Whether scores of which only the order is read are logits, so that an explanation can show probabilities.
    fn proposes_logits(&self) -> bool {
        false
    }

    /// Whether the model was made for one language, so that other texts are counted for their owner.
    fn is_of_a_language(&self) -> bool {
        false
    }

    /// Whether a token is proposed alone, by its own id.
    fn is_verbatim(&self) -> bool {
        false
    }
}
