//! Searches for the end of a monotone question and for the bottom of a valley.

/// The smallest value between `low` and `high` that is safe, from above: the value returned was found safe, or is
/// `high`. `safe` must hold from some point on.
pub(crate) fn smallest(mut low: f64, mut high: f64, safe: impl Fn(f64) -> bool) -> f64 {
    // Two hundred halvings bring any interval of ordinary size to neighbouring floats.
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if safe(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// A safe value not far above the smallest one, by doubling from `start`; infinite if there is none.
pub(crate) fn doubled(start: f64, safe: impl Fn(f64) -> bool) -> f64 {
    let mut value = start;
    while value.is_finite() && !safe(value) {
        value *= 2.0;
    }
    value
}

/// The bottom of a valley between `low` and `high`: where it is, and how deep.
///
/// Steps of 1 first, as far from the bottom a valley may be flat but for rounding; then the golden section.
pub(crate) fn lowest(low: f64, high: f64, depth: impl Fn(f64) -> f64) -> (f64, f64) {
    let steps = (high - low).ceil() as u32;
    let places = (0..=steps).map(|i| (low + f64::from(i)).min(high));
    let (best, _) = places
        .map(|place| (place, depth(place)))
        .fold((low, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
    let (mut low, mut high) = ((best - 1.0).max(low), (best + 1.0).min(high));
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (depth(left), depth(right));
    // At a bottom of depth 1 floats cannot tell places 1e-8 apart.
    while high - low > 1e-9 * (1.0 + low.abs()) {
        if at_left < at_right {
            high = right;
            (right, at_right) = (left, at_left);
            left = high - golden * (high - low);
            at_left = depth(left);
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = low + golden * (high - low);
            at_right = depth(right);
        }
    }
    if at_left < at_right { (left, at_left) } else { (right, at_right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_safe_value_is_itself_safe() {
        let root = smallest(0.0, 2.0, |x| x * x >= 2.0);
        assert!(root * root >= 2.0 && (root - 2f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn doubling_stops_at_the_first_safe_value_or_at_infinity() {
        assert_eq!(doubled(1.0, |x| x >= 5.0), 8.0);
        assert_eq!(doubled(1.0, |_| false), f64::INFINITY);
    }

    #[test]
    fn the_bottom_of_a_valley_is_found() {
        let (place, depth) = lowest(-10.0, 10.0, |x| (x - 3.3).powi(2) + 1.0);
        assert!((place - 3.3).abs() < 1e-7 && (depth - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_plain_beside_the_valley_does_not_lead_astray() {
        // Beyond 5 the plain has ripples no larger than rounding.
        let (place, _) = lowest(-10.0, 200.0, |x| if x > 5.0 { 9.0 + 1e-15 * x.sin() } else { (x + 2.0).powi(2) });
        assert!((place + 2.0).abs() < 1e-7, "{place}");
    }
}
