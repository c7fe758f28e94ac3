//! Any attacker, with probabilities for scores.
//!
//! What an attacker says of texts that it learned from is too good. So it learns three times from two thirds, judges the third that it has
//! not seen, and sigmoids are fitted to that; then it learns from everything.

use super::{Attacker, Learned, Reason};
use crate::attack::Classed;
use crate::classify::Sigmoids;
use crate::error::EvalError;
use allonym_dp::PrivacyRng;

/// In how many parts texts are judged.
const FOLDS: usize = 3;

/// An attacker whose scores are probabilities that sum to 1.
#[derive(Clone, Copy)]
pub struct Calibrated<'a> {
    attacker: &'a dyn Attacker,
    seed: u64,
}

impl<'a> Calibrated<'a> {
    /// Calibrates an attacker; the seed decides which texts are judged together.
    pub fn new(attacker: &'a dyn Attacker, seed: u64) -> Self {
        Self { attacker, seed }
    }

    /// For each text the fold in which it is judged. Every class has its texts in as many folds as it can; the single text of a class is
    /// never judged, because nobody could know the class then.
    fn folds(&self, classes: &[u32], count: usize) -> Vec<Option<usize>> {
        let mut places: Vec<usize> = (0..classes.len()).collect();
        PrivacyRng::reproducible(self.seed).shuffle(&mut places);
        let mut texts = vec![0_usize; count];
        classes.iter().for_each(|class| texts[*class as usize] += 1);
        // Each class begins where the one before ended, so that folds are of one size.
        let mut next = vec![0; count];
        for class in 1..count {
            next[class] = (next[class - 1] + texts[class - 1]) % FOLDS;
        }
        let mut folds = vec![None; classes.len()];
        for place in places {
            let class = classes[place] as usize;
            if texts[class] > 1 {
                folds[place] = Some(next[class]);
                next[class] = (next[class] + 1) % FOLDS;
            }
        }
        folds
    }
}

impl Attacker for Calibrated<'_> {
    fn name(&self) -> &'static str {
        self.attacker.name()
    }

    fn about(&self) -> &'static str {
        self.attacker.about()
    }

    /// # Errors
    /// Also when every class has a single text.
    fn learn(&self, texts: &[&str], classes: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
        if texts.len() != classes.len() {
            return Err(EvalError::Labels { rows: texts.len(), labels: classes.len() });
        }
        let all = Classed { texts, classes, count };
        let folds = self.folds(classes, count);
        let (mut scores, mut truths) = (Vec::new(), Vec::new());
        for fold in 0..FOLDS {
            let places = |held: bool| -> Vec<usize> {
                (0..texts.len()).filter(|place| (folds[*place] == Some(fold)) == held).collect()
            };
            let (held, of_held) = all.part(&places(true));
            if held.is_empty() {
                continue;
            }
            let (rest, of_rest) = all.part(&places(false));
            scores.extend(self.attacker.learn(&rest, &of_rest, count)?.scores(&held)?);
            truths.extend(of_held);
        }
        if truths.is_empty() {
            return Err(EvalError::NothingToTest);
        }
        let sigmoids = Sigmoids::fit(&scores, &truths)?;
        let mut seen = vec![false; count];
        classes.iter().for_each(|class| seen[*class as usize] = true);
        Ok(Box::new(LearnedCalibrated { learned: self.attacker.learn(texts, classes, count)?, sigmoids, seen }))
    }
}

struct LearnedCalibrated {
    learned: Box<dyn Learned>,
    sigmoids: Sigmoids,
    seen: Vec<bool>,
}

impl LearnedCalibrated {
    /// The probability of each class for someone who knows nothing.
    fn equal(&self) -> f32 {
        1.0 / self.seen.iter().filter(|seen| **seen).count() as f32
    }
}

