//! What the agent of RLTA learns in: vectors, and what they are worth.
//!
//! `alpha * C_U - (1 - alpha) * C_P`, where `C_U` is the lead of the right class of the task and `C_P` the mean lead of the right classes of private attributes. There is no term of entropy.

use super::judge::VectorJudge;
use crate::error::ModelError;
use crate::ete_anon::{Reward, World};
use rayon::prelude::*;

/// Vectors whose classes are known, and who judges them.
pub struct VectorWorld {
    /// How much the task counts, from 0 to 1; private attributes count for the rest.
    alpha: f64,
    vectors: Vec<Vec<f32>>,
    task: (VectorJudge, Vec<u32>),
    /// Each attribute's classifier, and its class in each text.
    attributes: Vec<(VectorJudge, Vec<u32>)>,
}

impl VectorWorld {
    /// A world of some vectors.
    ///
    /// # Errors
    /// When alpha is outside its range, or there is not a class of each kind for each vector.
    pub fn new(
        alpha: f64,
        vectors: Vec<Vec<f32>>,
        task: (VectorJudge, Vec<u32>),
        attributes: Vec<(VectorJudge, Vec<u32>)>,
    ) -> Result<Self, ModelError> {
        let refused = |setting, value: String, allowed| Err(ModelError::Setting { setting, value, allowed });
        if !(0.0..=1.0).contains(&alpha) {
            return refused("alpha", alpha.to_string(), "between 0 and 1");
        }
        if attributes.is_empty() {
            return refused("attributes", "0".to_owned(), "at least one");
        }
        for (judge, classes) in attributes.iter().chain([&task]) {
            let known = classes.iter().all(|class| (*class as usize) < judge.classes());
            if vectors.is_empty() || classes.len() != vectors.len() || !known {
                return refused("texts", vectors.len().to_string(), "at least one, each with its classes");
            }
        }
        Ok(Self { alpha, vectors, task, attributes })
    }

    fn reward(&self, text: usize, vector: &[f32]) -> Reward {
        let lead = |(judge, classes): &(VectorJudge, Vec<u32>)| judge.lead(vector, classes[text]);
        let task = lead(&self.task);
        let private = self.attributes.iter().map(lead).sum::<f64>() / self.attributes.len() as f64;
        let total = self.alpha * task - (1.0 - self.alpha) * private;
        Reward { total, sentiment: task, author: private, entropy: 0.0, content: 0.0 }
    }
}

impl World for VectorWorld {
    fn texts(&self) -> usize {
        self.vectors.len()
    }

    fn context(&self, text: usize) -> &[f32] {
        &self.vectors[text]
    }

    fn rewards(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<Vec<Reward>, ModelError> {
        Ok(texts.par_iter().zip(contexts).with_min_len(64).map(|(text, vector)| self.reward(*text, vector)).collect())
    }

    fn slopes(&self, texts: &[usize], contexts: &[Vec<f32>]) -> Result<(Vec<Reward>, Vec<Vec<f32>>), ModelError> {
        let private = -(1.0 - self.alpha) / self.attributes.len() as f64;
        let of = |(text, vector): (&usize, &Vec<f32>)| {
            let mut slope = vec![0.0; vector.len()];
            self.task.0.add_slope(vector, self.task.1[*text], self.alpha, &mut slope);
            for (judge, classes) in &self.attributes {
                judge.add_slope(vector, classes[*text], private, &mut slope);
            }
            slope
        };
        let slopes = texts.par_iter().zip(contexts).with_min_len(64).map(of).collect();
        Ok((self.rewards(texts, contexts)?, slopes))
    }
}
