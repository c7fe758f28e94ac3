//! Attackers: whoever learns from texts whose authors are known, and then names the author of another.
//!
//! An author may be any class: a gender, an age, "released or original". A new attacker is one file and one word in [`CATALOGUE`].

mod calibrated;
mod compression;
mod delta;
mod embedding_bag;
mod linear;
mod logistic;
mod naive_bayes;
mod ngram_network;
mod ppm;
mod style_other;
mod style_svm;
mod subspace;
mod svm;

pub use calibrated::Calibrated;

use crate::error::EvalError;
use compression::Compression;
use delta::Delta;
use logistic::LogisticWords;
use naive_bayes::BayesWords;
use ngram_network::NgramNetwork;
use style_other::{StyleRbf, StyleTree};
use style_svm::StyleSvm;
use subspace::Subspace;
use svm::Svm;

/// A way to learn classes from texts.
pub trait Attacker: Send + Sync {
    /// The word for it on the command line and in reports.
    fn name(&self) -> &'static str;

    /// What it looks at and how it decides, for people.
    fn about(&self) -> &'static str;

    /// Learns from texts and their classes, which are numbers below `count`; a class may have no text.
    ///
    /// # Errors
    /// When there is nothing to learn from or only one class.
    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError>;
}

/// What an attacker has learned.
pub trait Learned: Send + Sync {
    /// For each text a score for each class: the larger, the likelier. A class of which no text was seen has the smallest score of all.
    ///
    /// # Errors
    /// When a text cannot be judged. An empty text can: nothing speaks for any class.
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError>;

    /// A best score below this means "I do not know".
    fn sure_from(&self) -> f32 {
        f32::NEG_INFINITY
    }

    /// What in a text speaks for a class, the strongest first; nothing, for attackers that cannot tell.
    fn reasons(&self, _text: &str, _class: u32) -> Vec<Reason> {
        Vec::new()
    }
}

/// Something in a text that speaks for a class (or against it, when the weight is below 0).
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// What it is, in words: an n-gram, a habit.
    pub feature: String,
    /// Where in the text it stands, in bytes; empty for a habit of the whole text.
    pub spans: Vec<std::ops::Range<usize>>,
    /// How much it speaks for the class.
    pub weight: f32,
}

/// All attackers, the strongest on most corpora first.
pub const CATALOGUE: &[&dyn Attacker] = &[
    &Svm::CHARACTERS,
    &Svm::WORDS,
    &NgramNetwork::DEFAULT,
    &Subspace::DEFAULT,
    &Compression::DEFAULT,
    &LogisticWords,
    &BayesWords,
    &StyleSvm,
    &StyleRbf,
    &StyleTree,
    &Delta::COSINE,
    &Delta::BURROWS,
];

/// The attacker of a name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static dyn Attacker, EvalError> {
    let found = CATALOGUE.iter().find(|attacker| attacker.name() == name);
    found.copied().ok_or_else(|| EvalError::Attacker { name: name.to_owned() })
}

/// Checks what an attacker is to learn from; returns how many texts each class has.
fn check(texts: &[&str], classes: &[u32], count: usize) -> Result<Vec<usize>, EvalError> {
    if texts.len() != classes.len() {
        return Err(EvalError::Labels { rows: texts.len(), labels: classes.len() });
    }
    let Some(first) = classes.first() else { return Err(EvalError::NoTexts) };
    if classes.iter().all(|class| class == first) {
        return Err(EvalError::OneClass { what: "class" });
    }
    let mut sizes = vec![0; count];
    for class in classes {
        let class = *class as usize;
        let allowed = "below the number of classes";
        let size =
            sizes.get_mut(class).ok_or(EvalError::Setting { setting: "class", value: class.to_string(), allowed })?;
        *size += 1;
    }
    Ok(sizes)
}

/// The most reasons that are given.
const REASONS: usize = 50;

/// Scores less their mean, so that those of different texts can be compared: an odd text is far from everybody.
fn centred(mut scores: Vec<f32>) -> Vec<f32> {
    let known: Vec<f32> = scores.iter().copied().filter(|score| score.is_finite()).collect();
    let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
    scores.iter_mut().for_each(|score| *score -= mean);
    scores
}

/// The strongest reasons, the strongest first.
fn strongest(mut reasons: Vec<Reason>) -> Vec<Reason> {
    reasons.retain(|reason| reason.weight != 0.0);
    let strength = |reason: &Reason| reason.weight.abs();
    reasons.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then_with(|| a.feature.cmp(&b.feature)));
    reasons.truncate(REASONS);
    reasons
}

#[cfg(test)]
mod tests;
