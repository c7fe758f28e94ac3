//! What audits of whole texts share: two short texts, and what their releases show by draws alone.

use super::Effort;
use super::black_box::{Halves, lower_bound};
use crate::release::Proposer;
use crate::rng::PrivacyRng;
use allonym_text::Private;
use allonym_text::vocabulary::END;

/// Proposes its own words, then the end, which is outcome 0.
pub(crate) struct Words {
    words: Vec<u32>,
    outcomes: u32,
    scores: Vec<f32>,
}

impl Words {
    pub(crate) fn new(words: &[u32], outcomes: u32) -> Private<Self> {
        Private::new(Self { words: words.to_vec(), outcomes, scores: Vec::new() })
    }
}

impl Proposer for Words {
    fn tokens(&self) -> usize {
        self.words.len()
    }

    fn scores(&mut self, released: &[u32]) -> &[f32] {
        let word = self.words.get(released.len()).copied().unwrap_or(0);
        self.scores = (0..self.outcomes).map(|outcome| if outcome == word { 1.0 } else { 0.0 }).collect();
        &self.scores
    }
}

/// What two texts of a word and of two words show, if this is what becomes of them: at most two words of few.
pub(crate) fn found_in(outcomes: u32, run: impl Fn(&[u32], &mut PrivacyRng) -> Vec<u32>) -> f64 {
    let texts: [&[u32]; 2] = [&[1], &[2, 2]];
    let number =
        |released: &[u32]| released.iter().fold(0, |number, id| number * outcomes as usize + (id - END) as usize);
    let cells = (outcomes * outcomes) as usize;
    lower_bound(&Halves::count(2, cells, &Effort::default(), 1 << 44, |text, rng| number(&run(texts[text], rng))))
}
