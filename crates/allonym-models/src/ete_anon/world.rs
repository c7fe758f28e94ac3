//! The world of the agent: texts by their contexts, and what they are worth once they are changed. Here they are worth what they are once they are decoded.

use super::auto_encoder::{AutoEncoder, Text};
use super::content::Content;
use super::expected::Expected;
use super::judge::Judge;
use super::reward::{Judges, Reward, Subject};
use super::slopes::Worth;
use crate::error::ModelError;
use allonym_dp::PrivacyRng;
use rayon::prelude::*;

/// What an agent learns in.
pub trait World: Sync {
    /// How many texts there are.
    fn texts(&self) -> usize;

    /// The context of a text before anything is changed.
    fn context(&self, text: usize) -> &[f32];

    /// What texts are worth with these contexts, all at once.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    fn rewards(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<Vec<Reward>, ModelError>;

    /// What texts are worth with these contexts, and what they are expected to be worth: by how likely every word was, instead of by the likeliest ones alone. The same where nothing is decoded.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    fn outlook(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<f64>), ModelError> {
        self.as_judged(texts, contexts)
    }

    /// What texts are worth with these contexts, and the same as numbers.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    fn as_judged(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<f64>), ModelError> {
        let rewards = self.rewards(texts, contexts)?;
        let worth = rewards.iter().map(|reward| reward.total).collect();
        Ok((rewards, worth))
    }

    /// What texts are worth with these contexts, and in which direction each context must move for its text to be worth more.
    ///
    /// # Errors
    /// When a context has another length than the model's.
    fn slopes(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<Vec<f32>>), ModelError>;

    /// A text, each as likely as another.
    fn draw(&self, rng: &mut PrivacyRng) -> usize {
        rng.below(self.texts() as u64) as usize
    }
}

/// Texts whose authors and sentiments are known, and who judges what becomes of them.
pub struct TextWorld<'a> {
    auto_encoder: &'a AutoEncoder,
    judges: Judges,
    content: Content,
    originals: Vec<Text>,
    contexts: Vec<Vec<f32>>,
    subjects: Vec<Subject>,
    /// Negative texts, and positive ones, where both are drawn equally often.
    sides: Option<[Vec<usize>; 2]>,
}

impl<'a> TextWorld<'a> {
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
        let (contexts, content) = (auto_encoder.contexts(texts)?, Content::new(0.0, None));
        Ok(Self { contexts, auto_encoder, judges, content, originals: texts.to_vec(), subjects, sides: None })
    }

    /// The same where what a text still says counts too, with this weight.
    ///
    /// # Errors
    /// When the weight is below 0 or no number.
    pub fn keeping(self, weight: f64) -> Result<Self, ModelError> {
        if !(0.0..=100.0).contains(&weight) {
            let (setting, allowed) = ("content", "between 0 and 100");
            return Err(ModelError::Setting { setting, value: weight.to_string(), allowed });
        }
        let content = Content::new(weight, self.auto_encoder.words.vectors().map(AsRef::as_ref));
        Ok(Self { content, ..self })
    }

    /// The same where both sentiments are drawn equally often, however many texts have them; as they are where all texts have one.
    #[must_use]
    pub fn evenly(self) -> Self {
        let of = |positive: bool| -> Vec<usize> {
            (0..self.subjects.len()).filter(|text| self.subjects[*text].positive == positive).collect()
        };
        let sides = Some([of(false), of(true)]).filter(|sides| sides.iter().all(|side| !side.is_empty()));
        Self { sides, ..self }
    }

    /// Another judge of authors, who learned from what was written so far: agents that follow slopes hide from it too.
    ///
    /// # Errors
    /// When it knows other authors.
    pub fn also_judged_by(&mut self, judge: Judge) -> Result<(), ModelError> {
        if judge.classes() != self.judges.authors.classes() {
            let (value, allowed) = (judge.classes().to_string(), "as many as the first judge knows");
            return Err(ModelError::Setting { setting: "authors", value, allowed });
        }
        self.judges.others.push(judge);
        Ok(())
    }

    fn reward(&self, text: usize, decoded: &Text) -> Reward {
        let reward = self.judges.reward(decoded, self.subjects[text]);
        match self.content.weight() {
            0.0 => reward,
            weight => reward.with_content(weight, self.content.kept(&self.originals[text], decoded)),
        }
    }
}

impl World for TextWorld<'_> {
    fn draw(&self, rng: &mut PrivacyRng) -> usize {
        match &self.sides {
            None => rng.below(self.texts() as u64) as usize,
            Some(sides) => {
                let side = &sides[rng.below(2) as usize];
                side[rng.below(side.len() as u64) as usize]
            }
        }
    }

    fn texts(&self) -> usize {
        self.contexts.len()
    }

    fn context(&self, text: usize) -> &[f32] {
        &self.contexts[text]
    }

    fn rewards(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<Vec<Reward>, ModelError> {
        let decoded = self.auto_encoder.decode_together(contexts)?;
        let of = |(text, decoded): (&usize, &Text)| self.reward(*text, decoded);
        Ok(texts.par_iter().zip(&decoded).with_min_len(64).map(of).collect())
    }

    fn outlook(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<f64>), ModelError> {
        let worth = |place: usize| self.content.worth(&self.originals[texts[place]]);
        let found = self.auto_encoder.decode_expecting(contexts, &worth)?;
        let of = |(text, (decoded, expected)): (&usize, &(Text, Expected))| {
            let total = self.judges.expected(&expected.counts, self.subjects[*text]).total + expected.content;
            (self.reward(*text, decoded), total)
        };
        Ok(texts.par_iter().zip(&found).map(of).unzip())
    }

    fn slopes(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<Vec<f32>>), ModelError> {
        let ids = self.auto_encoder.vocabulary().ids() as usize;
        let worth = |place: usize, text: &Text| Worth {
            anywhere: self.judges.worth(text, self.subjects[texts[place]], ids),
            at: self.content.worth(&self.originals[texts[place]]),
        };
        let found = self.auto_encoder.slopes(contexts, &worth)?;
        let of = |(text, (decoded, _)): (&usize, &(Text, Vec<f32>))| self.reward(*text, decoded);
        let rewards = texts.iter().zip(&found).map(of).collect();
        Ok((rewards, found.into_iter().map(|(_, slope)| slope).collect()))
    }
}
