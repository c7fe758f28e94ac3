//! Columns that are told from texts: which records count, and how they are divided.

use super::classes::Classes;
use super::run::Run;
use crate::failure::Failure;
use allonym_eval::attack::Split;
use std::collections::HashSet;

/// A column to be told from texts, at the records that have it and that are lined up.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) classes: Classes,
    pub(super) split: Split,
}

impl Target {
    /// The texts of the records that count.
    pub(super) fn of<'a>(&self, texts: &[&'a str]) -> Vec<&'a str> {
        self.classes.records.iter().map(|record| texts[*record]).collect()
    }
}

impl Run<'_> {
    /// A column of the originals, divided so that every class is learned.
    pub(super) fn target(
        &mut self,
        column: &str,
        records: &[usize],
        most: Option<usize>,
    ) -> Result<Option<Target>, Failure> {
        let Some(classes) = self.classes(column, records, most)? else { return Ok(None) };
        let split = Split::by_class(&classes.of_records, self.plan.test_share, self.plan.seed)?;
        Ok(Some(Target { name: column.to_owned(), classes, split }))
    }

    /// A column that says something about the author: nobody is on both sides, or the attack would only know them again.
    pub(super) fn attribute(&mut self, column: &str, records: &[usize]) -> Result<Option<Target>, Failure> {
        let Some(classes) = self.classes(column, records, None)? else { return Ok(None) };
        let Some(authors) = self.original.column(&self.plan.author_column.0) else {
            let split = Split::by_class(&classes.of_records, self.plan.test_share, self.plan.seed)?;
            return Ok(Some(Target { name: column.to_owned(), classes, split }));
        };
        // Somebody who is not named may be on both sides: left out.
        let authors = Classes::of(authors, &classes.records, None);
        let named: HashSet<usize> = authors.records.iter().copied().collect();
        let kept = classes.records.iter().zip(&classes.of_records).filter(|(record, _)| named.contains(*record));
        let (records, of_records): (Vec<usize>, Vec<u32>) = kept.map(|(record, class)| (*record, *class)).unzip();
        let classes = Classes { records, of_records, ..classes };
        if authors.count < 2 {
            self.remark(format!("`{column}` was not attacked: a single author has it."));
            return Ok(None);
        }
        let mut split = Split::by_group(&authors.of_records, self.plan.test_share, self.plan.seed)?;
        // What nobody of those that are learned from has cannot be learned.
        let learned: HashSet<u32> = split.learn.iter().map(|place| classes.of_records[*place]).collect();
        let tested = split.test.len();
        split.test.retain(|place| learned.contains(&classes.of_records[*place]));
        if split.test.is_empty() || learned.len() < 2 {
            let why = "its values are those of single authors, so it says what attribution says";
            self.remark(format!("`{column}` was not attacked: {why}."));
            return Ok(None);
        }
        if split.test.len() < tested {
            let left_out = tested - split.test.len();
            self.remark(format!(
                "{left_out} tested records have a `{column}` that no learned author has, and were left out."
            ));
        }
        Ok(Some(Target { name: column.to_owned(), classes, split }))
    }

    /// The label, if there is one that can be learned. Only one that the user named must be.
    pub(super) fn label(&mut self, records: &[usize]) -> Result<Option<Target>, Failure> {
        let (column, named) = &self.plan.label_column;
        match self.target(column, records, None) {
            Err(failure) if !named => {
                self.remark(format!("The label was not measured: {}.", failure.message));
                Ok(None)
            }
            found => found,
        }
    }

    fn classes(&mut self, column: &str, records: &[usize], most: Option<usize>) -> Result<Option<Classes>, Failure> {
        let Some(values) = self.original.column(column) else { return Ok(None) };
        let classes = Classes::of(values, records, most);
        classes.at_least_two(column)?;
        if classes.missing > 0 {
            let (missing, all) = (classes.missing, records.len());
            self.remark(format!("{missing} of {all} records have no `{column}` and were left out where it counts."));
        }
        Ok(Some(classes))
    }
}
