//! Rows with few numbers that are not zero.

/// A matrix of which only the numbers that are not zero are kept, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    width: usize,
    /// Where each row begins; and the end.
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

/// A row: its columns, in order, and their values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// The columns, in order.
    pub columns: &'a [u32],
    /// Their values.
    pub values: &'a [f32],
}

impl Row<'_> {
    /// Columns with their values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> {
        self.columns.iter().map(|column| *column as usize).zip(self.values.iter().copied())
    }

    /// The sum of the squares of its values.
    pub fn square(&self) -> f32 {
        self.values.iter().map(|value| value * value).sum()
    }

    /// The sum of products with another row.
    pub fn dot(&self, other: &Row<'_>) -> f32 {
        let (mut a, mut b, mut sum) = (0, 0, 0.0);
        while a < self.columns.len() && b < other.columns.len() {
            match self.columns[a].cmp(&other.columns[b]) {
                std::cmp::Ordering::Less => a += 1,
                std::cmp::Ordering::Greater => b += 1,
                std::cmp::Ordering::Equal => {
                    sum += self.values[a] * other.values[b];
                    a += 1;
                    b += 1;
                }
            }
        }
        sum
    }
}

/// Scales numbers to length 1; zeros stay zeros.
pub(crate) fn to_unit_length(values: &mut [f32]) {
    let length = values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt() as f32;
    if length > 0.0 {
        values.iter_mut().for_each(|value| *value /= length);
    }
}

impl Sparse {
    /// No rows yet, of so many columns.
    pub fn new(width: usize) -> Self {
        Self { width, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Adds a row; its columns must be in order.
    ///
    /// # Panics
    /// When a column is not below the width or not in order.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f32)>) {
        let start = self.columns.len();
        for (column, value) in row {
            let fits = self.columns[start..].last().is_none_or(|last| *last < column) && (column as usize) < self.width;
            assert!(fits, "columns of a row in order");
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many numbers are not zero.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// A row.
    pub fn row(&self, row: usize) -> Row<'_> {
        let range = self.starts[row]..self.starts[row + 1];
        Row { columns: &self.columns[range.clone()], values: &self.values[range] }
    }

    /// Some of the rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::new(self.width);
        for row in rows {
            let row = self.row(*row);
            selected.columns.extend_from_slice(row.columns);
            selected.values.extend_from_slice(row.values);
            selected.starts.push(selected.columns.len());
        }
        selected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_given() {
        let mut matrix = Sparse::new(5);
        matrix.push([(1, 2.0), (4, 3.0)]);
        matrix.push([]);
        matrix.push([(0, 1.0), (4, 5.0)]);
        assert_eq!((matrix.rows(), matrix.entries()), (3, 4));
        assert_eq!(matrix.row(0).dot(&matrix.row(2)), 15.0);
        assert_eq!(matrix.row(0).square(), 13.0);
        assert_eq!(matrix.row(1).columns, [0_u32; 0]);
        assert_eq!(matrix.select(&[2, 0]).row(1), matrix.row(0));
    }

    #[test]
    #[should_panic(expected = "columns of a row in order")]
    fn columns_out_of_order_are_refused() {
        Sparse::new(5).push([(3, 1.0), (2, 1.0)]);
    }
}
