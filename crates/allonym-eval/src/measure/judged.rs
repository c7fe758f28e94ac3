//! The guesses of an attacker, and what they amount to.

use super::area::{ascending, weighted_area};
use super::bootstrap::{Interval, RESAMPLES, resampled, resampled_times};
use crate::classify::largest;
use rayon::prelude::*;
use serde::Serialize;

/// How many items, over all classes and resamples, the interval of an AUC may cost.
const MOST_WORK: usize = 400_000_000;

/// Scores of some items for each class, and the truth.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The class of each item.
    pub truth: Vec<u32>,
    /// For each item a score for each class.
    pub scores: Vec<Vec<f32>>,
    /// A best score below this means "I do not know".
    pub sure_from: f32,
    /// The class that a blind guess takes, and how classes are ranked by one: how often each occurred where was learned.
    pub learned: Vec<usize>,
}

/// What an attacker reaches, and what blind guessing reaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Items that were judged.
    pub items: usize,
    /// Classes among which was chosen.
    pub classes: usize,
    /// The share of items whose class was named.
    pub accuracy: Interval,
    /// The mean over classes of the harmonic mean of precision and recall.
    pub macro_f1: Interval,
    /// The mean over classes of the area under the curve, one class against the rest; nothing when only one class was tested.
    pub auc: Option<Interval>,
    /// The share of items whose class was among the best five.
    pub top5: Interval,
    /// The share of items for which the attacker gave a name at all.
    pub answered: f64,
    /// The accuracy of always naming the class that occurred most often where was learned.
    pub chance: f64,
    /// The macro F1 of the same.
    pub chance_macro_f1: f64,
    /// The top-5 share of always naming the five classes that occurred most often.
    pub chance_top5: f64,
}

impl Judged {
    /// Sums everything up; nothing when no item was judged.
    pub fn measure(&self) -> Option<Measures> {
        let items = self.truth.len();
        if items == 0 {
            return None;
        }
        let classes = self.learned.len();
        let guesses: Vec<Option<u32>> = self.scores.iter().map(|scores| self.guess(scores)).collect();
        let hits = guesses.iter().zip(&self.truth).filter(|(guess, truth)| **guess == Some(**truth)).count();
        let among5 = self.scores.iter().zip(&self.truth).filter(|(scores, truth)| rank(scores, **truth) < 5).count();
        let f1 = |counts: &[u32]| macro_f1(&self.truth, &guesses, counts, classes);
        let once = vec![1; items];

        let mut blind: Vec<u32> = (0..classes as u32).collect();
        blind.sort_by_key(|class| std::cmp::Reverse(self.learned[*class as usize]));
        let share = |best: &[u32]| self.truth.iter().filter(|t| best.contains(t)).count() as f64 / items as f64;
        let always = vec![blind.first().copied(); items];
        Some(Measures {
            items,
            classes,
            accuracy: Interval::of_share(hits, items)?,
            macro_f1: Interval::of(f1(&once), resampled(items, f1)),
            auc: self.area(),
            top5: Interval::of_share(among5, items)?,
            answered: guesses.iter().flatten().count() as f64 / items as f64,
            chance: share(&blind[..1.min(classes)]),
            chance_macro_f1: macro_f1(&self.truth, &always, &once, classes),
            chance_top5: share(&blind[..5.min(classes)]),
        })
    }

    fn guess(&self, scores: &[f32]) -> Option<u32> {
        let best = largest(scores);
        scores.get(best as usize).filter(|score| **score >= self.sure_from).map(|_| best)
    }

    /// The mean area of all classes that were tested, with its interval.
    fn area(&self) -> Option<Interval> {
        let items = self.truth.len();
        let per_class: Vec<(Vec<u32>, Vec<f32>, Vec<bool>)> = (0..self.learned.len() as u32)
            .into_par_iter()
            .filter_map(|class| {
                let positive: Vec<bool> = self.truth.iter().map(|truth| *truth == class).collect();
                let mixed = positive.contains(&true) && positive.contains(&false);
                let scores: Vec<f32> = self.scores.iter().map(|scores| scores[class as usize]).collect();
                mixed.then(|| (ascending(&scores), scores, positive))
            })
            .collect();
        let mean = |counts: &[u32]| {
            let areas: Vec<f64> =
                per_class.iter().filter_map(|(order, scores, of)| weighted_area(order, scores, of, counts)).collect();
            areas.iter().sum::<f64>() / areas.len() as f64
        };
        let value = mean(&vec![1; items]);
        // Every resample goes over all items for every class.
        let times = (MOST_WORK / (per_class.len() * items).max(1)).clamp(40, RESAMPLES);
        (!per_class.is_empty()).then(|| Interval::of(value, resampled_times(times, items, mean)))
    }
}

