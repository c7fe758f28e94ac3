//! What audits of whole texts share: two short texts, and what their releases show by draws alone.

use super::Effort;
use super::black_box::{Halves, lower_bound};
use crate::mechanism::Mechanism;
use crate::release::{Drawing, Expectation, Proposer, release};
use crate::rng::PrivacyRng;
use crate::terms::Terms;
use allonym_text::Private;
use allonym_text::vocabulary::{END, TokenId};

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

    fn scores(&mut self, released: &[TokenId]) -> &[f32] {
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

/// Releases a text as the program does, with what a public model expects.
pub(crate) fn released(
    mechanism: &dyn Mechanism,
    expectation: &mut dyn Expectation,
    words: &[u32],
    terms: &Terms,
    rng: &mut PrivacyRng,
) -> Vec<u32> {
    let stream = PrivacyRng::reproducible(rng.bits());
    let drawing = Drawing { proposer: Words::new(words, mechanism.outcomes()), rng: stream };
    let released = release(mechanism, expectation, &mut [drawing], terms).remove(0);
    released.into_value().into_iter().map(TokenId::get).collect()
}
