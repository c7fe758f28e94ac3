//! A text's budget, spread unevenly over its tokens.
//!
//! A schedule that depends on public things alone (the position, or tokens that are already released) costs the sum of its
//! parts. A schedule that depends on the private text (more for content words, say) is possible too, if every text of the same
//! length spends the same total, and if neither the schedule nor the amounts are released.

use crate::error::DpError;
use crate::loss::{Class, Loss};

/// The total of a public schedule: the sum of the losses of its draws.
///
/// # Errors
/// When there is no draw.
pub fn public_schedule(losses: &[Loss]) -> Result<f64, DpError> {
    if losses.is_empty() {
        return Err(DpError::Setting { setting: "draws", value: "0".into(), allowed: "at least 1" });
    }
    Ok(losses.iter().map(|loss| loss.epsilon).sum::<f64>() * (1.0 + 1e-12))
}

/// The total of a schedule that the private text decides, given what each text spends in all by its own schedule.
///
/// **Claim.** Let text x spend e(x) on a draw, with the sum E over all draws for every x. Between texts x and x' the draw costs
/// at most (e(x) + e(x')) / 2 for the exponential mechanism on free scores at its published calibration (weights e^(e u / 2), u
/// in [0, 1]), so E in all; and at most max(e(x), e(x')) for a band with a uniform base, so 2 E in all.
///
/// **Proof.** Free scores: the weight of a token changes by a factor of at most e^(e(x) / 2), the normaliser by one of at most
/// e^(e(x') / 2). Band: a probability is at most e^e / (g e^e + s - g) and at least 1 / (g e^e' + s - g); their ratio is
/// e^e (g e^e' + s - g) / (g e^e + s - g), which is at most e^e where e' <= e and at most e^e' otherwise. Sum over the draws; a
/// maximum is at most a sum. QED.
///
/// # Errors
/// When the total is not a positive number.
pub fn private_schedule(class: &Class, total: f64) -> Result<f64, DpError> {
    if !(total > 0.0 && total.is_finite()) {
        return Err(DpError::Setting { setting: "total", value: total.to_string(), allowed: "a positive number" });
    }
    Ok(match class {
        Class::Independent => 0.0,
        Class::BoundedRange { .. } => total,
        Class::Band { .. } => 2.0 * total,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Subset;

    /// The exact loss of two draws of `subset`-like responses whose strengths each text chooses for itself.
    fn band_pair(first: [f64; 2], second: [f64; 2], outcomes: u32) -> f64 {
        (0..2)
            .map(|i| {
                let ((high, low), (other_high, other_low)) =
                    (Subset::ideal(first[i], 1, outcomes), Subset::ideal(second[i], 1, outcomes));
                [high / other_low, high / other_high, low / other_low].into_iter().fold(0.0, f64::max).ln()
            })
            .sum()
    }

    #[test]
    fn a_private_schedule_of_a_band_costs_at_most_twice_its_total() {
        let total = 6.0;
        let mut largest: f64 = 0.0;
        for step in 1..60 {
            for other in 1..60 {
                let (a, b) = (f64::from(step) / 10.0, f64::from(other) / 10.0);
                largest = largest.max(band_pair([a, total - a], [b, total - b], 1000));
            }
        }
        assert!(largest > total, "a private schedule is not free");
        assert!(largest <= private_schedule(&Class::Band { hit: 0.5 }, total).unwrap());
    }

    #[test]
    fn a_public_schedule_costs_its_sum() {
        let losses = [1.0, 2.5, 0.5].map(|epsilon| Loss { epsilon, class: Class::Band { hit: 0.1 } });
        assert!((public_schedule(&losses).unwrap() - 4.0).abs() < 1e-9);
        assert!(public_schedule(&[]).is_err() && private_schedule(&Class::Independent, f64::NAN).is_err());
    }
}
