//! Which records are learned from, and which are tested.

use crate::error::EvalError;
use allonym_dp::PrivacyRng;

/// Places of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Learned from.
    pub learn: Vec<usize>,
    /// Tested.
    pub test: Vec<usize>,
    /// Classes with a single record: they are learned, and cannot be tested.
    pub single: usize,
}

impl Split {
    /// A share of the records of every class is tested, at least one where a class has two. The same seed gives the same parts.
    ///
    /// # Errors
    /// When nothing is left to test: every class has one record.
    pub fn by_class(classes: &[u32], test_share: f64, seed: u64) -> Result<Self, EvalError> {
        check_share(test_share)?;
        let mut split = Self { learn: Vec::new(), test: Vec::new(), single: 0 };
        // One stream for all: with one each, every author's text of the same place would be tested, and that may be one subject.
        let mut rng = PrivacyRng::reproducible(seed);
        for mut records in groups(classes) {
            rng.shuffle(&mut records);
            let most = records.len().saturating_sub(1);
            let tested = ((records.len() as f64 * test_share).round() as usize).clamp(1.min(most), most);
            split.single += usize::from(records.len() == 1);
            let (test, learn) = records.split_at(tested);
            split.test.extend(test);
            split.learn.extend(learn);
        }
        split.finish()
    }

    /// A share of the groups is tested, whole: no group is on both sides.
    ///
    /// # Errors
    /// When there are fewer than two groups.
    pub fn by_group(of_records: &[u32], test_share: f64, seed: u64) -> Result<Self, EvalError> {
        check_share(test_share)?;
        let mut all = groups(of_records);
        PrivacyRng::reproducible(seed).shuffle(&mut all);
        let most = all.len().saturating_sub(1);
        let tested = ((all.len() as f64 * test_share).round() as usize).clamp(1.min(most), most);
        let learn = all.split_off(tested);
        Self { learn: learn.concat(), test: all.concat(), single: 0 }.finish()
    }

    fn finish(mut self) -> Result<Self, EvalError> {
        if self.test.is_empty() {
            return Err(EvalError::NothingToTest);
        }
        self.learn.sort_unstable();
        self.test.sort_unstable();
        Ok(self)
    }
}

fn check_share(share: f64) -> Result<(), EvalError> {
    match share > 0.0 && share < 1.0 {
        true => Ok(()),
        false => {
            Err(EvalError::Setting { setting: "test share", value: share.to_string(), allowed: "between 0 and 1" })
        }
    }
}

/// The records of every group that has any, in the order of the groups.
pub(crate) fn groups(of_records: &[u32]) -> Vec<Vec<usize>> {
    let count = of_records.iter().max().map_or(0, |most| *most as usize + 1);
    let mut groups = vec![Vec::new(); count];
    of_records.iter().enumerate().for_each(|(record, group)| groups[*group as usize].push(record));
    groups.retain(|group| !group.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_learned_and_those_with_two_records_are_tested() {
        let classes = [0, 0, 0, 0, 0, 1, 1, 2];
        let split = Split::by_class(&classes, 0.2, 1).unwrap();
        assert_eq!((split.test.len(), split.single), (2, 1));
        let of = |places: &[usize]| places.iter().map(|place| classes[*place]).collect::<Vec<_>>();
        assert_eq!(of(&split.test), [0, 1]);
        assert_eq!(of(&split.learn), [0, 0, 0, 0, 1, 2]);
        assert_eq!(split, Split::by_class(&classes, 0.2, 1).unwrap());
    }

    #[test]
    fn authors_are_not_all_tested_at_the_same_place() {
        let classes: Vec<u32> = (0..50).map(|record| record / 5).collect();
        let split = Split::by_class(&classes, 0.2, 1).unwrap();
        let places: std::collections::HashSet<usize> = split.test.iter().map(|record| record % 5).collect();
        assert!(split.test.len() == 10 && places.len() > 2, "{:?}", split.test);
    }

    #[test]
    fn a_group_is_on_one_side() {
        let groups: Vec<u32> = (0..100).map(|i| i % 10).collect();
        let split = Split::by_group(&groups, 0.3, 5).unwrap();
        assert_eq!((split.learn.len(), split.test.len()), (70, 30));
        assert!(split.test.iter().all(|test| split.learn.iter().all(|learn| groups[*learn] != groups[*test])));
    }

    #[test]
    fn nothing_to_test_is_an_error() {
        assert!(matches!(Split::by_class(&[0, 1, 2], 0.2, 1), Err(EvalError::NothingToTest)));
        assert!(matches!(Split::by_group(&[0, 0], 0.5, 1), Err(EvalError::NothingToTest)));
        assert!(matches!(Split::by_class(&[0, 0], 1.0, 1), Err(EvalError::Setting { .. })));
    }
}
