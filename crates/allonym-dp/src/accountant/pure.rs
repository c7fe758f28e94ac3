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
        // The float nearest to .7 is .7 - 4.4e-17. Three of it are 2.1 - 1.3e-16, which lies between the floats
        // 2.1 - 3.5e-16 and 2.1 + 8.9e-17; the nearer is the lower.
        assert_eq!(0.7 * 3.0, 2.099_999_999_999_999_6);
        assert_eq!(epsilon(0.7, 3), Ok(2.1));
    }

    #[test]
    fn a_total_beyond_all_floats_is_an_error() {
        assert_eq!(epsilon(1e300, u64::MAX), Err(DpError::Unbounded));
    }
}
