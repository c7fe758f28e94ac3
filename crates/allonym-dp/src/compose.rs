//! The loss of a whole text from the loss of its draws, and the way back.

use crate::accountant;
use crate::error::DpError;
use crate::loss::{Class, Loss};
use crate::mechanism::{Entry, Mechanism, Parameters};

/// The total loss of `draws` draws at a given delta, and how it was computed. Delta 0 gives pure composition.
///
/// # Errors
/// When delta is outside [0, 1) or nothing is drawn.
pub fn total(loss: &Loss, draws: u64, delta: f64) -> Result<(f64, &'static str), DpError> {
    if loss.class == Class::Independent {
        return Ok((0.0, "exact"));
    }
    let pure = accountant::pure::epsilon(loss.epsilon, draws)?;
    if delta == 0.0 {
        return Ok((pure, "pure composition"));
    }
    let (approximate, method) = match loss.class {
        Class::Band { hit } => {
            (accountant::band::epsilon(loss.epsilon, hit, draws, delta)?, "exact three-point composition")
        }
        Class::BoundedRange { range } => {
            (accountant::bounded_range::rdp_epsilon(range, draws, delta)?, "bounded range by Renyi divergence")
        }
        Class::Independent => (0.0, "exact"),
    };
    Ok(if approximate < pure { (approximate, method) } else { (pure, "pure composition") })
}

/// The mechanism that spends a total on a text of this many draws: the largest true loss a token that fits.
///
/// # Errors
/// When no setting of the mechanism fits the total, or a number is out of range.
pub fn plan(
    entry: &Entry,
    parameters: &Parameters,
    outcomes: u32,
    draws: u64,
    total_epsilon: f64,
    delta: f64,
) -> Result<Box<dyn Mechanism>, DpError> {
    let allowed = "a positive number";
    if !(total_epsilon > 0.0 && total_epsilon.is_finite()) {
        return Err(DpError::Setting { setting: "total", value: total_epsilon.to_string(), allowed });
    }
    let with = |loss: f64| entry.build(&Parameters { epsilon_per_token: Some(loss), ..parameters.clone() }, outcomes);
    let fits =
        |loss: f64| -> Result<bool, DpError> { Ok(total(&with(loss)?.loss(), draws, delta)?.0 <= total_epsilon) };
    let least = match entry.name {
        // The two-set mechanism costs ln(s - 1) before it does anything.
        "two-set" => f64::from(outcomes - 1).ln() + 1e-6,
        _ => (total_epsilon / draws as f64).min(1e-3),
    };
    if !fits(least)? {
        return Err(DpError::NothingFits {
            mechanism: entry.name,
            total: total_epsilon,
            least: total(&with(least)?.loss(), draws, delta)?.0,
        });
    }
    let (mut low, mut high) = (least, crate::mechanism::MOST_EPSILON);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if fits(middle)? { low = middle } else { high = middle }
    }
    with(low)
}

/// The least loss for which any mechanism at all can draw one of `good` tokens of a vocabulary with this probability.
pub fn least_epsilon(outcomes: u32, good: u32, probability: f64) -> Result<f64, DpError> {
    if !(good >= 1 && good < outcomes) {
        return Err(DpError::Setting {
            setting: "good",
            value: good.to_string(),
            allowed: "at least 1 and fewer than the vocabulary",
        });
    }
    if !(probability > 0.0 && probability < 1.0) {
        return Err(DpError::Setting {
            setting: "probability",
            value: probability.to_string(),
            allowed: "between 0 and 1",
        });
    }
    let logit = (probability / (1.0 - probability)).ln();
    Ok((logit + (f64::from(outcomes - good) / f64::from(good)).ln()).max(0.0))
}
