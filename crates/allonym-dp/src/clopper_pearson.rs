//! Exact bounds on a probability from a count (Clopper and Pearson, 1934), and what they say about epsilon in an audit.

use crate::accountant::special::{incomplete_beta, inverse_bracket};
use crate::error::DpError;

/// A lower and an upper bound on the probability of a success. Each alone holds with `confidence`; both together hold
/// with at least `2 confidence - 1`.
///
/// # Errors
/// When there are no trials, more successes than trials, or the confidence is not between 0 and 1.
pub fn bounds(successes: u64, trials: u64, confidence: f64) -> Result<(f64, f64), DpError> {
    let (hits, misses) = checked(successes, trials, confidence)?;
    // With the lower bound as probability, so many successes or more are just about too rare.
    let lower = match successes {
        0 => 0.0,
        _ => inverse_bracket(|p| incomplete_beta(p, hits, misses + 1.0) >= 1.0 - confidence).0,
    };
    let upper = match trials - successes {
        0 => 1.0,
        _ => inverse_bracket(|p| incomplete_beta(p, hits + 1.0, misses) >= confidence).1,
    };
    Ok((lower, upper))
}

/// A lower bound, with `confidence`, on the epsilon of an algorithm that ran once with many canaries, each of which
/// was put in or left out by a fair coin, from the guesses that were made and those that were right (Steinke, Nasr and
/// Jagielski, 2023, for delta 0). Canaries on which no guess was made are not counted.
///
/// Under epsilon, right guesses are no more likely than heads of coins that fall so with probability
/// `1 / (1 + e^-epsilon)`, so a bound on the coin is a bound on epsilon.
///
/// # Errors
/// When there are no guesses, more right ones than guesses, or the confidence is not between 0 and 1.
pub fn one_run_audit(correct: u64, guesses: u64, confidence: f64) -> Result<f64, DpError> {
    let (right, _) = bounds(correct, guesses, confidence)?;
    Ok(if right > 0.5 { (right / (1.0 - right)).ln() } else { 0.0 })
}

fn checked(successes: u64, trials: u64, confidence: f64) -> Result<(f64, f64), DpError> {
    let refused = |setting, value: String, allowed| Err(DpError::Setting { setting, value, allowed });
    if trials == 0 {
        return refused("trials", trials.to_string(), "1 or more");
    }
    if successes > trials {
        return refused("successes", successes.to_string(), "at most the number of trials");
    }
    if !(confidence > 0.0 && confidence < 1.0) {
        return refused("confidence", confidence.to_string(), "above 0 and below 1");
    }
    Ok((successes as f64, (trials - successes) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_success_in_a_thousand_by_hand() {
        // (1 - p)^1000 = .05: p = 1 - .05^(1/1000) = .0029912.
        let (lower, upper) = bounds(0, 1000, 0.95).unwrap();
        assert!(lower == 0.0 && (upper + (0.05f64.ln() / 1000.0).exp_m1()).abs() < 1e-15);
    }

    #[test]
    fn successes_and_failures_mirror_each_other() {
        let ((low, high), (mirrored_low, mirrored_high)) =
            (bounds(30, 100, 0.99).unwrap(), bounds(70, 100, 0.99).unwrap());
        assert!((low + mirrored_high - 1.0).abs() < 1e-14 && (high + mirrored_low - 1.0).abs() < 1e-14);
    }

    #[test]
    fn chance_guesses_reveal_nothing() {
        assert_eq!(one_run_audit(50, 100, 0.95), Ok(0.0));
    }

    #[test]
    fn impossible_counts_are_refused() {
        assert!(bounds(0, 0, 0.95).is_err() && bounds(2, 1, 0.95).is_err());
        assert!(bounds(1, 2, 1.0).is_err() && bounds(1, 2, f64::NAN).is_err() && one_run_audit(2, 1, 0.9).is_err());
    }
}
