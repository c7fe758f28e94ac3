//! Basic composition: losses add up. True of any mechanism, and the only total without a delta.

use super::check;
use crate::error::DpError;

/// The loss of `draws` draws of at most `per_draw` each: their product, rounded up.
///
/// # Errors
/// When `per_draw` is not a finite number above 0, there are no draws, or the product is no float.
pub fn epsilon(per_draw: f64, draws: u64) -> Result<f64, DpError> {
    let (each, draws) = (check::positive("epsilon", per_draw)?, check::count("draws", draws)?);
    let total = each * draws;
    // The fused product tells in which direction the plain one was rounded.
    check::finite(if each.mul_add(draws, -total) > 0.0 { total.next_up() } else { total })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_add_up() {
        assert_eq!(epsilon(3.0, 50), Ok(150.0));
    }

    #[test]
    fn the_total_is_never_below_the_exact_product() {
        // The float 0.1 is 0.1 + 5.55e-18; three of them exceed 0.3 + 1.66e-17 and the float below it.
        assert_eq!(epsilon(0.1, 3), Ok(0.300_000_000_000_000_04));
        // The float .7 is below seven tenths; the product 2.1 of floats rounds down from nothing.
        assert!(0.7f64.mul_add(3.0, -epsilon(0.7, 3).unwrap()) <= 0.0);
    }

    #[test]
    fn a_total_beyond_all_floats_is_an_error() {
        assert_eq!(epsilon(1e300, u64::MAX), Err(DpError::Unbounded));
    }
}
