//! All trained numbers of a model, side by side in one array, each with a name.
//!
//! A layer holds [`Slot`]s, not numbers. Optimisers, clipping, noise and files then need no word about layers: nothing that is
//! trained can be forgotten, because everything that is trained is here.

use crate::error::NnError;
use crate::matrix::{View, ViewMut};
use crate::real::Real;
use allonym_dp::PrivacyRng;
use std::ops::Range;

/// The place of a parameter in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    pub(crate) index: usize,
    start: usize,
    rows: usize,
    columns: usize,
}

impl Slot {
    /// How many rows it has.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns it has.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// Its numbers among all of the store.
    pub fn range(self) -> Range<usize> {
        self.start..self.start + self.rows * self.columns
    }

    /// Its part of an array that is laid out as the store is: values, or gradients.
    pub fn of<T: Real>(self, all: &[T]) -> View<'_, T> {
        View::of(&all[self.range()], self.rows, self.columns)
    }

    /// The same, for a change.
    pub fn of_mut<T: Real>(self, all: &mut [T]) -> ViewMut<'_, T> {
        ViewMut::of(&mut all[self.range()], self.rows, self.columns)
    }
}

/// Random bits as a number from 0 to below 1, for beginnings and samples that protect nothing.
pub fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// The parameters of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Store<T> {
    names: Vec<String>,
    slots: Vec<Slot>,
    values: Vec<T>,
    /// Whether beginnings are left out, because a file has the numbers.
    awaits_file: bool,
}

impl<T: Real> Store<T> {
    /// An empty store.
    pub fn new() -> Self {
        Self { names: Vec::new(), slots: Vec::new(), values: Vec::new(), awaits_file: false }
    }

    /// An empty store whose parameters have no numbers yet, for those that are read from a file at once: drawing millions of numbers first takes longer
    /// than reading them.
    pub fn awaiting_file() -> Self {
        Self { awaits_file: true, ..Self::new() }
    }

    pub(crate) fn awaits_file(&self) -> bool {
        self.awaits_file
    }

    /// Adds a parameter whose numbers are drawn uniformly from -`bound` to `bound`.
    ///
    /// # Errors
    /// When the name is taken or the parameter has no numbers.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        rows: usize,
        columns: usize,
        bound: f64,
        rng: &mut PrivacyRng,
    ) -> Result<Slot, NnError> {
        let name = name.into();
        if rows == 0 || columns == 0 {
            return Err(NnError::shape(&name, "size", format!("{rows} x {columns}"), "at least 1 x 1"));
        }
        if self.names.contains(&name) {
            return Err(NnError::shape(&name, "name", "taken", "one of its own"));
        }
        let slot = Slot { index: self.slots.len(), start: self.numbers(), rows, columns };
        self.names.push(name);
        self.slots.push(slot);
        if !self.awaits_file {
            self.values.extend((0..rows * columns).map(|_| T::of(bound * (2.0 * unit(rng.bits()) - 1.0))));
        }
        Ok(slot)
    }

    /// How many numbers there are, or will be when they are read.
    pub(crate) fn numbers(&self) -> usize {
        self.slots.last().map_or(0, |slot| slot.range().end)
    }

    /// All numbers.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Replaces all numbers by as many others.
    pub(crate) fn replace(&mut self, values: Vec<T>) {
        assert_eq!(values.len(), self.numbers(), "as many numbers as before");
        (self.values, self.awaits_file) = (values, false);
    }

    /// Changes how some numbers begin. Those of a file begin as they are there.
    pub fn begin(&mut self, range: Range<usize>, change: impl FnOnce(&mut [T])) {
        if !self.awaits_file {
            change(&mut self.values[range]);
        }
    }

    /// All numbers, for a change.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// The numbers of one parameter.
    pub fn view(&self, slot: Slot) -> View<'_, T> {
        slot.of(&self.values)
    }

    /// The numbers of one parameter, row by row.
    pub fn slice(&self, slot: Slot) -> &[T] {
        &self.values[slot.range()]
    }

    /// Names and places of all parameters.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, Slot)> {
        self.names.iter().map(String::as_str).zip(self.slots.iter().copied())
    }

    /// The parameter that holds a place of the array, for messages.
    pub fn name_at(&self, place: usize) -> &str {
        self.parameters().find(|(_, slot)| slot.range().contains(&place)).map_or("nothing", |(name, _)| name)
    }

    /// The same parameters in another kind of number.
    pub fn converted<U: Real>(&self) -> Store<U> {
        let values = self.values.iter().map(|value| U::of(value.wide())).collect();
        Store { names: self.names.clone(), slots: self.slots.clone(), values, awaits_file: self.awaits_file }
    }
}
