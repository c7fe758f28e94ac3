//! What a fluent release prefers to write: the original's words, near where they stood, and words that are near them in meaning.
//!
//! A preference is an order. What is drawn depends on what is cheap after the released text, so not every word comes out where it stood: a word
//! that was not said yet stays wanted for some steps, and those to come are wanted early, the less the farther away they are. What was said is not wanted
//! again. All of this is private and costs nothing: the mechanism's bound does not depend on it.

use super::FluentModel;
use allonym_dp::{Length, Outcome, Proposer};
use allonym_text::Document;
use allonym_text::vocabulary::{END, SPECIAL, TokenId, UNKNOWN};

/// How good a token is at a step. Only the order of what comes of these numbers counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taste {
    /// So many words of a list are its most frequent: they hold sentences together, and say little by themselves.
    pub frequent: u32,
    /// How many steps a word stays wanted after its own place.
    pub late: usize,
    /// How many steps before it a word is wanted.
    pub early: usize,
    /// A frequent word at its place.
    pub own_frequent: f32,
    /// Another word at its place.
    pub own: f32,
    /// Another word beside its place, and what each step takes.
    pub beside: f32,
    /// What each step away from its place takes from a word.
    pub step: f32,
    /// A near word instead, times its cosine.
    pub near: f32,
    /// Nearer than this two words must be.
    pub least_cosine: f32,
}

impl Default for Taste {
    fn default() -> Self {
        Self {
            frequent: 150,
            late: 12,
            early: 8,
            own_frequent: 1.0,
            own: 1.0,
            beside: 0.9,
            step: 0.02,
            near: 0.8,
            least_cosine: 0.55,
        }
    }
}

/// The proposal of one text.
#[derive(Debug)]
pub struct FluentProposal<'m> {
    model: &'m FluentModel,
    taste: Taste,
    original: Vec<u32>,
    said: Vec<bool>,
    seen: usize,
    length: Length,
    scores: Vec<f32>,
    raised: Vec<Outcome>,
}

impl FluentModel {
    /// The proposal of a text.
    pub fn proposal(&self, document: &Document, length: Length) -> FluentProposal<'_> {
        self.proposal_by(document, length, Taste::default())
    }

    /// The same by another taste.
    pub fn proposal_by(&self, document: &Document, length: Length, taste: Taste) -> FluentProposal<'_> {
        let vocabulary = self.language.vocabulary();
        let original: Vec<u32> = document.tokens().map(|token| vocabulary.id(token.text)).collect();
        FluentProposal {
            model: self,
            taste,
            said: vec![false; original.len()],
            original,
            seen: 0,
            length,
            scores: vec![0.0; length.outcomes(vocabulary.words()) as usize],
            raised: Vec::new(),
        }
    }
}

impl FluentProposal<'_> {
    /// A token that says something by itself.
    fn is_content(&self, id: u32) -> bool {
        id >= SPECIAL.len() as u32 + self.taste.frequent
    }

    fn around(&self, step: usize) -> std::ops::Range<usize> {
        step.saturating_sub(self.taste.late).min(self.original.len())
            ..(step + self.taste.early + 1).min(self.original.len())
    }

    /// Marks what a released token said: the nearest place where it was wanted.
    fn take_in(&mut self, step: usize, id: u32) {
        let wanted = self.around(step).filter(|place| !self.said[*place] && self.original[*place] == id);
        if let Some(place) = wanted.min_by_key(|place| place.abs_diff(step)) {
            self.said[place] = true;
        }
    }

    fn raise(&mut self, id: u32, quality: f32) {
        let Some(outcome) = self.length.outcome(TokenId::new(id)) else { return };
        if let Some(score) = self.scores.get_mut(outcome.position()) {
            if *score == 0.0 {
                self.raised.push(outcome);
            }
            *score = score.max(quality);
        }
    }

    fn prefer(&mut self, step: usize) {
        let taste = self.taste;
        if step >= self.original.len() && self.length.hides_end() {
            self.raise(END, taste.own);
        }
        for place in self.around(step) {
            let id = self.original[place];
            if self.said[place] || id == UNKNOWN {
                continue;
            }
            let (away, content) = (place.abs_diff(step), self.is_content(id));
            let here = match (away, content) {
                (0, true) => taste.own,
                (0, false) => taste.own_frequent,
                (_, true) => taste.beside - taste.step * away as f32,
                (_, false) => continue,
            };
            self.raise(id, here);
            let near: Vec<(u32, f32)> = self.model.near.of_word(id).collect();
            for (other, cosine) in near.into_iter().filter(|(_, cosine)| *cosine >= taste.least_cosine) {
                self.raise(other, here * taste.near * cosine);
            }
        }
    }
}

impl Proposer for FluentProposal<'_> {
    fn tokens(&self) -> usize {
        self.original.len()
    }

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
        for (step, id) in released.iter().enumerate().skip(self.seen) {
            self.take_in(step, id.get());
        }
        self.seen = released.len();
        for outcome in std::mem::take(&mut self.raised) {
            self.scores[outcome.position()] = 0.0;
        }
        self.prefer(released.len());
        &self.scores
    }
}
