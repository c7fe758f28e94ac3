//! The world of the agent: texts by their contexts, and what they are worth once they are decoded.

use super::auto_encoder::{AutoEncoder, Text};
use super::reward::{Judges, Reward, Subject};
use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use rayon::prelude::*;

/// Texts whose authors and sentiments are known, and who judges what becomes of them.
pub struct World<'a> {
    auto_encoder: &'a AutoEncoder,
    judges: Judges,
    contexts: Vec<Vec<f32>>,
    subjects: Vec<Subject>,
    /// Texts of each sentiment: negative, positive.
    by_sentiment: [Vec<usize>; 2],
}

impl<'a> World<'a> {
    /// A world of some texts.
    ///
    /// # Errors
    /// When there are none, alpha is outside its range, or an author is not one that is judged.
    pub fn new(
        auto_encoder: &'a AutoEncoder,
        judges: Judges,
        texts: &[Text],
        subjects: Vec<Subject>,
    ) -> Result<Self, ModelError> {
        let refused = |setting, value: String, allowed| Err(ModelError::Setting { setting, value, allowed });
        if !(0.0..=1.0).contains(&judges.alpha) {
            return refused("alpha", judges.alpha.to_string(), "between 0 and 1");
        }
        if texts.is_empty() || texts.len() != subjects.len() {
            return refused("texts", texts.len().to_string(), "at least one, each with its author and sentiment");
        }
        if let Some(other) = subjects.iter().find(|subject| subject.author as usize >= judges.authors.classes()) {
            return refused("author", other.author.to_string(), "one of those that are judged");
        }
        let of = |positive| (0..subjects.len()).filter(|text| subjects[*text].positive == positive).collect();
        let by_sentiment = [of(false), of(true)];
        Ok(Self { contexts: auto_encoder.contexts(texts)?, auto_encoder, judges, subjects, by_sentiment })
    }

    /// How many texts there are.
    pub fn texts(&self) -> usize {
        self.contexts.len()
    }

    /// A text, each as likely as another.
    pub fn draw(&self, rng: &mut PrivacyRng) -> usize {
        rng.below(self.texts() as u64) as usize
    }

    /// A text, each sentiment as likely as the other: where most texts are of one, an agent would else learn to write that one whatever it reads.
    pub fn draw_balanced(&self, rng: &mut PrivacyRng) -> usize {
        let side = &self.by_sentiment[rng.below(2) as usize];
        match side.len() {
            0 => self.draw(rng),
            texts => side[rng.below(texts as u64) as usize],
        }
    }

    /// The auto-encoder.
    pub fn auto_encoder(&self) -> &AutoEncoder {
        self.auto_encoder
    }

    /// The context of a text before anything is changed.
    pub fn context(&self, text: usize) -> &[f32] {
        &self.contexts[text]
    }

    /// What texts are worth when they are decoded from these contexts, all at once.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    pub fn rewards(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<Vec<Reward>, ModelError> {
        let decoded = self.auto_encoder.decode_together(contexts)?;
        let of = |(text, decoded): (&usize, &Text)| self.judges.reward(decoded, self.subjects[*text]);
        Ok(texts.par_iter().zip(&decoded).with_min_len(64).map(of).collect())
    }
}
