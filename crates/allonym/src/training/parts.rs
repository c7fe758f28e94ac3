//! Which records a model is trained on, chosen by and tested with.

use allonym_dp::PrivacyRng;

/// How much of the records is not trained on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// What chooses the best state.
    pub validation: f64,
    /// What is left for tests.
    pub test: f64,
}

impl Shares {
    /// 70/10/20, as in the papers.
    pub const USUAL: Self = Self { validation: 0.1, test: 0.2 };
    /// For a large corpus of which as much as possible is to be learned.
    pub const FEW: Self = Self { validation: 0.01, test: 0.01 };
}

/// Places of records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Most are trained on.
    pub training: Vec<usize>,
    /// Some choose the best state.
    pub validation: Vec<usize>,
    /// Some are left for tests.
    pub test: Vec<usize>,
}

impl Parts {
    /// Everything is trained on. Private training needs that: a record that comes or goes would change who is in which part of a split, and so far more than one
    /// record of what is trained on, and the price is that of one.
    pub fn whole(records: usize) -> Self {
        Self { training: (0..records).collect(), ..Self::default() }
    }

    /// Splits 70/10/20 by record, and so that every author has that share in each part where authors are known.
    pub fn of(records: usize, authors: Option<&[Option<String>]>, seed: u64) -> Self {
        Self::by_shares(records, authors, Shares::USUAL, seed)
    }

    /// The same with other shares.
    pub fn by_shares(records: usize, authors: Option<&[Option<String>]>, shares: Shares, seed: u64) -> Self {
        let mut groups: std::collections::BTreeMap<&str, Vec<usize>> = Default::default();
        for record in 0..records {
            let author = authors.and_then(|authors| authors.get(record)?.as_deref()).unwrap_or_default();
            groups.entry(author).or_default().push(record);
        }
        let mut rng = PrivacyRng::reproducible(seed);
        let mut parts = Self::default();
        // Authors with few records would otherwise all round the same way: what is left of one is owed to the next. The second part begins in
        // between, so that both are not always due at once where every author has one record.
        let mut owed = [0.0, 0.35];
        for mut records in groups.into_values() {
            rng.shuffle(&mut records);
            let mut take = |part: usize, share: f64, left: usize| take_from(&mut owed[part], share, left);
            let count = records.len();
            let test = take(0, shares.test * count as f64, count);
            let validation = take(1, shares.validation * count as f64, count - test);
            parts.test.extend(&records[..test]);
            parts.validation.extend(&records[test..test + validation]);
            parts.training.extend(&records[test + validation..]);
        }
        for part in [&mut parts.training, &mut parts.validation, &mut parts.test] {
            part.sort_unstable();
        }
        parts
    }
}

/// Whole records of a share, with what earlier ones left over, as far as there are any.
fn take_from(owed: &mut f64, share: f64, left: usize) -> usize {
    *owed += share;
    let taken = ((*owed + 1e-9).floor().max(0.0) as usize).min(left);
    *owed -= taken as f64;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_author_is_split_seven_one_two() {
        let authors: Vec<Option<String>> = (0..200).map(|i| Some(format!("a{}", i % 10))).collect();
        let parts = Parts::of(200, Some(&authors), 1);
        assert_eq!((parts.training.len(), parts.validation.len(), parts.test.len()), (140, 20, 40));
        for author in 0..10 {
            let of = |part: &[usize]| part.iter().filter(|record| *record % 10 == author).count();
            assert_eq!((of(&parts.training), of(&parts.validation), of(&parts.test)), (14, 2, 4));
        }
        let mut all = [parts.training, parts.validation, parts.test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
    }

    #[test]
    fn authors_of_a_single_record_fill_all_parts_too() {
        let authors: Vec<Option<String>> = (0..100).map(|i| Some(format!("a{i}"))).collect();
        let parts = Parts::of(100, Some(&authors), 1);
        assert_eq!((parts.training.len(), parts.validation.len(), parts.test.len()), (70, 10, 20));
        assert_eq!(Parts::of(100, None, 1).test.len(), 20);
        assert_ne!(Parts::of(100, None, 1), Parts::of(100, None, 2));
    }
}
