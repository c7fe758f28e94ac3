//! RMSprop (Tieleman and Hinton 2012): gradients over the root of their running mean square.
//!
//! A row without a gradient stays where it is, and its mean square only decays. So rows that are seldom touched need no work until they are: what they
//! missed is made up for then, and the result is that of touching all rows always.

use crate::buffer::Buffer;
use crate::error::NnError;
use crate::real::Real;
use crate::vectorise::{scale, vectorised};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of RMSprop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RmsPropSettings {
    /// How fast the mean square forgets. Default 0.99.
    pub decay: f64,
    /// Added to the root of the mean square. Default 1e-8.
    pub epsilon: f64,
}

impl Default for RmsPropSettings {
    fn default() -> Self {
        Self { decay: 0.99, epsilon: 1e-8 }
    }
}

/// RMSprop for a matrix of parameters, whole or row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct RmsProp<T: Real> {
    settings: RmsPropSettings,
    columns: usize,
    steps: u64,
    squares: Buffer<T>,
    /// After which step each row was last touched.
    touched: Vec<u64>,
}

impl<T: Real> RmsProp<T> {
    /// For so many rows and columns.
    ///
    /// # Errors
    /// When a setting is out of range.
    pub fn new(rows: usize, columns: usize, settings: RmsPropSettings) -> Result<Self, NnError> {
        let RmsPropSettings { decay, epsilon } = settings;
        if !(0.0..1.0).contains(&decay) {
            let allowed = "at least 0 and below 1";
            return Err(NnError::Setting { setting: "decay", value: decay.to_string(), allowed });
        }
        if !(epsilon.is_finite() && epsilon > 0.0) {
            return Err(NnError::Setting { setting: "epsilon", value: epsilon.to_string(), allowed: "above 0" });
        }
        Ok(Self { settings, columns, steps: 0, squares: Buffer::zeros(rows * columns), touched: vec![0; rows] })
    }

    /// Moves all parameters.
    ///
    /// # Panics
    /// When the numbers of parameters differ.
    pub fn step(&mut self, parameters: &mut [T], gradients: &[T], rate: f64, threads: usize) {
        assert!(parameters.len() == self.squares.len() && gradients.len() == self.squares.len());
        (0..self.touched.len()).for_each(|row| self.make_up(row));
        self.steps += 1;
        self.touched.fill(self.steps);
        let factors = self.factors(rate);
        let part = parameters.len().div_ceil(threads.max(1)).max(1 << 16);
        parameters
            .par_chunks_mut(part)
            .zip(self.squares.par_chunks_mut(part))
            .zip(gradients.par_chunks(part))
            .for_each(|((parameters, squares), gradients)| descend(parameters, squares, gradients, factors));
    }

    /// Moves some rows, whose gradients stand one after the other; those of all others are zero.
    ///
    /// # Panics
    /// When the shapes do not fit, or a row comes twice.
    pub fn step_rows(&mut self, parameters: &mut [T], rows: &[usize], gradients: &[T], rate: f64) {
        let columns = self.columns;
        assert!(parameters.len() == self.squares.len() && gradients.len() == rows.len() * columns);
        rows.iter().for_each(|row| self.make_up(*row));
        self.steps += 1;
        let factors = self.factors(rate);
        for (row, gradients) in rows.iter().zip(gradients.chunks_exact(columns)) {
            assert!(self.touched[*row] < self.steps, "a row comes once");
            self.touched[*row] = self.steps;
            let place = row * columns..(row + 1) * columns;
            descend(&mut parameters[place.clone()], &mut self.squares[place], gradients, factors);
        }
    }

    /// Begins a step in which some rows are moved one by one: see [`Self::parts`] and [`Self::rows`].
    pub fn begin(&mut self) {
        self.steps += 1;
    }

