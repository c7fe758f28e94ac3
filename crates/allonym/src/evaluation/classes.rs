//! Columns as classes: authors, labels, attributes.

use crate::failure::Failure;
use std::collections::{BTreeMap, HashMap};

/// The class of each record that has one.
pub(super) struct Classes {
    /// Places of records that have a class.
    pub(super) records: Vec<usize>,
    /// Their classes.
    pub(super) of_records: Vec<u32>,
    /// How many classes there are.
    pub(super) count: usize,
    /// Records without one.
    pub(super) missing: usize,
}

impl Classes {
    /// From the values of a column at some records; `most` keeps the classes with most records.
    pub(super) fn of(values: &[Option<String>], records: &[usize], most: Option<usize>) -> Self {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for record in records {
            if let Some(value) = &values[*record] {
                *sizes.entry(value).or_default() += 1;
            }
        }
        // The order of the names decides between classes of the same size.
        let mut kept: Vec<(&str, usize)> = sizes.into_iter().collect();
        kept.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
        kept.truncate(most.unwrap_or(usize::MAX));
        let numbers: HashMap<&str, u32> = kept.iter().enumerate().map(|(n, (name, _))| (*name, n as u32)).collect();
        let (mut used, mut of_records, mut missing) = (Vec::new(), Vec::new(), 0);
        for record in records {
            match &values[*record] {
                None => missing += 1,
                Some(value) => {
                    if let Some(class) = numbers.get(value.as_str()) {
                        used.push(*record);
                        of_records.push(*class);
                    }
                }
            }
        }
        Self { records: used, of_records, count: numbers.len(), missing }
    }

    /// Two classes are needed to tell anything apart.
    pub(super) fn at_least_two(&self, column: &str) -> Result<(), Failure> {
        if self.count < 2 {
            let message = format!("the column `{column}` has {} value; an attack needs two", self.count);
            return Err(Failure::new(message, "give texts of several authors"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_classes_are_kept_and_records_without_one_are_counted() {
        let values: Vec<Option<String>> = ["b", "a", "", "b", "c", "c", "b"]
            .iter()
            .map(|v| Some((*v).to_owned()).filter(|v| !v.is_empty()))
            .collect();
        let classes = Classes::of(&values, &[0, 1, 2, 3, 4, 5, 6], Some(2));
        assert_eq!((classes.count, classes.missing), (2, 1));
        assert_eq!((classes.records, classes.of_records), (vec![0, 3, 4, 5, 6], vec![0, 0, 1, 1, 0]));
        assert!(Classes::of(&values, &[0, 3], None).at_least_two("author").is_err());
    }
}
