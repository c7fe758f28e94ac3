//! For one text and its writer: who an attacker would name, what gave it away, and what to change first.
//!
//! This is advice, not protection: nothing is promised about an attacker who looks at something else.

mod alternatives;
mod habits;
mod words;

pub use alternatives::alternative;
pub use habits::{Habit, habits};
pub use words::{Word, words};

use crate::attacker::{Attacker, Calibrated, Learned, Reason};
use crate::error::EvalError;
use serde::Serialize;

/// Texts of known authors, as an attacker would have them.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// The texts.
    pub texts: &'a [&'a str],
    /// The author of each, below the number of names.
    pub authors: &'a [u32],
    /// The names of the authors.
    pub names: &'a [String],
}

/// What an attacker says of a text.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// Who it is.
    pub attacker: &'static str,
    /// The likeliest authors with their probabilities.
    pub guesses: Vec<Guess>,
    /// The writer's own place among the authors, counted from 1, and probability, where the writer is known.
    pub own: Option<Guess>,
    /// What speaks for the author that is looked at, the strongest first.
    pub reasons: Vec<Clue>,
}

/// An author that an attacker considers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guess {
    /// The author.
    pub author: String,
    /// The place among all, from 1.
    pub place: usize,
    /// How probable the attacker holds it.
    pub probability: f64,
}

/// A reason with its places in the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clue {
    /// What it is.
    pub feature: String,
    /// Where it stands, in bytes: beginning and end.
    pub spans: Vec<(usize, usize)>,
    /// How much it speaks for the author.
    pub weight: f32,
}

/// An attacker who has read the reference texts.
pub struct Reader<'a> {
    attacker: &'static dyn Attacker,
    learned: Box<dyn Learned>,
    names: &'a [String],
}

impl<'a> Reader<'a> {
    /// Reads the reference texts.
    ///
    /// # Errors
    /// When there is one author only, or every author has a single text.
    pub fn new(attacker: &'static dyn Attacker, reference: Reference<'a>) -> Result<Self, EvalError> {
        let calibrated = Calibrated::new(attacker, 0);
        let learned = calibrated.learn(reference.texts, reference.authors, reference.names.len())?;
        Ok(Self { attacker, learned, names: reference.names })
    }

    /// Judges a text. Reasons are given for the writer, or, if nobody says who that is, for the likeliest author.
    ///
    /// # Errors
    /// When the text cannot be judged.
    pub fn judge(&self, text: &str, writer: Option<u32>) -> Result<Verdict, EvalError> {
        let scores = self.learned.scores(&[text])?.pop().unwrap_or_default();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let guess = |(place, author): (usize, &usize)| Guess {
            author: self.names[*author].clone(),
            place: place + 1,
            probability: f64::from(scores[*author]),
        };
        let looked_at = writer.or_else(|| order.first().map(|author| *author as u32));
        let own = writer.and_then(|writer| order.iter().enumerate().find(|(_, a)| **a == writer as usize).map(guess));
        let reasons = looked_at.map(|author| self.learned.reasons(text, author)).unwrap_or_default();
        Ok(Verdict {
            attacker: self.attacker.name(),
            guesses: order.iter().enumerate().take(5).map(guess).collect(),
            own,
            reasons: reasons.into_iter().filter(|reason| reason.weight > 0.0).map(clue).collect(),
        })
    }
}

fn clue(reason: Reason) -> Clue {
    let spans = reason.spans.iter().map(|span| (span.start, span.end)).collect();
    Clue { feature: reason.feature, spans, weight: reason.weight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacker::find;

    #[test]
    fn the_writer_is_named_with_the_words_that_gave_it_away() {
        let mut texts = Vec::new();
        let mut authors = Vec::new();
        let habits = ["whilst it rained", "so anyway then", "one must admit"];
        for number in 0..12 {
            for (author, habit) in habits.iter().enumerate() {
                texts.push(format!("{habit} the number {number} came and went"));
                authors.push(author as u32);
            }
        }
        let names: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let reference = Reference { texts: &texts, authors: &authors, names: &names };
        let reader = Reader::new(find("word-svm").unwrap(), reference).unwrap();
        let text = "And whilst it rained he came";
        let verdict = reader.judge(text, Some(0)).unwrap();
        let own = verdict.own.unwrap();
        assert!(own.place == 1 && own.probability > 0.5, "{own:?}");
        assert_eq!(verdict.guesses[0].author, "a");
        let clue = verdict.reasons.iter().find(|clue| clue.feature.contains("whilst")).unwrap();
        assert_eq!(&text[clue.spans[0].0..clue.spans[0].0 + 6], "whilst");
        let other = reader.judge("so anyway then it went", Some(0)).unwrap();
        assert!(other.own.unwrap().probability < own.probability);
    }
}
