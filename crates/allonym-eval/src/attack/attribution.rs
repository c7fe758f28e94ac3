//! Who wrote it: attribution among known authors, of single texts and of several together, or any other class of a text.

use super::split::{Split, groups};
use super::{Classed, Finding, Side, learn_and_judge, measured};
use crate::attacker::Attacker;
use crate::error::EvalError;
use crate::measure::Judged;

/// The texts of the records on both sides, in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// As they were written.
    pub original: &'a [&'a str],
    /// As they were released, if they were.
    pub released: Option<&'a [&'a str]>,
}

/// What is told from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Its author.
    Author,
    /// The value of a column.
    Column(&'a str),
}

impl<'a> Target<'a> {
    /// The word for it.
    pub fn name(self) -> &'a str {
        match self {
            Self::Author => "author",
            Self::Column(name) => name,
        }
    }
}

/// Attributes the tested records to classes: originals by an attacker who learned from originals; and, of a release, by the same
/// attacker (static) and by one who learned from texts that were released the same way (adaptive).
/// With `together` above 1, so many texts of a class are attributed as one.
///
/// # Errors
/// When there is nothing to learn or to test.
pub fn attribution(
    attacker: &dyn Attacker,
    target: Target<'_>,
    sides: Sides<'_>,
    classes: &[u32],
    count: usize,
    split: &Split,
    together: &[usize],
) -> Result<Vec<Finding>, EvalError> {
    let original = Classed { texts: sides.original, classes, count };
    let mut judged = Vec::new();
    let Some(released) = sides.released else {
        let found = learn_and_judge(attacker, original, split, &[original])?;
        judged.extend(found.into_iter().map(|found| (Side::Original, Side::Original, found)));
        return findings(attacker, target, &judged, together);
    };
    let released = Classed { texts: released, ..original };
    let by_originals = learn_and_judge(attacker, original, split, &[original, released])?;
    let tested = [Side::Original, Side::Released];
    judged.extend(by_originals.into_iter().zip(tested).map(|(found, tested)| (Side::Original, tested, found)));
    match learn_and_judge(attacker, released, split, &[released]) {
        Ok(found) => judged.extend(found.into_iter().map(|found| (Side::Released, Side::Released, found))),
        // A release without any feature, say of empty texts, teaches nothing: there is no adaptive attacker.
        Err(EvalError::NoFeatures) => {}
        Err(error) => return Err(error),
    }
    findings(attacker, target, &judged, together)
}

fn findings(
    attacker: &dyn Attacker,
    target: Target<'_>,
    judged: &[(Side, Side, Judged)],
    together: &[usize],
) -> Result<Vec<Finding>, EvalError> {
    let mut findings = Vec::new();
    for together in together {
        for (learned_from, tested_on, judged) in judged {
            let linked;
            let judged = if *together > 1 {
                linked = link(judged, *together);
                if linked.truth.is_empty() {
                    continue;
                }
                &linked
            } else {
                judged
            };
            findings.push(Finding {
                attack: match (target, *together) {
                    (Target::Author, 1) => "attribution",
                    (Target::Author, _) => "linkage",
                    (Target::Column(_), _) => "attribute",
                },
                target: target.name().to_owned(),
                attacker: attacker.name().to_owned(),
                learned_from: *learned_from,
                tested_on: *tested_on,
                together: *together,
                measures: measured(judged)?,
                found_at_one_percent: None,
            });
        }
    }
    Ok(findings)
}

/// The scores of several texts of one class, added up.
fn link(judged: &Judged, together: usize) -> Judged {
    let mut linked = Judged { truth: Vec::new(), scores: Vec::new(), ..judged.clone() };
    for texts in groups(&judged.truth) {
        // What is left over is not enough.
        for bundle in texts.chunks_exact(together) {
            let mut sum = judged.scores[bundle[0]].clone();
            for text in &bundle[1..] {
                sum.iter_mut().zip(&judged.scores[*text]).for_each(|(sum, score)| *sum += score);
            }
            let size = bundle.len() as f32;
            sum.iter_mut().for_each(|sum| *sum /= size);
            linked.truth.push(judged.truth[bundle[0]]);
            linked.scores.push(sum);
        }
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_texts_of_one_author_are_averaged() {
        let judged = Judged {
            truth: vec![0, 1, 0, 0, 1],
            scores: vec![vec![1.0, 2.0], vec![0.0, 1.0], vec![4.0, 0.0], vec![9.0, 9.0], vec![1.0, 0.0]],
            sure_from: 0.0,
            learned: vec![1, 1],
        };
        let two = link(&judged, 2);
        assert_eq!((two.truth, two.scores), (vec![0, 1], vec![vec![2.5, 1.0], vec![0.5, 0.5]]));
        assert!(link(&judged, 4).truth.is_empty(), "fewer texts are not so many together");
    }
}