/// How many classes have a higher score; of equals, the first come first.
fn rank(scores: &[f32], class: u32) -> usize {
    let own = scores[class as usize];
    let before = |(other, score): (usize, &f32)| *score > own || (*score == own && other < class as usize);
    scores.iter().enumerate().filter(|item| before(*item)).count()
}

/// As scikit-learn has it: over the classes that occur in the truth or in the guesses.
fn macro_f1(truth: &[u32], guesses: &[Option<u32>], counts: &[u32], classes: usize) -> f64 {
    let present: Vec<f64> = f1_of_classes(truth, guesses, counts, classes).into_iter().flatten().collect();
    if present.is_empty() { 0.0 } else { present.iter().sum::<f64>() / present.len() as f64 }
}

/// The harmonic mean of precision and recall of every class; nothing for one that neither occurred nor was guessed. Each item counts as often as its count says.
pub fn f1_of_classes(truth: &[u32], guesses: &[Option<u32>], counts: &[u32], classes: usize) -> Vec<Option<f64>> {
    let mut tallies = vec![[0_u64; 3]; classes]; // hits, occurrences, guesses
    for ((truth, guess), count) in truth.iter().zip(guesses).zip(counts) {
        let count = u64::from(*count);
        tallies[*truth as usize][1] += count;
        if let Some(guess) = guess {
            tallies[*guess as usize][2] += count;
            tallies[*truth as usize][0] += if guess == truth { count } else { 0 };
        }
    }
    let f1 = |[hits, occurrences, guesses]: &[u64; 3]| {
        let either = occurrences + guesses;
        (either > 0).then(|| 2.0 * *hits as f64 / either as f64)
    };
    tallies.iter().map(f1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(truth: &[u32], guesses: &[u32], learned: &[usize]) -> Judged {
        let one_hot = |guess: &u32| (0..learned.len() as u32).map(|c| f32::from(u8::from(c == *guess))).collect();
        Judged {
            truth: truth.to_vec(),
            scores: guesses.iter().map(one_hot).collect(),
            sure_from: f32::NEG_INFINITY,
            learned: learned.to_vec(),
        }
    }

    #[test]
    fn measures_by_hand() {
        // Truth 0 0 1 2, guesses 0 1 1 0: two hits. F1: class 0: 2*1/(2+2) = 1/2; class 1: 2*1/(1+2) = 2/3; class 2: 0. Mean 7/18.
        let measures = judged(&[0, 0, 1, 2], &[0, 1, 1, 0], &[5, 1, 1]).measure().unwrap();
        assert_eq!(measures.accuracy.value, 0.5);
        assert!((measures.macro_f1.value - 7.0 / 18.0).abs() < 1e-12);
        assert_eq!(measures.top5.value, 1.0, "there are only three");
        // Always class 0: half of the items; F1 2*2/(2+4) = 2/3 for class 0 and 0 for the others.
        assert_eq!(measures.chance, 0.5);
        assert!((measures.chance_macro_f1 - 2.0 / 9.0).abs() < 1e-12);
        // Class 0: positives 1, 0; negatives 0, 1: 1/2. Class 1: positive 1; negatives 0, 1, 0: 5/6. Class 2: 0; 1/2 of the ties.. by hand 1/2.
        assert!((measures.auc.unwrap().value - (0.5 + 5.0 / 6.0 + 0.5) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn not_knowing_is_not_a_hit() {
        let mut unsure = judged(&[0, 1], &[0, 1], &[1, 1]);
        unsure.sure_from = 2.0;
        let measures = unsure.measure().unwrap();
        assert_eq!((measures.accuracy.value, measures.answered, measures.macro_f1.value), (0.0, 0.0, 0.0));
    }

    #[test]
    fn one_class_in_the_test_has_no_area_and_no_items_have_no_measures() {
        assert!(judged(&[1, 1], &[0, 1], &[1, 1]).measure().unwrap().auc.is_none());
        assert!(judged(&[], &[], &[1, 1]).measure().is_none());
    }
}
