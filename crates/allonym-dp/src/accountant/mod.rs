//! The accountant: what many draws cost together.
//!
//! Each file holds one way to add up losses, from the plainest to the sharpest. Which one may be used depends on what
//! is known about a draw:
//!
//! | known about a draw | file |
//! |---|---|
//! | its loss is at most epsilon | [`pure`], or [`optimal`] at a delta |
//! | it lies in a band (k-RR, subset-RR, two-set, floor, clip) | [`band`], exact |
//! | it has bounded range (exponential mechanism on clipped scores) | [`bounded_range`] |
//! | it is zero-concentrated | [`zcdp`] |
//! | it adds Gaussian noise once | [`analytic_gaussian`] |
//! | it adds Gaussian noise to a Poisson sample, many times | [`subsampled_gaussian`], or [`privacy_loss`], sharper |
//! | it adds Laplace noise | [`laplace`] |
//!
//! [`group`] turns the guarantee of one record into that of an author with several.
//!
//! Every epsilon here is an upper bound. Searches return the safe end of their last interval, and results that went
//! through rounded arithmetic are raised by one part in 10^12.

mod check;
mod discrete_loss;
mod fft;
mod lattice;
mod renyi;
mod search;
mod training_step;

pub mod analytic_gaussian;
pub mod band;
pub mod bounded_range;
pub mod group;
pub mod laplace;
pub mod noise;
pub mod optimal;
pub mod privacy_loss;
pub mod pure;
pub mod special;
pub mod subsampled_gaussian;
pub mod zcdp;

/// Raises a bound by more than the rounding of the few operations that led to it, and by less than anyone can see.
fn up(bound: f64) -> f64 {
    bound * (1.0 + 1e-12)
}

/// Whether a bound equals an oracle's figure, up to a relative tolerance.
#[cfg(test)]
fn close(bound: f64, oracle: f64, tolerance: f64) -> bool {
    (bound - oracle).abs() <= tolerance * oracle.abs()
}
