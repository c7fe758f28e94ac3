//! Group privacy: what the guarantee of one record says about an author with several (Dwork and Roth, 2014, 2.2).

use super::{check, pure};
use crate::error::DpError;

/// The epsilon of `records` records together, where each alone has `epsilon`.
///
/// # Errors
/// When `epsilon` is not a finite number above 0 or there are no records.
pub fn pure(epsilon: f64, records: u64) -> Result<f64, DpError> {
    pure::epsilon(epsilon, records)
}

/// The epsilon and delta of `records` records together, where each alone has `epsilon` and `delta`: n epsilon, and
/// delta times `1 + e^epsilon + ... + e^((n-1) epsilon)`. A delta of 1 says that nothing is promised.
///
/// # Errors
/// When an argument is outside its range.
pub fn approximate(epsilon: f64, delta: f64, records: u64) -> Result<(f64, f64), DpError> {
    let total = pure::epsilon(epsilon, records)?;
    check::probability("delta", delta)?;
    // ln((e^t - 1) / (e^epsilon - 1)) with the large powers taken out, as they may be no floats.
    let ln_sum = total - epsilon + (-(-total).exp_m1()).ln() - (-(-epsilon).exp_m1()).ln();
    let ln_delta = delta.ln() + ln_sum;
    Ok((total, super::up(ln_delta.exp()).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::close;

    #[test]
    fn three_records_by_hand() {
        // e^epsilon = 2: delta (1 + 2 + 4).
        let (epsilon, delta) = approximate(2f64.ln(), 1e-6, 3).unwrap();
        assert!(close(epsilon, 3.0 * 2f64.ln(), 1e-15) && close(delta, 7e-6, 1e-11));
        assert_eq!(pure(0.5, 4), Ok(2.0));
    }

    #[test]
    fn one_record_is_itself() {
        let (epsilon, delta) = approximate(1.0, 1e-6, 1).unwrap();
        assert!(epsilon == 1.0 && close(delta, 1e-6, 1e-11));
    }

    #[test]
    fn a_large_group_is_promised_nothing() {
        assert_eq!(approximate(10.0, 1e-6, 1000), Ok((10_000.0, 1.0)));
    }

    #[test]
    fn a_tiny_epsilon_adds_deltas() {
        // The sum of 100 powers of e^(10^-12) is 100.
        assert!(close(approximate(1e-12, 1e-6, 100).unwrap().1, 1e-4, 1e-9));
    }
}
