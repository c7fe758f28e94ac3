//! Special functions, accurate to about fourteen digits wherever the accountant uses them.
//!
//! Written here rather than taken from a library: they are short, and a reader of the privacy core can check them.

mod beta;
mod gamma;
mod normal;

pub(crate) use beta::inverse_bracket;
pub use beta::{incomplete_beta, inverse_incomplete_beta};
pub use gamma::{ln_binomial, ln_binomial_pmf, ln_gamma};
pub use normal::{erfc, erfcx, ln_erfc, ln_normal_tail, normal_tail};

/// `ln(sum of e^x)`, without leaving the range of floats. Minus infinity for an empty sum.
pub fn log_sum_exp(logarithms: &[f64]) -> f64 {
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    largest + logarithms.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_powers_stays_within_the_floats() {
        // e^1000 + e^1000 = 2 e^1000.
        assert_eq!(log_sum_exp(&[1000.0, 1000.0]), 1000.0 + 2f64.ln());
        assert_eq!(log_sum_exp(&[-1000.0, f64::NEG_INFINITY]), -1000.0);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
