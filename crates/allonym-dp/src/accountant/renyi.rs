//! From Rényi divergences to (epsilon, delta), by the conversion of Canonne, Kamath and Steinke (2020), which is also
//! that of Balle et al. (2020) and of the accountants of opendp and dp-accounting.

use super::search;

/// The epsilon that follows from the divergence at one order, `1 + excess`. Any order gives a valid bound.
pub(crate) fn epsilon_at(divergence: f64, excess: f64, delta: f64) -> f64 {
    // Also where it is no number: a maximum with 0 would hide that.
    if !divergence.is_finite() {
        return f64::INFINITY;
    }
    // Two outputs this close differ by less than delta altogether (Bretagnolle and Huber).
    if -(-divergence).exp_m1() < delta * delta {
        return 0.0;
    }
    converted(divergence, excess, delta).max(0.0)
}

/// The conversion itself, which may fall below 0.
pub(crate) fn converted(divergence: f64, excess: f64, delta: f64) -> f64 {
    let order = excess.ln_1p();
    divergence + excess.ln() - order - (delta.ln() + order) / excess
}

/// The least epsilon over all orders.
pub(crate) fn epsilon(divergence: impl Fn(f64) -> f64, delta: f64) -> f64 {
    // Orders within 1e-12 of 1 would only help losses above 1e24.
    least(1e-12, delta, |excess| epsilon_at(divergence(1.0 + excess), excess, delta)).1
}

/// The order, less 1, with the least bound, and that bound. Orders start at `1 + least_excess`.
///
/// With `(order - 1) * divergence` convex, as for every pair of distributions, the bound has one valley in the order:
/// its slope has the sign of `(order-1)^2 divergence' - ln(1/(delta order))`, a growing function less a falling one.
/// The same formula shows that the best order is below `1 / delta`.
pub(crate) fn least(least_excess: f64, delta: f64, bound: impl Fn(f64) -> f64) -> (f64, f64) {
    // Orders above 1e10 would only help losses below 1e-18.
    let highest = (1.0 - delta.ln()).min(24.0);
    let (ln_excess, epsilon) = search::lowest(least_excess.ln(), highest, |ln_excess| bound(ln_excess.exp()));
    (ln_excess.exp(), epsilon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_order_of_a_gaussian_solves_its_equation() {
        // Divergence rho * order: (order-1)^2 rho = ln(1/(delta order)).
        let (excess, _) = least(1e-12, 1e-5, |excess| converted(0.5 * (1.0 + excess), excess, 1e-5));
        let (left, right) = (excess * excess * 0.5, -(1e-5 * (1.0 + excess)).ln());
        assert!((left - right).abs() < 1e-5, "{left} {right}");
    }

    #[test]
    fn any_order_bounds_the_least_epsilon() {
        let best = epsilon(|order| 0.5 * order, 1e-5);
        for excess in [0.1, 1.0, 4.0, 10.0, 100.0] {
            assert!(epsilon_at(0.5 * (1.0 + excess), excess, 1e-5) >= best);
        }
    }

    #[test]
    fn what_is_no_number_gives_no_bound() {
        assert_eq!(epsilon_at(f64::NAN, 1.0, 1e-6), f64::INFINITY);
    }

    #[test]
    fn nearly_equal_outputs_lose_nothing() {
        assert_eq!(epsilon_at(1e-13, 1.0, 1e-6), 0.0);
        assert!(epsilon_at(1e-11, 1.0, 1e-6) > 0.0);
    }
}
