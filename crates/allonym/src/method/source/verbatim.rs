//! The text's own words as a proposal, where no model proposes others.
//!
//! At each step the original token is the one good outcome; after the last of them, and in place of no other, that is the
//! end of the text. A word that is not in the vocabulary proposes nothing: every word is as good as another.

use super::{BoxedProposer, Source};
use crate::method::RecordError;
use allonym_dp::mechanism::Reads;
use allonym_dp::{Length, Outcome, Proposer, Terms};
use allonym_text::vocabulary::TokenId;
use allonym_text::{Document, Private, Token, Vocabulary};
use rayon::prelude::*;
use std::sync::Arc;

/// The words of a text, as a vocabulary knows them.
pub(crate) struct VerbatimSource {
    pub(crate) vocabulary: Arc<Vocabulary>,
}

impl Source for VerbatimSource {
    fn name(&self) -> &'static str {
        "own words"
    }

    fn proposers<'a>(
        &'a self,
        documents: Vec<Private<Document>>,
        terms: &Terms,
        reads: Reads,
    ) -> Result<Vec<Private<BoxedProposer<'a>>>, RecordError> {
        let proposer = |document: Document| {
            Box::new(Verbatim::new(&document, &self.vocabulary, terms.length, reads)) as BoxedProposer<'a>
        };
        Ok(documents.into_par_iter().map(|document| document.map(proposer)).collect())
    }

    fn is_verbatim(&self) -> bool {
        true
    }
}

/// The highest and the lowest score of each kind that a mechanism reads; what lies between would say more than is known.
pub(crate) fn extremes(reads: Reads) -> (f32, f32) {
    match reads {
        Reads::Nothing | Reads::Order | Reads::Probabilities | Reads::Ratings => (1.0, 0.0),
        Reads::Logits => (1e4, -1e4),
        Reads::Distances => (0.0, 1e9),
    }
}

/// Proposes the tokens of a document one after the other.
pub(crate) struct Verbatim {
    tokens: usize,
    /// The outcome that each step proposes, if any; empty where no scores are read.
    wanted: Vec<Option<Outcome>>,
    length: Length,
    scores: Vec<f32>,
    high: f32,
    low: f32,
    raised: Option<Outcome>,
}

impl Verbatim {
    pub(crate) fn new(document: &Document, vocabulary: &Vocabulary, length: Length, reads: Reads) -> Self {
        let (high, low) = extremes(reads);
        let (wanted, scores) = match reads {
            Reads::Nothing => (Vec::new(), Vec::new()),
            _ => {
                let outcome = |token: Token<'_>| length.outcome(TokenId::new(vocabulary.id(token.text)));
                let scores = vec![low; length.outcomes(vocabulary.words()) as usize];
                (document.tokens().map(outcome).collect(), scores)
            }
        };
        let mut proposer = Self { tokens: document.len(), wanted, length, scores, high, low, raised: None };
        if let Some(end) = length.outcome(TokenId::END).filter(|_| reads == Reads::Order) {
            // Where only the order counts, an end that nobody proposed must not win a tie.
            proposer.set(end, low - 1.0);
        }
        proposer
    }

    fn set(&mut self, outcome: Outcome, score: f32) {
        if let Some(place) = self.scores.get_mut(outcome.position()) {
            *place = score;
        }
    }
}

impl Proposer for Verbatim {
    fn tokens(&self) -> usize {
        self.tokens
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        if self.scores.is_empty() {
            return &[];
        }
        if let Some(raised) = self.raised.take() {
            self.set(raised, self.low);
        }
        let wanted = match self.wanted.get(released.len()) {
            Some(wanted) => *wanted,
            // The end of the text; with a public length nothing is drawn here.
            None => self.length.outcome(TokenId::END),
        };
        if let Some(outcome) = wanted {
            self.set(outcome, self.high);
            self.raised = Some(outcome);
        }
        &self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(proposer: &mut Verbatim, step: usize) -> Vec<usize> {
        let scores = proposer.scores(&vec![TokenId::new(9); step]).to_vec();
        (0..scores.len()).filter(|i| scores[*i] > 0.0).collect()
    }

    #[test]
    fn each_step_proposes_its_token_and_then_the_end() {
        let vocabulary = Vocabulary::parse("allonym-vocabulary 1 public\nalpha\nbeta\n").unwrap();
        let document = Document::read("Beta gamma alpha");
        let mut proposer = Verbatim::new(&document, &vocabulary, Length::Fixed, Reads::Probabilities);
        // Outcomes: 0 the end, 1 alpha, 2 beta.
        assert_eq!(raised(&mut proposer, 0), [2]);
        assert_eq!(raised(&mut proposer, 1), [0_usize; 0], "an unknown word proposes nothing");
        assert_eq!(raised(&mut proposer, 2), [1]);
        assert_eq!(raised(&mut proposer, 3), [0]);
        let mut public = Verbatim::new(&document, &vocabulary, Length::Public, Reads::Order);
        assert_eq!(raised(&mut public, 0), [1], "without an end the words begin at 0");
    }
}
