//! What attackers find: attribution, linkage, attributes, detection, verification, membership.
//!
//! Every attack learns from one part of the records and is tested on another, and says what blind guessing reaches.

mod attribution;
mod detection;
mod membership;
mod split;
mod verification;

pub use attribution::{Sides, Target, attribution};
pub use detection::detection;
pub use membership::{membership_by_score, nearest};
pub use split::Split;
pub use verification::verification;

use crate::attacker::Attacker;
use crate::error::EvalError;
use crate::measure::{Judged, Measures};
use serde::Serialize;

/// Which texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// As they were written.
    Original,
    /// As they were released.
    Released,
}

/// What an attack found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Which attack.
    pub attack: &'static str,
    /// What it looked for: `author`, or the name of a column.
    pub target: String,
    /// Who attacked.
    pub attacker: String,
    /// What the attacker learned from.
    pub learned_from: Side,
    /// What it was tested on.
    pub tested_on: Side,
    /// How many texts of one author it saw together.
    pub together: usize,
    /// How well it did.
    #[serde(flatten)]
    pub measures: Measures,
    /// For attacks with two answers: the share that is found with at most 1 % false alarms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_at_one_percent: Option<f64>,
}

impl Finding {
    /// What was attacked, for a table.
    pub fn title(&self) -> String {
        match self.attack {
            "linkage" => format!("linkage of {}", self.together),
            "attribute" | "label" => format!("{} {}", self.attack, self.target),
            attack => attack.to_owned(),
        }
    }
}

/// Texts with their classes.
#[derive(Clone, Copy, Debug)]
pub struct Classed<'a> {
    /// The texts.
    pub texts: &'a [&'a str],
    /// The class of each, below `count`.
    pub classes: &'a [u32],
    /// How many classes there are.
    pub count: usize,
}

impl<'a> Classed<'a> {
    /// Some of the texts and their classes.
    pub(crate) fn part(&self, places: &[usize]) -> (Vec<&'a str>, Vec<u32>) {
        places.iter().map(|place| (self.texts[*place], self.classes[*place])).unzip()
    }
}

/// Learns from some texts of one side, and judges others of each given side.
pub(crate) fn learn_and_judge(
    attacker: &dyn Attacker,
    learn_from: Classed<'_>,
    split: &Split,
    tests: &[Classed<'_>],
) -> Result<Vec<Judged>, EvalError> {
    let (texts, classes) = learn_from.part(&split.learn);
    let learned = attacker.learn(&texts, &classes, learn_from.count)?;
    let mut occurrences = vec![0; learn_from.count];
    classes.iter().for_each(|class| occurrences[*class as usize] += 1);
    tests
        .iter()
        .map(|test| {
            let (texts, truth) = test.part(&split.test);
            let scores = learned.scores(&texts)?;
            Ok(Judged { truth, scores, sure_from: learned.sure_from(), learned: occurrences.clone() })
        })
        .collect()
}

/// The measures of what was judged.
pub(crate) fn measured(judged: &Judged) -> Result<Measures, EvalError> {
    judged.measure().ok_or(EvalError::NothingToTest)
}
