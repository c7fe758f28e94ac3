//! A fast Fourier transform of complex numbers, in place, for powers of two.
//!
//! The forward transform leaves its result in bit-reversed order and the inverse takes it so: what happens between the
//! two is the same for every frequency, and nothing has to be sorted.

use std::f64::consts::TAU;
use std::ops::{Add, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Complex {
    pub(crate) const ONE: Self = Self { re: 1.0, im: 0.0 };

    /// The power by repeated squaring.
    pub(crate) fn power(self, mut exponent: u64) -> Self {
        let (mut result, mut square) = (Self::ONE, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * square;
            }
            square = square * square;
            exponent >>= 1;
        }
        result
    }
}

/// A transform of one length.
pub(crate) struct Fft {
    /// `e^(-2 pi i k / n)` for k below n/2, each computed afresh so that errors do not build up.
    roots: Vec<Complex>,
}

impl Fft {
    /// # Panics
    /// Unless `length` is a power of two.
    pub(crate) fn of_length(length: usize) -> Self {
        assert!(length.is_power_of_two());
        let root = |k: usize| {
            let (sine, cosine) = (-TAU * k as f64 / length as f64).sin_cos();
            Complex { re: cosine, im: sine }
        };
        Self { roots: (0..length / 2).map(root).collect() }
    }

    /// The sums of `values[j] e^(-2 pi i j k / n)`, at the bit-reversed place of k.
    pub(crate) fn forward(&self, values: &mut [Complex]) {
        let mut half = values.len() / 2;
        while half > 0 {
            let stride = self.roots.len() / half;
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((a, b), root) in low.iter_mut().zip(high).zip(self.roots.iter().step_by(stride)) {
                    (*a, *b) = (*a + *b, (*a - *b) * *root);
                }
            }
            half /= 2;
        }
    }

    /// Undoes [`forward`](Self::forward).
    pub(crate) fn inverse(&self, values: &mut [Complex]) {
        let mut half = 1;
        while half < values.len() {
            let stride = self.roots.len() / half;
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((a, b), root) in low.iter_mut().zip(high).zip(self.roots.iter().step_by(stride)) {
                    let turned = *b * Complex { re: root.re, im: -root.im };
                    (*a, *b) = (*a + turned, *a - turned);
                }
            }
            half *= 2;
        }
        let scale = 1.0 / values.len() as f64;
        for value in values {
            *value = Complex { re: value.re * scale, im: value.im * scale };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(values: &[f64]) -> Vec<Complex> {
        values.iter().map(|re| Complex { re: *re, im: 0.0 }).collect()
    }

    #[test]
    fn four_points_by_hand() {
        // (1, 2, 3, 4): sums 10, -2+2i, -2, -2-2i; bit-reversed 10, -2, -2+2i, -2-2i.
        let mut values = real(&[1.0, 2.0, 3.0, 4.0]);
        Fft::of_length(4).forward(&mut values);
        let expected = [(10.0, 0.0), (-2.0, 0.0), (-2.0, 2.0), (-2.0, -2.0)];
        for (value, (re, im)) in values.iter().zip(expected) {
            assert!((value.re - re).abs() < 1e-15 && (value.im - im).abs() < 1e-15, "{values:?}");
        }
    }

    #[test]
    fn powers_of_the_transform_are_convolutions() {
        // (1/2 + 1/2 x)^3 = 1/8, 3/8, 3/8, 1/8.
        let mut values = real(&[0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let fft = Fft::of_length(8);
        fft.forward(&mut values);
        values.iter_mut().for_each(|value| *value = value.power(3));
        fft.inverse(&mut values);
        for (value, eighths) in values.iter().zip([1.0, 3.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.0]) {
            assert!((value.re - eighths / 8.0).abs() < 1e-16 && value.im.abs() < 1e-16, "{values:?}");
        }
    }

    #[test]
    fn a_single_point_is_its_own_transform() {
        let mut values = real(&[3.0]);
        let fft = Fft::of_length(1);
        fft.forward(&mut values);
        fft.inverse(&mut values);
        assert_eq!(values, real(&[3.0]));
    }
}
