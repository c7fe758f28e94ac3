//! Privacy losses on a lattice: multiples of one step. Exact, as nothing has to be rounded to a grid.
//!
//! For a loss `j * step` with probability `p_j`, the least delta at a total is the sum of
//! `p_j (1 - e^(total - j step))` over the losses above the total.

/// The delta at a total. `masses` begin with the loss `top * step` and go down by one step each.
pub(crate) fn delta(step: f64, top: i64, masses: impl Iterator<Item = f64>, total: f64) -> f64 {
    masses
        .zip(0..)
        .map(|(mass, below)| (mass, (top - below) as f64 * step - total))
        .take_while(|(_, excess)| *excess > 0.0)
        .map(|(mass, excess)| -mass * (-excess).exp_m1())
        .sum()
}

/// The least total whose delta is at most `delta`, at least the lowest loss given less a step.
///
/// One walk from the top. With A the mass seen so far and U the same mass discounted by `e^-step` for every step above
/// the current loss j, the delta at `(j-1) step + y` is `V - e^-step U (e^y - 1)` for y up to a step, where
/// `V = A - e^-step U` is found by a sum of positive terms.
pub(crate) fn epsilon(step: f64, top: i64, masses: impl Iterator<Item = f64>, delta: f64) -> f64 {
    let (keep, lose) = ((-step).exp(), -(-step).exp_m1());
    let (mut above, mut discounted, mut delta_below) = (0.0, 0.0, 0.0);
    let mut index = top;
    for mass in masses {
        above += mass;
        discounted = mass + keep * discounted;
        delta_below = lose * above + keep * delta_below;
        index -= 1;
        if delta_below.is_nan() {
            return f64::INFINITY;
        }
        if delta_below > delta {
            let beyond = ((delta_below - delta) / (keep * discounted)).ln_1p();
            return index as f64 * step + beyond.min(step);
        }
    }
    index as f64 * step
}

#[cfg(test)]
mod tests {
    use super::*;

    // Losses 2, 1, 0 with probabilities .1, .3, .6.
    const MASSES: [f64; 3] = [0.1, 0.3, 0.6];

    #[test]
    fn delta_is_what_exceeds_the_total() {
        // .1 (1 - e^-1.5) + .3 (1 - e^-.5) = .0776870 + .1180408.
        let at_half = delta(1.0, 2, MASSES.into_iter(), 0.5);
        assert!((at_half - 0.195_727_8).abs() < 1e-7, "{at_half}");
        assert_eq!(delta(1.0, 2, MASSES.into_iter(), 2.0), 0.0);
    }

    #[test]
    fn epsilon_undoes_delta() {
        for total in [0.01, 0.5, 1.0, 1.3, 1.999] {
            let at = delta(1.0, 2, MASSES.into_iter(), total);
            let back = epsilon(1.0, 2, MASSES.into_iter(), at);
            assert!((back - total).abs() < 1e-13, "{total} {back}");
        }
    }

    #[test]
    fn masses_that_are_no_numbers_give_no_bound() {
        assert_eq!(epsilon(1.0, 2, [0.1, f64::NAN].into_iter(), 0.5), f64::INFINITY);
    }

    #[test]
    fn a_delta_above_all_mass_needs_no_epsilon_above_the_bottom() {
        assert_eq!(epsilon(1.0, 2, MASSES.into_iter(), 0.9), -1.0);
    }
}
