//! The Huber loss (Huber 1964): quadratic near zero, linear far away, so that one wild value does not rule a batch.

use crate::real::Real;

/// The loss of an error, and its derivative; quadratic up to `width`.
pub fn huber<T: Real>(error: T, width: T) -> (T, T) {
    let size = if error < T::ZERO { -error } else { error };
    let half = T::of(0.5);
    if size <= width {
        (half * error * error, error)
    } else {
        (width * (size - half * width), if error < T::ZERO { -width } else { width })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(huber(0.5, 1.0), (0.125, 0.5));
        assert_eq!(huber(-3.0, 1.0), (2.5, -1.0));
        assert_eq!(huber(3.0, 2.0), (4.0, 2.0));
        // Both sides meet: 0.5 * 1 = 1 * (1 - 0.5).
        assert_eq!(huber(1.0, 1.0), (0.5, 1.0));
    }

    #[test]
    fn the_derivative_is_that_of_the_loss() {
        for error in [-2.5_f64, -0.3, 0.0, 0.9, 1.7] {
            let slope = (huber(error + 1e-6, 1.0).0 - huber(error - 1e-6, 1.0).0) / 2e-6;
            assert!((slope - huber(error, 1.0).1).abs() < 1e-8);
        }
    }
}
