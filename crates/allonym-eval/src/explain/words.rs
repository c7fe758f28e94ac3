//! Words that a writer uses more often than others do.

use super::{Reference, alternative};
use crate::features::is_function_word;
use crate::utility::tokens;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// A word that tells the writer from others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Word {
    /// The word, in lower case.
    pub word: String,
    /// How often the text has it.
    pub in_text: usize,
    /// How many times as often as others the writer uses it, in this text and in the writer's own reference texts; nothing when nobody else does.
    pub times_as_often: Option<f64>,
    /// How many other authors use it at all.
    pub other_authors: usize,
    /// What can stand in its place; an empty word: it can be left out.
    pub instead: Option<&'static str>,
    /// Whether it is a word of habit rather than of the subject.
    pub habit: bool,
    /// How surely it is no accident (log-likelihood ratio, Dunning 1993).
    pub weight: f64,
}

/// How often something was said.
#[derive(Clone, Copy, Default)]
struct Count {
    writer: f64,
    others: f64,
}

/// The words of a text that its writer uses more than twice as often as others, the strongest first: habits before subjects. The writer's reference texts count as the
/// writer's, all others as the others'.
pub fn words(text: &str, reference: Reference<'_>, writer: Option<u32>, most: usize) -> Vec<Word> {
    let own = tokens(text);
    let asked: HashSet<&str> = own.iter().map(String::as_str).filter(|w| w.chars().any(char::is_alphabetic)).collect();
    let mut counts: HashMap<&str, Count> = asked.iter().map(|word| (*word, Count::default())).collect();
    let mut users: HashMap<&str, HashSet<u32>> = HashMap::new();
    let mut all = Count { writer: own.len() as f64, others: 0.0 };
    for word in &own {
        if let Some(count) = counts.get_mut(word.as_str()) {
            count.writer += 1.0;
        }
    }
    let read: Vec<(u32, Vec<String>)> =
        reference.texts.par_iter().zip(reference.authors).map(|(text, author)| (*author, tokens(text))).collect();
    for (author, words) in &read {
        let is_writer = Some(*author) == writer;
        *(if is_writer { &mut all.writer } else { &mut all.others }) += words.len() as f64;
        for word in words {
            let Some((word, count)) = asked.get(word.as_str()).and_then(|word| Some((*word, counts.get_mut(word)?)))
            else {
                continue;
            };
            *(if is_writer { &mut count.writer } else { &mut count.others }) += 1.0;
            if !is_writer {
                users.entry(word).or_default().insert(*author);
            }
        }
    }
    let mut found: Vec<Word> = counts
        .into_iter()
        .filter_map(|(word, count)| {
            let (here, there) = (count.writer / all.writer, count.others / all.others.max(1.0));
            let weight = likelihood_ratio(count, all);
            // 10.83 is exceeded by accident once in a thousand words.
            (here > 2.0 * there && weight > 10.83).then(|| Word {
                in_text: own.iter().filter(|other| *other == word).count(),
                times_as_often: (there > 0.0).then(|| here / there),
                other_authors: users.get(word).map_or(0, HashSet::len),
                instead: alternative(word),
                habit: is_function_word(word) || alternative(word).is_some(),
                weight,
                word: word.to_owned(),
            })
        })
        .collect();
    found.sort_by(|a, b| {
        (b.habit, b.weight)
            .partial_cmp(&(a.habit, a.weight))
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| a.word.cmp(&b.word))
    });
    let (habits, subjects): (Vec<Word>, Vec<Word>) = found.into_iter().partition(|word| word.habit);
    habits.into_iter().take(most).chain(subjects.into_iter().take(most)).collect()
}

/// Twice the log of how much better two rates explain the counts than one.
fn likelihood_ratio(count: Count, all: Count) -> f64 {
    let rate = (count.writer + count.others) / (all.writer + all.others);
    let term = |found: f64, of: f64| if found > 0.0 { found * (found / (of * rate)).ln() } else { 0.0 };
    2.0 * (term(count.writer, all.writer) + term(count.others, all.others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_by_hand() {
        // 10 in 100 against 10 in 900: one rate is 0.02. 2 (10 ln(10/2) + 10 ln(10/18)) = 2 (16.0944 - 5.8779) = 20.433.
        let found = likelihood_ratio(Count { writer: 10.0, others: 10.0 }, Count { writer: 100.0, others: 900.0 });
        assert!((found - 20.433).abs() < 1e-3, "{found}");
    }

    #[test]
    fn a_habit_is_found_with_what_could_stand_in_its_place() {
        let texts: Vec<String> = (0..40)
            .map(|i| {
                if i % 4 == 0 {
                    "whilst we ate the soup was hot whilst".into()
                } else {
                    format!("we ate and then the soup {i} was hot")
                }
            })
            .collect();
        let authors: Vec<u32> = (0..40).map(|i| i % 4).collect();
        let names: Vec<String> = (0..4).map(|i| i.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let reference = Reference { texts: &texts, authors: &authors, names: &names };
        let found = words("Whilst we ate", reference, Some(0), 5);
        let word = &found[0];
        assert_eq!(
            (word.word.as_str(), word.instead, word.other_authors, word.times_as_often),
            ("whilst", Some("while"), 0, None)
        );
        assert!(found.iter().all(|word| word.word != "we"), "everybody says that");
    }
}
