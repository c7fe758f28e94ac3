//! The least noise that keeps private training within a price.

use super::privacy_loss::{self, Adjacency, Releases};
use crate::error::DpError;

/// The most noise that is tried: with more, nothing would be learned.
const MOST: f64 = 1e4;

/// The noise, as a multiple of the clip, with which so many steps on Poisson samples cost at most `epsilon`. Found to a thousandth, on the side of more noise.
///
/// # Errors
/// When a number is out of range, or no noise is enough.
pub fn multiplier(epsilon: f64, delta: f64, rate: f64, steps: u64, adjacency: Adjacency) -> Result<f64, DpError> {
    multiplier_beside(&[], epsilon, delta, rate, steps, adjacency)
}

/// The same where other releases of the same records are paid for from the same price.
///
/// # Errors
/// When a number is out of range, no noise is enough, or the others alone cost more.
pub fn multiplier_beside(
    others: &[Releases],
    epsilon: f64,
    delta: f64,
    rate: f64,
    steps: u64,
    adjacency: Adjacency,
) -> Result<f64, DpError> {
    if !(epsilon.is_finite() && epsilon > 0.0) {
        let value = epsilon.to_string();
        return Err(DpError::Setting { setting: "epsilon", value, allowed: "a positive number" });
    }
    // Too little noise has no finite bound: that is too dear, not an error.
    let all = |noise: f64| [&[Releases { noise, rate, count: steps }], others].concat();
    let dear = |noise: f64| match privacy_loss::of_all(&all(noise), delta, adjacency) {
        Ok(found) => Ok(found > epsilon),
        Err(DpError::Unbounded) => Ok(true),
        Err(error) => Err(error),
    };
    let (mut low, mut high) = (0.2, 0.4);
    while dear(high)? {
        (low, high) = (high, high * 2.0);
        if high > MOST {
            return Err(DpError::Unbounded);
        }
    }
    while high - low > 1e-3 * low {
        let middle = 0.5 * (low + high);
        if dear(middle)? {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_costs_what_was_asked_for_and_hardly_less() {
        // By dp-accounting 0.6.0: noise 1, rate 0.01, 1000 steps cost 1.8282 at delta 1e-5.
        let noise = multiplier(1.8282, 1e-5, 0.01, 1000, Adjacency::AddRemove).unwrap();
        assert!((noise - 1.0).abs() < 3e-3, "{noise}");
        for (epsilon, rate, steps) in [(1.0, 0.08, 100), (8.0, 0.02, 200)] {
            let noise = multiplier(epsilon, 1e-5, rate, steps, Adjacency::AddRemove).unwrap();
            let price = |noise| privacy_loss::epsilon(noise, rate, steps, 1e-5, Adjacency::AddRemove).unwrap();
            assert!(price(noise) <= epsilon && price(noise * 0.99) > epsilon, "{noise}: {}", price(noise));
        }
    }

    #[test]
    fn what_others_cost_is_left_out() {
        let others = [Releases { noise: 5.0, rate: 1.0, count: 1 }];
        let beside = multiplier_beside(&others, 1.0, 1e-5, 0.03, 100, Adjacency::AddRemove).unwrap();
        let alone = multiplier(1.0, 1e-5, 0.03, 100, Adjacency::AddRemove).unwrap();
        assert!(beside > 1.1 * alone, "{alone} {beside}");
        let all = [Releases { noise: beside, rate: 0.03, count: 100 }, others[0]];
        let price = privacy_loss::of_all(&all, 1e-5, Adjacency::AddRemove).unwrap();
        assert!(price <= 1.0 && price > 0.99, "{price}");
        let dear = [Releases { noise: 3.0, rate: 1.0, count: 1 }];
        assert!(multiplier_beside(&dear, 1.0, 1e-5, 0.03, 100, Adjacency::AddRemove).is_err());
    }

    #[test]
    fn a_price_that_nothing_keeps_is_refused() {
        assert!(multiplier(0.0, 1e-5, 0.01, 10, Adjacency::AddRemove).is_err());
        assert!(multiplier(f64::NAN, 1e-5, 0.01, 10, Adjacency::AddRemove).is_err());
    }
}
