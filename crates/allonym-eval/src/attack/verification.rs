//! Did the author of these texts write that one too? For authors of whom nothing was learned before.
//!
//! By impostors (Koppel and Winter 2014): a text belongs to an author if it is nearer to that author's other texts than to those of
//! others. The threshold is learned from other authors than are tested.

use super::attribution::Sides;
use super::membership::best_threshold;
use super::split::groups;
use super::{Finding, Side, Split, measured};
use crate::classify::Linear;
use crate::error::EvalError;
use crate::features::{TfIdf, TfIdfSettings, to_unit_length};
use crate::measure::{Judged, found_at};
use rayon::prelude::*;

/// The most texts that are asked about for each author.
const QUESTIONS: usize = 20;

/// The nearest impostors whose similarity is the measure.
const IMPOSTORS: usize = 5;

/// Compares texts of each tested author with originals of theirs, and with originals of others; half of the pairs are true. Each author's
/// texts are halved into known ones (always originals) and questioned ones.
///
/// # Errors
/// When fewer than eight authors have two texts: impostors must be several.
pub fn verification(sides: Sides<'_>, authors: &[u32], test_share: f64, seed: u64) -> Result<Vec<Finding>, EvalError> {
    let mut findings = by_known(Side::Original, sides.original, sides, authors, test_share, seed)?;
    if let Some(released) = sides.released {
        // Somebody who knows texts that were released the same way.
        match by_known(
            Side::Released,
            released,
            Sides { original: released, released: Some(released) },
            authors,
            test_share,
            seed,
        ) {
            Ok(found) => findings.extend(found.into_iter().filter(|finding| finding.tested_on == Side::Released)),
            // A release without a feature teaches nothing.
            Err(EvalError::NoFeatures) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(findings)
}

/// The same, by somebody who knows the texts of one side.
fn by_known(
    learned_from: Side,
    known: &[&str],
    sides: Sides<'_>,
    authors: &[u32],
    test_share: f64,
    seed: u64,
) -> Result<Vec<Finding>, EvalError> {
    let of_authors: Vec<Vec<usize>> = groups(authors).into_iter().filter(|records| records.len() >= 2).collect();
    if of_authors.len() < 8 {
        return Err(EvalError::NothingToTest);
    }
    // Places in `of_authors`, learned and tested apart.
    let numbers: Vec<u32> = (0..of_authors.len() as u32).collect();
    let mut split = Split::by_group(&numbers, test_share, seed)?;
    if split.test.len() < 2 || split.learn.len() < 4 {
        split = Split {
            learn: (0..of_authors.len() / 2).collect(),
            test: (of_authors.len() / 2..of_authors.len()).collect(),
            single: 0,
        };
    }
    let texts_known = known;
    let known: Vec<Vec<&str>> = of_authors
        .iter()
        .map(|records| records[..records.len().div_ceil(2)].iter().map(|record| texts_known[*record]).collect())
        .collect();
    let settings = TfIdfSettings { most: Some(50_000), dampened: true, ..TfIdfSettings::default() };
    let learned: Vec<&str> = split.learn.iter().flat_map(|author| known[*author].iter().copied()).collect();
    let features = TfIdf::fit(settings, &learned)?;
    let profiles: Vec<Vec<f32>> = known.par_iter().map(|texts| profile(&features, texts)).collect();
    let profiles = Linear::of_classes(features.width(), &profiles);

    let scores = |texts: &[&str], among: &[usize]| -> Vec<(f32, bool)> {
        let questions: Vec<(usize, &str)> = among
            .iter()
            .flat_map(|author| {
                let records = &of_authors[*author];
                let asked = records[records.len().div_ceil(2)..].iter().take(QUESTIONS);
                asked.map(move |record| (*author, texts[*record]))
            })
            .collect();
        let of = |(number, (author, text)): (usize, &(usize, &str))| {
            let similarities = profiles.decide(features.transform(&[text]).row(0));
            // The one who is falsely claimed changes from question to question.
            let place = among.iter().position(|other| other == author).unwrap_or(0);
            let claimed = among[(place + 1 + number % (among.len() - 1)) % among.len()];
            [(*author, true), (claimed, false)].map(|(claim, truth)| {
                let mut others: Vec<f32> = split
                    .learn
                    .iter()
                    .filter(|other| **other != claim && **other != *author)
                    .map(|o| similarities[*o])
                    .collect();
                others.sort_by(|a, b| b.total_cmp(a));
                others.truncate(IMPOSTORS);
                (similarities[claim] - others.iter().sum::<f32>() / others.len().max(1) as f32, truth)
            })
        };
        questions.par_iter().enumerate().flat_map_iter(of).collect()
    };
    let threshold = best_threshold(&scores(texts_known, &split.learn));
    let mut tests = vec![(Side::Original, sides.original)];
    tests.extend(sides.released.map(|released| (Side::Released, released)));
    tests
        .into_iter()
        .map(|(tested_on, texts)| {
            let (scores, positive): (Vec<f32>, Vec<bool>) = scores(texts, &split.test).into_iter().unzip();
            let judged = Judged {
                truth: positive.iter().map(|same| u32::from(*same)).collect(),
                scores: scores.iter().map(|score| vec![threshold - score, score - threshold]).collect(),
                sure_from: f32::NEG_INFINITY,
                learned: vec![1, 1],
            };
            Ok(Finding {
                attack: "verification",
                target: "same author or not".to_owned(),
                attacker: "impostors".to_owned(),
                learned_from,
                tested_on,
                together: 1,
                measures: measured(&judged)?,
                found_at_one_percent: found_at(&scores, &positive, 0.01),
            })
        })
        .collect()
}

/// The mean direction of some texts.
fn profile(features: &TfIdf, texts: &[&str]) -> Vec<f32> {
    let rows = features.transform(texts);
    let mut sum = vec![0.0_f32; features.width()];
    for row in 0..rows.rows() {
        rows.row(row).iter().for_each(|(column, value)| sum[column] += value);
    }
    to_unit_length(&mut sum);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_recognised_and_a_release_without_them_is_not() {
        let words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        let (mut texts, mut authors) = (Vec::new(), Vec::new());
        for (author, word) in words.iter().enumerate() {
            for number in 0..10 {
                texts.push(format!("the {word} of number {number} and the {word} again"));
                authors.push(author as u32);
            }
        }
        let original: Vec<&str> = texts.iter().map(String::as_str).collect();
        let released = vec!["nothing to see"; original.len()];
        let sides = Sides { original: &original, released: Some(&released) };
        let found = verification(sides, &authors, 0.5, 1).unwrap();
        assert!(found[0].measures.auc.unwrap().value > 0.9, "{found:?}");
        assert!((found[1].measures.auc.unwrap().value - 0.5).abs() < 0.2, "{found:?}");
        let one = vec![0; original.len()];
        assert!(matches!(verification(sides, &one, 0.5, 1), Err(EvalError::NothingToTest)));
    }
}