impl Learned for LearnedCalibrated {
    /// Who does not know holds all classes for equally likely.
    fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
        let (sure_from, equal) = (self.learned.sure_from(), self.equal());
        let probabilities = |scores: Vec<f32>| match scores.iter().any(|score| *score >= sure_from) {
            true => self.sigmoids.probabilities(&scores),
            false => self.seen.iter().map(|seen| if *seen { equal } else { 0.0 }).collect(),
        };
        Ok(self.learned.scores(texts)?.into_iter().map(probabilities).collect())
    }

    fn sure_from(&self) -> f32 {
        match self.learned.sure_from() == f32::NEG_INFINITY {
            true => f32::NEG_INFINITY,
            false => self.equal().next_up(),
        }
    }

    fn reasons(&self, text: &str, class: u32) -> Vec<Reason> {
        self.learned.reasons(text, class)
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;
    use crate::classify::largest;

    /// Knows a class by its number in the text, and nothing when there is none.
    struct Reader;
    struct HasRead(usize);

    impl Attacker for Reader {
        fn name(&self) -> &'static str {
            "reader"
        }
        fn about(&self) -> &'static str {
            "reads the number"
        }
        fn learn(&self, _: &[&str], _: &[u32], count: usize) -> Result<Box<dyn Learned>, EvalError> {
            Ok(Box::new(HasRead(count)))
        }
    }

    impl Learned for HasRead {
        fn scores(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EvalError> {
            let of = |text: &&str| {
                (0..self.0).map(|class| f32::from(u8::from(text.parse() == Ok(class))) * 10.0 - 5.0).collect()
            };
            Ok(texts.iter().map(of).collect())
        }
        fn sure_from(&self) -> f32 {
            0.0
        }
    }

    #[test]
    fn probabilities_sum_to_one_and_keep_the_guess() {
        let texts: Vec<String> = (0..60).map(|i| format!("{} number {i}", ["red", "blue", "green"][i % 3])).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..60).map(|i| [0, 2, 3][i % 3]).collect();
        for name in ["char-svm", "naive-bayes"] {
            let attacker = Calibrated::new(find(name).unwrap(), 1);
            let learned = attacker.learn(&texts, &classes, 4).unwrap();
            let found = learned.scores(&["a red number", "blue", "", "more green"]).unwrap();
            for of_text in &found {
                assert!((of_text.iter().sum::<f32>() - 1.0).abs() < 1e-5 && of_text[1] == 0.0, "{name}: {of_text:?}");
            }
            assert_eq!((largest(&found[0]), largest(&found[1]), largest(&found[3])), (0, 2, 3), "{name}");
            // Twenty right answers of twenty stand for 21/22.
            assert!(found[1][2] > 0.8, "{name}: {found:?}");
        }
        let reasons =
            Calibrated::new(find("word-svm").unwrap(), 1).learn(&texts, &classes, 4).unwrap().reasons("red", 0);
        assert_eq!(reasons[0].feature, "red");
    }

    #[test]
    fn folds_are_of_one_size_and_every_class_is_in_all_it_can_be_in() {
        let classes = [0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3];
        let folds = Calibrated::new(&Reader, 7).folds(&classes, 4);
        assert_eq!(folds[6], None, "the only text of its class is always learned from");
        let of = |class: u32, fold: usize| (0..12).filter(|i| classes[*i] == class && folds[*i] == Some(fold)).count();
        assert!((0..3).all(|fold| of(0, fold) >= 1 && of(3, fold) >= 1));
        assert_eq!((0..3).map(|fold| of(1, fold)).max(), Some(1));
        let sizes: Vec<usize> = (0..3).map(|fold| folds.iter().filter(|f| **f == Some(fold)).count()).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        assert!(matches!(Calibrated::new(&Reader, 7).learn(&["0", "1"], &[0, 1], 2), Err(EvalError::NothingToTest)));
    }

    #[test]
    fn who_does_not_know_holds_all_classes_for_equally_likely() {
        let texts = ["0", "1", "2", "0", "1", "2", "0", "1", "2"];
        let learned = Calibrated::new(&Reader, 3).learn(&texts, &[0, 1, 2, 0, 1, 2, 0, 1, 2], 4).unwrap();
        let found = learned.scores(&["1", "?"]).unwrap();
        assert!(found[0][1] >= learned.sure_from());
        assert_eq!(found[1], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
        assert!(found[1].iter().all(|chance| *chance < learned.sure_from()));
    }
}
