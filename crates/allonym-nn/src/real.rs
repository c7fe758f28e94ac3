//! The two kinds of numbers: `f32` for work, `f64` for checking gradients.
//!
//! The elementary functions of `f32` are written without branches or calls, so that the compiler turns loops over them into
//! vector instructions. They are accurate to a few units in the last place (tests below); those of `f64` are the library's.

use crate::buffer::Shelf;
use crate::engine::Engine;
use crate::matrix::{View, ViewMut};
use crate::product::Into;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A floating-point number that layers compute with.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The nearest number of this kind.
    fn of(value: f64) -> Self;
    /// The same number, exactly.
    fn wide(self) -> f64;
    /// e to this power.
    fn exp(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// Whether it is neither infinite nor not a number.
    fn is_finite(self) -> bool;
    /// The larger of the two; the first, if the second is no number.
    fn max(self, other: Self) -> Self;
    /// The product of matrices of such numbers, by an engine.
    fn product(
        engine: &dyn Engine,
        out: ViewMut<'_, Self>,
        into: Into,
        left: View<'_, Self>,
        right: View<'_, Self>,
        threads: usize,
    );
    /// This times another plus a third, rounded once.
    fn fused(self, factor: Self, more: Self) -> Self;
    /// Where buffers of such numbers wait to be used again.
    fn shelf() -> &'static Shelf<Self>;
    /// 1 / (1 + e^-x).
    #[inline(always)]
    fn sigmoid(self) -> Self {
        Self::ONE / (Self::ONE + (-self).exp())
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn shelf() -> &'static Shelf<Self> {
        static SHELF: Shelf<f32> = Shelf::new();
        &SHELF
    }

    fn product(
        engine: &dyn Engine,
        out: ViewMut<'_, Self>,
        into: Into,
        left: View<'_, Self>,
        right: View<'_, Self>,
        threads: usize,
    ) {
        engine.product_f32(out, into, left, right, threads);
    }

    #[inline(always)]
    fn fused(self, factor: Self, more: Self) -> Self {
        self.mul_add(factor, more)
    }

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as Self
    }

    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn exp(self) -> Self {
        // 1.5 * 2^23: adding it leaves the nearest integer in the low bits.
        const SHIFT: f32 = 12_582_912.0;
        // ln 2 in two parts; the first has few bits, so that its multiples are exact.
        const LN2_HIGH: f32 = 0.693_359_4;
        const LN2_LOW: f32 = -2.121_944_4e-4;
        // Below, the result would have no normal exponent; above, none at all.
        let x = self.clamp(-87.0, 88.0);
        let shifted = x * std::f32::consts::LOG2_E + SHIFT;
        let whole = shifted - SHIFT;
        let r = (x - whole * LN2_HIGH) - whole * LN2_LOW;
        // Taylor to the seventh power; |r| <= ln(2)/2, so what is left out is below 6e-9.
        let tail = r * (1.0 / 720.0 + r * (1.0 / 5040.0)) + 1.0 / 120.0;
        let power = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * tail))));
        let scale = Self::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
        power * scale
    }

    #[inline(always)]
    fn tanh(self) -> Self {
        // Near zero the formula with e^2x would cancel: there the series to the ninth power is exact enough.
        let square = self * self;
        let series = self
            + self
                * square
                * (-1.0 / 3.0 + square * (2.0 / 15.0 + square * (-17.0 / 315.0 + square * (62.0 / 2835.0))));
        let far = 1.0 - 2.0 / ((2.0 * self).exp() + 1.0);
        if square < 0.0625 { series } else { far }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn ln(self) -> Self {
        Self::ln(self)
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn shelf() -> &'static Shelf<Self> {
        static SHELF: Shelf<f64> = Shelf::new();
        &SHELF
    }

    fn product(
        engine: &dyn Engine,
        out: ViewMut<'_, Self>,
        into: Into,
        left: View<'_, Self>,
        right: View<'_, Self>,
        threads: usize,
    ) {
        engine.product_f64(out, into, left, right, threads);
    }

    #[inline(always)]
    fn fused(self, factor: Self, more: Self) -> Self {
        self.mul_add(factor, more)
    }

    fn of(value: f64) -> Self {
        value
    }

    fn wide(self) -> f64 {
        self
    }

    fn exp(self) -> Self {
        Self::exp(self)
    }

    fn tanh(self) -> Self {
        Self::tanh(self)
    }

    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    fn ln(self) -> Self {
        Self::ln(self)
    }

    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=200_000).map(move |i| from + (to - from) * (i as f32 / 200_000.0))
    }

    fn largest_relative_error(from: f32, to: f32, ours: fn(f32) -> f32, exact: fn(f64) -> f64) -> f64 {
        grid(from, to)
            .filter(|x| exact(f64::from(*x)) != 0.0)
            .map(|x| ((f64::from(ours(x)) - exact(f64::from(x))) / exact(f64::from(x))).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn the_exponential_is_right_to_three_units_in_the_last_place() {
        assert!(largest_relative_error(-87.0, 88.0, Real::exp, f64::exp) < 3.0 * f64::from(f32::EPSILON));
        assert_eq!(Real::exp(0.0_f32), 1.0);
    }

    #[test]
    fn the_hyperbolic_tangent_and_the_sigmoid_are_right_to_a_few_units() {
        assert!(largest_relative_error(-12.0, 12.0, Real::tanh, f64::tanh) < 5e-7);
        assert!(largest_relative_error(-40.0, 40.0, Real::sigmoid, |x| 1.0 / (1.0 + (-x).exp())) < 5e-7);
    }

    #[test]
    fn huge_and_infinite_arguments_stay_in_range() {
        for x in [f32::MAX, f32::INFINITY, 1e4] {
            assert_eq!((Real::tanh(x), Real::tanh(-x)), (1.0, -1.0));
            assert!(Real::sigmoid(x) == 1.0 && Real::sigmoid(-x) < 1e-37 && Real::sigmoid(-x) >= 0.0);
        }
        assert!(Real::exp(f32::NAN).is_nan() && Real::tanh(f32::NAN).is_nan());
    }
}