    /// All rows in the step that was begun, in parts of so many rows that several threads may share.
    pub fn parts(&mut self, rate: f64, rows: usize) -> Vec<RmsPropRows<'_, T>> {
        let (settings, factors, steps, columns) = (self.settings, self.factors(rate), self.steps, self.columns);
        let squares = self.squares.chunks_mut(rows * columns);
        let of = |(squares, touched)| RmsPropRows { decay: settings.decay, factors, steps, columns, squares, touched };
        squares.zip(self.touched.chunks_mut(rows)).map(of).collect()
    }

    /// Some rows in the step that was begun, to be moved in parts: for each row the factors of the step, and its mean squares. Rows are in order, none comes twice.
    pub fn rows<'a>(&'a mut self, rows: &'a [usize], rate: f64) -> Vec<(Factors<T>, &'a mut [T])> {
        let columns = self.columns;
        let mut parts = self.parts(rate, usize::MAX / columns.max(1));
        let Some(RmsPropRows { decay, factors, steps, squares, touched, .. }) = parts.pop() else { return Vec::new() };
        let mut wanted = rows.iter().peekable();
        let row = |(row, (squares, touched)): (usize, (&'a mut [T], &mut u64))| {
            wanted.next_if(|wanted| **wanted == row)?;
            let factors = factors.after(decay, steps - std::mem::replace(touched, steps) - 1);
            Some((factors, squares))
        };
        squares.chunks_exact_mut(columns).zip(touched).enumerate().filter_map(row).collect()
    }

    /// Lets the mean squares of a row decay for the steps that it missed.
    fn make_up(&mut self, row: usize) {
        let missed = self.steps - self.touched[row];
        if missed > 0 {
            let factor = self.settings.decay.powf(missed as f64);
            scale(&mut self.squares[row * self.columns..(row + 1) * self.columns], T::of(factor));
            self.touched[row] = self.steps;
        }
    }

    fn factors(&self, rate: f64) -> Factors<T> {
        let RmsPropSettings { decay, epsilon } = self.settings;
        Factors { decay: T::of(decay), rate: T::of(rate), epsilon: T::of(epsilon), kept: T::of(decay) }
    }

    /// What it remembers, for a checkpoint: steps, mean squares, and after which step each row was last touched.
    pub fn state(&self) -> (u64, &[T], &[u64]) {
        (self.steps, &self.squares, &self.touched)
    }

    /// Goes on from what was remembered.
    ///
    /// # Panics
    /// When the numbers of parameters differ.
    pub fn restore(&mut self, steps: u64, squares: &[T], touched: &[u64]) {
        self.steps = steps;
        self.squares.copy_from_slice(squares);
        self.touched.copy_from_slice(touched);
    }
}

/// Some rows in a step: each may be moved once, and one that is not stays where it is.
#[derive(Debug)]
pub struct RmsPropRows<'a, T: Real> {
    decay: f64,
    factors: Factors<T>,
    steps: u64,
    columns: usize,
    squares: &'a mut [T],
    touched: &'a mut [u64],
}

impl<T: Real> RmsPropRows<'_, T> {
    /// The factors of a row's step, which make up for those that it missed. The row is then moved, once, with [`Factors::descend`], whole or in parts.
    pub(crate) fn factors(&mut self, row: usize) -> Factors<T> {
        self.factors.after(self.decay, self.steps - std::mem::replace(&mut self.touched[row], self.steps) - 1)
    }

    /// The mean squares, row by row.
    pub(crate) fn squares(&mut self) -> &mut [T] {
        self.squares
    }

    /// Moves a row.
    pub fn step(&mut self, row: usize, parameters: &mut [T], gradients: &[T]) {
        let factors = self.factors(row);
        descend(parameters, &mut self.squares[row * self.columns..(row + 1) * self.columns], gradients, factors);
    }
}

/// The numbers of a step.
#[derive(Clone, Copy, Debug)]
pub struct Factors<T> {
    decay: T,
    rate: T,
    epsilon: T,
    /// What is left of the mean square after the steps that were missed and this one.
    kept: T,
}

impl<T: Real> Factors<T> {
    fn after(self, decay: f64, missed: u64) -> Self {
        if missed == 0 {
            return self;
        }
        Self { kept: T::of(decay.powf(missed as f64 + 1.0)), ..self }
    }

    /// Moves some parameters of a row.
    pub fn step(self, parameters: &mut [T], squares: &mut [T], gradients: &[T]) {
        descend(parameters, squares, gradients, self);
    }

