//! A matrix of numbers, row by row, and views of parts of one.

use crate::buffer::Buffer;
use crate::real::Real;

/// A matrix that owns its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix<T: Real> {
    rows: usize,
    columns: usize,
    values: Buffer<T>,
}

impl<T: Real> Matrix<T> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, values: Buffer::zeros(rows * columns) }
    }

    /// A matrix of the given numbers, row by row.
    ///
    /// # Panics
    /// When there are not `rows * columns` of them.
    pub fn of(rows: usize, columns: usize, values: Vec<T>) -> Self {
        assert_eq!(values.len(), rows * columns, "a matrix of {rows} x {columns}");
        Self { rows, columns, values: values.into() }
    }

    /// A matrix whose rows are all the same.
    pub fn of_rows(rows: usize, row: &[T]) -> Self {
        let mut matrix = Self::zeros(rows, row.len());
        matrix.values_mut().chunks_exact_mut(row.len().max(1)).for_each(|place| place.copy_from_slice(row));
        matrix
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All numbers, row by row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// All numbers, for a change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// All numbers, row by row.
    pub fn into_values(self) -> Vec<T> {
        self.values.into_values()
    }

    /// Some columns of every row, as a matrix of their own.
    pub fn of_columns(&self, columns: std::ops::Range<usize>) -> Self {
        let values = (0..self.rows).flat_map(|row| &self.row(row)[columns.clone()]).copied().collect();
        Self::of(self.rows, columns.len(), values)
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// A row, for a change.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// The whole matrix as a view.
    pub fn view(&self) -> View<'_, T> {
        View::of(&self.values, self.rows, self.columns)
    }

    /// The whole matrix as a view that may be written.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::of(&mut self.values, self.rows, self.columns)
    }

    /// The first number that is infinite or none, by row and column.
    pub fn first_not_finite(&self) -> Option<(usize, usize)> {
        let place = self.values.iter().position(|value| !value.is_finite())?;
        Some((place / self.columns, place % self.columns))
    }
}

/// A part of a matrix, perhaps transposed.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_step: usize,
    pub(crate) column_step: usize,
}

impl<'a, T: Real> View<'a, T> {
    /// Numbers that stand row by row.
    ///
    /// # Panics
    /// When there are not `rows * columns` of them.
    pub fn of(values: &'a [T], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a view of {rows} x {columns}");
        Self { values, rows, columns, row_step: columns, column_step: 1 }
    }

    /// Rows become columns. Nothing is moved.
    #[must_use]
    pub fn transposed(self) -> Self {
        let Self { values, rows, columns, row_step, column_step } = self;
        Self { values, rows: columns, columns: rows, row_step: column_step, column_step: row_step }
    }

    /// Some of the rows.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn rows(self, rows: std::ops::Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        let values = if rows.is_empty() { &[] } else { &self.values[rows.start * self.row_step..] };
        Self { values, rows: rows.len(), ..self }
    }

    /// Some of the columns.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn columns(self, columns: std::ops::Range<usize>) -> Self {
        self.transposed().rows(columns).transposed()
    }
}

/// A part of a matrix that may be written; its rows are contiguous.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    pub(crate) values: &'a mut [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_step: usize,
}

impl<'a, T: Real> ViewMut<'a, T> {
    /// Numbers that stand row by row.
    ///
    /// # Panics
    /// When there are not `rows * columns` of them.
    pub fn of(values: &'a mut [T], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a view of {rows} x {columns}");
        Self { values, rows, columns, row_step: columns }
    }

    /// Some of the columns.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn columns(self, columns: std::ops::Range<usize>) -> Self {
        assert!(columns.start <= columns.end && columns.end <= self.columns);
        let values = if self.rows == 0 { &mut [] } else { &mut self.values[columns.start..] };
        Self { values, rows: self.rows, columns: columns.len(), row_step: self.row_step }
    }
}
