//! Large pieces of memory that are used again.
//!
//! A training step needs the same few hundred megabytes as the step before. Given back to the system and asked for again, every page of
//! them costs a fault, which was a tenth of a step. So a buffer that is no longer needed goes to a shelf, and the next one of about its size is
//! taken from there. What lies on the shelf is given back before more is asked for: there is never more than was once in use.

use crate::real::Real;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Smaller ones are left to the allocator, which keeps them at hand by itself.
const LARGE: usize = 16 << 10;

/// Numbers in memory that is used again when they are dropped.
#[derive(Debug)]
pub struct Buffer<T: Real> {
    values: Vec<T>,
    /// Whether it came from the shelf. Others do not go there: nothing was given back for them, and the shelf would only grow.
    borrowed: bool,
}

impl<T: Real> Buffer<T> {
    /// So many zeros.
    pub fn zeros(count: usize) -> Self {
        if count < LARGE {
            return vec![T::ZERO; count].into();
        }
        // Written, not asked of the system as zeros: those are one page, of which the first write to each makes a copy.
        let mut values = T::shelf().take(count);
        values.resize(count, T::ZERO);
        Self { values, borrowed: true }
    }

    /// The numbers, which then are the caller's to drop.
    pub fn into_values(mut self) -> Vec<T> {
        std::mem::take(&mut self.values)
    }
}

impl<T: Real> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.borrowed && self.values.capacity() >= LARGE {
            T::shelf().put(std::mem::take(&mut self.values));
        }
    }
}

impl<T: Real> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<T: Real> Default for Buffer<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: Real> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        if self.len() < LARGE {
            return self.values.clone().into();
        }
        let mut values = T::shelf().take(self.len());
        values.extend_from_slice(self);
        Self { values, borrowed: true }
    }
}

impl<T: Real> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self { values, borrowed: false }
    }
}

impl<T: Real> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Real> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<'a, T: Real> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Buffers that wait to be used again, the smallest first.
#[derive(Debug)]
pub struct Shelf<T>(Mutex<Vec<Vec<T>>>);

impl<T> Shelf<T> {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// An empty vector with room for so many.
    fn take(&self, count: usize) -> Vec<T> {
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut place = shelf.partition_point(|buffer| buffer.capacity() < count);
        // One that is much too large is better kept for what needs it.
        if shelf.get(place).is_some_and(|buffer| buffer.capacity() <= count + count / 2) {
            return shelf.remove(place);
        }
        let mut returned = 0;
        while returned < count && !shelf.is_empty() {
            // The largest of those that are too small; when there are none, the smallest.
            place = place.saturating_sub(1);
            returned += shelf.remove(place).capacity();
        }
        drop(shelf);
        Vec::with_capacity(count)
    }

    fn put(&self, mut buffer: Vec<T>) {
        buffer.clear();
        let mut shelf = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = shelf.partition_point(|other| other.capacity() < buffer.capacity());
        shelf.insert(place, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(shelf: &Shelf<f32>) -> Vec<usize> {
        shelf.0.lock().unwrap().iter().map(Vec::capacity).collect()
    }

    #[test]
    fn a_buffer_of_about_the_size_is_used_again_and_is_empty() {
        let shelf = Shelf::new();
        shelf.put(vec![1.0_f32; 100]);
        shelf.put(vec![1.0; 300]);
        let taken = shelf.take(90);
        assert_eq!((taken.len(), taken.capacity(), on(&shelf)), (0, 100, vec![300]));
        shelf.put(taken);
        assert_eq!(on(&shelf), [100, 300]);
    }

    #[test]
    fn what_is_asked_of_the_system_was_given_back_before() {
        let shelf = Shelf::new();
        for size in [100, 120, 900] {
            shelf.put(vec![1.0_f32; size]);
        }
        // None has 200 to 300: 120 and 100 go back.
        assert!(shelf.take(200).capacity() >= 200);
        assert_eq!(on(&shelf), [900]);
        // The last one is too large, and goes.
        shelf.take(10);
        assert!(on(&shelf).is_empty());
    }

    #[test]
    fn what_did_not_come_from_the_shelf_does_not_go_there() {
        // No other test has 64-bit buffers of this size.
        let size = 77 * LARGE;
        let there = || f64::shelf().0.lock().unwrap().iter().filter(|buffer| buffer.capacity() >= size).count();
        drop(Buffer::from(vec![1.0_f64; size]));
        assert_eq!(there(), 0);
        drop(Buffer::<f64>::zeros(size));
        assert_eq!(there(), 1);
    }

    #[test]
    fn a_buffer_of_zeros_has_nothing_of_the_one_before() {
        let mut buffer = Buffer::<f64>::zeros(LARGE + 1);
        buffer.fill(3.0);
        drop(buffer);
        assert!(Buffer::<f64>::zeros(LARGE + 1).iter().all(|value| *value == 0.0));
    }
}
