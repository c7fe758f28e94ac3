//! Finds names by a linear chain over features of words: a conditional random field (Lafferty, McCallum and Pereira 2001).
//!
//! Scores are small integers and features are hashes, so a trained tagger has a few megabytes and reads some hundred thousand tokens a second.

mod annotated;
mod chain;
mod features;
mod files;
mod hash;
mod knowledge;
mod labels;
mod learn;
mod more;
mod score;
mod spread;
mod vary;
mod weights;

pub use annotated::{Annotated, AnnotatedError, Sentence};
pub use chain::Chain;
pub use files::TaggerFileError;
pub use knowledge::{Knowledge, LISTS};
pub use labels::{Labels, Span};
pub use learn::{Learning, learn};
pub use score::{Counts, Scores};

use features::{Elsewhere, features};
use knowledge::Known;
use weights::Weights;

/// A trained tagger.
#[derive(Clone, Debug)]
pub struct Tagger {
    kinds: Vec<String>,
    knowledge: Knowledge,
    known: Known,
    weights: Weights,
    chain: Chain,
}

impl Tagger {
    fn new(kinds: Vec<String>, knowledge: Knowledge, weights: Weights, chain: Chain) -> Self {
        let known = knowledge.known();
        Self { kinds, knowledge, known, weights, chain }
    }

    /// The kinds of names that it finds.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// How many features have a score.
    pub fn features(&self) -> usize {
        self.weights.features.len()
    }

    /// The names of a document, sentence by sentence. `eagerness` is added to the score of every name: above 0, more is found, and more of it is none.
    pub fn tag(&self, sentences: &[&[&str]], eagerness: f32) -> Vec<Vec<Span>> {
        let labels = Labels::of(self.kinds.len());
        let mut found: Vec<Vec<Span>> =
            self.scored(sentences, eagerness).map(|rows| labels.spans(&self.chain.best(&rows))).collect();
        spread::spread(sentences, &mut found, self.kinds.iter().position(|kind| kind == "person"));
        found
    }

    /// Sentences by themselves, each with how likely it is that all of its names are right, as far as the tagger knows.
    pub fn tag_with_likelihood(&self, sentences: &[&[&str]], eagerness: f32) -> Vec<(Vec<Span>, f64)> {
        let labels = Labels::of(self.kinds.len());
        let tagged = |rows: Vec<f32>| {
            let best = self.chain.best(&rows);
            let (whole, _) = self.chain.marginals(&rows, |_, _, _| ());
            (labels.spans(&best), (self.chain.score_of(&rows, &best) - whole).exp())
        };
        self.scored(sentences, eagerness).map(tagged).collect()
    }

    /// Rows of scores, sentence by sentence.
    fn scored(&self, sentences: &[&[&str]], eagerness: f32) -> impl Iterator<Item = Vec<f32>> {
        let elsewhere = Elsewhere::of(sentences.iter().copied());
        let labels = Labels::of(self.kinds.len());
        sentences.iter().map(move |sentence| {
            let mut rows = vec![0.0; sentence.len() * labels.count()];
            let found = features(sentence, &elsewhere, &self.known);
            for (row, features) in rows.chunks_exact_mut(labels.count()).zip(&found) {
                self.weights.add(features, row);
                row[labels::OUTSIDE] -= eagerness;
            }
            rows
        })
    }
}
