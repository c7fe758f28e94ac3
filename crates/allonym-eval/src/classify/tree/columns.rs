//! The numbers of some rows column by column, each column sorted once: what is split off keeps its order.

use crate::features::Sparse;
use rayon::prelude::*;

/// Numbers that are not zero, the smallest of each column first. Columns without any are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    names: Vec<u32>,
    /// Where each column begins; and the end.
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Columns {
    pub(super) fn of(rows: &Sparse) -> Self {
        let mut starts = vec![0_usize; rows.width() + 1];
        let counted = |value: f32| value != 0.0 && !value.is_nan();
        for row in 0..rows.rows() {
            for (column, value) in rows.row(row).iter() {
                starts[column + 1] += usize::from(counted(value));
            }
        }
        (0..rows.width()).for_each(|column| starts[column + 1] += starts[column]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); starts[rows.width()]];
        for row in 0..rows.rows() {
            for (column, value) in rows.row(row).iter().filter(|(_, value)| counted(*value)) {
                entries[next[column]] = (row as u32, value);
                next[column] += 1;
            }
        }
        let mut rest: &mut [(u32, f32)] = &mut entries;
        let mut parts = Vec::with_capacity(rows.width());
        for bounds in starts.windows(2) {
            let (part, after) = rest.split_at_mut(bounds[1] - bounds[0]);
            parts.push(part);
            rest = after;
        }
        parts.into_par_iter().for_each(|part| part.sort_by(|a, b| a.1.total_cmp(&b.1)));
        let names: Vec<u32> =
            (0..rows.width() as u32).filter(|c| starts[*c as usize] < starts[*c as usize + 1]).collect();
        starts.dedup();
        Self { names, starts, entries }
    }

    /// How many columns there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// A column's name and its numbers with their rows.
    pub(super) fn column(&self, place: usize) -> (u32, &[(u32, f32)]) {
        (self.names[place], &self.entries[self.starts[place]..self.starts[place + 1]])
    }

    /// The numbers of a column by name.
    pub(super) fn named(&self, name: u32) -> &[(u32, f32)] {
        self.names.binary_search(&name).map_or(&[], |place| self.column(place).1)
    }

    /// Only some of the rows.
    pub(super) fn part(&self, has: impl Fn(u32) -> bool) -> Self {
        let mut part = Self { names: Vec::new(), starts: vec![0], entries: Vec::new() };
        for place in 0..self.len() {
            let (name, entries) = self.column(place);
            part.entries.extend(entries.iter().filter(|(row, _)| has(*row)));
            if part.starts.last() != Some(&part.entries.len()) {
                part.names.push(name);
                part.starts.push(part.entries.len());
            }
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_sorted_and_parts_keep_their_order() {
        let mut rows = Sparse::new(4);
        rows.push([(1, 3.0), (3, 1.0)]);
        rows.push([(1, -1.0)]);
        rows.push([(1, 2.0), (2, 0.0), (3, 5.0)]);
        let columns = Columns::of(&rows);
        assert_eq!(columns.len(), 2);
        assert_eq!(columns.named(1), [(1, -1.0), (2, 2.0), (0, 3.0)]);
        let part = columns.part(|row| row != 2);
        assert_eq!((part.named(1), part.named(3)), ([(1, -1.0), (0, 3.0)].as_slice(), [(0, 1.0)].as_slice()));
        assert_eq!(columns.part(|row| row == 1).len(), 1);
        assert!(part.named(2).is_empty());
    }
}
