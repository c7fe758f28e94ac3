//! The text's own words as a proposal, where no model proposes others.
//!
//! At each step the original token is the one good outcome; after the last of them, and in place of no other, that is the
//! end of the text. A word that is not in the vocabulary proposes nothing: every word is as good as another.

use allonym_dp::mechanism::Reads;
use allonym_dp::{Length, Proposer};
use allonym_text::vocabulary::{END, UNKNOWN};
use allonym_text::{Document, Vocabulary};

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
    /// The outcome that each step proposes, if any.
    wanted: Vec<Option<u32>>,
    length: Length,
    scores: Vec<f32>,
    high: f32,
    low: f32,
    raised: Option<u32>,
}

impl Verbatim {
    pub(crate) fn new(document: &Document, vocabulary: &Vocabulary, length: Length, reads: Reads) -> Self {
        let first = length.id_of(0);
        let wanted = document
            .tokens()
            .map(|token| Some(vocabulary.id(token.text)).filter(|id| *id != UNKNOWN).map(|id| id - first));
        let (high, low) = extremes(reads);
        let scores =
            if reads == Reads::Nothing { Vec::new() } else { vec![low; length.outcomes(vocabulary.words()) as usize] };
        let mut proposer = Self { wanted: wanted.collect(), length, scores, high, low, raised: None };
        if proposer.length.hides_end() && reads == Reads::Order {
            // Where only the order counts, an end that nobody proposed must not win a tie.
            proposer.set((END - first) as usize, low - 1.0);
        }
        proposer
    }

    fn set(&mut self, outcome: usize, score: f32) {
        if let Some(place) = self.scores.get_mut(outcome) {
            *place = score;
        }
    }
}

impl Proposer for Verbatim {
    fn tokens(&self) -> usize {
        self.wanted.len()
    }

    fn scores(&mut self, released: &[u32]) -> &[f32] {
        if let Some(raised) = self.raised.take() {
            self.set(raised as usize, self.low);
        }
        let wanted = match self.wanted.get(released.len()) {
            Some(wanted) => *wanted,
            // The end of the text; with a public length nothing is drawn here.
            None => self.length.hides_end().then_some(0),
        };
        if let Some(outcome) = wanted {
            self.set(outcome as usize, self.high);
            self.raised = Some(outcome);
        }
        &self.scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(proposer: &mut Verbatim, step: usize) -> Vec<usize> {
        let scores = proposer.scores(&vec![9; step]).to_vec();
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
