//! Laplace noise, many times, by the distribution of its privacy loss.

use super::discrete_loss::{DiscreteLoss, Draws, guess};
use super::{check, pure};
use crate::error::DpError;

/// Grid points on either side of no loss.
const POINTS: i64 = 1000;

/// The epsilon at a delta of `draws` draws of Laplace noise with `scale`, in units of the L1 sensitivity.
///
/// # Errors
/// When an argument is outside its range.
pub fn epsilon(scale: f64, draws: u64, delta: f64) -> Result<f64, DpError> {
    check::positive("scale", scale)?;
    check::probability("delta", delta)?;
    let most = 1.0 / scale;
    let pure = pure::epsilon(most.next_up(), draws)?;
    let loss = discretised(most);
    let (_, tilt) = guess(&[(&loss.points(), check::count("draws", draws)?)], delta);
    Ok(Draws::new(&[(loss, draws)], tilt).epsilon(delta).min(pure))
}

/// The loss of a draw: `+most` with probability 1/2, `-most` with `e^-most / 2`, and in between with the density
/// `e^((loss - most)/2) / 4`. Between grid points masses are split as in [`privacy_loss`](super::privacy_loss).
fn discretised(most: f64) -> DiscreteLoss {
    let step = most / POINTS as f64;
    let mut masses = vec![0.0; 2 * POINTS as usize + 1];
    masses[0] = 0.5 * (-most).exp();
    masses[2 * POINTS as usize] = 0.5;
    // Over a cell, with h the density's growth e^(step/2): the mass is (h - 1)/2 and the mass under the other input
    // (1 - 1/h)/2, both times what they are at its lower end. The share that goes up solves two equations: h/(h + 1).
    let half = (0.5 * step).exp_m1();
    for cell in 0..2 * POINTS as usize {
        let below = (cell as i64 - POINTS) as f64 * step;
        let mass = 0.5 * half * (0.5 * (below - most)).exp();
        let share = (1.0 + half) / (2.0 + half);
        masses[cell] += mass * (1.0 - share);
        masses[cell + 1] += mass * share;
    }
    DiscreteLoss { step, lowest: -POINTS, masses, infinite: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{close, optimal};

    #[test]
    fn a_grid_keeps_all_mass_under_both_inputs() {
        for most in [0.01, 1.0, 20.0] {
            let grid = discretised(most);
            let mass: f64 = grid.masses.iter().sum();
            let other: f64 =
                grid.masses.iter().zip(grid.lowest..).map(|(m, i)| m * (-(i as f64) * grid.step).exp()).sum();
            assert!((mass - 1.0).abs() < 1e-12 && (other - 1.0).abs() < 1e-12, "{most} {mass} {other}");
        }
    }

    #[test]
    fn one_draw_by_hand() {
        // delta = 1 - e^((epsilon - 1)/2) for scale 1 (Balle et al., 2020): epsilon .5 gives .221199.
        assert!(close(epsilon(1.0, 1, -(-0.25f64).exp_m1()).unwrap(), 0.5, 1e-5));
    }

    #[test]
    fn it_is_below_the_bound_of_an_unknown_mechanism() {
        assert!(epsilon(2.0, 100, 1e-6).unwrap() < optimal::epsilon(0.5, 100, 1e-6).unwrap());
    }
}