    /// The same, within a loop that is compiled for the processor.
    #[inline(always)]
    pub(crate) fn descend(self, parameters: &mut [T], squares: &mut [T], gradients: &[T]) {
        let rest = T::ONE - self.decay;
        for ((parameter, square), gradient) in parameters.iter_mut().zip(squares).zip(gradients) {
            *square = self.kept * *square + rest * *gradient * *gradient;
            *parameter -= self.rate * *gradient / (square.sqrt() + self.epsilon);
        }
    }
}

vectorised! {
    fn descend<T>(parameters: &mut [T], squares: &mut [T], gradients: &[T], factors: Factors<T>) {
        factors.descend(parameters, squares, gradients);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_by_hand() {
        let mut optimiser = RmsProp::new(1, 2, RmsPropSettings { decay: 0.75, epsilon: 1e-12 }).unwrap();
        let mut parameters = [1.0_f64, 1.0];
        optimiser.step(&mut parameters, &[2.0, 0.0], 0.1, 1);
        // The mean square is 0.25 * 4 = 1, so the step is 0.1 * 2 / 1.
        assert!((parameters[0] - 0.8).abs() < 1e-9 && parameters[1] == 1.0);
    }

    #[test]
    fn rows_alone_move_as_they_would_among_all() {
        let settings = RmsPropSettings { decay: 0.9, epsilon: 1e-8 };
        let (mut whole, mut rows) = (RmsProp::new(3, 2, settings).unwrap(), RmsProp::new(3, 2, settings).unwrap());
        let (mut a, mut b) = ([0.5_f64; 6], [0.5_f64; 6]);
        for (step, touched) in [vec![0], vec![2, 1], vec![2], vec![0, 2], vec![1]].into_iter().enumerate() {
            let of_rows: Vec<f64> = touched.iter().flat_map(|row| [1.0 + step as f64, -0.5 - *row as f64]).collect();
            let mut all = [0.0; 6];
            for (row, gradient) in touched.iter().zip(of_rows.chunks(2)) {
                all[row * 2..row * 2 + 2].copy_from_slice(gradient);
            }
            whole.step(&mut a, &all, 0.1, 1);
            rows.step_rows(&mut b, &touched, &of_rows, 0.1);
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{step}: {a:?} {b:?}");
        }
        let (steps, squares, touched) = rows.state();
        let mut restored = RmsProp::new(3, 2, settings).unwrap();
        restored.restore(steps, squares, touched);
        assert_eq!(restored, rows);
    }

    #[test]
    fn rows_in_parts_move_as_whole_ones_do() {
        let settings = RmsPropSettings { decay: 0.9, epsilon: 1e-8 };
        let new = || RmsProp::new(3, 2, settings).unwrap();
        let (mut whole, mut parts, mut one_by_one) = (new(), new(), new());
        let (mut a, mut b, mut c) = ([0.5_f64; 6], [0.5_f64; 6], [0.5_f64; 6]);
        for (step, rows) in [vec![0], vec![1, 2], vec![2], vec![], vec![0, 2]].into_iter().enumerate() {
            let gradients: Vec<f64> = rows.iter().flat_map(|row| [1.0 + step as f64, -0.5 - *row as f64]).collect();
            whole.step_rows(&mut a, &rows, &gradients, 0.1);
            parts.begin();
            for (place, (factors, squares)) in parts.rows(&rows, 0.1).into_iter().enumerate() {
                for half in 0..2 {
                    let number = rows[place] * 2 + half;
                    let of = place * 2 + half..=place * 2 + half;
                    factors.step(&mut b[number..=number], &mut squares[half..=half], &gradients[of]);
                }
            }
            // Two rows in the first part, one in the second.
            one_by_one.begin();
            let mut shared = one_by_one.parts(0.1, 2);
            for (place, row) in rows.iter().enumerate() {
                let parameters = &mut c[row * 2..row * 2 + 2];
                shared[row / 2].step(row % 2, parameters, &gradients[place * 2..place * 2 + 2]);
            }
            let near = |other: &[f64]| a.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near(&b) && near(&c), "{step}: {a:?} {b:?} {c:?}");
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        assert!(RmsProp::<f32>::new(1, 1, RmsPropSettings { decay: 1.0, epsilon: 1e-8 }).is_err());
        assert!(RmsProp::<f32>::new(1, 1, RmsPropSettings { decay: 0.5, epsilon: 0.0 }).is_err());
    }
}
